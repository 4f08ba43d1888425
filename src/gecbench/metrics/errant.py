"""errant: F over the edits of English, as ERRANT computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.scoring.pairing import Rule
from gecbench.scoring.spans import Rows, SpanF

if TYPE_CHECKING:
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: Errant) -> Metric[Rows]:
        """Let the type checker hold the class to the protocol."""
        return metric


@dataclass(frozen=True, slots=True)
class Errant(SpanF):
    """Precision, recall and F of English edits.

    Bryant, Felice and Briscoe, ACL 2017; compare_m2.py of errant 3.0.2, whose counts it meets
    exactly with choice "corpus-greedy". Replacements are compared word by word; "single" and
    "multi" look at both sides of an edit.
    """

    name: ClassVar[str] = "errant"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    rule: ClassVar[Rule] = Rule(between=" ", both_sides=True)
