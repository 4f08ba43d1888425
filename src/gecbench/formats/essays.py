"""Essays: nucle and bea19, whose edits are places in the text, and multigec."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gecbench.core.edit import DETECTED
from gecbench.core.errors import CorpusError, FormatError, Message, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows, begins
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import (
    error_place,
    format_rows,
    is_number,
    loss_of,
    most_references,
    not_kept,
    outer_blocks,
    parallel_losses,
    parallel_text,
    parse_rows,
)

_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_ACROSS = Message("an edit across lines")
_OVERLAP = Message("an edit that overlaps another of its annotator")
_UNCORRECTED = Message("the mark of an error that nobody corrected")


class TextEdit(NamedTuple):
    """An edit of an essay.

    Args:
        start: First character that is replaced.
        end: Behind the last one.
        text: What is put there; None marks an error without a correction.
    """

    start: int
    end: int
    text: str | None


def essay_lines(
    name: str,
    text: str,
    annotators: Sequence[tuple[str, Sequence[TextEdit]]],
    meta: Mapping[str, str],
    left_out: Counter[str],
    *,
    first: int = 1,
) -> Iterator[Sample]:
    """Yield the lines of a text that are not blank, with a reference of each annotator.

    Args:
        name: Of the essay; ids are this and the number of the line.
        text: All of it, or a paragraph.
        annotators: Names with edits of the text.
        meta: Of each line, beside the essay and the number in it.
        left_out: Counts what cannot be kept.
        first: Number of the first line.
    """
    lines = list(_LINE.finditer(text))
    for _, edits in annotators:
        left_out[_ACROSS] += sum(
            not any(line.start() <= e.start and e.end <= line.end() for line in lines)
            for e in edits
        )
    for n, line in enumerate(lines, first):
        yield Sample(
            f"{name}/{n}",
            line[0],
            tuple(_rewrite(line, key, edits, left_out) for key, edits in annotators),
            {**meta, "document": name, "position": str(n)},
        )


def _rewrite(
    line: re.Match[str], annotator: str, edits: Iterable[TextEdit], left_out: Counter[str]
) -> Rewrite:
    """What an annotator makes of a line."""
    inside = [e for e in edits if line.start() <= e.start and e.end <= line.end()]
    if not inside:
        return Rewrite(error_free=True, annotator=annotator)
    corrections = sorted((e for e in inside if e.text is not None), key=lambda e: e[:2])
    # Marks around corrections say nothing more than these do (FCE).
    left_out[_UNCORRECTED] += sum(
        e.text is None and not any(e.start <= c.start and c.end <= e.end for c in corrections)
        for e in inside
    )
    pieces, at = [], line.start()
    for edit in corrections:
        if edit.start < at:
            left_out[_OVERLAP] += 1
            continue
        pieces.append(line.string[at : edit.start])
        text = line.string
        before, behind = "".join(pieces)[-1:], text[edit.end : min(edit.end + 1, line.end())]
        pieces.append(_with_blanks(edit.text or "", text[edit.start : edit.end], before, behind))
        at = edit.end
    pieces.append(line.string[at : line.end()])
    # A correction may bring a line end, which a sentence has not.
    return Rewrite(text=re.sub(r"[\r\n]+", " ", "".join(pieces)), annotator=annotator)


def _with_blanks(correction: str, replaced: str, before: str, behind: str) -> str:
    """A correction, with a blank at an end where it would join two words.

    Annotators of NUCLE often mark the blank behind a word with it, and do not write it again; the
    authors' programs divide by tokens, which blanks are not in. A blank alone is replaced as the
    annotator says. What is put in at the beginning of a word is a word of its own.
    """
    if not replaced and not before.strip() and correction[-1:].isalnum() and behind.isalnum():
        return f"{correction} "
    if not replaced.strip():
        return correction
    if replaced[0].isspace() and correction[:1].strip() and before.strip():
        correction = f" {correction}"
    if replaced[-1].isspace() and (correction or before)[-1:].strip() and behind.strip():
        correction += " "
    return correction


# nucle: essays in SGML with the mistakes that teachers marked, as NUCLE is published.
#
# Each line of a title or paragraph is a sentence; the authors' convert_nucle.py (CoNLL-2013) goes
# on to divide them with NLTK. As in its parser, titles count as paragraphs, and one line end at
# each end of a paragraph is not part of it.

_BEGINNING = re.compile(r"\s*<DOC\b[^<>]*\bnid=.*<TEXT>", re.DOTALL)
_DOC = re.compile(r"<(DOC)\b[^<>]*\bnid=\"?([^\"<>\s]+)\"?[^<>]*>(.*?)</\1>", re.DOTALL)
_PARAGRAPH = re.compile(r"<(TITLE|P)>\n?(.*?)\n?</\1>", re.DOTALL)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL)
_ANNOTATION = re.compile(r"<ANNOTATION\b([^<>]*)>(.*?)</ANNOTATION>", re.DOTALL)
_MISTAKE = re.compile(r"<MISTAKE\b([^<>]*)>(.*?)</MISTAKE>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="?([^"<>\s]*)"?')
_ELEMENT = re.compile(r"<(TYPE|CORRECTION)>\n?(.*?)\n?</\1>", re.DOTALL)
_PLACES = ("start_par", "start_off", "end_par", "end_off")
_ACROSS_PARAGRAPHS = Message("an edit across paragraphs, or outside its own")

_Mistake = tuple[int, TextEdit]
"""Number of the paragraph, and the edit in it."""


def _stream_nucle(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Read the lines of all documents; every teacher of a document makes a reference of each.

    Raises:
        FormatError: Names the line of a document without a text, or with a mistake without a place.
    """
    left_out: Counter[str] = Counter()
    rows: list[tuple[int, Sample]] = []
    for line, match in outer_blocks(path, "\n".join(lines), _DOC, "DOC nid"):
        with error_place(Place(path, line)):
            rows += [(line, sample) for sample in _nucle_samples(match[2], match[3], left_out)]
    return Corpus(name_of(path), (), "en", not_kept(left_out)), iter(rows)


def _nucle_samples(name: str, document: str, left_out: Counter[str]) -> Iterator[Sample]:
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
        edits = [
            (teacher, [e for p, e in placed_edits if p == k])
            for teacher, placed_edits in annotators
        ]
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
            left_out[_ACROSS_PARAGRAPHS] += 1
            continue
        parts = dict(_ELEMENT.findall(match[2]))
        correction = None if parts.get("TYPE") in DETECTED else parts.get("CORRECTION", "")
        yield first, TextEdit(start, end, correction)


NUCLE = Format(
    name="nucle",
    title="NUCLE",
    about="SGML of essays with the mistakes that teachers marked, as NUCLE is published",
    sniff=partial(begins, pattern=_BEGINNING, count=100),
    stream=_stream_nucle,
)


# bea19: JSON lines of essays with edits in characters, as W&I+LOCNESS and FCE are published.
#
# Each line of an essay is a sentence. The authors' json_to_m2.py (BEA-2019) divides lines into
# sentences by spaCy; what it leaves out is left out here, too: edits across lines.

_BEA19_KEYS = ("id", "text", "edits")
_BEA19_LINE = re.compile(r'\{(?=.*"text").*"edits"\s*:\s*\[\s*[\[\]]')
"""An object with a text and edits by annotator."""
_Edits = tuple[tuple[int | str, tuple[tuple[object, ...], ...]], ...]


def _stream_bea19(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Read the lines of all essays; every annotator of an essay makes a reference of each.

    Raises:
        FormatError: Names the line with an edit outside its essay, or a key that is missing.
    """
    left_out: Counter[str] = Counter()
    essays = parse_rows(path, enumerate(lines, 1), lambda line: _bea19_samples(line, left_out))
    rows = [(n, sample) for n, samples in essays for sample in samples]
    return Corpus(name_of(path), (), "en", not_kept(left_out)), iter(rows)


def _bea19_samples(line: str, left_out: Counter[str]) -> list[Sample]:
    # The formats of texts here need no JSON.
    from gecbench.formats.table import Row, meta_of, name_in
    from gecbench.formats.validation import convert, parse_json, value_of

    row = convert(None, parse_json(line), Row)
    name, text = name_in(row, "id"), value_of(row, "text", str)
    if not name:
        raise FormatError("the id is missing; give every essay one")
    annotators = [
        (str(annotator), [_edit(edit, text) for edit in edits])
        for annotator, edits in value_of(row, "edits", _Edits)
    ]
    meta = meta_of(row, _BEA19_KEYS)
    return list(essay_lines(name, text, annotators, meta, left_out))


def _edit(cells: Sequence[object], text: str) -> TextEdit:
    """Check an edit: start, end, correction, and perhaps a type, which is not kept."""
    match cells:
        case [int(start), int(end), (str() | None) as correction, *rest] if len(rest) < 2:
            if 0 <= start <= end <= len(text):
                return TextEdit(start, end, correction)
            raise FormatError(
                "an edit from {start} to {end} lies outside the text, which has {length} "
                "characters",
                start=start,
                end=end,
                length=len(text),
            )
    raise FormatError(
        "an edit is {value}; expected [start, end, correction], where null is no correction",
        value=str(list(cells))[:60],
    )


BEA19 = Format(
    name="bea19",
    title="W&I+LOCNESS",
    about="JSON of essays with edits in characters, as W&I+LOCNESS and FCE are published",
    sniff=partial(begins, pattern=_BEA19_LINE),
    stream=_stream_bea19,
)


# multigec: essays under headings, as MultiGEC-2025 is published.


_NAME = "multigec"
_HEADING = re.compile(r"### essay_id = (.*\S)\s*")
_LIKE_HEADING = re.compile(r"\s*#+\s*(?:essay_id\b|essay ?id\s*[=:]).*", re.IGNORECASE)
"""A heading, or one that is misspelled."""


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the essays, without the blank lines around them.

    Raises:
        FormatError: Names the line of a text before the first heading, of a misspelled heading, or
            of an empty essay.
    """
    return Corpus(name_of(path), ()), _essays(path, lines)


def _essays(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, Sample]]:
    name, start, text = "", 1, list[str]()
    for n, line in enumerate(lines, 1):
        heading = _HEADING.fullmatch(line)
        if heading:
            if name:
                yield start, _essay(path, start, name, text)
            name, start, text = heading[1], n, []
        elif _LIKE_HEADING.fullmatch(line):
            raise FormatError(
                "{text} is no heading of an essay; write it as ### essay_id = NAME",
                at=Place(path, n),
                text=quote(line),
            )
        elif name:
            text.append(line)
        elif line.strip():
            raise FormatError(
                "{text} stands before the first essay; an essay begins with ### essay_id = NAME",
                at=Place(path, n),
                text=quote(line),
            )
    if not name:
        raise FormatError(
            "there is no essay; it begins with ### essay_id = NAME", at=Place(path, 1)
        )
    yield start, _essay(path, start, name, text)


def _essay(path: Path, line: int, name: str, lines: Sequence[str]) -> Sample:
    text = "\n".join(lines).strip("\n")
    if not text.strip():
        raise FormatError(
            "essay {id!r} is empty; fill it or remove it", at=Place(path, line), id=name
        )
    return Sample(name, text)


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write a file of essays, or "-orig.md", "-ref1.md", ... where there are references.

    Raises:
        CorpusError: Names the essay with a name or a text that would be read back as another.
    """
    width = most_references(corpus)
    files = {"-orig.md" if width else "": _file(corpus, lambda sample: sample.source)}
    for k in range(width):
        text = partial(parallel_text, number=k, lang=corpus.lang)
        files[f"-ref{k + 1}.md"] = _file(corpus, text)
    return files


def _file(corpus: Corpus, text_of: Callable[[Sample], str]) -> Iterator[str]:
    return format_rows(corpus, _NAME, lambda sample: _section(sample.id, text_of(sample)))


def _section(name: str, text: str) -> str:
    heading = f"### essay_id = {name}"
    match = _HEADING.fullmatch(heading)
    lines = text.strip("\n").split("\n")
    if match is None or match[1] != name or "\r" in heading:
        raise CorpusError("the id {id!r} cannot stand in a heading; write it as jsonl", id=name)
    if not text.strip():
        raise CorpusError("the text is empty, which multigec cannot hold; fill it or leave it out")
    if like_heading := next(filter(_LIKE_HEADING.fullmatch, lines), ""):
        raise CorpusError(
            "the line {text} would be read as the heading of an essay; write it as jsonl",
            text=quote(like_heading),
        )
    if "\r" in text:
        raise CorpusError("the text has an old line end; write it as jsonl")
    return "\n".join([heading, *lines, ""])


def losses(corpus: Corpus) -> list[str]:
    """What is lost beside the name, which is the file's."""
    texts = (
        text
        for sample in corpus.samples
        for text in (sample.source, *(rewrite.text or "" for rewrite in sample.references))
    )
    return [
        *loss_of(
            _NAME, "line ends around an essay", sum(t != t.strip("\n") for t in texts), "text"
        ),
        *parallel_losses(_NAME, corpus),
    ]


FORMAT = Format(
    name=_NAME,
    title="MultiGEC-2025",
    about="essays under headings ### essay_id = NAME, as MultiGEC-2025 is published",
    first_line=_HEADING,
    stream=stream,
    pieces=pieces,
    losses=losses,
    is_text=True,
)
