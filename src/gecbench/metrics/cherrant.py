"""cherrant: F over the edits of Chinese, as ChERRANT computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.scoring.pairing import Rule
from gecbench.scoring.spans import Rows, SpanF

if TYPE_CHECKING:
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: Cherrant) -> Metric[Rows]:
        """Let the type checker hold the class to the protocol."""
        return metric


@dataclass(frozen=True, slots=True)
class Cherrant(SpanF):
    """Precision, recall and F of Chinese edits.

    Zhang et al., MuCGEC, NAACL 2022, section 6.2; ChERRANT's compare_m2_for_evaluation.py
    (MuCGEC 3922193), whose counts it meets exactly with choice "corpus-greedy". Alternative
    edit sets of one target are pooled; replacements are compared without white space; "single"
    and "multi" look at the source alone.
    """

    name: ClassVar[str] = "cherrant"
    languages: ClassVar[tuple[str, ...]] = ("zh",)
    rule: ClassVar[Rule] = Rule()
