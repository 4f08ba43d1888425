"""Many comparisons at once: p-values corrected for their number, and systems in groups."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations, count
from typing import Literal

from gecbench.core.errors import MissingExtraError

Correction = Literal["none", "holm", "bh"]
CORRECTIONS: tuple[Correction, ...] = ("none", "holm", "bh")


def adjusted(values: Sequence[float], correction: Correction) -> list[float]:
    """Return p-values that may be compared with the level of significance as if each were alone.

    "holm" bounds the chance of any false finding among them (Holm 1979, step-down Bonferroni);
    "bh" the share of false findings among the findings (Benjamini and Hochberg 1995, by
    `scipy.stats.false_discovery_control`), which holds for independent or positively dependent
    tests; comparisons of all pairs of systems are not all of that kind, so it is approximate.

    >>> adjusted([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]

    Args:
        values: In [0, 1].
        correction: Which.

    Raises:
        MissingExtraError: "bh" without scipy.
    """
    if correction == "none" or len(values) < 2:
        return list(values)
    if correction == "bh":
        return _benjamini_hochberg(values)
    order = sorted(range(len(values)), key=values.__getitem__)
    made, least = [0.0] * len(values), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[at]))
        made[at] = least
    return made


def _benjamini_hochberg(values: Sequence[float]) -> list[float]:
    try:
        from scipy.stats import false_discovery_control
    except ImportError as error:
        raise MissingExtraError("scipy", "statistics") from error
    made: list[float] = false_discovery_control(values, method="bh").tolist()
    return made


MOST_STEPS = 20_000
"""In the search for groups, of which there can be 3 ** (systems / 3) (Moon and Moser 1965)."""


class TooManyGroups(Exception):  # noqa: N818 - an answer, which callers put into words
    """There are more groups than anybody could read."""


def groups(ranked: Sequence[str], different: Set[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the greatest groups of systems of which no two differ significantly.

    Two systems are together in some group just if they do not differ; a system can be in several
    groups. These are the letters of a "compact letter display" (Piepho 2004): the maximal
    cliques of the graph of pairs that do not differ (Bron and Kerbosch 1973, with a pivot).

    >>> groups("ABC", {frozenset("AC")})
    (('A', 'B'), ('B', 'C'))

    Args:
        ranked: Systems, the best first.
        different: The pairs that differ.

    Raises:
        TooManyGroups: They were not found in `MOST_STEPS`.
    """
    pairs = {frozenset(pair) for pair in combinations(ranked, 2)} - different
    near = {one: {each for pair in pairs if one in pair for each in pair - {one}} for one in ranked}
    found: list[set[str]] = []
    steps = count()

    def grow(group: set[str], may: set[str], done: set[str]) -> None:
        if next(steps) >= MOST_STEPS:
            raise TooManyGroups
        if not may and not done:
            found.append(group)
            return
        pivot = max(may | done, key=lambda one: len(near[one] & may))
        for one in sorted(may - near[pivot]):
            grow(group | {one}, may & near[one], done & near[one])
            may = may - {one}
            done = done | {one}

    if ranked:
        grow(set(), set(ranked), set())
    place = {one: at for at, one in enumerate(ranked)}
    return tuple(
        tuple(ranked[at] for at in members)
        for members in sorted(sorted(place[one] for one in group) for group in found)
    )
