"""gecbench analyse: scores by parts, references and segmenters, and beside a paper's."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

from gecbench.analysis.options import BreakdownOptions, Sweep
from gecbench.api.options import SchemeSpec
from gecbench.cli.command import command, refuse, split
from gecbench.cli.options import (
    RESAMPLES,
    CorpusFile,
    Inputs,
    Intervals,
    Resamples,
    Scoring,
    Seed,
    SystemFiles,
    load_inputs,
    load_run_stats,
    needs_of,
    watch,
    with_intervals,
)
from gecbench.cli.output import Output, show
from gecbench.core.errors import UsageError
from gecbench.core.options import Argument, Option


@command
def breakdown(
    corpus: CorpusFile,
    systems: SystemFiles,
    inputs: Inputs,
    options: Scoring,
    breaking: BreakdownOptions,
    output: Output,
    between: Annotated[
        str | None,
        Option(
            "--between",
            "The two systems to set against each other; else the best two.",
            metavar="A,B",
        ),
    ] = None,
    sentences: Annotated[
        int,
        Option(
            "--sentences",
            "How many sentences that decide the difference are shown; 0 for none.",
        ),
    ] = 5,
    counts: Annotated[
        bool, Option("--counts", "Add a table of the counts of every group and system.")
    ] = False,
    ci: Intervals = False,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
) -> None:
    """Score systems by type, position, length, number of errors, and origin.

    With two systems or more: in which groups the best two differ most, and which sentences
    decide their difference.

    \b
    gecbench analyse breakdown dev.tsv mine.txt theirs=output.tsv
    gecbench analyse breakdown dev.jsonl a.txt b.txt --by length,field:origin --metric cherrant
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.breakdown import Resampling, break_down
    from gecbench.reports.breakdown import build_report

    breaking = replace(breaking, most=sentences)
    if len(systems) == 1:
        refuse("a difference needs two systems", "--between", "--least", "--sentences")
    if ci:
        options = with_intervals(options, resamples, seed)
    run_stats = load_run_stats(corpus, systems, inputs, options)
    breaking = replace(breaking, between=_pair(between, run_stats.systems))
    resampling = Resampling.of(options.resamples, options.seed)
    show(build_report(break_down(run_stats, breaking, resampling), counts=counts), output)


def _pair(text: str | None, names: Container[str]) -> tuple[str, ...]:
    """Divide A,B into two names, which may have commas themselves.

    Raises:
        UsageError: It means two pairs.
    """
    if text is None:
        return ()
    words = text.split(",")
    splits = [(",".join(words[:n]), ",".join(words[n:])) for n in range(1, len(words))]
    pairs = [(first.strip(), second.strip()) for first, second in splits]
    known = [pair for pair in pairs if pair[0] in names and pair[1] in names]
    if len(known) > 1:
        raise UsageError(
            f"--between {text!r} may be {' or '.join(' and '.join(map(repr, p)) for p in known)}; "
            "rename a system: NAME=FILE"
        )
    return known[0] if known else split(text)


_OF_SCORES = (
    *("--level", "--beta", "--choice", "--edits", "--exclude", "--set", "--segmenter"),
    *("--system-from", "--system-columns", "--subset", Sweep),
)


@command
def references(
    corpus: CorpusFile,
    inputs: Inputs,
    options: Scoring,
    sweep: Sweep,
    output: Output,
    systems: Annotated[tuple[Path, ...], Argument("[SYSTEM]...")] = (),
    by: Annotated[
        str | None,
        Option("--by", "Statistics of each value of a metadata field, too.", metavar="FIELD"),
    ] = None,
) -> None:
    """Count references and edits; with systems, score them with fewer references.

    \b
    gecbench analyse references dev.tsv
    gecbench analyse references dev.tsv mine.txt theirs=output.tsv --at-least 3
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.analyse import references as count_references
    from gecbench.reports.references import build_report

    if not systems:
        refuse("scores need a system", *_OF_SCORES)
    if sweep.taking == "first":
        refuse("--take first draws no subsets", "--subsets", "--seed")
    data, outputs, scheme = load_inputs(corpus, systems, inputs, options, types=False)
    result = count_references(
        data,
        outputs,
        by=by,
        **asdict(sweep),
        scheme=scheme,
        options=options,
        watch=watch,
    )
    show(build_report(result), output)


@command
def segmentation(
    corpus: CorpusFile,
    systems: SystemFiles,
    inputs: Inputs,
    options: Scoring,
    output: Output,
    golds: Annotated[
        Literal["given", "divided"] | None,
        Option(
            "--golds",
            "Gold edits as they are given, or found again between texts that each segmenter "
            "divides; without, as given where there are any.",
        ),
    ] = None,
    beside: Annotated[
        str | None,
        Option(
            "--beside",
            "Metrics that need no words, to compare with; '' for none. "
            "Else cherrant,char-bleu,sentence-accuracy.",
            metavar="METRICS",
        ),
    ] = None,
) -> None:
    """Score Chinese systems over words as several segmenters divide them.

    --segmenter names them, with commas; without, all that are installed. --metric takes metrics
    over gold edits, m2 unless said.

    \b
    gecbench analyse segmentation nlpcc18.gold a.txt b.txt --from m2-maxmatch
    gecbench analyse segmentation dev.tsv a.txt b.txt --segmenter jieba,pkuseg:FOLDER
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.analyse import BESIDE
    from gecbench.api.analyse import segmentation as score_segmentations
    from gecbench.reports.segmentation import build_report

    metrics = BESIDE if beside is None else tuple(filter(None, split(beside)))
    if "edits" not in needs_of(metrics):
        refuse("gold edits are not found by a scheme, and no metric beside needs edits", SchemeSpec)
    data, outputs, scheme = load_inputs(corpus, systems, inputs, types=False)
    result = score_segmentations(
        data,
        outputs,
        segmenters=split(options.segmenter) if options.segmenter else (),
        golds=golds,
        beside=metrics,
        scheme=scheme,
        options=replace(options, segmenter=None),
        watch=watch,
    )
    show(build_report(result), output)


@command
def paper_table(
    paper: Annotated[Path, Argument()],
    output: Output,
    results: Annotated[tuple[Path, ...], Argument("[RESULT]...")] = (),
    small: Annotated[bool, Option("--small", "Say that the numbers are of a small form.")] = False,
) -> None:
    """Set results beside the figures that a paper printed.

    PAPER is a file of workflows/tables, RESULT the JSON of `score` and analyses. Rows of which
    there is no result say "not run".

    \b
    gecbench analyse paper-table workflows/tables/robustgec-table-5.toml
    gecbench analyse paper-table workflows/tables/robustgec-table-5.toml robustness/*.json
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.paper_table import paper_table as make_table
    from gecbench.reports.paper_table import build_report

    show(build_report(paper.stem, make_table(paper, results), small=small), output)
