"""GoToScorer's chunks and verdicts the slow way: every chunk of one side against all of the other.

Restated from the description of the program (two lists of chunks, a loop in a loop), to hold
`edits.chunks`, which looks only at what an edit touches, to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gecbench.core.edit import Edit


class Slow(NamedTuple):
    """A chunk with its text; whether it is an edit."""

    start: int
    end: int
    text: tuple[str, ...]
    is_edit: bool


def slow_chunks(edits: Sequence[Edit], tokens: Sequence[str]) -> list[Slow]:
    """The chunks of one side."""
    tokens = tuple(tokens) or ("",)
    corrections = [e for e in edits if e.replacement is not None]
    corrections.sort(key=lambda edit: (edit.start, edit.end))
    bare: list[Slow] = []
    at = 0
    for edit in corrections:
        bare += [Slow(k, k + 1, (tokens[k],), False) for k in range(at, edit.start)]
        bare.append(Slow(edit.start, edit.end, edit.replacement, True))
        at = edit.end
    bare += [Slow(k, k + 1, (tokens[k],), False) for k in range(at, len(tokens))]
    chunks: list[Slow] = []
    inserts = False  # whether the chunk before is an insertion
    for chunk in bare:
        now = chunk.start == chunk.end
        if not now and not inserts:
            chunks.append(Slow(chunk.start, chunk.start, (), False))
        chunks.append(chunk)
        inserts = now
    if not inserts:
        chunks.append(Slow(len(tokens), len(tokens), (), False))
    return chunks


def slow_verdicts(gold: Sequence[Edit], system: Sequence[Edit], tokens: Sequence[str]) -> str:
    """The letter of each chunk of the reference."""
    theirs = slow_chunks(system, tokens)
    return "".join(_letter(chunk, theirs) for chunk in slow_chunks(gold, tokens))


def _letter(gold: Slow, theirs: Sequence[Slow]) -> str:
    same = [chunk for chunk in theirs if chunk[:3] == gold[:3]]
    if same:
        return "T" if any(chunk.is_edit for chunk in same) else "N"
    if gold.start == gold.end:
        here = [chunk for chunk in theirs if chunk.start == chunk.end == gold.start]
        if not here:
            return "M" if gold.is_edit else "N"
        changed = any(chunk.is_edit for chunk in here)
    else:
        changed = any(chunk.is_edit and _touches(chunk, gold) for chunk in theirs)
    if not changed:
        return "M"
    return "X" if gold.is_edit else "F"


def _touches(chunk: Slow, gold: Slow) -> bool:
    if chunk.start == chunk.end:
        return gold.start <= chunk.start < gold.end
    return chunk.start < gold.end and gold.start < chunk.end
