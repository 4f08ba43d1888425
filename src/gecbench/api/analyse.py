"""Analyses of what metrics say: systems, annotators, groups, references, metrics beside people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from math import comb
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
from gecbench.analysis.options import (
    Against,
    BreakdownOptions,
    HumanOptions,
    Layout,
    Plan,
    Sweep,
    Taking,
)
from gecbench.analysis.references import References, describe_references
from gecbench.analysis.segmentation import (
    Golds,
    Segmentation,
    SegmenterScores,
    divide_corpus,
    movements,
    outputs_only,
    segmenter_scores,
    swaps,
    texts_only,
)
from gecbench.analysis.sentences import signatures, system_scores
from gecbench.analysis.significance import Comparisons, check_number, compare_run
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options, SchemeSpec
from gecbench.api.score import collect_stats
from gecbench.backends import SEGMENTERS
from gecbench.core.errors import (
    CorpusError,
    MissingExtraError,
    ResourceError,
    UnknownNameError,
    UsageError,
    count_noun,
)
from gecbench.core.files import path_of
from gecbench.core.options import check_list, check_once
from gecbench.core.sample import Corpus, Rewrite, SystemOutput, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.core.score import Score
from gecbench.metrics import metric_class
from gecbench.scoring.cases import segmenter
from gecbench.scoring.languages import corpus_language
from gecbench.scoring.run import check_outputs, select_samples


def compare(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    plan: Plan | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
    watch_pairs: Watch = no_progress,
) -> Comparisons:
    """Test whether systems differ significantly, metric by metric.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Two or more, joined to this corpus.
        scheme: As in `gecbench.score`.
        options: How to score; its resamples and subsets are not looked at, the plan has its own.
        plan: How to compare; None is the default.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps loops over sentences, to show progress.
        watch_pairs: Wraps loops over pairs of systems, likewise.

    Raises:
        GecbenchError: Something does not fit together, or fewer than two systems are given.
    """
    systems = as_systems(systems)
    check_number(len(systems))
    corpus = in_language(corpus, lang)
    run_stats = collect_stats(
        corpus, systems, scheme=scheme, options=options, keep_cases=False, watch=watch
    )
    jobs = options.jobs if options else 1
    return compare_run(run_stats, plan, jobs=jobs, watch=watch_pairs)


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
    return correlations(table_scores(path_of(data), lower), oriented=oriented)


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
    table = None if data is None else path_of(data)
    sentences = None if sentence_scores is None else path_of(sentence_scores)
    return of_tables(table, sentences, people, layout, lower)


# The same outputs scored under several segmenters.

BESIDE = ("cherrant", "char-bleu", "sentence-accuracy")
"""Metrics of Chinese texts to which division into words makes no difference."""

_NO_SPACES = "segmenter spaces: gold edits are found between texts without spaces; choose another"


def segmentation(
    corpus: Corpus,
    systems: Systems,
    *,
    segmenters: Sequence[str] = (),
    golds: Golds | None = None,
    beside: Sequence[str] = BESIDE,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Segmentation:
    """Score systems over words under several segmenters, and by metrics that need no words.

    Args:
        corpus: Chinese, with references.
        systems: Outputs, joined to this corpus.
        segmenters: Names, as `--segmenter` takes them; () means all that can be used.
        golds: Whether gold edits stay as given or are found again between divided texts; None
            means as given, where all references have edits.
        beside: Metrics over the texts without spaces, to compare with.
        scheme: As for `score`, for metrics beside that need edits.
        options: How to score; its metrics are over gold edits, m2 if it names none.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: The corpus is not Chinese, a name stands twice, gold edits are asked for and
            not there, no segmenter can be used, or something does not fit together.
    """
    options = options or Options()
    options = replace(options, metrics=options.metrics or ("m2",))
    check_list("segmenters", segmenters)
    check_list("beside", beside)
    check_once("segmenter", segmenters)
    corpus = in_language(corpus, lang)
    _check(corpus, options, beside)
    systems = as_systems(systems)
    check_outputs(corpus, systems)
    corpus, systems = _range(corpus, systems, options)
    options = replace(options, part=None)
    code = corpus_language(corpus).code
    plain, lost = texts_only(corpus, code)
    has_edits = _has_edits(corpus)
    if golds == "given" and not has_edits:
        raise CorpusError(
            f"{corpus.name}: not all references have edits; leave --golds out to find them"
        )
    golds = golds or ("given" if has_edits else "divided")
    texts = [outputs_only(system, corpus, code) for system in systems]
    skipped: dict[str, str] = {}
    notes: list[str] = []
    all_signatures: list[str] = []
    if lost:
        without = count_noun(lost, "reference", " is", " are")
        notes.append(
            f"{without} known only by edits that overlap and {'has' if lost == 1 else 'have'} no "
            "text; metrics over texts, and gold edits between divided texts, are without them"
        )
    scores: list[SegmenterScores] = []
    for name in segmenters or _usual_segmenters(corpus, systems, golds):
        try:
            division = segmenter(name, plain)
            if division.reads_blanks and golds == "divided":
                raise UsageError(_NO_SPACES)
        except UnknownNameError:
            raise
        except (UsageError, ResourceError) as error:
            skipped[name] = str(error)
            continue
        run_stats = collect_stats(
            corpus if golds == "given" else divide_corpus(plain, division.divide),
            systems if division.reads_blanks else texts,
            options=replace(options, segmenter=name, settings=_settings(options, options.metrics)),
            watch=watch,
        )
        notes += [note for note in run_stats.notes if not note.startswith("segmenter ")]
        all_signatures += signatures(run_stats, options.metrics)
        scores.append(segmenter_scores(run_stats, name, division, golds=golds))
    if not scores:
        raise UsageError(f"no segmenter can be used: {'; '.join(skipped.values())}")
    beside_scores: dict[str, Mapping[str, Score]] = {}
    for name in beside:
        try:
            run_stats = collect_stats(
                plain, texts, scheme=scheme, options=_options_beside(options, name), watch=watch
            )
        except (MissingExtraError, ResourceError) as error:
            skipped[name] = str(error)
            continue
        notes += run_stats.notes
        all_signatures += signatures(run_stats, (name,))
        beside_scores[name] = system_scores(run_stats, name)
    moves = {
        name: movements(scores, name, higher_is_better=metric_class(name).higher_is_better)
        for name in options.metrics
    }
    first = scores[0].scores[options.metrics[0]]
    return Segmentation(
        corpus=corpus.name,
        golds=golds,
        sentences=next(iter(first.values())).sentences,
        segmenters=tuple(scores),
        movements=moves,
        swaps={metric: swaps(by_system) for metric, by_system in moves.items()},
        pairs=comb(len(systems), 2),
        beside=beside_scores,
        skipped=skipped,
        notes=tuple(dict.fromkeys(notes)),
        signatures=tuple(dict.fromkeys(all_signatures)),
    )


def _check(corpus: Corpus, options: Options, beside: Sequence[str]) -> None:
    language = corpus_language(corpus)
    if not language.segmenter:
        raise UsageError(
            f"{corpus.name} is {language.code}: segmenters divide Chinese; other texts have their "
            "spaces"
        )
    for name in options.metrics:
        if metric_class(name).needs != "gold_edits":
            raise UsageError(
                f"{name} divides no texts into words; name metrics over gold edits, as m2 and "
                "sent-m2, and others by --beside"
            )
    check_once("metric", beside)
    for name in beside:
        if metric_class(name).needs == "gold_edits":
            raise UsageError(f"{name} depends on words; name it by --metric, not --beside")
    for setting in options.settings:
        if setting.partition(".")[0] not in (*options.metrics, *beside):
            raise UsageError(
                f"setting {setting!r} is of no metric asked for "
                f"({', '.join([*options.metrics, *beside])}); write METRIC.OPTION=VALUE"
            )


def _range(
    corpus: Corpus, systems: Sequence[SystemOutput], options: Options
) -> tuple[Corpus, Sequence[SystemOutput]]:
    """Select the range of sentences: later, places would no longer be those of the file."""
    corpus, _ = select_samples(corpus, options.part)
    outputs = [
        replace(
            system,
            hypotheses={sample.id: system.hypotheses[sample.id] for sample in corpus.samples},
        )
        for system in systems
    ]
    return corpus, outputs


def _has_edits(corpus: Corpus) -> bool:
    """Say whether all references have edits, or need none."""
    return all(
        sample.tokens and (r.edit_sets or r.error_free or r.unannotatable)
        for sample in corpus.samples
        for r in sample.references
    )


def _usual_segmenters(
    corpus: Corpus, systems: Sequence[SystemOutput], golds: Golds
) -> Sequence[str]:
    """All segmenters that can mean anything for these texts."""
    if golds == "divided":
        return ["characters", *SEGMENTERS]
    has_blanks = all(
        " ".join(sample.source.split()) == " ".join(sample.tokens) for sample in corpus.samples
    ) and all(
        2 * sum(" " in (versions[0].text or " ") for versions in system.hypotheses.values())
        > len(system.hypotheses)
        for system in systems
    )
    return ["spaces", *SEGMENTERS] if has_blanks else [*SEGMENTERS]


def _options_beside(options: Options, name: str) -> Options:
    """The options that a metric beside shares with the others."""
    takes_beta = "beta" in {field.name for field in fields(metric_class(name))}
    return Options(
        metrics=(name,),
        max_references=options.max_references,
        references_exactly=options.references_exactly,
        beta=options.beta if takes_beta else Options().beta,
        normalise=options.normalise,
        settings=_settings(options, (name,)),
    )


def _settings(options: Options, metrics: Sequence[str]) -> dict[str, str]:
    settings = options.settings
    return {key: value for key, value in settings.items() if key.partition(".")[0] in metrics}
