"""sighan: sentences in SGML with misspelled characters, as SIGHAN's spelling tasks have them.

Three forms: `<ESSAY>` with passages by id and `<MISTAKE id location>`, as the tasks of 2014 and
2015 were published; `<DOC Nid>` with a `<p>` and `<MISTAKE wrong_position>`, as the samples of
2013; and `<SENTENCE>` with a `<TEXT>` and `<LOCATION>` elements, as all are passed on since.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from gecbench.core.errors import FormatError, Message, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows, begins
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import CHINESE, error_place, is_number, not_kept, outer_blocks

_NAME = "sighan"
_BLOCK = re.compile(r"<(SENTENCE|ESSAY|DOC)\b([^<>]*)>(.*?)</\1>", re.DOTALL)
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_PASSAGE = re.compile(r'<PASSAGE id="([^"]*)">(.*?)</PASSAGE>', re.DOTALL)
_BEGINNING = re.compile(r"\s*<(?:SENTENCE>\s*<TEXT>|ESSAY\b[^<>]*>\s*<TEXT>|DOC Nid=[^<>]*>\s*<p>)")
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL)
_MISTAKE = re.compile(r"<MISTAKE\b([^<>]*)>(.*?)</MISTAKE>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="?([^"<>\s]*)"?')
_ELEMENT = re.compile(r"<(LOCATION|WRONG|CORRECTION|wrong|correct)>(.*?)</\1>", re.DOTALL)
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
    own = _parts(_ATTRIBUTE.findall(attributes)).get("id", "")
    passages = [(match[1], match[2].strip()) for match in _PASSAGE.finditer(text[1])]
    by_id: dict[str, list[_Mistake]] = {name: [] for name, _ in passages or [(own, "")]}
    for match in _MISTAKE.finditer(block):
        parts = _parts([*_ATTRIBUTE.findall(match[1]), *_ELEMENT.findall(match[2])])
        name, location = parts.get("id", own), parts.get("location", "")
        if name not in by_id or "wrong" not in parts or not is_number(location):
            raise FormatError(
                "a MISTAKE has a location that is a number, a WRONG, a CORRECTION, and, in an "
                "ESSAY, the id of a PASSAGE; here is {text}",
                text=quote(" ".join(match[0].split())),
            )
        by_id[name].append((int(location), parts["wrong"], parts.get("correction", "")))
    for name, source in passages or [(own, text[1].strip())]:
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
    for location, wrong, correction in sorted(mistakes):
        start = _start(source, location - 1, wrong)
        if start is None:
            left_out[_ELSEWHERE] += 1
        elif start < at:
            left_out[_OVERLAP] += 1
        else:
            pieces += [source[at:start], correction]
            at = start + len(wrong)
    return Rewrite(text="".join(pieces) + source[at:])


def _start(source: str, location: int, wrong: str) -> int | None:
    """Where a wrong character or word begins that covers a place of the sentence."""
    starts = range(max(0, location - len(wrong) + 1), location + 1)
    return next((at for at in reversed(starts) if wrong and source.startswith(wrong, at)), None)


FORMAT = Format(
    name=_NAME,
    title="SIGHAN",
    about="SGML with misspelled characters, as of SIGHAN's spelling tasks",
    sniff=partial(begins, pattern=_BEGINNING, count=5),
    stream=stream,
)
