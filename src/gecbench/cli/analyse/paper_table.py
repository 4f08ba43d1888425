"""gecbench analyse paper-table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gecbench.cli.command import command
from gecbench.cli.output import Output, check_output, show
from gecbench.core.options import Argument, Option


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
    from gecbench.analysis.paper_table import fill_tables
    from gecbench.reports.paper_table import build_report

    check_output(output)
    show(build_report(paper.stem, fill_tables(paper, results), small=small), output)
