"""Analyses of what metrics say: annotators, groups, references, metrics beside people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from gecbench.analysis.agreement import (
    Agreement,
    AgreementCounts,
    comparisons,
    scorable,
    works_of,
)
from gecbench.analysis.breakdown import Breakdowns, Resampling, break_down
from gecbench.analysis.correlation import Correlations, correlations, scores_of, table_scores
from gecbench.analysis.human import Human, find_submissions, score_annotators
from gecbench.analysis.human import scorable as human_scorable
from gecbench.analysis.meta import MetaEvaluation, Named, of_run, of_tables, read_people
from gecbench.analysis.options import Against, BreakdownOptions, HumanOptions, Layout, Sweep, Taking
from gecbench.analysis.references import References, describe_references
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options, SchemeSpec
from gecbench.api.score import collect_stats
from gecbench.core.errors import UsageError
from gecbench.core.options import check_list
from gecbench.core.sample import Corpus, Rewrite, SystemOutput, Systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.scoring.languages import corpus_language
from gecbench.scoring.run import select_samples


def agreement(
    submissions: Corpus,
    *,
    least: int = 10,
    scheme: AnyScheme = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Agreement:
    """Measure how far annotators agree: decisions, whole answers, and edits by F0.5.

    Args:
        submissions: Sentences whose references are what annotators handed in, each with its
            `annotator`.
        least: Pairs with fewer sentences in common are not listed.
        scheme: As for `score`.
        lang: Code of the language of the texts; None takes theirs.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    submissions = in_language(submissions, lang)
    language = corpus_language(submissions, SchemeSpec.of(scheme).name)
    counts = AgreementCounts(submissions.name, language.code, language.metric)
    compare_annotators(counts, submissions, scheme=scheme, watch=watch)
    return counts.measure(least=least)


def compare_annotators(
    counts: AgreementCounts, submissions: Corpus, *, scheme: AnyScheme, watch: Watch = no_progress
) -> None:
    """Count in `counts` how the annotators of some sentences agree."""
    works = works_of(submissions, counts.lang)
    rows = comparisons(works)
    run_stats = None
    if rows:
        corpus, output = scorable(submissions, rows)
        options = Options(metrics=(counts.metric,))
        run_stats = collect_stats(corpus, [output], scheme=scheme, options=options, watch=watch)
    counts.add(submissions, works, rows, run_stats)


# Scores by parts: where systems are good and bad.


def breakdown(
    corpus: Corpus,
    systems: Systems,
    *,
    by: Sequence[str] = (),
    length_ends: Sequence[int] = (),
    between: Sequence[str] = (),
    least: int = 10,
    most: int = 10,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Breakdowns:
    """Score systems by type, position, length, number of errors, state and metadata.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        by: Kinds of groups: type-1, type-2, type-3, position, length, errors, state, field:NAME;
            () means all that say something.
        length_ends: Greatest lengths of all bins but the last; () means the usual ones.
        between: Names of the two systems to set against each other; () means the best two.
        least: Groups with fewer sentences or edits are not compared.
        most: How many sentences that do most to a difference to find.
        scheme: As for `score`.
        options: How to score; with `resamples`, groups have 95% intervals.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    check_list("by", by)
    check_list("between", between)
    breaking = BreakdownOptions(tuple(by), tuple(length_ends), tuple(between), least, most)
    corpus = in_language(corpus, lang)
    run_stats = collect_stats(corpus, systems, scheme=scheme, options=options, watch=watch)
    resampling = Resampling.of(options.resamples, options.seed) if options else None
    return break_down(run_stats, breaking, resampling)


# Correlations of metrics over systems: of systems scored here, or of a table of scores.


def correlation(
    data: Corpus | Path | str,
    systems: Systems = (),
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lower: Collection[str] = (),
    oriented: bool = False,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Correlations:
    """Correlate metrics with one another over systems.

    Args:
        data: A corpus, whose systems are scored by the metrics of the options; or the path of a
            table with a row for each system and a column for each metric, TSV or CSV.
        systems: With a corpus: three or more.
        scheme: With a corpus: as in `gecbench.score`.
        options: With a corpus: how to score, with two metrics or more.
        lower: With a table: columns of which a lower score is a better system.
        oriented: Turn the sign of metrics of which lower is better.
        lang: With a corpus: code of its language; None takes the one that it says.
        watch: Wraps loops over sentences, to show progress.

    Raises:
        GecbenchError: Something does not fit together; fewer than three systems or two metrics.
    """
    if isinstance(data, Corpus):
        if lower:
            raise UsageError("lower is of a table; metrics say themselves which way is better")
        data = in_language(data, lang)
        run_stats = collect_stats(data, systems, scheme=scheme, options=options, watch=watch)
        return correlations(scores_of(run_stats), oriented=oriented)
    if systems or options or scheme or lang:
        raise UsageError(
            "a table has the scores already; systems, scheme, options and lang need a corpus"
        )
    return correlations(table_scores(Path(data), lower), oriented=oriented)


# How annotators fare against the final references.


def human(
    corpus: Corpus,
    submissions: Corpus,
    *,
    against: Against = "final",
    least: int = 10,
    anonymous: bool = False,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Human:
    """Score annotators, each of whose submissions is one sample.

    Args:
        corpus: With the final references.
        submissions: The same sentences or some of them, whose references are what annotators
            handed in, each with its `annotator`. Sentences that the corpus lacks, as those that
            nobody has decided yet, are counted in a note.
        against: "final": all final references; "others": those that somebody else wrote, too.
        least: Annotators with fewer scored submissions are not in the mean.
        anonymous: Name annotators A1, A2, ..., the one with most submissions first.
        scheme: As for `score`.
        options: How to score; parts of the corpus are taken before submissions are looked at.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    scored, options = HumanOptions(against, least, anonymous), options or Options()
    corpus = in_language(corpus, lang)
    code = corpus_language(corpus, SchemeSpec.of(scheme).name).code
    selected, _ = select_samples(
        corpus,
        options.part,
        max_references=options.max_references,
        references_exactly=options.references_exactly,
    )
    ids = {sample.id for sample in selected.samples}
    only = {place for place, sample in enumerate(corpus.samples) if sample.id in ids}
    rewritings = find_submissions(corpus, submissions, code, scored, only)
    options = replace(options, part=None, references_exactly=None)
    single, output = human_scorable(replace(corpus, lang=code), submissions, rewritings)
    run_stats = collect_stats(single, [output], scheme=scheme, options=options, watch=watch)
    return score_annotators(run_stats, corpus, submissions, rewritings, scored)


# What there is to say of a corpus's references, and what their number does to scores.


def references(
    corpus: Corpus,
    systems: Systems = (),
    *,
    by: str | None = None,
    taking: Taking = "subsets",
    at_least: int = 1,
    up_to: int | None = None,
    most: int = 20,
    seed: int = 0,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> References:
    """Describe references by number and kind; with systems, score against their number.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Outputs, joined to this corpus; none for statistics alone.
        by: A metadata field; each of its values gets its own statistics.
        taking: "subsets": systems are scored with all subsets of k references; "first": the first
            k.
        at_least: Only sentences with at least this many references are scored.
        up_to: The greatest k; None means the most that any sentence has.
        most: Of more subsets of a size than this, so many are drawn by lot.
        seed: Of the draws.
        scheme: As for `score`.
        options: How to score.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    sweep = Sweep(taking, at_least, up_to, most, seed)
    corpus = in_language(corpus, lang)
    # A run needs a system: one without corrections, which nothing shows.
    nothing = {sample.id: (Rewrite(error_free=True),) for sample in corpus.samples}
    run_stats = collect_stats(
        corpus,
        systems or [SystemOutput("source", nothing)],
        scheme=scheme,
        options=options,
        watch=watch,
    )
    return describe_references(run_stats, by=by, sweep=sweep if systems else None)


# Metrics against human judgements.


def meta(
    data: Corpus | Path | str | None = None,
    systems: Systems = (),
    *,
    human: Named = (),
    judgments: Named = (),
    sentence_scores: Path | str | None = None,
    human_systems: Sequence[str] = (),
    lower: Collection[str] = (),
    layout: Layout | None = None,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> MetaEvaluation:
    """Compare metrics with human judgements.

    Args:
        data: A corpus, whose systems are scored by the metrics of the options; or the path of a
            table of scores with a row for each system and a column for each metric; None where
            only `sentence_scores` are compared.
        systems: With a corpus: named as people's files name them.
        human: Files with people's scores of systems; see `formats.judgments.read_human`.
        judgments: Files with people's rankings of single sentences; see `read_judgments` there.
        sentence_scores: Without a corpus: a table with columns id, system, and metrics.
        human_systems: What a file of numbers without names is of; () means SEEDA's systems.
        lower: Without a corpus: metrics of which a lower score is better.
        layout: Sets and windows.
        scheme: With a corpus: as in `gecbench.score`.
        options: With a corpus: how to score.
        lang: With a corpus: code of its language; None takes the one that it says.
        watch: Wraps loops over sentences, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    people = read_people(human, judgments, human_systems)
    if isinstance(data, Corpus):
        if lower or sentence_scores is not None:
            raise UsageError("lower and sentence_scores are of tables, not of a corpus")
        data = in_language(data, lang)
        run_stats = collect_stats(data, systems, scheme=scheme, options=options, watch=watch)
        return of_run(run_stats, people, layout)
    if systems or options or scheme or lang:
        raise UsageError(
            "tables have the scores already; systems, scheme, options and lang need a corpus"
        )
    table = None if data is None else Path(data)
    sentences = None if sentence_scores is None else Path(sentence_scores)
    return of_tables(table, sentences, people, layout, lower)
