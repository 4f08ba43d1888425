"""gecbench analyse: scores by parts, references, segmenters and contexts, and beside a paper's."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from gecbench.analysis.options import BreakdownOptions, Sweep
from gecbench.api.options import LEVEL, NORMALISE, SchemeSpec
from gecbench.cli.command import command, named_files, refuse, split
from gecbench.cli.options import (
    RESAMPLES,
    CorpusFile,
    Inputs,
    Intervals,
    Lang,
    Resamples,
    Scoring,
    Seed,
    SystemFiles,
    load_inputs,
    load_run_stats,
    needs_of,
    note_language,
    note_losses,
    say,
    scheme_of,
    watch,
    with_intervals,
)
from gecbench.cli.output import FigureOptions, Output, show
from gecbench.core.case import Level
from gecbench.core.errors import UsageError
from gecbench.core.options import Argument, Option

if TYPE_CHECKING:
    from gecbench.core.sample import Corpus, SystemOutput


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


# The same errors in other contexts.


_PARSED_A_SECOND = 1000
"""Sentences that gecbench's own pipeline parses in a second on one core, roughly."""

_WORTH_A_NOTE = 5
"""Seconds of parsing from which on the user is told how long it takes."""


def _numbers(text: str) -> tuple[float, ...]:
    """Read the numbers of a text, which commas divide."""
    try:
        return tuple(map(float, split(text)))
    except ValueError:
        raise UsageError(f"--beta {text!r} is no number, nor several with commas") from None


@command
def robustness(
    cases: Annotated[Path, Argument()],
    scheme: SchemeSpec,
    output: Output,
    systems: Annotated[tuple[Path, ...], Argument("SYSTEM...")] = (),
    betas: Annotated[
        tuple[float, ...],
        Option(
            "--beta",
            "Weight of recall in F; several with commas add a table of scores each, as 0.5,1.",
            metavar="NUMBERS",
            default="0.5",
            read=_numbers,
        ),
    ] = (0.5,),
    level: Annotated[Level, LEVEL] = "correction",
    normalise: Annotated[tuple[str, ...], NORMALISE] = (),
    frequency: Annotated[
        Path | None,
        Option(
            "--frequency",
            "A training text, or lines of word TAB count: adds P-CRS by frequency.",
        ),
    ] = None,
    orders: Annotated[
        int,
        Option(
            "--orders",
            "Try the official rule in this many orders of the cases; 0 for none.",
        ),
    ] = 10,
    seed: Annotated[int, Option("--seed", "Seed of --orders.", needs=("--orders",))] = 0,
    lang: Lang = None,
    check: Annotated[
        bool, Option("--check", "Look for problems in CASES; without systems.")
    ] = False,
) -> None:
    """Say how far corrections depend on the context of errors, as RobustGEC does.

    CASES is RobustGEC's para.txt, JSONL of cases, or a folder of subsets. A SYSTEM has a line for
    each sentence in the order of input.txt, or is RobustGEC's combined file with -P lines, or a
    folder with such a file for each subset; NAME=PATH gives it a name.

    \b
    gecbench analyse robustness benchmark/conll14 t5.txt gector=out.txt
    gecbench analyse robustness benchmark/ t5/ --frequency train.txt --figures figures
    gecbench analyse robustness benchmark/ --check
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.robustness import check_perturbed, load_perturbed
    from gecbench.api.robustness import robustness as measure_robustness
    from gecbench.formats.perturbed import read_outputs

    if check:
        refuse(
            "--check looks at the cases alone",
            all_but=("cases", "--check", "--lang", Output, FigureOptions),
        )
    elif not systems:
        raise UsageError("give the outputs of a system, or --check to look at the cases alone")
    loaded = load_perturbed(cases, lang=lang)
    note_losses(loaded.name, loaded.provenance)
    if check:
        note_language(loaded.corpus())
        from gecbench.reports.robustness import build_check_report

        show(build_check_report(check_perturbed(loaded)), output)
        return
    from gecbench.reports.robustness import build_report

    outputs = [read_outputs(file, loaded, name=name) for name, file in named_files(systems)]
    _say_how_long(loaded.corpus(), outputs, scheme)
    result = measure_robustness(
        loaded,
        outputs,
        scheme=scheme_of(scheme),
        beta=betas,
        level=level,
        normalise=normalise,
        orders=orders,
        seed=seed,
        frequency=frequency,
        watch=watch,
    )
    show(build_report(result), output)


def _say_how_long(corpus: Corpus, outputs: Sequence[SystemOutput], scheme: SchemeSpec) -> None:
    """Say how long parsing will take, where sentences are parsed and nothing keeps the parses."""
    from gecbench.api.schemes import uses_pipeline

    if scheme.parse_cache or not uses_pipeline(scheme, corpus):
        return
    texts = {sample.source for sample in corpus.samples}
    texts |= {reference.text or "" for sample in corpus.samples for reference in sample.references}
    texts |= {
        rewrite.text or ""
        for output in outputs
        for rewrites in output.hypotheses.values()
        for rewrite in rewrites
    }
    seconds = len(texts) / _PARSED_A_SECOND
    if seconds >= _WORTH_A_NOTE:
        say(
            f"note: parsing {len(texts):,} sentences takes about {seconds:.0f} seconds, more with "
            "a large pipeline; keep the parses for the next time: --parse-cache FOLDER"
        )
