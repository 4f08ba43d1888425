"""sighan-test, ctc2021: sentences by id, and files with the places of their corrections.

What is handed in to SIGHAN's spelling tasks (2013 to 2015) and to CTC-2021, and the answers to
both, has no text: an id, then places in the sentence with what belongs there. It is read with its
corpus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError, Message, OptionAdvice, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import CHINESE, error_place, is_number, parse_rows

_LOOKED_AT = 5
_ANSWERS = OptionAdvice(
    "; name that one as the corpus, and this one with {option} or as a system",
    "--reference",
    page=Message("; import that one"),
)


class _Correction(NamedTuple):
    """What stands at a place, from 0, and what belongs there; None: as many characters."""

    start: int
    wrong: str | None
    text: str


class _Task(NamedTuple):
    """How the files of a task look.

    Args:
        sentence: Matches a line with an id and a sentence.
        answer: Matches a line with an id and places.
        corrections: Reads the cells behind the id.
    """

    sentence: re.Pattern[str]
    answer: re.Pattern[str]
    corrections: Callable[[Sequence[str]], Iterator[_Correction]]


def _pairs(cells: Sequence[str]) -> Iterator[_Correction]:
    """Place and correction in turn, places from 1; 0 alone is a sentence without errors."""
    if list(cells) == ["0"]:
        return
    # A line with an id alone was cut off.
    for place, text in zip(cells[::2] or [""], [*cells[1::2], ""], strict=False):
        if not is_number(place) or not int(place) or not text:
            raise FormatError(
                "behind the id stand 0, or places from 1, each with its correction; here are "
                "{text}",
                text=quote(", ".join(cells)),
            )
        yield _Correction(int(place) - 1, None, text)


def _fours(cells: Sequence[str]) -> Iterator[_Correction]:
    """Place, type, wrong and right words in turn, places from 0; -1 alone is no error."""
    if list(cells) == ["-1"]:
        return
    if len(cells) % 4 != 1 or cells[-1]:
        raise FormatError(
            "behind the id stand -1, or for each error its place, type, wrong and right words, "
            "each with a comma behind it; here are {text}",
            text=quote(", ".join(cells)),
        )
    for place, wrong, text in zip(cells[:-1:4], cells[2::4], cells[3::4], strict=True):
        if not is_number(place) or wrong == text:
            raise FormatError(
                "the place {place} is no number, or {wrong} is no error: its correction is {text}",
                place=quote(place),
                wrong=quote(wrong),
                text=quote(text),
            )
        yield _Correction(int(place), wrong, text)


_SIGHAN = _Task(
    re.compile(r"\s*\((?:pid|NID)=([^()]+)\)\s*(.*?)\s*"),
    re.compile(r"\s*([\w-]+), *(0|\d+, *[^\s\d,]+(?:, *\d+, *[^\s\d,]+)*)\s*"),
    _pairs,
)
_CTC = _Task(
    re.compile(r"\s*pid=([\w-]+)\s+(.*?)\s*"),
    re.compile(r"\s*(?:pid=)?([\w-]+), *(-1|(?:\d+, *[^\s\d,]+, *[^,]*, *[^,]*, *)+)\s*"),
    _fours,
)


def sniff(lines: Sequence[str], *, task: _Task) -> bool:
    """Whether the first lines are sentences of the task, or places of corrections."""
    first = list(islice(filter(str.strip, lines), _LOOKED_AT))
    return bool(first) and any(
        all(map(pattern.fullmatch, first)) for pattern in (task.sentence, task.answer)
    )


def stream(path: Path, lines: Iterable[str], *, task: _Task) -> tuple[Corpus, Rows]:
    """Stream the sentences.

    Raises:
        FormatError: Names the first line that is none.
    """

    def sentence(line: str) -> Sample:
        _check_id(line)
        match = task.sentence.fullmatch(line)
        if match and match[2]:
            return Sample(match[1], match[2])
        if task.answer.fullmatch(line):
            raise FormatError(
                "these are places of corrections, and their sentences are in another file{advice}",
                advice=_ANSWERS,
            )
        raise FormatError(
            "a line is an id and a sentence, as (pid=A2-0001-1) or pid=0001-1 and the sentence; "
            "here is {text}",
            text=quote(line),
        )

    return Corpus(name_of(path), (), CHINESE), parse_rows(path, enumerate(lines, 1), sentence)


def rewrites(path: Path, lines: Iterable[str], sources: Mapping[str, str], *, task: _Task) -> Rows:
    """Yield the sentences with what places of corrections, or lines of texts, make of them.

    Raises:
        FormatError: Names the line of a correction that is not in its sentence, or overlaps, and
            one without an id.
    """
    for n, line in enumerate(lines, 1):
        with error_place(Place(path, n)):
            _check_id(line)
            match = task.sentence.fullmatch(line)
            if match:
                name, rewrite = match[1], Rewrite(text=match[2])
            else:
                first, *cells = (cell.strip() for cell in line.split(","))
                name = first.removeprefix("pid=")
                rewrite = _rewrite(sources.get(name), list(task.corrections(cells)))
            yield n, Sample(name, sources.get(name, ""), (rewrite,))


def _check_id(line: str) -> None:
    if not line.strip():
        raise FormatError("the line is blank; remove it")
    if line.partition(",")[0].strip() in ("", "pid="):
        raise FormatError("the id is empty; a line begins with the id of its sentence")


def _rewrite(source: str | None, corrections: Sequence[_Correction]) -> Rewrite:
    if not corrections or source is None:  # that there is no such sentence is said by its id
        return Rewrite(error_free=True)
    pieces, at = [], 0
    for start, wrong, text in sorted(corrections):
        end = start + len(text if wrong is None else wrong)
        if start < at:
            raise FormatError("the correction {text} overlaps another", text=quote(text))
        if end > len(source) or wrong not in (None, source[start:end]):
            raise FormatError(
                "the correction {text} does not fit its sentence; where it begins stands {source}",
                text=quote(text),
                source=quote(source[start:]),
            )
        pieces += [source[at:start], text]
        at = end
    return Rewrite(text="".join(pieces) + source[at:])


def _format(name: str, title: str, about: str, task: _Task) -> Format:
    return Format(
        name=name,
        title=title,
        about=about,
        sniff=partial(sniff, task=task),
        stream=partial(stream, task=task),
        rewrites=partial(rewrites, task=task),
        is_text=True,
    )


SIGHAN = _format(
    "sighan-test",
    "SIGHAN",
    "sentences of SIGHAN's spelling tests, answers as id, place, correction",
    _SIGHAN,
)
CTC = _format(
    "ctc2021",
    "CTC-2021",
    "sentences of CTC-2021, answers as id, place, type, wrong, right",
    _CTC,
)
