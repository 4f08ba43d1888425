"""How far an exported model says the same as the one that it was made from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two runtimes made of the same texts.

    Args:
        texts: How many were given to both.
        equal: For how many of them both gave the same.
        what: What was compared, in words: "corrected texts" or "labels".
        largest_difference: Between the scores that they gave with equal results; None where
            there is none to compare.
    """

    texts: int
    equal: int
    what: str
    largest_difference: float | None

    def __str__(self) -> str:
        """Return a line for people.

        >>> str(Agreement(4, 3, "corrected texts", 0.25))
        '3 of 4 corrected texts are the same (75.0%); scores differ by at most 0.25'
        """
        share = 100 * self.equal / self.texts if self.texts else 0.0
        line = f"{self.equal} of {self.texts} {self.what} are the same ({share:.1f}%)"
        if self.largest_difference is None:
            return line
        return f"{line}; scores differ by at most {self.largest_difference:.2g}"
