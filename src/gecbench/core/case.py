"""A case: all that a span metric sees of one sentence."""

from __future__ import annotations

from dataclasses import dataclass

from gecbench.core.edit import Edit


@dataclass(frozen=True, slots=True)
class Version:
    """The edits of one rewrite, alternative edit sets pooled.

    Pooling is ChERRANT's rule (compare_m2_for_evaluation.py): an edit that stands in two
    alternative sets of one target occurs twice here, and counts twice.
    """

    edits: tuple[Edit, ...]
    unannotatable: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence with its edits extracted once.

    Args:
        id: The sample's id.
        hypotheses: Versions of the system, usually one.
        references: Versions of the annotators, at least one.
    """

    id: str
    hypotheses: tuple[Version, ...]
    references: tuple[Version, ...]
