"""nucle: essays in SGML with the mistakes that teachers marked, as NUCLE is published.

Each line of a title or paragraph is a sentence; the authors' convert_nucle.py (CoNLL-2013) goes on
to divide them with NLTK. As in its parser, titles count as paragraphs, and one line end at each end
of a paragraph is not part of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gecbench.core.edit import DETECTED
from gecbench.core.errors import FormatError, Message, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.essays import TextEdit, essay_lines
from gecbench.formats.texts import error_place, is_number, not_kept, outer_blocks

_DOC = re.compile(r"<(DOC)\b[^<>]*\bnid=\"?([^\"<>\s]+)\"?[^<>]*>(.*?)</\1>", re.DOTALL)
_PARAGRAPH = re.compile(r"<(TITLE|P)>\n?(.*?)\n?</\1>", re.DOTALL)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL)
_ANNOTATION = re.compile(r"<ANNOTATION\b([^<>]*)>(.*?)</ANNOTATION>", re.DOTALL)
_MISTAKE = re.compile(r"<MISTAKE\b([^<>]*)>(.*?)</MISTAKE>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="?([^"<>\s]*)"?')
_ELEMENT = re.compile(r"<(TYPE|CORRECTION)>\n?(.*?)\n?</\1>", re.DOTALL)
_PLACES = ("start_par", "start_off", "end_par", "end_off")
_ACROSS = Message("an edit across paragraphs, or outside its own")

_Mistake = tuple[int, TextEdit]
"""Number of the paragraph, and the edit in it."""


def sniff(lines: Sequence[str]) -> bool:
    """Whether the file begins as a document of NUCLE does."""
    head = "\n".join(lines[:100])
    return re.match(r"\s*<DOC\b[^<>]*\bnid=", head) is not None and "<TEXT>" in head


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Read the lines of all documents; every teacher of a document makes a reference of each.

    Raises:
        FormatError: Names the line of a document without a text, or with a mistake without a place.
    """
    left_out: Counter[str] = Counter()
    rows: list[tuple[int, Sample]] = []
    for line, match in outer_blocks(path, "\n".join(lines), _DOC, "DOC nid"):
        with error_place(Place(path, line)):
            rows += [(line, sample) for sample in _samples(match[2], match[3], left_out)]
    return Corpus(name_of(path), (), "en", not_kept(left_out)), iter(rows)


def _samples(name: str, document: str, left_out: Counter[str]) -> Iterator[Sample]:
    text = _TEXT.search(document)
    if not text:
        raise FormatError("document {id!r} has no <TEXT>", id=name)
    paragraphs = [match[2] for match in _PARAGRAPH.finditer(text[1])]
    annotators = []
    for k, annotation in enumerate(_ANNOTATION.finditer(document)):
        teacher = dict(_ATTRIBUTE.findall(annotation[1])).get("teacher_id") or str(k)
        annotators.append((teacher, list(_mistakes(annotation[2], paragraphs, left_out))))
    number = 1
    for k, paragraph in enumerate(paragraphs):
        edits = [(teacher, [e for p, e in found if p == k]) for teacher, found in annotators]
        for sample in essay_lines(name, paragraph, edits, {}, left_out, first=number):
            yield sample
            number += 1


def _mistakes(
    annotation: str, paragraphs: Sequence[str], left_out: Counter[str]
) -> Iterator[_Mistake]:
    for match in _MISTAKE.finditer(annotation):
        places = dict(_ATTRIBUTE.findall(match[1]))
        if not all(is_number(places.get(key, "")) for key in _PLACES):
            raise FormatError(
                "a MISTAKE has the numbers {keys}; here is {text}",
                keys=", ".join(_PLACES),
                text=quote(" ".join(match[0].split())),
            )
        first, start, last, end = (int(places[key]) for key in _PLACES)
        within = first == last < len(paragraphs) and start <= end <= len(paragraphs[first])
        if not within:
            left_out[_ACROSS] += 1
            continue
        parts = dict(_ELEMENT.findall(match[2]))
        correction = None if parts.get("TYPE") in DETECTED else parts.get("CORRECTION", "")
        yield first, TextEdit(start, end, correction)


FORMAT = Format(
    name="nucle",
    title="NUCLE",
    about="SGML of essays with the mistakes that teachers marked, as NUCLE is published",
    sniff=sniff,
    stream=stream,
)
