"""How many errors a sentence gets, and of which types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from gecbench.datasets.corrupt.chance import UNIT, Draw, Weighted
from gecbench.datasets.corrupt.slips import Rule, Slip, Taken

View = TypeVar("View")

_TRIES = 8
"""Draws among all types before those that are possible are looked out."""


class Chosen(NamedTuple):
    """What was made wrong in a sentence.

    Args:
        wanted: Errors that were drawn.
        slips: Those that could be made, in the order of the text, each with its type.
    """

    wanted: int
    slips: list[tuple[Slip, str]]


class Choosing(Generic[View]):
    """Draws errors by their distributions.

    A type that a sentence has no place for is drawn anew among the others, so the number of
    errors is what was drawn unless no type at all has a place left.

    Args:
        types: Name to the rule that makes it.
        weights: Name to how often it is drawn; only those above 0 are looked at.
        errors: Weight of 1, 2, 3, ... errors in a sentence that gets some.
        correct: Share of sentences that get none, in [0, 1].
    """

    def __init__(
        self,
        types: Mapping[str, Rule[View]],
        weights: Mapping[str, float],
        errors: Sequence[float],
        correct: float,
    ) -> None:
        self._rules = types
        self._weights = {name: weight for name, weight in weights.items() if weight > 0}
        self._types = Weighted(self._weights, self._weights.values())
        self._numbers = Weighted(range(1, len(errors) + 1), errors)
        self._correct = correct

    def choose(self, view: View, draw: Draw) -> Chosen:
        """Return the slips of a sentence."""
        if draw() * UNIT < self._correct:
            return Chosen(0, [])
        wanted = self._numbers.pick(draw)
        made: list[tuple[Slip, str]] = []
        taken: list[tuple[int, int]] = []
        dead: set[str] = set()
        rules, types = self._rules, self._types
        while len(made) < wanted:
            name = types.pick(draw)
            if dead and name in dead:
                live = self._live(dead, draw)
                if live is None:
                    break
                name = live
            slip = rules[name](view, taken, draw)
            if slip is None:
                dead.add(name)
            else:
                made.append((slip, name))
                taken.append((slip.start, slip.end))
        made.sort()
        return Chosen(wanted, made)

    def _live(self, dead: set[str], draw: Draw) -> str | None:
        """Return a type that may still be possible; None where there is none."""
        for _ in range(_TRIES):
            name = self._types.pick(draw)
            if name not in dead:
                return name
        live = {name: weight for name, weight in self._weights.items() if name not in dead}
        return Weighted(live, live.values()).pick(draw) if live else None


class Mixed(Generic[View]):
    """Several rules of one type of error, drawn by weight; all are tried before it gives up."""

    def __init__(self, rules: Sequence[Rule[View]], weights: Sequence[float]) -> None:
        self._rules = rules
        self._order = Weighted(range(len(rules)), weights)

    def __call__(self, view: View, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip by one of the rules; None where none finds a place."""
        first = self._order.pick(draw)
        slip = self._rules[first](view, taken, draw)
        if slip is not None:
            return slip
        for k, rule in enumerate(self._rules):
            if k != first:
                slip = rule(view, taken, draw)
                if slip is not None:
                    return slip
        return None
