"""How much a system gains by correcting what no other corrects: the paper's section 5.2."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from gecbench.analysis.difficulty.weights import Weighting
from gecbench.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class BreakEven:
    """When a system unlike all others draws level in recall.

    All others are thought to be alike: they correct the same errors, and it corrects others.

    Args:
        errors: In all.
        systems: How many there are, with the one that is unlike.
        corrected: Errors that the others correct.
        level: How many of the remaining errors it has to correct for the same recall; not
            rounded.
        ahead: From how many on its recall is the higher one; more than remain where it cannot.
    """

    errors: int
    systems: int
    corrected: int
    level: float
    ahead: int

    @property
    def possible(self) -> bool:
        """Whether so many errors remain."""
        return self.ahead <= self.errors - self.corrected


def break_even(errors: int, systems: int, corrected: int, weighting: Weighting) -> BreakEven:
    """Return the break-even point.

    Each error that the others correct weighs w(N - 1), and each that it corrects w(1), so it
    draws level at K w(N - 1) / w(1), where K errors are corrected by the N - 1 others.

    Raises:
        UsageError: There are fewer than two systems, or more corrections than errors.
    """
    if systems < 2:
        raise UsageError(f"a break-even point needs at least 2 systems, not {systems}")
    if not 0 <= corrected <= errors:
        raise UsageError(f"{corrected} corrected errors must be from 0 to {errors}, the errors")
    weighting.table(systems)
    level = corrected * weighting.weight(systems - 1, systems) / weighting.weight(1, systems)
    # Exactly, as rounded weights would let 4 be more than 3.9999999999999987.
    a, b, c = map(Fraction, (weighting.a, weighting.b, weighting.c))
    common, rare = (a - (right + b) / (systems + c) for right in (systems - 1, 1))
    return BreakEven(errors, systems, corrected, level, floor(corrected * common / rare) + 1)
