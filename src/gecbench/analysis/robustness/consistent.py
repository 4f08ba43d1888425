"""The stricter rule, `edits`: are the corrections themselves the same in every variant?

The paper speaks of consistent corrections; its program compares F. Here the edits of an
original are carried through the perturbation and compared with those of the variant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gecbench.analysis.robustness.mapping import Region, span_image
from gecbench.core.case import Version
from gecbench.scoring.pairing import Level

Change = tuple[int, int, tuple[str, ...]]
"""An edit as it is compared: half-open span of the source, and its replacement."""


@dataclass(frozen=True, slots=True)
class Side:
    """One sentence: what the system changed, and what the reference changes."""

    made: tuple[Change, ...]
    gold: tuple[Change, ...]


def changes(version: Version, level: Level) -> tuple[Change, ...]:
    """Return the edits of a version as they are compared, each once.

    Edits that were only detected take part where detection is what is compared.
    """
    detects = level.startswith("detection")
    return tuple(
        dict.fromkeys(
            (edit.start, edit.end, () if detects else edit.replacement or ())
            for edit in version.edits
            if detects or edit.replacement is not None
        )
    )


def partners(
    original: Sequence[Change], variant: Sequence[Change], regions: Sequence[Region]
) -> dict[int, int]:
    """Return which error of a variant is which of the original, by their places in both.

    First those with the same correction at the same place, then those at places that touch one
    another (a perturbation can change what the correction is, as "a" and "an"), then those with
    the same correction, in their order. The published references are not the same in all
    variants, so some may have no partner.
    """
    pairs: dict[int, int] = {}
    for alike in (_same, _meet, _corrected_alike):
        pairs |= _matched(original, variant, regions, alike, pairs)
    return pairs


def is_consistent(original: Side, variant: Side, regions: Sequence[Region]) -> bool:
    """Return whether a system made the same corrections in an original and a variant.

    Two changes are the same if span and replacement are the same after mapping, or if both hit
    one and the same error. Changes that are left over break consistency, unless they hit an
    error that the other reference does not have: then there is nothing to compare with.
    """
    if original.made == variant.made and (not original.made or not regions):
        return True
    matched = _matched(original.made, variant.made, regions, _same, {})
    here = [each for at, each in enumerate(original.made) if at not in matched]
    there = [each for k, each in enumerate(variant.made) if k not in matched.values()]
    if not here and not there:
        return True
    errors = partners(original.gold, variant.gold, regions)
    known_here = {gold: at for at, gold in enumerate(original.gold)}
    known_there = {gold: k for k, gold in enumerate(variant.gold)}
    if not (all(e in known_here for e in here) and all(e in known_there for e in there)):
        return False
    hit_here = {errors[known_here[e]] for e in here if known_here[e] in errors}
    shared = set(errors.values())
    return hit_here == {known_there[e] for e in there if known_there[e] in shared}


def _matched(
    one: Sequence[Change],
    two: Sequence[Change],
    regions: Sequence[Region],
    alike: Callable[[Change, Change, Sequence[Region]], bool],
    known: Mapping[int, int],
) -> dict[int, int]:
    """Return new pairs, from the left, of what is not paired yet."""
    pairs: dict[int, int] = {}
    free = [k for k in range(len(two)) if k not in known.values()]
    for at, each in enumerate(one):
        if at in known:
            continue
        found = next((k for k in free if alike(each, two[k], regions)), None)
        if found is not None:
            pairs[at] = found
            free.remove(found)
    return pairs


def _same(one: Change, two: Change, regions: Sequence[Region]) -> bool:
    if one[2] != two[2] or (one[0] == one[1]) != (two[0] == two[1]):
        return False
    starts, ends = span_image(regions, one[0], one[1])
    return starts[0] <= two[0] <= starts[1] and ends[0] <= two[1] <= ends[1]


def _meet(one: Change, two: Change, regions: Sequence[Region]) -> bool:
    """Return whether the spans share a token or, where one is empty, touch."""
    starts, ends = span_image(regions, one[0], one[1])
    low, high = starts[0], ends[1]
    if low == high or two[0] == two[1]:
        return low <= two[1] and two[0] <= high
    return low < two[1] and two[0] < high


def _corrected_alike(one: Change, two: Change, regions: Sequence[Region]) -> bool:
    del regions
    return one[2] == two[2]
