"""F over edits: `edits` for every scheme and language, and its two parity forms.

`errant` and `cherrant` compute what the official scripts of English and Chinese do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gecbench.scoring.spans import ComparisonRule, SpanF


@dataclass(frozen=True, slots=True)
class Edits(SpanF):
    """Precision, recall and F of the edits of any scheme, in any language.

    Replacements are compared token by token; "single" and "multi" look at both sides of an edit.
    """

    name: ClassVar[str] = "edits"
    languages: ClassVar[tuple[str, ...]] = ()
    rule: ClassVar[ComparisonRule] = ComparisonRule(between=" ", both_sides=True)


@dataclass(frozen=True, slots=True)
class Errant(SpanF):
    """Precision, recall and F of English edits.

    Bryant, Felice and Briscoe, ACL 2017; compare_m2.py of errant 3.0.2, whose counts it meets
    exactly with choice "corpus-greedy". Replacements are compared word by word; "single" and
    "multi" look at both sides of an edit.
    """

    name: ClassVar[str] = "errant"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    rule: ClassVar[ComparisonRule] = ComparisonRule(between=" ", both_sides=True)


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
    rule: ClassVar[ComparisonRule] = ComparisonRule()
