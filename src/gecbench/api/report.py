"""The report: everything there is to say of some systems, for one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gecbench.analysis.breakdown import Breakdowns, Resampling, break_down
from gecbench.analysis.difficulty import Difficulty, measure_difficulty, nearest_references
from gecbench.analysis.options import Plan, Sweep, Weighting
from gecbench.analysis.references import describe_references, reference_numbers
from gecbench.analysis.sentences import edit_weights, sentence_rows
from gecbench.analysis.significance import Comparisons, compare_run
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options
from gecbench.api.score import collect_stats
from gecbench.core.errors import UsageError
from gecbench.core.files import path_of, write_text
from gecbench.core.sample import Corpus, Rewrite, Systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.lang import language_of
from gecbench.metrics import metric_class
from gecbench.reports import PageLanguage, breakdown, compare, difficulty, overview, references
from gecbench.reports.page import Fact, Page, interface_words, render_html
from gecbench.reports.page.sentences import pack_sentences
from gecbench.reports.report import Report, Words, translate
from gecbench.scoring.languages import corpus_language
from gecbench.scoring.results import RunStats, ScoreReport, first_edit_sets
from gecbench.scoring.run import summarise

# The analyses that a report shows of a run.


_SUBSETS = 5
"""Subsets of references that are scored for each number of them: a page need not have all."""
_RESAMPLES = 1000
"""At most so many for the intervals of the parts of a corpus, of which there are hundreds."""
_INTERVALS = 45
"""A figure of more is too long to read: the pairs of ten systems."""


def compare_systems(
    run_stats: RunStats, options: Options, watch: Watch = no_progress
) -> Comparisons | None:
    """Test which systems differ significantly; None for one system or without resamples.

    As `gecbench compare` tests it, with the same resamples and permutations, so that its numbers
    are the same.
    """
    if len(run_stats.systems) < 2 or not options.resamples:
        return None
    plan = Plan(resamples=options.resamples, seed=options.seed)
    return compare_run(run_stats, plan, jobs=options.jobs, watch=watch)


def analysis_reports(
    run_stats: RunStats,
    scores: ScoreReport,
    compared: Comparisons | None,
    parts: Breakdowns,
    options: Options,
    metric: str | None,
) -> Sequence[Report]:
    """Report on these systems, in the order of reading.

    Scores and significance are of all metrics; breakdowns, references and difficulty of the one
    that compares edits.

    Args:
        run_stats: The systems.
        scores: Their scores.
        compared: Their differences, if there are any.
        parts: Their scores by parts of the corpus.
        options: How they were scored.
        metric: Name of the metric that compares edits; None where there is none.
    """
    comparisons = compared.metrics if compared else ()
    unchanged = unchanged_systems(run_stats)
    reports = [overview.build_report(scores, comparisons, unchanged, metric)]
    if compared is not None:
        significance = compare.build_report(
            compared.corpus, compared.metrics, compared.notes, page=True, unchanged=unchanged
        )
        reports.append(_legible(significance))
    alone = only(run_stats, metric)
    reports.append(breakdown.build_report(parts, page=True))
    if any(len(sample.references) > 1 for sample in run_stats.corpus.samples):
        sweep = Sweep(most=_SUBSETS, seed=options.seed)
        described = describe_references(alone, sweep=sweep)
        reports.append(references.build_report(described, page=True))
    if metric is not None and len(run_stats.systems) > 1:
        hard = difficulty_of(alone, options.beta)
        if any(scores.weighted.f for scores in hard.scores):
            reports.append(difficulty.build_report([hard], page=True))
    return [overview.mark_systems(report, unchanged) for report in reports]


def unchanged_systems(run_stats: RunStats) -> set[str]:
    """The systems whose outputs are the sources, as the copy that many evaluations call INPUT."""
    sources = {sample.id: sample.source for sample in run_stats.corpus.samples}

    def unchanged(rewrite: Rewrite, source: str) -> bool:
        if rewrite.text is not None:
            return rewrite.text.split() == source.split()
        return not rewrite.unannotatable and not any(rewrite.edit_sets)

    return {
        name
        for name, output in run_stats.systems.items()
        if all(
            unchanged(rewrite, source)
            for key, source in sources.items()
            for rewrite in output.hypotheses[key]
        )
    }


def _legible(report: Report) -> Report:
    """Leave off what stands elsewhere, or is too long.

    The scores are in the part before, and figures of too many intervals are left to the tables.
    """
    figures = tuple(
        figure
        for figure in report.figures
        if figure.kind != "intervals"
        or sum(len(series.x) for series in figure.series) <= _INTERVALS
    )
    tables = tuple(table for table in report.tables if table.name != "systems")
    return replace(report, tables=tables, figures=figures)


def only(run_stats: RunStats, metric: str | None) -> RunStats:
    """Keep what one metric says; None is all of them."""
    if metric is None:
        return run_stats
    return replace(
        run_stats,
        metrics={metric: run_stats.metrics[metric]},
        rows={key: rows for key, rows in run_stats.rows.items() if key[1] == metric},
        refused={},
    )


def difficulty_of(run_stats: RunStats, beta: float) -> Difficulty:
    """Measure the difficulty of errors under the references that the systems come nearest to.

    Of alternative edit sets the first counts, as in `gecbench analyse difficulty`.

    Args:
        run_stats: By one metric that compares edits.
        beta: Weight of recall in F.

    Raises:
        CorpusError: Nobody could correct any sentence.
    """
    run_stats = first_edit_sets(run_stats)
    choice = nearest_references(run_stats.corpus.samples, run_stats.cases, beta)
    return measure_difficulty(run_stats, choice, Weighting(), beta)


_PROVENANCE = {"origin": "Origin", "licence": "Licence", "scheme": "Edits by"}


def report(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    title: str | None = None,
    date: str | None = None,
    more: Sequence[Report] = (),
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Page:
    """Make a page with scores, significance, breakdowns, figures and all sentences.

    `save_report` writes it as HTML.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        scheme: As in `gecbench.score`.
        options: How to score; where no metric that compares edits is asked for, the span metric
            of the language is added, because sentences are shown with their edits. Intervals
            are made of `resamples`, if there are any.
        title: Of the page; None takes the corpus's name.
        date: As its author writes it; None shows none, so that the same input gives the same
            page.
        more: Further reports, as of robustness, which takes data of its own.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options(resamples=Plan().resamples)
    if options.by:
        raise UsageError("a report breaks scores down by all metadata fields; leave 'by' out")
    corpus = in_language(corpus, lang)
    options = _with_edits(options, corpus)
    run_stats = collect_stats(corpus, systems, scheme=scheme, options=options, watch=watch)
    compared = compare_systems(run_stats, options, watch)
    resamples = 0 if compared else options.resamples
    scores = summarise(run_stats, beta=options.beta, resamples=resamples, seed=options.seed)
    scores = _with_intervals(scores, compared)
    metric = span_metric(run_stats)
    hard = edit_weights(run_stats.cases) if metric else []
    rows = sentence_rows(run_stats, metric, hard)
    resampling = Resampling.of(min(options.resamples, _RESAMPLES), options.seed)
    parts = break_down(only(run_stats, metric), resampling=resampling)
    groups = breakdown.sentence_groups(parts.breakdowns)
    if any(len(sample.references) > 1 for sample in run_stats.corpus.samples):
        groups.append(references.sentence_group(reference_numbers(run_stats)))
    fields = list(dict.fromkeys(name for s in run_stats.corpus.samples for name in s.meta))
    sentences = pack_sentences(
        rows,
        list(run_stats.systems),
        run_stats.lang,
        fields,
        edits=metric is not None,
        tokens=options.level == "detection-token",
        joiner=run_stats.joiner,
        groups=groups,
    )
    unchanged = unchanged_systems(run_stats)
    return Page(
        title=title or run_stats.corpus.name,
        facts=tuple(_facts(run_stats, scores, title, date)),
        reports=(*analysis_reports(run_stats, scores, compared, parts, options, metric), *more),
        sentences=sentences,
        headlines=overview.headlines(scores, compared.metrics if compared else (), unchanged),
        systems=overview.systems_in_order(scores, unchanged),
        edits=metric is not None,
        example="字" if language_of(run_stats.lang).unit == "character" else "word",
    )


def _with_intervals(scores: ScoreReport, compared: Comparisons | None) -> ScoreReport:
    """Give scores the intervals of the resamples by which systems were compared."""
    if compared is None:
        return scores
    intervals = {
        (system, metric.metric): replace(
            interval, resamples=metric.plan.resamples, seed=metric.plan.seed
        )
        for metric in compared.metrics
        for system, interval in metric.intervals.items()
    }
    return replace(
        scores,
        results=tuple(
            replace(r, score=replace(r.score, interval=intervals[r.system, r.metric]))
            if r.score
            else r
            for r in scores.results
        ),
    )


def save_report(page: Page, path: Path | str, *, language: PageLanguage = "en") -> None:
    """Write a page as one HTML file that opens offline.

    Args:
        page: Made by `report`.
        path: The file; "-" is standard output.
        language: Of the interface when it is opened; a switch in the page changes that.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
        GecbenchError: The file cannot be written.
    """
    write_text(path_of(path), render_html(page, language))


def _with_edits(options: Options, corpus: Corpus) -> Options:
    """Add a metric that compares edits."""
    metrics = options.metrics
    if not metrics or any(metric_class(name).needs == "edits" for name in metrics):
        return options
    return replace(options, metrics=(*metrics, corpus_language(corpus).metric))


def span_metric(run_stats: RunStats) -> str | None:
    """The first metric that compares edits and applies; None where there is none."""
    for name, metric in run_stats.metrics.items():
        if metric.span_metric is not None and name not in run_stats.refused:
            return name
    return None


def _facts(
    run_stats: RunStats, scores: ScoreReport, title: str | None, date: str | None
) -> Iterator[Fact]:
    """Yield what a reader should know of the corpus first."""
    corpus, words = run_stats.corpus, interface_words("page")
    if title not in (None, corpus.name):
        yield words["corpus"], corpus.name
    language = language_of(run_stats.lang)
    yield words["texts"], Words(language.name, language.name_zh)
    number: str | Words = str(scores.sentences)
    if scores.scored < scores.sentences:
        number = translate("{number} ({scored} scored)", number=number, scored=scores.scored)
    yield words["sentencesHead"], number
    yield words["referencesHead"], str(sum(len(sample.references) for sample in corpus.samples))
    yield words["systems"], str(len(run_stats.systems))
    for reason, count in scores.left_out.items():
        yield words["leftOut"], translate("{name}: {value}", name=count, value=translate(reason))
    for name, value in corpus.provenance.items():
        yield translate(_PROVENANCE[name]) if name in _PROVENANCE else Words(name, name), value
    if date:
        yield words["date"], date
