"""bea19: JSON lines of essays with edits in characters, as W&I+LOCNESS and FCE are published.

Each line of an essay is a sentence. The authors' json_to_m2.py (BEA-2019) divides lines into
sentences by spaCy; what it leaves out is left out here, too: edits across lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.essays import TextEdit, essay_lines
from gecbench.formats.table import Row, meta_of, name_in
from gecbench.formats.texts import not_kept, parse_rows
from gecbench.formats.validation import convert, parse_json, value_of

_NAME = "bea19"
_KEYS = ("id", "text", "edits")
_EDITS = re.compile(r'"edits"\s*:\s*\[\s*[\[\]]')
_Edits = tuple[tuple[int | str, tuple[tuple[object, ...], ...]], ...]


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
    meta = meta_of(row, _KEYS)
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


FORMAT = Format(
    name=_NAME,
    title="W&I+LOCNESS",
    about="JSON of essays with edits in characters, as W&I+LOCNESS and FCE are published",
    sniff=sniff,
    stream=stream,
)
