"""From how many systems are right on a chunk to its weight."""

from __future__ import annotations

from dataclasses import dataclass

from gecbench.core.errors import UsageError

_MOST = 1e6
"""Constants beyond this are no weighting: sums of weights would lose their last digits, or end."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """The weight of a chunk on which n of N systems are right: a - (n + b) / (N + c).

    The paper's formula (4), with the constants of the program: a 1, b 0 and c 0 make it the share
    of systems that are wrong, from 0 to 1.
    """

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0

    def weight(self, right: int, systems: int) -> float:
        """Return the weight of a chunk, not rounded."""
        return self.a - (right + self.b) / (systems + self.c)

    def table(self, systems: int) -> tuple[float, ...]:
        """Return the weights for none, one, ... and all of the systems being right.

        Raises:
            UsageError: A weight would be negative or beyond measure, so that ratios of sums of
                weights would mean nothing.
        """
        if systems < 1:
            raise UsageError("weights need at least one system")
        for name, value in (("a", self.a), ("b", self.b), ("c", self.c)):
            if not -_MOST <= value <= _MOST:
                raise UsageError(f"{name} {value:g} must be from {-_MOST:g} to {_MOST:g}")
        if systems + self.c <= 0:
            raise UsageError(
                f"c {self.c:g} leaves nothing to divide by: {systems} systems and c must be above 0"
            )
        made = tuple(self.weight(right, systems) for right in range(systems + 1))
        if made[-1] < 0:
            raise UsageError(
                f"a {self.a:g}, b {self.b:g}, c {self.c:g} give a chunk that all {systems} systems "
                f"get right the weight {made[-1]:g}; weights must not be negative: raise a or c, "
                "or lower b"
            )
        if made[0] > _MOST * _MOST:
            raise UsageError(
                f"c {self.c:g} leaves next to nothing to divide by: {systems} systems and c must "
                "be further above 0"
            )
        return made
