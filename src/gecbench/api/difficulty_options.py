"""How difficulty is measured, as Python and the command line take it; light to import."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from gecbench.analysis.options import ABSENT, Absent, Weighting
from gecbench.api.options import BETA, NORMALISE, RANGE, RE_EXTRACT
from gecbench.core.errors import UsageError
from gecbench.core.options import Option, check_choice

Which = int | Literal["each", "chosen"]


def read_reference(text: str) -> int | str:
    """Read the number of a reference, or what stands for one."""
    return int(text) if text.isdecimal() else text


@dataclass(frozen=True, slots=True)
class DifficultyOptions:
    """How difficulty is measured.

    Args:
        weighting: From numbers of systems to weights.
        beta: Weight of recall in F.
        reference: The number of a reference, from 1 (`analysis.difficulty.reference_by_number`);
            "each" by itself; or "chosen": for each sentence the one that systems come nearest to.
        absent: What of the sentences that have no such reference: they are left out, or are
            taken as free of errors ("unchanged"), as the official program takes them.
        weights: A weight file; None makes weights of these systems.
        part: Only the sentences from the first place (from 0) to before the second.
        normalise: Named changes of all texts before anything else, in their order.

    Raises:
        UsageError: A value that has no meaning.
    """

    weighting: Weighting = field(default_factory=Weighting)
    beta: Annotated[float, BETA] = 0.5
    reference: Annotated[
        Which,
        Option(
            "--reference-number",
            "Which reference counts, from 1; or each by itself; or chosen: the one systems come "
            "nearest to, sentence by sentence.",
            metavar="K",
            default="1",
            read=read_reference,
        ),
    ] = 1
    absent: Annotated[
        Absent,
        Option(
            "--absent",
            "Sentences without that reference: left out, or taken as free of errors.",
        ),
    ] = "left-out"
    weights: Path | str | None = None
    part: Annotated[tuple[int, int | None] | None, RANGE] = None
    normalise: Annotated[tuple[str, ...], NORMALISE] = ()
    re_extract: Annotated[bool | None, RE_EXTRACT] = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if isinstance(self.reference, str) and self.reference not in ("each", "chosen"):
            raise UsageError(
                f"reference number {self.reference!r} must be a number from 1, each, or chosen"
            )
        check_choice("absent", self.absent, ABSENT)
        if self.weights is not None and self.reference == "each":
            raise UsageError("a weight file fits one reference; choose it, not each")
