"""Figures that are kept: computed once, shown at once, computed anew when somebody asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db.models import Count, Max, Min
from django.utils import timezone

from gecbench.analysis.agreement import (
    Agreement,
    AgreementCounts,
    AnnotatorAgreement,
    AnnotatorPair,
    Rate,
)
from gecbench.analysis.human import SUBMISSIONS, find_submissions, scorable
from gecbench.analysis.options import HumanOptions
from gecbench.analysis.references import References, ReferenceStatistics
from gecbench.analysis.sentences import signatures
from gecbench.api.analyse import compare_annotators, references
from gecbench.api.options import Options
from gecbench.api.schemes import load_scheme
from gecbench.api.score import collect_stats
from gecbench.core.scheme import Scheme
from gecbench.core.score import Counts
from gecbench.lang import language_of
from gecbench.scoring.resample import mean
from gecbench.scoring.results import RunStats
from gecbench.server.choices import SentenceState
from gecbench.server.models import Figures, Golden, Project, Sentence, Submission
from gecbench.server.statistics.work import (
    SOURCE,
    Facts,
    Handed,
    counted,
    golden_corpus,
    handed,
    submissions_corpora,
)

SCORES, AGREEMENT, TABLE4 = "scores", "agreement", "table4"
KINDS = (SCORES, AGREEMENT, TABLE4)


@dataclass(frozen=True, slots=True)
class Kept:
    """What was computed.

    Args:
        data: JSON values.
        at: When.
        stale: Whether there are rows by now that it does not know.
    """

    data: Mapping[str, Any]
    at: datetime
    stale: bool


def basis_of(project: Project, person: int | None = None) -> str:
    """Return what figures are made of now: the greatest rows, and how texts are compared.

    Withdrawn sentences are in no figure, and restored ones are again. How many there are does not
    tell one from another, but who is withdrawn last is changed last, so that both together do.

    Args:
        project: Whose rows.
        person: Only rows of this person, and sentences and golden sets of what they submitted.
    """
    submissions = Submission.objects.filter(slot__project=project)
    goldens = Golden.objects.filter(sentence__project=project)
    gone = Sentence.objects.filter(project=project, state=SentenceState.WITHDRAWN)
    if person is not None:
        submissions = submissions.filter(person=person)
        goldens = goldens.filter(sentence__submissions__person=person)
        gone = gone.filter(pk__in=submissions.values("sentence"))
    handed = submissions.aggregate(most=Max("id"))["most"] or 0
    decided = goldens.aggregate(most=Max("id"))["most"] or 0
    out = gone.aggregate(count=Count("id"), last=Max("updated_at"))
    withdrawn = f"{out['count']} {out['last'].timestamp()}" if out["count"] else "0"
    return (
        f"submission {handed}, golden {decided}, withdrawn {withdrawn}, "
        f"placeholder {project.rules.placeholder}"
    )[:200]


def kept(project: Project, kind: str, basis: str) -> Kept | None:
    """Return what was computed last; None where nothing was."""
    found = Figures.objects.filter(project=project, kind=kind).first()
    if found is None:
        return None
    return Kept(found.data, found.computed_at, found.basis != basis)


def keep(project: Project, kind: str, basis: str, data: Mapping[str, Any]) -> Kept:
    """Keep figures in the place of earlier ones."""
    now = timezone.now()
    fields = {"basis": basis, "data": data, "computed_at": now}
    Figures.objects.update_or_create(project=project, kind=kind, defaults=fields)
    return Kept(data, now, stale=False)


# Annotators' F0.5 by the scorer of the command line: person, week, source, time (STA-3, STA-7).


SCHEMES: Mapping[str, str] = {"zh": "zh-char", "en": "en-errant"}
"""How edits are found, by language: as exports of M2 and releases do."""

LEAST = 10
"""People with fewer scored answers are not in the mean, as in `gecbench analyse human`."""

EARLY = timedelta(days=30)
"""What counts as somebody's first month (STA-7)."""

_REMEMBERED = 10_000
"""Pairs of texts whose edits are remembered: those of some pieces, for texts come in pieces."""

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """The score of some answers together; the fields of JSON.

    Args:
        scored: How many answers.
        kept: How many of them are golden as they are.
        value: F0.5 in [0, 1], not rounded.
        precision: Likewise.
        recall: Likewise.
        tp: Edits that are right.
        fp: Edits that are wrong.
        fn: Edits that are missing.
    """

    scored: int
    kept: int
    value: float
    precision: float
    recall: float
    tp: int
    fp: int
    fn: int


@dataclass(frozen=True, slots=True)
class Scores:
    """How annotators fare against the golden references; texts and numbers of rows only.

    Args:
        signature: How the numbers were made.
        total: All answers together; None where none was scored.
        average: Mean of F0.5 over people with enough answers; each counts the same.
        averaged: How many people that are.
        people: By row of the person.
        weeks: By ISO week, as "2026-W47".
        sources: By source.
        months: By row of the person and month, as "7 2026-11".
        early: By row of the person: their first thirty days.
        later: Likewise: what came after.
        left_out: Answers that say nobody can annotate the sentence.
    """

    signature: str = ""
    total: Cell | None = None
    average: float | None = None
    averaged: int = 0
    people: Mapping[str, Cell] = field(default_factory=dict)
    weeks: Mapping[str, Cell] = field(default_factory=dict)
    sources: Mapping[str, Cell] = field(default_factory=dict)
    months: Mapping[str, Cell] = field(default_factory=dict)
    early: Mapping[str, Cell] = field(default_factory=dict)
    later: Mapping[str, Cell] = field(default_factory=dict)
    left_out: int = 0


@dataclass(slots=True)
class _Rows:
    """What the metric said of answers, by group, in the order of the sentences."""

    rows: dict[Key, list[Any]] = field(default_factory=dict)
    kept: dict[Key, int] = field(default_factory=dict)
    run_stats: RunStats | None = None

    def add(self, keys: Sequence[Key], row: object, *, kept: bool) -> None:
        """Put an answer into its groups."""
        for key in keys:
            self.rows.setdefault(key, []).append(row)
            self.kept[key] = self.kept.get(key, 0) + kept


def scheme_of(project: Project) -> Scheme:
    """Return how edits of a project's texts are found.

    Raises:
        MissingExtraError: English, and the extra `en` is not installed.
    """
    return _remembering(load_scheme(SCHEMES[project.lang], types=False))


def _remembering(scheme: Scheme) -> Scheme:
    """Return a scheme that finds the edits of two texts once: texts are compared many times here.

    What it finds is the same; schemes that work in batches are left as they are.
    """
    if scheme.batch is not None:
        return scheme
    remember = lru_cache(maxsize=_REMEMBERED)
    return replace(
        scheme,
        parse_source=remember(scheme.parse_source),
        parse_target=remember(scheme.parse_target),
        extract=remember(scheme.extract),
    )


def metric_of(project: Project) -> str:
    """Return the metric of a project's language."""
    return language_of(project.lang).metric


def scores(project: Project, person: int | None = None) -> Scores:
    """Return how annotators fare against the golden references that hold now.

    Each text is one sample, error free is the source, "not annotatable" is left out, and of
    several golden references the best is taken (MuCGEC, section 3).

    Args:
        project: Whose annotators.
        person: Only this one; None is all.

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    scheme, metric = scheme_of(project), metric_of(project)
    first = _first(project)
    found = _Rows()
    left_out = 0
    for piece in handed(project, person):
        _judge(piece, scheme, metric, first, found)
        left_out += piece.left_out
    if found.run_stats is None:
        return Scores(left_out=left_out)
    return _scores(found, found.run_stats, metric, left_out)


def _judge(
    piece: Handed,
    scheme: Scheme,
    metric: str,
    first: Mapping[int, datetime],
    found: _Rows,
) -> None:
    if not piece.submissions.samples:
        return
    everything = range(len(piece.golden.samples))
    lang = piece.golden.lang or ""
    made = find_submissions(piece.golden, piece.submissions, lang, HumanOptions(), everything)
    corpus, output = scorable(piece.golden, piece.submissions, made)
    run_stats = collect_stats(corpus, [output], scheme=scheme, options=Options(metrics=(metric,)))
    found.run_stats = run_stats
    for one, row in zip(made, run_stats.rows[SUBMISSIONS, metric], strict=True):
        facts = piece.facts[one.annotator or ""]
        if row is not None:
            found.add(list(_groups(facts, first)), row, kept=one.kept)


def _groups(facts: Facts, first: Mapping[int, datetime]) -> Iterator[Key]:
    # By the site's clock: what is computed here is kept, and shown to people of all time zones.
    at, who = timezone.localtime(facts.at, timezone.get_default_timezone()), str(facts.person)
    year, week, _ = at.isocalendar()
    yield ("total", "")
    yield ("people", who)
    yield ("weeks", f"{year}-W{week:02}")
    yield ("sources", facts.source)
    yield ("months", f"{who} {at:%Y-%m}")
    yield ("early" if facts.at < first[facts.person] + EARLY else "later", who)


def _first(project: Project) -> Mapping[int, datetime]:
    """Return when each person began."""
    rows = counted(project).values("person").annotate(first=Min("at"))
    return {row["person"]: row["first"] for row in rows}


def _scores(found: _Rows, run_stats: RunStats, metric: str, left_out: int) -> Scores:
    scorer = run_stats.metrics[metric]
    cells: dict[str, dict[str, Cell]] = {}
    for (group, name), rows in sorted(found.rows.items()):
        score = scorer.aggregate(rows)
        counts = score.counts or Counts()  # never the second: span metrics count edits
        cells.setdefault(group, {})[name] = Cell(
            scored=len(rows),
            kept=found.kept[group, name],
            value=score.value,
            precision=counts.precision,
            recall=counts.recall,
            tp=counts.tp,
            fp=counts.fp,
            fn=counts.fn,
        )
    total = cells.pop("total")[""]
    enough = [one.value for one in cells["people"].values() if one.scored >= LEAST]
    return Scores(
        signature=signatures(run_stats, [metric])[0],
        total=total,
        average=mean(enough) if enough else None,
        averaged=len(enough),
        left_out=left_out,
        **cells,
    )


# What takes time: scores, agreement and table 4, computed anew and kept, or as they were kept.


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
    found = AgreementCounts(project.slug, project.lang, metric_of(project))
    scheme = scheme_of(project)
    some = False
    for corpus in submissions_corpora(project):
        compare_annotators(found, corpus, scheme=scheme)
        some = True
    if not some:
        return Agreement(project.slug, found.metric, 0, *(NOTHING,) * 5, (), ())
    return found.measure(least=LEAST)


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
