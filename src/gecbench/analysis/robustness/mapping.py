"""Through the perturbation: where a place of the original stands in a variant."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from gecbench.edits.align import lattice

Tokens = tuple[str, ...]

Action = Literal["substitution", "insertion", "deletion"]


@dataclass(frozen=True, slots=True)
class Region:
    """One perturbation: neighbouring tokens of the original that a variant has not, or others.

    Half-open token spans; one of them may be empty.

    Args:
        start: In the original.
        end: In the original.
        to_start: In the variant.
        to_end: In the variant.
    """

    start: int
    end: int
    to_start: int
    to_end: int

    @property
    def action(self) -> Action:
        """What was done to the original."""
        if self.start == self.end:
            return "insertion"
        return "deletion" if self.to_start == self.to_end else "substitution"


def perturbations(original: Tokens, variant: Tokens) -> tuple[Region, ...]:
    """Return what is different between two token sequences, by least edit distance.

    Equal beginnings and ends are matched first, which never makes the distance longer.

    >>> perturbations(tuple("abcd"), tuple("axcde"))
    (Region(start=1, end=2, to_start=1, to_end=2), Region(start=4, end=4, to_start=4, to_end=5))
    """
    if original == variant:
        return ()
    n, m = len(original), len(variant)
    shorter = min(n, m)
    head = 0
    while head < shorter and original[head] == variant[head]:
        head += 1
    tail = 0
    while tail < shorter - head and original[n - 1 - tail] == variant[m - 1 - tail]:
        tail += 1
    one, two = original[head : n - tail], variant[head : m - tail]
    if not one or not two or len(one) == len(two) == 1:
        return (Region(head, n - tail, head, m - tail),)
    return tuple(_regions(_steps(one, two), head))


def _steps(one: Tokens, two: Tokens) -> str:
    """Return a least alignment as letters M, S, I, D."""
    codes: dict[str, int] = {}
    packed = [
        array("i", [codes.setdefault(token, len(codes)) for token in side]).tobytes()
        for side in (one, two)
    ]
    return lattice(packed[0], packed[1], None).steps()


def _regions(steps: str, at: int) -> list[Region]:
    found = []
    i = j = at
    for matched, run in groupby(steps, key=lambda step: step == "M"):
        kinds = "".join(run)
        end, to_end = i + len(kinds) - kinds.count("I"), j + len(kinds) - kinds.count("D")
        if not matched:
            found.append(Region(i, end, j, to_end))
        i, j = end, to_end
    return found


def start_image(regions: Sequence[Region], at: int) -> tuple[int, int]:
    """Return the first and last place of the variant where the left side of a token may stand.

    It is one place, unless the token is inside a perturbation.
    """
    shift = 0
    for region in regions:
        if at < region.start:
            break
        if at < region.end:
            return region.to_start, region.to_start if at == region.start else region.to_end
        shift = region.to_end - region.end
    return at + shift, at + shift


def end_image(regions: Sequence[Region], at: int) -> tuple[int, int]:
    """Return likewise where the right side of the token before `at` may stand."""
    shift = 0
    for region in regions:
        if at <= region.start:
            break
        if at <= region.end:
            return region.to_end if at == region.end else region.to_start, region.to_end
        shift = region.to_end - region.end
    return at + shift, at + shift


def span_image(
    regions: Sequence[Region], start: int, end: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where the start and where the end of a span of the original may stand.

    An empty span is a place between two tokens; if something was put in just there, it may
    stand before, behind or within what is new, and both are that range.
    """
    if start == end:
        low, high = end_image(regions, start)[0], start_image(regions, start)[1]
        return (low, high), (low, high)
    return start_image(regions, start), end_image(regions, end)
