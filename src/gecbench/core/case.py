"""A case: all that a metric sees of one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from gecbench.core.edit import Edit

Part = Literal["edits", "texts", "gold_edits"]
"""What a metric may ask of a case: edits of both sides, texts, or gold edits and tokens."""

Level = Literal["correction", "correction-type", "detection-span", "detection-token"]
"""What has to agree for an edit to count."""
LEVELS: tuple[Level, ...] = get_args(Level)

Choice = Literal["corpus-greedy", "sentence-best"]
"""How the reference of a sentence is chosen; see `scoring.spans.choose`."""
CHOICES: tuple[Choice, ...] = get_args(Choice)


@dataclass(frozen=True, slots=True)
class CaseRewrite:
    """A rewrite as metrics see it, with the parts that those of a run ask for.

    Args:
        edits: Its edits, alternative edit sets pooled. Pooling is ChERRANT's rule
            (compare_m2_for_evaluation.py): an edit that stands in two alternative sets of one
            target occurs twice here, and counts twice. Part "edits".
        unannotatable: Declared impossible to annotate; then there is nothing else.
        text: What was written; the source where it is error free. Part "texts".
        gold_edits: One set of edits as an annotator gave it, in the order of the file.
            Part "gold_edits"; references only.
        tokens: The text in the tokens of the case. Part "gold_edits"; hypotheses only.
        sizes: How many edits each alternative set has, in the order in which `edits` pools them;
            () where there is one set. Part "edits".
    """

    edits: tuple[Edit, ...] = ()
    unannotatable: bool = False
    text: str = ""
    gold_edits: tuple[Edit, ...] = ()
    tokens: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()

    @property
    def first(self) -> tuple[Edit, ...]:
        """The edits of the first set alone: what one reading of the text changes."""
        return self.edits[: self.sizes[0]] if self.sizes else self.edits


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence with the hypotheses of one system and its references.

    Args:
        id: The sample's id.
        hypotheses: Of the system, usually one.
        references: Of the annotators, in the order of the corpus; none only where no metric of the
            run needs any.
        source: What the learner wrote.
        tokens: The source's tokens, which `gold_edits` count in. Part "gold_edits".
        edit_tokens: The source's tokens, which `edits` count in. Part "edits".
    """

    id: str
    hypotheses: tuple[CaseRewrite, ...]
    references: tuple[CaseRewrite, ...]
    source: str = ""
    tokens: tuple[str, ...] = ()
    edit_tokens: tuple[str, ...] = ()
