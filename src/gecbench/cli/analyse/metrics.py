"""gecbench analyse: whether metrics, people and annotators agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

from gecbench.analysis.options import HumanOptions, Layout
from gecbench.api.options import SchemeSpec
from gecbench.cli.command import command, refuse, split_name
from gecbench.cli.options import (
    CorpusFile,
    CorpusOptions,
    Inputs,
    Scoring,
    load_corpus,
    load_inputs,
    load_run_stats,
    scheme_of,
    watch,
)
from gecbench.cli.output import FigureOptions, Output, show
from gecbench.core.errors import FormatError, UsageError
from gecbench.core.options import Argument, Option, check_once


@command
def correlation(
    inputs: Inputs,
    options: Scoring,
    output: Output,
    corpus: Annotated[Path | None, Argument()] = None,
    systems: Annotated[tuple[Path, ...], Argument("SYSTEM...")] = (),
    scores: Annotated[
        Path | None,
        Option(
            "--scores",
            "A table of systems and metrics, TSV or CSV, instead of CORPUS and SYSTEM.",
        ),
    ] = None,
    lower: Annotated[
        tuple[str, ...],
        Option(
            "--lower",
            "Of --scores: columns of which lower is better, with commas.",
            metavar="NAMES",
            commas=True,
            needs=("--scores",),
        ),
    ] = (),
    oriented: Annotated[
        bool, Option("--oriented", "Turn the sign of metrics of which lower is better.")
    ] = False,
) -> None:
    """Say how far metrics agree with one another over systems.

    Pearson's, Spearman's and Kendall's coefficients with p, between scores that are made here
    by two metrics or more, or read from a table.

    \b
    gecbench analyse correlation dev.m2 *.txt --metric errant,m2,gleu
    gecbench analyse correlation --scores table.tsv --lower "MP'"
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.correlation import check_number, correlations, scores_of, table_scores
    from gecbench.reports.meta import build_correlation_report

    if scores is not None:
        refuse(
            "--scores has the scores already",
            all_but=("--scores", "--lower", "--oriented", Output, FigureOptions),
        )
        table = table_scores(scores, lower)
    else:
        if corpus is None:
            raise UsageError("name a corpus and systems, or a table of scores by --scores FILE")
        check_number([str(path) for path in systems])
        table = scores_of(load_run_stats(corpus, systems, inputs, options))
    show(build_correlation_report(correlations(table, oriented=oriented)), output)


@command
def meta(
    inputs: Inputs,
    options: Scoring,
    layout: Layout,
    output: Output,
    corpus: Annotated[Path | None, Argument()] = None,
    systems: Annotated[tuple[Path, ...], Argument("SYSTEM...")] = (),
    human: Annotated[
        tuple[Path, ...],
        Option(
            "--human",
            "People's scores of systems: a table, or numbers as SEEDA's; repeatable.",
            metavar="[NAME=]FILE",
        ),
    ] = (),
    human_systems: Annotated[
        tuple[str, ...],
        Option(
            "--human-systems",
            "Systems of numbers without names, with commas.",
            metavar="NAMES",
            commas=True,
            needs=("--human",),
        ),
    ] = (),
    judgments: Annotated[
        tuple[Path, ...],
        Option(
            "--judgments",
            "People's rankings of sentences: SEEDA's XML or a table; repeatable.",
            metavar="[NAME=]FILE",
        ),
    ] = (),
    scores: Annotated[
        Path | None,
        Option("--scores", "Metrics' scores of systems, a table, instead of CORPUS."),
    ] = None,
    sentence_scores: Annotated[
        Path | None,
        Option("--sentence-scores", "Metrics' scores of sentences, a table, likewise."),
    ] = None,
    lower: Annotated[
        tuple[str, ...],
        Option(
            "--lower",
            "Metrics of tables of which lower is better.",
            metavar="NAMES",
            commas=True,
            needs=("--scores", "--sentence-scores"),
        ),
    ] = (),
) -> None:
    """Say how far metrics agree with human judgements, of systems and of sentences.

    Systems are called what people's files call them: NAME=FILE. Scores are made here, or read
    from tables.

    \b
    gecbench analyse meta conll14.m2 *.txt --metric m2,gleu --human TS_edit.txt --judgments j.xml
    gecbench analyse meta --scores metrics.tsv --human people.tsv --lower length
    gecbench analyse meta --sentence-scores sentences.tsv --judgments rankings.tsv
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.meta import of_run, of_tables, read_people
    from gecbench.reports.meta import build_report

    people = read_people(_files(human), _files(judgments), human_systems)
    if scores is not None or sentence_scores is not None:
        tables = ("--scores", "--sentence-scores", "--lower")
        persons = ("--human", "--human-systems", "--judgments", Layout)
        refuse("tables have the scores already", all_but=(*tables, *persons, Output, FigureOptions))
        result = of_tables(scores, sentence_scores, people, layout, lower)
    elif corpus is None or not systems:
        raise UsageError(
            "name a corpus and systems, or tables by --scores FILE and --sentence-scores FILE"
        )
    else:
        result = of_run(load_run_stats(corpus, systems, inputs, options), people, layout)
    show(build_report(result), output)


def _files(paths: Sequence[Path]) -> Mapping[str, Path] | Sequence[Path]:
    """Files by name if each has one, else in their order.

    Raises:
        UsageError: Some have a name and some not, or two have the same.
    """
    pairs = [split_name(path) for path in paths]
    names = [name for name, _ in pairs if name is not None]
    if not names:
        return [path for _, path in pairs]
    if len(names) < len(pairs):
        raise UsageError(
            "name all of these files, NAME=FILE, or none: " + ", ".join(map(str, paths))
        )
    check_once("file", names)
    return {name: path for name, path in pairs if name is not None}


@command
def human(
    corpus: CorpusFile,
    submissions: Annotated[Path, Argument()],
    inputs: Inputs,
    options: Scoring,
    scored: HumanOptions,
    output: Output,
) -> None:
    """Score annotators against the final references of what they annotated.

    SUBMISSIONS holds sentences of CORPUS, each with what annotators made of it as its
    references: our JSONL with an "annotator" for each, or M2, where annotators have numbers.
    --system-from names its format.

    \b
    gecbench analyse human final.jsonl submissions.jsonl
    gecbench analyse human final.jsonl submissions.jsonl --against others --anonymous
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.analyse import human as score_annotators
    from gecbench.api.files import load
    from gecbench.formats.texts import advise_conversion
    from gecbench.reports.agreement import build_human_report

    refuse("submissions are a corpus", "--system-columns", "--subset")
    data, _, scheme = load_inputs(corpus, (), inputs, options, types=False)
    # What a submission is called after its file is known here alone.
    try:
        annotations = load(submissions, format=inputs.system_format, lang=inputs.corpus.lang)
    except FormatError as error:
        raise advise_conversion(error.with_option("--system-from")) from error
    result = score_annotators(
        data,
        replace(annotations, name=str(submissions)),
        **asdict(scored),
        scheme=scheme,
        options=options,
        watch=watch,
    )
    show(build_human_report(result), output)


@command
def agreement(
    submissions: Annotated[Path, Argument()],
    reading: CorpusOptions,
    scheme: SchemeSpec,
    output: Output,
    least: Annotated[
        int, Option("--least", "Pairs with fewer sentences in common are not listed.")
    ] = 10,
) -> None:
    """Say how far annotators agree: decisions, whole answers, edits.

    SUBMISSIONS holds sentences, each with what annotators made of it as its references: our
    JSONL with an "annotator" for each, or M2, where annotators have numbers.

    \b
    gecbench analyse agreement submissions.jsonl --scheme zh-char
    gecbench analyse agreement submissions.jsonl --table pairs --format csv
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.analyse import agreement as measure_agreement
    from gecbench.reports.agreement import build_report

    corpus = replace(load_corpus(submissions, reading, scored=True), name=str(submissions))
    spec = scheme_of(scheme, types=False)
    result = measure_agreement(corpus, least=least, scheme=spec, watch=watch)
    show(build_report(result), output)
