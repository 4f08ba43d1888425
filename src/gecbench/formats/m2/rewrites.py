"""A lines to rewrites: what both dialects of M2 share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from gecbench.core.errors import EditError, FormatError
from gecbench.core.sample import EditSet, Rewrite
from gecbench.edits.apply import apply
from gecbench.formats.m2.annotation import Annotation
from gecbench.formats.m2.marks import NOOP


def declared(found: Annotation) -> Rewrite:
    """Return what a line of type noop or NA declares."""
    if found.label == NOOP:
        return Rewrite(error_free=True, edit_sets=((),), annotator=found.coder)
    return Rewrite(unannotatable=True, annotator=found.coder)


def applied(
    path: Path, found: Sequence[Annotation], tokens: tuple[str, ...], hint: str = ""
) -> tuple[EditSet, tuple[str, ...]]:
    """Return the edits of one set in the order of the file, and what they make of the source.

    Args:
        path: The file.
        found: The lines of the set.
        tokens: The source.
        hint: What else can be done where edits overlap.

    Raises:
        FormatError: Names the line of an edit that overlaps one before it.
    """
    rows = [(each.n, each.edit) for each in found if each.edit is not None]
    edits = tuple(edit for _, edit in rows)
    try:
        return edits, apply(edits, tokens)
    except EditError as error:
        # The spans lie in the source, so two neighbours overlap: the first such are named.
        rows.sort(key=lambda row: (row[1].start, row[1].end))
        line = next(max(m, n) for (m, one), (n, two) in pairwise(rows) if two.start < one.end)
        raise FormatError(f"{path}:{line}: {error}; remove one of them{hint}") from error


def detects_only(edits: EditSet) -> bool:
    """Return whether some edit detects an error without correcting it."""
    return any(edit.replacement is None for edit in edits)
