"""Figures that are kept: computed once, shown at once, computed again when somebody asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max
from django.utils import timezone

from gecbench.analysis.agreement import (
    DECISIONS,
    Agreement,
    AnnotatorAgreement,
    AnnotatorPair,
    Rate,
    alpha,
)
from gecbench.analysis.references import References, ReferenceStatistics
from gecbench.core.score import Counts
from gecbench.scoring.resample import ErrantRule, kernel_name, mean, resample_totals
from gecbench.scoring.spans import f_of_counts
from gecbench.server.choices import ProjectKind, Purpose, SentenceState
from gecbench.server.models import Figures, Golden, Project, Sentence, Source, Submission
from gecbench.server.statistics.comparisons import COMPARISONS, Comparer, Tables
from gecbench.server.statistics.pieces import Progress, store_pieces
from gecbench.server.statistics.work import COUNTS, Rows, count_rows, counts, load_rows

SCORES, AGREEMENT, TABLE4 = "scores", "agreement", "table4"
KINDS = (SCORES, AGREEMENT, TABLE4)


def compares_texts(project: Project) -> bool:
    """Whether answers are compared with golden references and with one another.

    Variants are not: they have no golden references, and are different from one another by rule.
    """
    return project.kind == ProjectKind.REWRITE


@dataclass(frozen=True, slots=True)
class StoredFigures:
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
    """What figures are made of now: the greatest rows, and how texts are compared.

    Withdrawn sentences are in no figure, and restored ones are again. How many there are does not
    tell one from another, but who is withdrawn last is changed last, so that both together do.

    Args:
        project: Whose rows.
        person: Only rows of this person, and sentences and golden sets of what they submitted.
    """
    submissions = Submission.objects.filter(slot__project=project)
    goldens = Golden.objects.filter(sentence__project=project)
    # Of whatever purpose: so their index is asked, and not each sentence.
    withdrawn_sentences = Sentence.objects.filter(
        project=project, purpose__in=Purpose, state=SentenceState.WITHDRAWN
    )
    if person is not None:
        submissions = submissions.filter(person=person)
        goldens = goldens.filter(sentence__submissions__person=person)
        withdrawn_sentences = withdrawn_sentences.filter(pk__in=submissions.values("sentence"))
    last_submission = submissions.aggregate(most=Max("id"))["most"] or 0
    last = goldens.aggregate(most=Max("id"))["most"] or 0
    out = withdrawn_sentences.aggregate(count=Count("id"), last=Max("updated_at"))
    withdrawn = f"{out['count']} {out['last'].timestamp()}" if out["count"] else "0"
    return (
        f"submission {last_submission}, golden {last}, withdrawn {withdrawn}, "
        f"placeholder {project.rules.placeholder}"
    )[:200]


def load_figures(project: Project, kind: str, basis: str) -> StoredFigures | None:
    """Load what was computed last; None where nothing was."""
    row = Figures.objects.filter(project=project, kind=kind).first()
    if row is None:
        return None
    return StoredFigures(row.data, row.computed_at, row.basis != basis)


def store_figures(
    project: Project, kind: str, basis: str, data: Mapping[str, Any]
) -> StoredFigures:
    """Keep figures in the place of earlier ones."""
    now = timezone.now()
    fields = {"basis": basis, "data": data, "computed_at": now}
    Figures.objects.update_or_create(project=project, kind=kind, defaults=fields)
    return StoredFigures(data, now, stale=False)


# Annotators' F0.5 by the scorer of the command line: person, week, source, time (STA-3, STA-7).


NOTHING = Rate(None, 0, "alone")
NO_SOURCE = ""
QUARTER = 15 * 60 * 10**6
"""Microseconds of a quarter of an hour, which lies in one day in all time zones."""

LEAST = 10
"""People with fewer scored answers are not in the mean, as in `gecbench analyse human`."""

EARLY = timedelta(days=30)
"""What counts as somebody's first month (STA-7)."""


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


def scores(project: Project) -> Scores:
    """Score annotators against the golden references that hold now.

    Each text is one sample, error free is the source, "not annotatable" is left out, and of
    several golden references the best is taken (MuCGEC, section 3).

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    comparer = Comparer.of(project)
    return score_texts(comparer, comparer.load_tables())


def scores_of_person(project: Project, person: int) -> Scores:
    """Score one annotator; cells that hold the work of others, too, are not whole.

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    comparer = Comparer.of(project)
    answers = Submission.objects.filter(counts(), slot__project=project, person=person)
    return score_texts(comparer, comparer.compare(answers.values_list("sentence", flat=True)))


def score_texts(comparer: Comparer, tables: Tables) -> Scores:
    """Sum up what was found of annotators' texts."""
    import numpy as np

    texts, left_out = tables["texts"], len(tables["left_out"])
    if not len(texts):
        return Scores(left_out=left_out)
    _, person, at, source, unchanged = texts.T
    answers = tables["answers"]
    people, first = np.unique(
        answers[np.argsort(answers[:, 2], kind="stable"), 1], return_index=True
    )
    began = np.sort(answers[:, 2])[first][np.searchsorted(people, person)]
    early = at < began + EARLY // timedelta(microseconds=1)
    quarters, by_quarter = np.unique(at // QUARTER, return_inverse=True)
    # By the site's clock: what is computed here is stored, and shown to people of all time zones.
    zone = timezone.get_default_timezone()
    times = [datetime.fromtimestamp(quarter * QUARTER / 1e6, zone) for quarter in quarters.tolist()]
    weeks, week = np.unique([f"{time:%G-W%V}" for time in times], return_inverse=True)
    months, month = np.unique([f"{time:%Y-%m}" for time in times], return_inverse=True)
    names = dict(Source.objects.filter(project=comparer.project).values_list("id", "name"))

    def cells(
        codes: Any, name: Callable[[int], str], rows: Any = slice(None)
    ) -> Mapping[str, Cell]:
        at = np.arange(len(texts))[rows]
        by_code = {
            name(code): _cell(
                comparer, tables["text_counts"][at[some]], int(unchanged[at[some]].sum())
            )
            for code, some in _groups(codes[rows])
        }
        return dict(sorted(by_code.items()))

    by_person = cells(person, str)
    enough = [cell.value for cell in by_person.values() if cell.scored >= LEAST]
    return Scores(
        signature=str(comparer.metric.signature),
        total=_cell(comparer, tables["text_counts"], int(unchanged.sum())),
        average=mean(enough) if enough else None,
        averaged=len(enough),
        people=by_person,
        weeks=cells(week[by_quarter], weeks.tolist().__getitem__),
        sources=cells(source, lambda row: names.get(row, NO_SOURCE)),
        months=cells(
            person * len(months) + month[by_quarter],
            lambda code: f"{code // len(months)} {months[code % len(months)]}",
        ),
        early=cells(person, str, early),
        later=cells(person, str, ~early),
        left_out=left_out,
    )


def _cell(comparer: Comparer, candidates: Any, unchanged: int) -> Cell:
    counts = sum_counts(candidates, comparer.metric.beta)
    return Cell(
        scored=len(candidates),
        kept=unchanged,
        value=counts.f(comparer.metric.beta),
        precision=counts.precision,
        recall=counts.recall,
        tp=counts.tp,
        fp=counts.fp,
        fn=counts.fn,
    )


def _groups(codes: Any) -> Iterator[tuple[int, Any]]:
    """Yield each code with the places where it stands."""
    import numpy as np

    order = np.argsort(codes, kind="stable")
    different, begins = np.unique(codes[order], return_index=True)
    yield from zip(different.tolist(), np.split(order, begins)[1:], strict=True)


def sum_counts(candidates: Any, beta: float) -> Counts:
    """Sum up counts with the references that the metric chooses.

    Its rule (`scoring.spans.choose`, "corpus-greedy") is asked only where there is something to
    choose.

    Args:
        candidates: Of each text in its order; shape (texts, references, 3).
        beta: Weight of recall in F.
    """
    import numpy as np

    if kernel_name() == "compiled" and len(candidates):
        once = np.arange(len(candidates))[None]
        totals = resample_totals(candidates, once, ErrantRule(beta))
        return Counts(*map(int, totals[:, 0]))
    several = (candidates != candidates[:, :1]).any(axis=(1, 2))
    certain = candidates[:, 0].copy()
    certain[several] = 0
    # Once for each person, week and pair of people, over all texts: written without inner lists.
    chosen_tp = chosen_fp = chosen_fn = 0
    for (certain_tp, certain_fp, certain_fn), options in zip(
        certain.cumsum(axis=0)[several].tolist(), candidates[several].tolist(), strict=True
    ):
        before_tp, before_fp = certain_tp + chosen_tp, certain_fp + chosen_fp
        before_fn = certain_fn + chosen_fn
        best = max(
            [
                (
                    round(f_of_counts(before_tp + tp, before_fp + fp, before_fn + fn, beta), 4),
                    tp,
                    -fp,
                    -fn,
                )
                for tp, fp, fn in options
            ]
        )
        chosen_tp += best[1]
        chosen_fp -= best[2]
        chosen_fn -= best[3]
    sums = certain.sum(axis=0).tolist()
    return Counts(sums[0] + chosen_tp, sums[1] + chosen_fp, sums[2] + chosen_fn)


# Table 4, agreement; and all of it computed again and stored.


def table4(project: Project) -> References:
    """Compute Table 4 and the distribution of references of the golden sets now (STA-1, STA-2).

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    comparer = Comparer.of(project)
    return describe_goldens(comparer, comparer.load_tables())


def describe_goldens(comparer: Comparer, tables: Tables) -> References:
    """Sum up what was found of the golden sets, all of them and by source."""
    goldens, name = tables["goldens"], comparer.project.slug
    if not len(goldens):
        return References(name, (), {}, {})
    sources = tables["sources"]
    first = dict(zip(sources[::-1].tolist(), range(len(sources), 0, -1), strict=True))
    rows = [_describe("all", goldens)]
    rows += [
        _describe(source or "(empty)", goldens[sources == source])
        for source in sorted(first, key=first.__getitem__)
    ]
    _, _, references, _, _, edited = goldens.T
    parts = {"edits": "extracted", **comparer.scheme.signature}
    return References(
        name,
        tuple(rows),
        dict(sorted(Counter(references.tolist()).items())),
        dict(sorted(Counter(references[edited > 0].tolist()).items())),
        signatures=("|".join(f"{name}:{value}" for name, value in parts.items()),),
    )


def _describe(name: str, goldens: Any) -> ReferenceStatistics:
    _, characters, references, distinct, edits, edited = goldens[goldens[:, 2] > 0].T
    sentences = len(references)

    def mean_of(values: Any, count: int) -> float | None:
        return int(values.sum()) / count if count else None

    return ReferenceStatistics(
        name,
        sentences=sentences,
        discarded=len(goldens) - sentences,
        erroneous=int((edited > 0).sum()),
        characters=mean_of(characters, sentences),
        edits=mean_of(edits, int(edited.sum())),
        references=mean_of(references, sentences),
        distinct=mean_of(distinct, sentences),
    )


def agreement(project: Project) -> Agreement:
    """Measure how far annotators agree, by all that stands handed in (STA-5).

    Annotators are called by the numbers of their rows.

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    comparer = Comparer.of(project)
    return measure_agreement(comparer, comparer.load_tables())


def measure_agreement(comparer: Comparer, tables: Tables) -> Agreement:
    """Sum up what was found of the answers of different annotators."""
    import numpy as np

    answers, pairs = tables["answers"], tables["pairs"]
    rewrites, candidates = tables["rewrites"], tables["rewrite_counts"]
    name, metric = comparer.project.slug, comparer.metric
    if not len(answers):
        return Agreement(name, metric.name, 0, *(NOTHING,) * 5, (), ())
    numbers, sentence = np.unique(answers[:, 0], return_inverse=True)
    decided = np.zeros((len(numbers), len(DECISIONS)), dtype=np.int64)
    np.add.at(decided, (sentence, answers[:, 3]), 1)
    several = decided.sum(axis=1) > 1
    shared = Counter(answers[several[sentence], 1].tolist())
    _, first, second, *_ = pairs.T
    in_pair = {
        code: pairs[rows]
        for code, rows in _groups(_codes(np.minimum(first, second), np.maximum(first, second)))
    }
    of_person = {
        code: pairs[rows % len(pairs)] for code, rows in _groups(np.concatenate([first, second]))
    }
    _, writer, author = rewrites.T
    forth = dict(_groups(_codes(writer, author)))
    of_writer, met = dict(_groups(writer)), dict(_groups(author))

    def rates(rows: Any) -> tuple[Rate, Rate, Rate]:
        if not len(rows):
            return NOTHING, NOTHING, NOTHING
        counts = rows[:, 3:].sum(axis=0).tolist()
        alike, exact, common = (Rate(count / len(rows), len(rows)) for count in counts)
        return alike, exact, common

    def score(rows: Any) -> Rate:
        if not len(rows):
            return Rate(None, 0, "no-text")
        return Rate(sum_counts(candidates[rows], metric.beta).f(metric.beta), len(rows))

    def measure(code: int) -> AnnotatorPair:
        rows = in_pair[code]
        first, second = sorted(rows[0, 1:3].tolist(), key=str)
        return AnnotatorPair(
            str(first),
            str(second),
            len(rows),
            *rates(rows)[:2],
            score(forth.get(int(_codes(first, second)), ())),
            score(forth.get(int(_codes(second, first)), ())),
        )

    listed = [measure(code) for code, rows in in_pair.items() if len(rows) >= LEAST]
    notes = list(comparer.scheme.notes)
    if few := len(in_pair) - len(listed):
        notes.append(f"pairs with fewer than {LEAST} sentences in common, not listed: {few}")
    decisions, exact, common = rates(pairs)
    of_annotators = tuple(
        AnnotatorAgreement(
            str(person),
            shared[person],
            *rates(of_person.get(person, ()))[:2],
            score(of_writer.get(person, ())),
            score(met.get(person, ())),
        )
        for person in np.unique(answers[:, 1]).tolist()
    )
    return Agreement(
        corpus=name,
        metric=metric.name,
        sentences=int(several.sum()),
        alpha=alpha(decided[several].tolist()),
        decisions=decisions,
        exact=exact,
        common=common,
        edits=score(np.arange(len(rewrites))),
        each=tuple(sorted(of_annotators, key=lambda row: (-row.sentences, row.name))),
        pairs=tuple(sorted(listed, key=lambda row: (-row.sentences, row.one, row.other))),
        notes=tuple(notes),
        signatures=(str(metric.signature),) if len(rewrites) else (),
    )


def _codes(first: Any, second: Any) -> Any:
    """Make one number of the rows of two people."""
    return first * 2**31 + second


def refresh(project: Project, processes: int = 1, seconds: float | None = None) -> Progress:
    """Compute everything again and store it; nothing where answers are not compared.

    The counts are stored with it: what is read of a sentence for the ones is what the others need.

    Args:
        project: Whose figures.
        processes: How many compute, as in `load_pieces`.
        seconds: For so long texts are compared. Where some remain, all figures stay as they were,
            and the next call goes on; None compares all.

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    if not compares_texts(project):
        return Progress(0, 0)
    basis, comparer = basis_of(project), Comparer.of(project)

    make: Mapping[str, Callable[[Rows], Any]] = {COMPARISONS: comparer.pack, COUNTS: count_rows}

    def compute(sentences: Collection[int], kinds: Collection[str]) -> Mapping[str, Any]:
        rows = load_rows(sentences)
        return {kind: make[kind](rows) for kind in kinds}

    progress = store_pieces(project, make, compute, processes, seconds)
    if progress.remaining:
        return progress
    tables = comparer.load_tables()
    store_figures(project, SCORES, basis, asdict(score_texts(comparer, tables)))
    store_figures(project, AGREEMENT, basis, asdict(measure_agreement(comparer, tables)))
    store_figures(project, TABLE4, basis, _table4_json(describe_goldens(comparer, tables)))
    return progress


def parse_scores(data: Mapping[str, Any]) -> Scores:
    """Parse scores as they are stored."""
    groups = ("people", "weeks", "sources", "months", "early", "later")
    cells = {name: {key: Cell(**values) for key, values in data[name].items()} for name in groups}
    total = data["total"] and Cell(**data["total"])
    return Scores(**{**data, **cells, "total": total})


def parse_agreement(data: Mapping[str, Any]) -> Agreement:
    """Parse agreement as it is stored."""
    rates = ("alpha", "decisions", "exact", "common", "edits", "forth", "back", "made", "met")

    def parse_rates(row: Mapping[str, Any]) -> dict[str, Any]:
        return {key: Rate(**value) if key in rates else value for key, value in row.items()}

    whole = {
        **parse_rates(data),
        "each": tuple(AnnotatorAgreement(**parse_rates(row)) for row in data["each"]),
        "pairs": tuple(AnnotatorPair(**parse_rates(row)) for row in data["pairs"]),
        "notes": tuple(data["notes"]),
        "signatures": tuple(data["signatures"]),
    }
    return Agreement(**whole)


def parse_table4(data: Mapping[str, Any]) -> References:
    """Parse Table 4 as it is stored."""
    return References(
        data["corpus"],
        tuple(ReferenceStatistics(**row) for row in data["statistics"]),
        dict(data["everywhere"]),
        dict(data["erroneous"]),
        signatures=tuple(data["signatures"]),
    )


def _table4_json(table4: References) -> dict[str, Any]:
    """The JSON of Table 4; JSON has no keys that are numbers."""
    return {
        "corpus": table4.corpus,
        "statistics": [asdict(row) for row in table4.statistics],
        "everywhere": list(table4.everywhere.items()),
        "erroneous": list(table4.erroneous.items()),
        "signatures": list(table4.signatures),
    }


def f05_by_person(
    project: Project, sentences: Mapping[int, Collection[int]]
) -> Mapping[int, float]:
    """F0.5 of people in certain sentences each, by row of the person; absent without a text.

    Args:
        project: Whose golden references hold.
        sentences: Rows of sentences by row of the person.

    Raises:
        GecbenchError: The scheme of edits cannot be had.
    """
    comparer = Comparer.of(project)
    cells = {
        person: score_texts(comparer, comparer.compare(rows)).people.get(str(person))
        for person, rows in sentences.items()
    }
    return {person: cell.value for person, cell in cells.items() if cell}
