"""gecbench compare."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from gecbench.analysis.options import Plan
from gecbench.cli.command import command, refuse
from gecbench.cli.options import CorpusFile, Inputs, Jobs, Scoring, load_run_stats, watch
from gecbench.cli.output import Output, show
from gecbench.core.options import Argument


@command
def compare(
    corpus: CorpusFile,
    systems: Annotated[tuple[Path, ...], Argument("SYSTEM SYSTEM...")],
    inputs: Inputs,
    options: Scoring,
    plan: Plan,
    output: Output,
    jobs: Jobs = None,
) -> None:
    """Say whether systems differ significantly, by any metric.

    Every pair is tested, on the same sentences, by paired bootstrap and by approximate
    randomisation; the matrix of more than two systems is corrected for the number of pairs.

    \b
    gecbench compare dev.tsv mine.txt theirs=output.tsv
    gecbench compare conll14.m2 *.txt --metric m2,gleu --correction bh --figures plots
    gecbench compare dev.jsonl base=a.txt b.txt c.txt --baseline base --test randomisation
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.significance import check_number, compare_run
    from gecbench.reports.compare import build_report

    check_number(len(systems))
    if len(systems) == 2:
        refuse("two systems are one pair, for whose number nothing is corrected", "--correction")
    run_stats = load_run_stats(
        corpus, systems, inputs, replace(options, jobs=jobs), keep_cases=False
    )
    comparisons = compare_run(run_stats, plan, jobs=jobs, watch=watch)
    show(build_report(comparisons.corpus, comparisons.metrics, comparisons.notes), output)
