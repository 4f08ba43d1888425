"""Who has how many votes, and how many a change needs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.models.combine.candidates import Candidate

Name = Literal["none", "code", "paper"]
Relaxed = Name | Fraction
"""How word order and spelling are treated: as all else, by a named rule, or by a number."""

RELAXED: tuple[Name, ...] = ("none", "code", "paper")

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class Bar:
    """What votes have to reach.

    Args:
        votes: A sum of weights.
        above: Whether they have to be more than that; else as many are enough.
    """

    votes: Fraction
    above: bool = False

    def __str__(self) -> str:
        """Return it in words."""
        return f"{'more than' if self.above else 'at least'} {shown(self.votes)}"

    def reached(self, votes: Fraction) -> bool:
        """Return whether so many votes are enough."""
        return votes > self.votes if self.above else votes >= self.votes

    def lowered(self, votes: Fraction) -> Bar:
        """Return the same with so many fewer."""
        return Bar(self.votes - votes, self.above)


@dataclass(frozen=True, slots=True)
class Rule:
    """Weights of the systems, and the bar for each kind of change.

    Args:
        weights: Votes of each system, more than none.
        threshold: Votes that a change needs; None is the strict majority: more than half.
        relaxed: For changes of word order and of spelling: "none" treats them as all others;
            "code" asks for one vote less, as MuCGEC's `rule_ensemble.py` does (votes >= T - 1);
            "paper" for half of the votes less one, as its paper says (votes >= N/2 - 1); a
            number for just so many. One vote is the mean weight.
        by_type: Votes that changes of a type need, before all else: of `order`, of `spelling`,
            or by label, where "R" means "R:NOUN" too and the longest name counts.
        veto: Keep a sentence as it is where so many systems change nothing in it that the others
            could not reach the threshold; this can only touch what has a lower bar.

    Raises:
        UsageError: A number is not above 0, or a threshold above all votes together.
    """

    weights: tuple[Fraction, ...]
    threshold: Fraction | None = None
    relaxed: Relaxed = "none"
    by_type: Mapping[str, Fraction] = field(default_factory=dict)
    veto: bool = False

    def __post_init__(self) -> None:
        """Refuse what could keep nothing, or everything."""
        if not self.weights:
            raise UsageError("no system is given, so there is nothing to combine")
        named = {"the threshold": self.threshold, **{f"of {k}": v for k, v in self.by_type.items()}}
        if isinstance(self.relaxed, Fraction):
            named["the relaxed threshold"] = self.relaxed
        for what, votes in named.items():
            if votes is not None and votes > self.total:
                name = what if what.startswith("the ") else f"the threshold {what}"
                raise UsageError(
                    f"{name} is {shown(votes)}, but all systems together have "
                    f"{shown(self.total)} votes, so nothing could be kept; lower it"
                )

    @property
    def total(self) -> Fraction:
        """All votes together."""
        return sum(self.weights, Fraction())

    @property
    def ordinary(self) -> Bar:
        """What a change needs that is neither of word order nor of spelling."""
        return Bar(self.total / 2, above=True) if self.threshold is None else Bar(self.threshold)

    @property
    def eased(self) -> Bar:
        """What changes of word order and of spelling need."""
        one = self.total / len(self.weights)
        if self.relaxed == "none":
            return self.ordinary
        if self.relaxed == "code":
            return self.ordinary.lowered(one)
        if self.relaxed == "paper":
            return Bar(self.total / 2 - one)
        return Bar(self.relaxed)

    @property
    def asks_spelling(self) -> bool:
        """Whether it matters which changes are of spelling."""
        return self.relaxed != "none" or "spelling" in self.by_type

    def bar(self, candidate: Candidate) -> Bar:
        """Return what a change needs."""
        if (name := self.type_of(candidate)) is not None:
            return Bar(self.by_type[name])
        return self.ordinary if candidate.kind is None else self.eased

    def type_of(self, candidate: Candidate) -> str | None:
        """Return which of `by_type` says what a change needs; None where none does."""
        if candidate.kind is not None and candidate.kind in self.by_type:
            return candidate.kind
        names = (name for name in self.by_type if _is_of(name, candidate))
        return max(names, key=len, default=None)

    def described(self) -> str:
        """Return the rule in a few words."""
        parts = [f"{self.ordinary} of {shown(self.total)} votes"]
        if self.relaxed != "none":
            name = self.relaxed if isinstance(self.relaxed, str) else "by number"
            parts.append(f"word order and spelling {self.eased} ({name})")
        parts += [f"{name} at least {shown(votes)}" for name, votes in self.by_type.items()]
        return "; ".join([*parts, *["veto of unchanged"] * self.veto])


def _is_of(name: str, candidate: Candidate) -> bool:
    """Return whether a type's name is of a change: of its label, or of one above it."""
    labels = [edit.label or "" for edit in candidate.edits]
    return any(label == name or label.startswith(f"{name}:") for label in labels)


def exact(value: float | str | Fraction, what: str) -> Fraction:
    """Return a number above 0 exactly as it was written, so that sums of votes have no noise.

    Args:
        value: 0.3 means three tenths, not the nearest binary fraction.
        what: What it is, for the message.

    Raises:
        UsageError: It is no number above 0.

    >>> exact(0.1, "a") + exact("0.2", "b") == exact(0.3, "c")
    True
    """
    found = Fraction()
    if isinstance(value, Fraction):
        found = value
    elif isinstance(value, str):
        found = Fraction(value) if _NUMBER.fullmatch(value) else found
    elif not isinstance(value, bool) and math.isfinite(value):
        found = Fraction(repr(value))
    if found <= 0:
        raise UsageError(f"{what} is {value!r}; it must be a number above 0, as 1 or 0.5")
    return found


def relaxed_of(value: float | str | Fraction, what: str = "relaxed") -> Relaxed:
    """Return how word order and spelling are treated, from its name or number.

    Raises:
        UsageError: It is neither a name nor a number above 0.
    """
    if isinstance(value, str):
        for name in RELAXED:
            if value == name:
                return name
        if not _NUMBER.fullmatch(value):
            raise UsageError(f"{what} is {value!r}; it is {', '.join(RELAXED)} or a number above 0")
    return exact(value, what)


def weights_of(names: Sequence[str], given: Mapping[str, float | str]) -> tuple[Fraction, ...]:
    """Return the weight of each system: 1 where none is given.

    Raises:
        UsageError: A weight is no number above 0, or of a system that does not take part.
    """
    for name in given:
        if name not in names:
            raise UnknownNameError("system of a weight:", name, names)
    return tuple(exact(given.get(name, 1), f"the weight of {name}") for name in names)


def shown(votes: Fraction) -> str:
    """Return a number of votes as people read it."""
    return f"{float(votes):.6g}"
