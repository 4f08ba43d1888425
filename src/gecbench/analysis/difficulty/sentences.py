"""How difficult each sentence is, edit by edit, for pages that show sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gecbench.core.case import Case, Version
from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.edits.chunks import (
    FALSE,
    KEPT,
    RIGHT,
    Chunk,
    Marking,
    corrects,
    idle,
    marking,
    verdicts,
)

_Correction = tuple[int, int, tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class FalseAlarm:
    """A chunk that the reference leaves as it is and some system changes.

    Args:
        start: First token of the source; half-open token span.
        end: Token after the last; equal to `start` at a boundary, where a system inserts.
        weight: Share of the systems that change it, in [0, 1].
    """

    start: int
    end: int
    weight: float


@dataclass(frozen=True, slots=True)
class SentenceDifficulty:
    """How difficult the errors of one sentence are.

    Args:
        id: The sample's id.
        references: For each reference, in order, the weight of each of its edits, in the order
            of `Version.edits`: the share of the systems that do not make it, in [0, 1]; 1 where
            none does, and for an edit that only detects.
        wrong: For each reference what it leaves as it is and some system changes, from left to
            right.
        value: What sentences are sorted by: the sum of the weights of a reference's edits, that
            is, how many of its errors a system leaves on average; not negative, not bounded by
            1. With several references the smallest of their sums, the reference that systems
            come nearest to; 0 where nobody could correct the sentence.
    """

    id: str
    references: tuple[tuple[float, ...], ...]
    wrong: tuple[tuple[FalseAlarm, ...], ...]
    value: float


def edit_weights(cases: Mapping[str, Sequence[Case]]) -> list[SentenceDifficulty]:
    """Return the difficulty of each sentence, in order.

    Weights are GoToScorer's with its usual constants. Of several versions of a system the first
    counts. Where alternative edit sets are pooled, an edit is made by a system that has it in any
    of them, and chunks are those of the edits that can stand beside the ones before them.

    Args:
        cases: By system, the cases of a `Judged`, with part "edits".

    Raises:
        UsageError: There is no system.
    """
    if not cases:
        raise UsageError("difficulty needs at least one system")
    return [_sentence(row) for row in zip(*cases.values(), strict=True)]


def _sentence(row: Sequence[Case]) -> SentenceDifficulty:
    """Return the difficulty of a sentence, given its case of each system."""
    first = row[0]
    systems = _systems([case.hypotheses[0].edits for case in row], first.edit_tokens)
    found = [_reference(version, first.edit_tokens, systems) for version in first.references]
    return SentenceDifficulty(
        first.id,
        tuple(one.weights for one in found),
        tuple(one.wrong for one in found),
        min((one.total for one in found if one.total is not None), default=0.0),
    )


@dataclass(frozen=True, slots=True)
class _Systems:
    """What systems made of a sentence, once for all that made the same of it.

    Args:
        made: The distinct sets of edits, laid out.
        sets: The same as corrections, with those of a pool that make no chunk.
        often: How many systems made each.
        count: How many systems there are.
    """

    made: tuple[Marking, ...]
    sets: tuple[frozenset[_Correction], ...]
    often: tuple[int, ...]
    count: int


def _systems(made: Sequence[Sequence[Edit]], tokens: tuple[str, ...]) -> _Systems:
    distinct: dict[tuple[_Correction, ...], Sequence[Edit]] = {}
    often: dict[tuple[_Correction, ...], int] = {}
    for edits in made:
        key = tuple(_correction(edit) for edit in edits if corrects(edit))
        distinct.setdefault(key, edits)
        often[key] = often.get(key, 0) + 1
    return _Systems(
        tuple(marking(_together(edits), tokens) for edits in distinct.values()),
        tuple(map(frozenset, distinct)),
        tuple(often.values()),
        len(made),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    weights: tuple[float, ...]
    wrong: tuple[FalseAlarm, ...] = ()
    total: float | None = None


def _reference(version: Version, tokens: tuple[str, ...], systems: _Systems) -> _Found:
    if version.unannotatable:
        return _Found(())
    reference = marking(_together(version.edits), tokens)
    right, changed = _often(reference, systems)
    of = {
        _correction(edit): 1 - times / systems.count
        for edit, times in zip(reference.edits, right, strict=True)
    }
    return _Found(
        tuple(_weight(edit, of, systems) for edit in version.edits),
        tuple(
            FalseAlarm(chunk.start, chunk.end, times / systems.count)
            for chunk, times in sorted(changed.items())
        ),
        sum(of.values(), 0.0),
    )


def _weight(edit: Edit, known: Mapping[_Correction, float], systems: _Systems) -> float:
    """Return the weight of an edit, also of one of a pool that made no chunk."""
    if not corrects(edit):
        return 1.0
    one = _correction(edit)
    if one in known:
        return known[one]
    pairs = zip(systems.sets, systems.often, strict=True)
    return 1 - sum(times for made, times in pairs if one in made) / systems.count


def _often(reference: Marking, systems: _Systems) -> tuple[Sequence[int], Mapping[Chunk, int]]:
    """Return how many systems are right on each edit, and how many change what has none."""
    errors = [Chunk(edit.start, edit.end, place) for place, edit in enumerate(reference.edits)]
    alone = [idle(reference, chunk) for chunk in errors]
    right = [0] * len(errors)
    changed: dict[Chunk, int] = {}
    for system, times in zip(systems.made, systems.often, strict=True):
        found = verdicts(reference, system)
        for place, chunk in enumerate(errors):
            right[place] += times * (found.get(chunk, alone[place]) in (RIGHT, KEPT))
        for chunk, verdict in found.items():
            if verdict == FALSE:
                changed[chunk] = changed.get(chunk, 0) + times
    return right, changed


def _correction(edit: Edit) -> _Correction:
    return edit.start, edit.end, edit.replacement


def _together(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that correct and can stand beside the ones before them.

    One that is there twice, as pooled sets have it, is kept once.
    """
    kept: dict[_Correction, Edit] = {}
    for edit in filter(corrects, edits):
        one = _correction(edit)
        if not any(_overlap(one, other) for other in kept):
            kept[one] = edit
    return list(kept.values())


def _overlap(one: _Correction, other: _Correction) -> bool:
    """Say whether two edits cannot stand together, as `core.edit.check` has it."""
    first, second = sorted((one[:2], other[:2]))
    return second[0] < first[1]
