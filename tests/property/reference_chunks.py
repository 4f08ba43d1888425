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
    kept = [e for e in edits if e.replacement is not None]
    kept.sort(key=lambda edit: (edit.start, edit.end))
    bare: list[Slow] = []
    at = 0
    for edit in kept:
        bare += [Slow(k, k + 1, (tokens[k],), False) for k in range(at, edit.start)]
        bare.append(Slow(edit.start, edit.end, edit.replacement, True))
        at = edit.end
    bare += [Slow(k, k + 1, (tokens[k],), False) for k in range(at, len(tokens))]
    made: list[Slow] = []
    inserts = False  # whether the chunk before is an insertion
    for chunk in bare:
        now = chunk.start == chunk.end
        if not now and not inserts:
            made.append(Slow(chunk.start, chunk.start, (), False))
        made.append(chunk)
        inserts = now
    if not inserts:
        made.append(Slow(len(tokens), len(tokens), (), False))
    return made


def slow_verdicts(gold: Sequence[Edit], system: Sequence[Edit], tokens: Sequence[str]) -> str:
    """The letter of each chunk of the reference."""
    theirs = slow_chunks(system, tokens)
    return "".join(_letter(chunk, theirs) for chunk in slow_chunks(gold, tokens))


def _letter(gold: Slow, theirs: Sequence[Slow]) -> str:
    same = [one for one in theirs if one[:3] == gold[:3]]
    if same:
        return "T" if any(one.is_edit for one in same) else "N"
    if gold.start == gold.end:
        here = [one for one in theirs if one.start == one.end == gold.start]
        if not here:
            return "M" if gold.is_edit else "N"
        changed = any(one.is_edit for one in here)
    else:
        changed = any(one.is_edit and _touches(one, gold) for one in theirs)
    if not changed:
        return "M"
    return "X" if gold.is_edit else "F"


def _touches(one: Slow, gold: Slow) -> bool:
    if one.start == one.end:
        return gold.start <= one.start < gold.end
    return one.start < gold.end and gold.start < one.end
