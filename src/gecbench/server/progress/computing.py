"""What takes time: scores, agreement and table 4, computed anew and kept, or as they were kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gecbench.analysis.agreement import Agreement, AnnotatorAgreement, AnnotatorPair, Rate
from gecbench.analysis.references import References, ReferenceStatistics
from gecbench.api.analyse import agreement as compare
from gecbench.api.analyse import references
from gecbench.server.models import Project
from gecbench.server.progress.handed import SOURCE, golden_corpus, submissions_corpus
from gecbench.server.progress.keeping import AGREEMENT, SCORES, TABLE4, basis_of, keep
from gecbench.server.progress.scoring import Cell, Scores, metric_of, scheme_of, scores

NOTHING = Rate(None, 0, "alone")


def table4(project: Project) -> References:
    """Return Table 4 and the distribution of references of the golden sets now (STA-1, STA-2).

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    corpus = golden_corpus(project)
    if not corpus.samples:
        return References(project.slug, (), {}, {})
    scheme = scheme_of(project)
    found = references(corpus, by=SOURCE, scheme=scheme)
    parts = {"edits": "extracted", **scheme.signature}
    said = "|".join(f"{name}:{value}" for name, value in parts.items())
    return References(
        project.slug, found.statistics, found.everywhere, found.erroneous, signatures=(said,)
    )


def agreement(project: Project) -> Agreement:
    """Return how far annotators agree, by all that stands handed in (STA-5).

    Annotators are called by the numbers of their rows.

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    corpus = submissions_corpus(project)
    if not corpus.samples:
        nothing = (NOTHING,) * 5
        return Agreement(project.slug, metric_of(project), 0, *nothing, (), ())
    return compare(corpus, scheme=scheme_of(project))


def refresh(project: Project) -> None:
    """Compute everything anew and keep it.

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    basis = basis_of(project)
    keep(project, SCORES, basis, asdict(scores(project)))
    keep(project, AGREEMENT, basis, asdict(agreement(project)))
    keep(project, TABLE4, basis, _stored(table4(project)))


def scores_of(data: Mapping[str, Any]) -> Scores:
    """Return scores as they were kept."""
    groups = ("people", "weeks", "sources", "months", "early", "later")
    cells = {name: {key: Cell(**one) for key, one in data[name].items()} for name in groups}
    total = data["total"] and Cell(**data["total"])
    return Scores(**{**data, **cells, "total": total})


def agreement_of(data: Mapping[str, Any]) -> Agreement:
    """Return agreement as it was kept."""
    rates = ("alpha", "decisions", "exact", "common", "edits", "forth", "back", "made", "met")

    def rated(row: Mapping[str, Any]) -> dict[str, Any]:
        return {key: Rate(**value) if key in rates else value for key, value in row.items()}

    whole = {
        **rated(data),
        "each": tuple(AnnotatorAgreement(**rated(one)) for one in data["each"]),
        "pairs": tuple(AnnotatorPair(**rated(one)) for one in data["pairs"]),
        "notes": tuple(data["notes"]),
        "signatures": tuple(data["signatures"]),
    }
    return Agreement(**whole)


def table4_of(data: Mapping[str, Any]) -> References:
    """Return Table 4 as it was kept."""
    return References(
        data["corpus"],
        tuple(ReferenceStatistics(**one) for one in data["statistics"]),
        dict(data["everywhere"]),
        dict(data["erroneous"]),
        signatures=tuple(data["signatures"]),
    )


def _stored(found: References) -> dict[str, Any]:
    """Return the JSON of Table 4; JSON has no keys that are numbers."""
    return {
        "corpus": found.corpus,
        "statistics": [asdict(one) for one in found.statistics],
        "everywhere": list(found.everywhere.items()),
        "erroneous": list(found.erroneous.items()),
        "signatures": list(found.signatures),
    }
