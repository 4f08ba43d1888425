"""gecbench analyse correlation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gecbench.cli.command import command, refuse
from gecbench.cli.options import Inputs, Scoring, load_run_stats
from gecbench.cli.output import FigureOptions, Output, check_output, show
from gecbench.core.errors import UsageError
from gecbench.core.options import Argument, Option


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
    from gecbench.analysis.correlation import check_number, correlations, scores_of
    from gecbench.api.analyse import table_scores
    from gecbench.reports.correlation import build_report

    check_output(output)
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
    show(build_report(correlations(table, oriented=oriented)), output)
