"""A case: all that a metric sees of one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gecbench.core.edit import Edit

Part = Literal["edits", "texts", "golds"]
"""What a metric may ask of a case: edits of both sides, texts, or golds and tokens."""


@dataclass(frozen=True, slots=True)
class Version:
    """One rewrite, as far as the metrics of a run asked for it.

    Args:
        edits: Its edits, alternative edit sets pooled. Pooling is ChERRANT's rule
            (compare_m2_for_evaluation.py): an edit that stands in two alternative sets of one
            target occurs twice here, and counts twice. Part "edits".
        unannotatable: Declared impossible to annotate; then there is nothing else.
        text: What was written; the source where it is error free. Part "texts".
        golds: One set of edits as an annotator gave it, in the order of the file. Part "golds";
            references only.
        tokens: The text in the tokens of the case. Part "golds"; hypotheses only.
        sizes: How many edits each alternative set has, in the order in which `edits` pools them;
            () where there is one set. Part "edits".
    """

    edits: tuple[Edit, ...] = ()
    unannotatable: bool = False
    text: str = ""
    golds: tuple[Edit, ...] = ()
    tokens: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()

    @property
    def first(self) -> tuple[Edit, ...]:
        """The edits of the first set alone: what one reading of the text changes."""
        return self.edits[: self.sizes[0]] if self.sizes else self.edits


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence with its system's versions and its references.

    Args:
        id: The sample's id.
        hypotheses: Versions of the system, usually one.
        references: Versions of the annotators, at least one, in the order of the corpus.
        source: What the learner wrote.
        tokens: The source's tokens, which `golds` count in. Part "golds".
        edit_tokens: The source's tokens, which `edits` count in. Part "edits".
    """

    id: str
    hypotheses: tuple[Version, ...]
    references: tuple[Version, ...]
    source: str = ""
    tokens: tuple[str, ...] = ()
    edit_tokens: tuple[str, ...] = ()
