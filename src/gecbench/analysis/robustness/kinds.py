"""The fine-grained analysis (RobustGEC, figure 3): variants by what was done to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gecbench.analysis.robustness.consistent import Change
from gecbench.analysis.robustness.mapping import Region, Tokens
from gecbench.analysis.robustness.results import RULES, Cell, Part

ACTIONS = ("substitution", "insertion", "deletion", "mixed", "none")
_DISTANCES = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 9), (10, 14), (15, None))
_OFTEN = ((0, 0), (1, 9), (10, 99), (100, 999), (1000, 9999), (10000, None))


@dataclass(frozen=True, slots=True)
class Pair:
    """An original and one of its variants.

    Args:
        tokens: Of the variant.
        regions: What the perturbation changed.
        gold: Errors of the original.
        variant_gold: Errors of the variant.
    """

    tokens: Tokens
    regions: tuple[Region, ...]
    gold: tuple[Change, ...]
    variant_gold: tuple[Change, ...]


def action(pair: Pair) -> str:
    """Return what the perturbations did, "mixed" where they did different things."""
    found = {region.action for region in pair.regions}
    if not found:
        return "none"
    return found.pop() if len(found) == 1 else "mixed"


def distance(pair: Pair) -> int | None:
    """Return how many tokens of the variant stand between perturbation and error.

    None unless there is one of each.
    """
    if not len(pair.regions) == len(pair.gold) == len(pair.variant_gold) == 1:
        return None
    region, (start, end, _) = pair.regions[0], pair.variant_gold[0]
    return max(start - region.to_end, region.to_start - end, 0)


def inserted(pair: Pair, *, spaced: bool) -> tuple[str, ...]:
    """Return the words that a single perturbation put in, in lower case.

    Where no white space divides words, all that it put in is one word.
    """
    if len(pair.regions) != 1:
        return ()
    (region,) = pair.regions
    words = [token.lower() for token in pair.tokens[region.to_start : region.to_end]]
    return tuple(words) if spaced or not words else ("".join(words),)


def by_action(pairs: Sequence[Pair], parts: Sequence[Part]) -> tuple[Cell, ...]:
    """Return the variants by what the perturbation did."""
    return _cells([action(pair) for pair in pairs], ACTIONS, parts)


def by_distance(pairs: Sequence[Pair], parts: Sequence[Part]) -> tuple[Cell, ...]:
    """Return the variants with one perturbation and one error by the tokens between the two."""
    return _binned([distance(pair) for pair in pairs], _DISTANCES, parts)


def by_frequency(
    pairs: Sequence[Pair], parts: Sequence[Part], often: Mapping[str, int], *, spaced: bool
) -> tuple[Cell, ...]:
    """Return the variants with one perturbation by the frequency of the rarest word put in."""
    words = [inserted(pair, spaced=spaced) for pair in pairs]
    rarest = [min((often[word] for word in each), default=None) for each in words]
    return _binned(rarest, _OFTEN, parts)


def _binned(
    values: Sequence[int | None],
    bins: Sequence[tuple[int, int | None]],
    parts: Sequence[Part],
) -> tuple[Cell, ...]:
    names = [_name(*each) for each in bins]

    def name_of(value: int) -> str:
        return names[max(at for at, (low, _) in enumerate(bins) if value >= low)]

    return _cells([None if value is None else name_of(value) for value in values], names, parts)


def _name(low: int, high: int | None) -> str:
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}-{high}"


def _cells(
    names: Sequence[str | None], order: Sequence[str], parts: Sequence[Part]
) -> tuple[Cell, ...]:
    """Return a cell for each name that occurs."""
    members: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        if name is not None:
            members.setdefault(name, []).append(at)
    flat: Mapping[tuple[str, str], Sequence[bool]] = {
        (rule, part.system): [
            each for case in (part.rule.equal if rule == "official" else part.same) for each in case
        ]
        for part in parts
        for rule in RULES
    }
    return tuple(
        Cell(
            name,
            len(members[name]),
            {
                (rule, part.system): sum(flat[rule, part.system][at] for at in members[name])
                for part in parts
                for rule in RULES
            },
        )
        for name in order
        if name in members
    )
