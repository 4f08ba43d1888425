"""What a perturbation is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gecbench.core.errors import UnknownNameError, UsageError

SUBSTITUTE, INSERT, DELETE = "substitute", "insert", "delete"
OPERATIONS = (SUBSTITUTE, INSERT, DELETE)

RANDOM, FILL = "random", "fill"
INSERTIONS = (RANDOM, FILL)

_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is made of each case.

    Args:
        variants: Of each case; RobustGEC has 5.
        operations: Each variant has exactly one of these; they are equally likely.
        insertion: "random" inserts any word of the vocabulary, as the paper does; "fill" one that
            the filler finds for the place.
        seed: Of all choices.

    Raises:
        UsageError: A value is out of range, or an operation stands twice or is unknown.
    """

    variants: int = 5
    operations: Sequence[str] = OPERATIONS
    insertion: str = RANDOM
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be done."""
        if not 1 <= self.variants <= _MOST:
            raise UsageError(f"variants is {self.variants}; ask for 1 to {_MOST} of each case")
        if not self.operations:
            raise UsageError(f"no operation is named; name some of {', '.join(OPERATIONS)}")
        for name in self.operations:
            if name not in OPERATIONS:
                raise UnknownNameError("operation", name, OPERATIONS)
        if self.insertion not in INSERTIONS:
            raise UnknownNameError("insertion", self.insertion, INSERTIONS)
        if len(set(self.operations)) < len(self.operations):
            raise UsageError(
                f"operations {','.join(self.operations)}: one stands twice; name it once"
            )
