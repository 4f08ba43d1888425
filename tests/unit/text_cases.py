"""Cases of texts, for the tests of metrics that read texts."""

from __future__ import annotations

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.score import Score

IMPOSSIBLE = CaseRewrite(unannotatable=True)


def case(source: str, hypothesis: str, *references: str | CaseRewrite) -> Case:
    """One sentence; a reference is a text, or a version as it stands."""
    versions = tuple(r if isinstance(r, CaseRewrite) else CaseRewrite(text=r) for r in references)
    return Case("1", (CaseRewrite(text=hypothesis),), versions, source)


def score(metric, *cases: Case) -> Score:
    """The score of these sentences, those that the metric leaves out left out."""
    return metric.aggregate(stats(metric, *cases))


def stats(metric, *cases: Case) -> list:
    return [item for item in map(metric.stats, cases) if item is not None]


def values(metric, *cases: Case) -> list:
    return [sentence["value"] for sentence in metric.sentences(stats(metric, *cases))]
