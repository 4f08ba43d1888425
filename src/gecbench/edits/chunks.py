"""Chunks of a reference, and what a system did to each: the units of GoToScorer.

Gotou, Nagata, Mita and Hanawa, COLING 2020, section 3; gotutiyan/GTS 5d120c3, whose verdicts these
are. The official comparison looks at every pair of a chunk of the reference and one of the system.
Whether a chunk is right depends only on the edits that touch it, so here a system is compared in
time linear in the tokens that its edits span.

An edit is a chunk, each token outside all edits is one, and so is each boundary between tokens
where nothing is inserted, unless it lies inside an edit. The number of chunks therefore depends on
the reference alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gecbench.core.edit import Edit, check

RIGHT, KEPT, FALSE, WRONG, MISSED = "T", "N", "F", "X", "M"
"""Verdicts: changed as the reference has it; left as the reference has it; changed where the
reference has no error; an error changed into something else; an error left as it was."""


class Chunk(NamedTuple):
    """One chunk of a reference.

    Args:
        start: First token of the source; half-open token span.
        end: Token after the last; equal to `start` at a boundary between tokens.
        edit: Place of its edit among those of the reference; None where nothing is changed.
    """

    start: int
    end: int
    edit: int | None


def corrects(edit: Edit) -> bool:
    """Whether an edit is a chunk: whether it corrects what it detects."""
    return edit.replacement is not None


@dataclass(frozen=True, slots=True)
class Marking:
    """One side, laid out over the source, so that what touches a token is found at once.

    Args:
        tokens: Of the source; a source without any has one empty token, as the official
            program reads an empty line.
        edits: As given, also those that make no chunk.
        over: By token, the place of the edit that replaces it.
        inserted: By boundary, the places of the edits that insert there, in their order.
        inside: Boundaries inside an edit of several tokens.
    """

    tokens: tuple[str, ...]
    edits: tuple[Edit, ...]
    over: Mapping[int, int]
    inserted: Mapping[int, Sequence[int]]
    inside: frozenset[int]


def marking(edits: Sequence[Edit], tokens: Sequence[str]) -> Marking:
    """The edits laid out over their source.

    Edits out of order are put in order; the official program would repeat tokens.

    Raises:
        EditError: Names the first edit that is out of range or overlaps another.
    """
    tokens = tuple(tokens) or ("",)
    check([edit for edit in edits if corrects(edit)], len(tokens))
    over: dict[int, int] = {}
    inserted: dict[int, list[int]] = {}
    inside: list[int] = []
    for index, edit in enumerate(edits):
        if not corrects(edit):
            continue
        start, end = edit.start, edit.end
        if start == end:
            inserted.setdefault(start, []).append(index)
        over |= dict.fromkeys(range(start, end), index)
        inside += range(start + 1, end)
    return Marking(tokens, tuple(edits), over, inserted, frozenset(inside))


def chunks(reference: Marking) -> Iterator[Chunk]:
    """Yield the chunks of a reference from left to right."""
    length = len(reference.tokens)
    for at in range(length):
        yield from _at(reference, at)
        chunk = _over(reference, at)
        if chunk.start == at:
            yield chunk
    yield from _at(reference, length)


def idle(reference: Marking, chunk: Chunk) -> str:
    """The verdict on a chunk of a system that changes nothing.

    An edit that leaves its one token as it is counts as met by it, as in the official program.
    """
    if chunk.edit is None or _target(reference, chunk) == _source(reference, chunk):
        return KEPT
    return MISSED


def verdicts(reference: Marking, system: Marking) -> dict[Chunk, str]:
    """The verdicts on the chunks that a system's edits touch; on all others it is idle.

    A chunk is right if the system has one of the same span and text; a boundary that the
    system's edit swallows is right unless something belongs there. Else it is changed if the
    system inserts something at that boundary, or an edit touches its tokens: overlaps them, or
    inserts at the first or between them, not behind the last.
    """
    touched: dict[Chunk, None] = {}
    for edit in filter(corrects, system.edits):
        touched |= dict.fromkeys(_chunks_near(reference, edit))
    return {chunk: _verdict(reference, system, chunk) for chunk in touched}


def _chunks_near(reference: Marking, edit: Edit) -> Iterator[Chunk]:
    """Yield the chunks on which an edit could make a difference, some of them twice."""
    start, end = edit.start, edit.end
    if start == end:
        yield from _at(reference, start)
        if start < len(reference.tokens):
            yield _over(reference, start)
        return
    for at in range(start, end):
        if at > start:
            yield from _at(reference, at)
        yield _over(reference, at)


def _at(reference: Marking, at: int) -> Iterator[Chunk]:
    """Yield the chunks at a boundary; none inside an edit."""
    indices = reference.inserted.get(at)
    if indices:
        yield from (Chunk(at, at, index) for index in indices)
    elif at not in reference.inside:
        yield _unchanged(at, at)


def _over(reference: Marking, at: int) -> Chunk:
    """The chunk that a token belongs to."""
    index = reference.over.get(at)
    if index is None:
        return _unchanged(at, at + 1)
    return Chunk(reference.edits[index].start, reference.edits[index].end, index)


@lru_cache(10_000)
def _unchanged(start: int, end: int) -> Chunk:
    """A chunk without an edit: the same object in all sentences, which have millions of them."""
    return Chunk(start, end, None)


def _source(marking: Marking, chunk: Chunk) -> tuple[str, ...] | None:
    """What one chunk of a system without edits has there; None where it has several."""
    return marking.tokens[chunk.start : chunk.end] if chunk.end - chunk.start <= 1 else None


def _target(reference: Marking, chunk: Chunk) -> tuple[str, ...] | None:
    """What the reference has in the place of a chunk."""
    if chunk.edit is None:
        return reference.tokens[chunk.start : chunk.end]
    return reference.edits[chunk.edit].replacement


def _verdict(reference: Marking, system: Marking, chunk: Chunk) -> str:
    target = _target(reference, chunk)
    if chunk.start == chunk.end:
        return _at_boundary(system, chunk, target)
    changed = FALSE if chunk.edit is None else WRONG
    over = system.over.get(chunk.start)
    if over is not None:
        edit = system.edits[over]
        same = (edit.start, edit.end, edit.replacement) == (chunk.start, chunk.end, target)
        return RIGHT if same else changed
    if _source(system, chunk) == target:
        return KEPT
    span = range(chunk.start, chunk.end)
    touched = any(at in system.over or at in system.inserted for at in span)
    return changed if touched else MISSED


def _at_boundary(system: Marking, chunk: Chunk, target: tuple[str, ...] | None) -> str:
    indices = system.inserted.get(chunk.start)
    if indices:
        if any(system.edits[index].replacement == target for index in indices):
            return RIGHT
        return FALSE if chunk.edit is None else WRONG
    # Swallowed by an edit of several tokens, or it would not be asked about.
    return KEPT if chunk.edit is None else MISSED
