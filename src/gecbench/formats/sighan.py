"""SIGHAN's spelling tasks and CTC-2021: sighan, sighan-test and ctc2021.

sighan is sentences in SGML with misspelled characters, as SIGHAN's tasks have them.

Three forms: `<ESSAY>` with passages by id and `<MISTAKE id location>`, as the tasks of 2014 and
2015 were published; `<DOC Nid>` with a `<p>` or `<P>` and `<MISTAKE wrong_position>`, as the
samples of 2013; and `<SENTENCE>` with a `<TEXT>` and `<LOCATION>` elements, as all are passed on
since.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError, Message, OptionAdvice, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows, begins
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import (
    CHINESE,
    OR_LINES,
    error_place,
    is_number,
    not_kept,
    outer_blocks,
    parse_rows,
)

_NAME = "sighan"
_BLOCK = re.compile(r"<(SENTENCE|ESSAY|DOC)\b([^<>]*)>(.*?)</\1>", re.DOTALL)
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL | re.IGNORECASE)
_PASSAGE = re.compile(r'<PASSAGE id="([^"]*)">(.*?)</PASSAGE>', re.DOTALL)
_BEGINNING = re.compile(
    r"\s*<(?:SENTENCE>\s*<TEXT>|ESSAY\b[^<>]*>\s*<TEXT>|DOC Nid=[^<>]*>\s*<[pP]>)"
)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL)
_MISTAKE = re.compile(r"<MISTAKE\b([^<>]*)>(.*?)</MISTAKE>", re.DOTALL | re.IGNORECASE)
_MISTAKE_BEGINS = re.compile(r"<MISTAKE\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r'(\w+)="?([^"<>\s]*)"?')
_ELEMENT = re.compile(r"<(LOCATION|WRONG|CORRECTION|CORRECT)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_NAMES = {"nid": "id", "wrong_position": "location", "correct": "correction"}
"""What 2013 called otherwise."""
_ELSEWHERE = Message("a mistake that does not stand where the file says")
_OVERLAP = Message("a mistake that overlaps another of its sentence")

_Mistake = tuple[int, str, str]
"""Place of the character, from 1; what is wrong around it; its correction."""


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Read the sentences; one without mistakes is free of errors.

    Raises:
        FormatError: Names the line of something that is no sentence or no mistake of one.
    """
    left_out: Counter[str] = Counter()
    rows: list[tuple[int, Sample]] = []
    for line, block in outer_blocks(path, "\n".join(lines), _BLOCK, "SENTENCE, ESSAY or DOC"):
        with error_place(Place(path, line)):
            for name, source, mistakes in _sentences(block[2], block[3]):
                rewrite = _rewrite(source, mistakes, left_out)
                rows.append((line, Sample(name or str(len(rows) + 1), source, (rewrite,))))
    return Corpus(name_of(path), (), CHINESE, not_kept(left_out)), iter(rows)


def _sentences(attributes: str, block: str) -> Iterator[tuple[str, str, list[_Mistake]]]:
    """Yield id ("" where there is none), text and mistakes of the sentences of a block."""
    text = _PARAGRAPH.search(block) or _TEXT.search(block)
    if not text:
        raise FormatError("there is no <TEXT> in it")
    sentence_id = _parts(_ATTRIBUTE.findall(attributes)).get("id", "")
    passages = [(match[1], match[2].strip()) for match in _PASSAGE.finditer(text[1])]
    by_id: dict[str, list[_Mistake]] = {name: [] for name, _ in passages or [(sentence_id, "")]}
    mistakes = list(_MISTAKE.finditer(block))
    if len(mistakes) < len(_MISTAKE_BEGINS.findall(block)):
        raise FormatError("a MISTAKE has no end; it ends with </MISTAKE>")
    for match in mistakes:
        parts = _parts([*_ATTRIBUTE.findall(match[1]), *_ELEMENT.findall(match[2])])
        name, location = parts.get("id", sentence_id), parts.get("location", "")
        has_texts = {"wrong", "correction"} <= parts.keys()
        if name not in by_id or not has_texts or not is_number(location):
            raise FormatError(
                "a MISTAKE has a location that is a number, a WRONG, a CORRECTION, and, in an "
                "ESSAY, the id of a PASSAGE; here is {text}",
                text=quote(" ".join(match[0].split())),
            )
        by_id[name].append((int(location), parts["wrong"], parts["correction"]))
    for name, source in passages or [(sentence_id, text[1].strip())]:
        if not source:
            raise FormatError("a text is empty; fill it or remove it")
        yield name, source, by_id[name]


def _parts(elements: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Attributes and elements by name, in small letters."""
    lower = ((key.lower(), value.strip()) for key, value in elements)
    return {_NAMES.get(key, key): value for key, value in lower}


def _rewrite(source: str, mistakes: Sequence[_Mistake], left_out: Counter[str]) -> Rewrite:
    """The sentence with its mistakes corrected."""
    if not mistakes:
        return Rewrite(error_free=True)
    pieces, at = [], 0
    last = None
    for location, wrong, correction in sorted(mistakes):
        start = _start(source, location - 1, wrong)
        if start is None:
            left_out[_ELSEWHERE] += 1
        elif last == (start, wrong, correction):
            continue  # a word with two wrong characters stands there twice, once for each
        elif start < at:
            left_out[_OVERLAP] += 1
        else:
            pieces += [source[at:start], correction]
            at = start + len(wrong)
            last = (start, wrong, correction)
    return Rewrite(text="".join(pieces) + source[at:])


def _start(source: str, location: int, wrong: str) -> int | None:
    """Where a wrong character or word begins that covers a place of the sentence."""
    starts = range(max(0, location - len(wrong) + 1), location + 1)
    return next((at for at in reversed(starts) if wrong and source.startswith(wrong, at)), None)


SIGHAN = Format(
    name=_NAME,
    title="SIGHAN",
    about="SGML with misspelled characters, as of SIGHAN's spelling tasks",
    sniff=partial(begins, pattern=_BEGINNING, count=5),
    stream=stream,
)


# sighan-test, ctc2021: sentences by id, and files with the places of their corrections.
#
# What is handed in to SIGHAN's spelling tasks (2013 to 2015) and to CTC-2021, and the answers to
# both, has no text: an id, then places in the sentence with what belongs there. It is read with its
# corpus.

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


_ID = re.compile(r"^\([\w-]+-ID=([\w-]+)\)$")
"""Ids of answers in CCL 2022's spelling task, as (YACLC-CSC-VALID-ID=0165)."""

_SIGHAN_TASK = _Task(
    re.compile(r"\s*\((?:pid|NID|[\w-]+-ID)=([^()]+)\)(?!,)\s*((?:.*\S)?)\s*"),
    re.compile(
        r"\s*(?:\([\w-]+-ID=[\w-]+\)|[\w-]+), *(0|\d+, *[^\s\d,]+(?:, *\d+, *[^\s\d,]+)*)\s*"
    ),
    _pairs,
)
_PLACES = re.compile(
    r"[,，]?\s*(?:0|\d+[,，]\s*[^\s\d,，]{1,4}(?:[,，]\s*\d+[,，]\s*[^\s\d,，]{1,4})*)\s*"
)
"""What only answers have behind an id, though not behind its comma: it is no sentence."""
_CTC_TASK = _Task(
    re.compile(r"\s*pid=([\w-]+)\s+((?:.*\S)?)\s*"),
    re.compile(r"\s*(?:pid=)?([\w-]+), *(-1|(?:\d+, *[^\s\d,]+,[^,]*,[^,]*, *+)+)\s*"),
    _fours,
)


def _sniff_places(lines: Sequence[str], *, task: _Task) -> bool:
    """Whether the first lines are sentences of the task, or places of corrections.

    A damaged sentence among them is refused by its line when it is read; one that was cut off in
    its id counts as a sentence.
    """
    first = list(islice(filter(str.strip, lines), _LOOKED_AT))
    sentences = list(filter(task.sentence.fullmatch, first))
    whole_or_cut = sum(any(text.startswith(line) for text in sentences) for line in first)
    return 2 * whole_or_cut > len(first) or all(map(task.answer.fullmatch, first))


def _stream_places(path: Path, lines: Iterable[str], *, task: _Task) -> tuple[Corpus, Rows]:
    """Stream the sentences.

    Raises:
        FormatError: Names the first line that is none.
    """

    def sentence(line: str) -> Sample:
        _check_id(line)
        match = _sentence(task, line)
        if match and match[2]:
            return Sample(match[1], match[2])
        if task.answer.fullmatch(line):
            raise FormatError(
                "these are places of corrections, and their sentences are in another file{advice}",
                advice=_ANSWERS,
            )
        raise FormatError(
            "a line is an id and a sentence, as (pid=A2-0001-1) or pid=0001-1 and the sentence; "
            "here is {text}{option}",
            text=quote(line),
            option=OR_LINES,
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
            match = _sentence(task, line)
            if match:
                name, rewrite = match[1], Rewrite(text=match[2])
            else:
                first, *cells = (cell.strip() for cell in line.split(","))
                name = _ID.sub(r"\1", first.removeprefix("pid="))
                rewrite = _apply_corrections(sources.get(name), list(task.corrections(cells)))
            yield n, Sample(name, sources.get(name, ""), (rewrite,))


def _sentence(task: _Task, line: str) -> re.Match[str] | None:
    match = task.sentence.fullmatch(line)
    if match and _PLACES.fullmatch(match[2]):
        raise FormatError(
            "{text} are places of corrections, but no comma stands between them and the id; an "
            "answer is the id, a comma, and 0 or places with their corrections",
            text=quote(match[2]),
        )
    return match


def _check_id(line: str) -> None:
    if not line.strip():
        raise FormatError("the line is blank; remove it")
    if line.partition(",")[0].strip() in ("", "pid="):
        raise FormatError("the id is empty; a line begins with the id of its sentence")


def _apply_corrections(source: str | None, corrections: Sequence[_Correction]) -> Rewrite:
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


def _format_of(name: str, title: str, about: str, task: _Task) -> Format:
    return Format(
        name=name,
        title=title,
        about=about,
        first_line=re.compile(f"{task.sentence.pattern}|{task.answer.pattern}"),
        sniff=partial(_sniff_places, task=task),
        stream=partial(_stream_places, task=task),
        rewrites=partial(rewrites, task=task),
        is_text=True,
    )


SIGHAN_TEST = _format_of(
    "sighan-test",
    "SIGHAN",
    "sentences of SIGHAN's spelling tests, answers as id, place, correction",
    _SIGHAN_TASK,
)
CTC = _format_of(
    "ctc2021",
    "CTC-2021",
    "sentences of CTC-2021, answers as id, place, type, wrong, right",
    _CTC_TASK,
)
