"""bea19: JSON lines of essays with edits in characters, as W&I+LOCNESS and FCE are published.

Each line of an essay is a sentence. The authors' json_to_m2.py (BEA-2019) divides lines into
sentences by spaCy; what it leaves out is left out here, too: edits across lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError, Message
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.table import Row, meta_of, name_in
from gecbench.formats.texts import not_kept, parse_rows
from gecbench.formats.validation import convert, parse_json, value_of

_NAME = "bea19"
_KEYS = ("id", "text", "edits")
_EDITS = re.compile(r'"edits"\s*:\s*\[\s*[\[\]]')
_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_ACROSS = Message("an edit across lines")
_OVERLAP = Message("an edit that overlaps another of its annotator")
_UNCORRECTED = Message("the mark of an error that nobody corrected")

_Edits = tuple[tuple[int | str, tuple[tuple[object, ...], ...]], ...]


class _Edit(NamedTuple):
    """An edit of an essay.

    Args:
        start: First character that is replaced.
        end: Behind the last one.
        text: What is put there; None marks an error without a correction.
    """

    start: int
    end: int
    text: str | None


def sniff(lines: Sequence[str]) -> bool:
    """Whether the first line is an object with a text and edits by annotator."""
    first = lines[0] if lines else ""
    return first.startswith("{") and '"text"' in first and _EDITS.search(first) is not None


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Read the lines of all essays; every annotator of an essay makes a reference of each.

    Raises:
        FormatError: Names the line with an edit outside its essay, or a key that is missing.
    """
    left_out: Counter[str] = Counter()
    essays = parse_rows(path, enumerate(lines, 1), lambda line: _samples(line, left_out))
    rows = [(n, sample) for n, samples in essays for sample in samples]
    return Corpus(name_of(path), (), "en", not_kept(left_out)), iter(rows)


def _samples(line: str, left_out: Counter[str]) -> list[Sample]:
    row = convert(None, parse_json(line), Row)
    name, text = name_in(row, "id"), value_of(row, "text", str)
    if not name:
        raise FormatError("the id is missing; give every essay one")
    annotators = [
        (str(annotator), [_edit(edit, text) for edit in edits])
        for annotator, edits in value_of(row, "edits", _Edits)
    ]
    matches = list(_LINE.finditer(text))
    for _, edits in annotators:
        left_out[_ACROSS] += sum(
            not any(line.start() <= e.start and e.end <= line.end() for line in matches)
            for e in edits
        )
    meta = {**meta_of(row, _KEYS), "document": name}
    return [
        Sample(
            f"{name}/{n}",
            match[0],
            tuple(_rewrite(match, key, edits, left_out) for key, edits in annotators),
            {**meta, "position": str(n)},
        )
        for n, match in enumerate(matches, 1)
    ]


def _edit(cells: Sequence[object], text: str) -> _Edit:
    """Check an edit: start, end, correction, and perhaps a type, which is not kept."""
    match cells:
        case [int(start), int(end), (str() | None) as correction, *rest] if len(rest) < 2:
            if 0 <= start <= end <= len(text):
                return _Edit(start, end, correction)
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


def _rewrite(
    line: re.Match[str], annotator: str, edits: Iterable[_Edit], left_out: Counter[str]
) -> Rewrite:
    """What an annotator makes of a line."""
    inside = [e for e in edits if line.start() <= e.start and e.end <= line.end()]
    if not inside:
        return Rewrite(error_free=True, annotator=annotator)
    corrections = sorted(_corrections(inside), key=lambda e: e[:2])
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
        pieces += [line.string[at : edit.start], edit.text or ""]
        at = edit.end
    pieces.append(line.string[at : line.end()])
    # A correction may bring a line end, which a sentence has not.
    return Rewrite(text=re.sub(r"[\r\n]+", " ", "".join(pieces)), annotator=annotator)


def _corrections(edits: Iterable[_Edit]) -> Iterator[_Edit]:
    return (edit for edit in edits if edit.text is not None)


FORMAT = Format(
    name=_NAME,
    about="JSON of essays with edits in characters, as W&I+LOCNESS and FCE are published",
    sniff=sniff,
    stream=stream,
)
