"""gecbench annotate stats: how far a project is, and how good."""

from __future__ import annotations

from typing import Annotated

from gecbench.cli.annotate.project_option import opened
from gecbench.cli.annotate.site_option import DataFolder
from gecbench.cli.command import command
from gecbench.cli.output import Output, check_output, show
from gecbench.core.options import Argument, Option
from gecbench.server.site.opening import DEFAULT


@command
def stats(
    project: Annotated[str, Argument("PROJECT")],
    output: Output,
    data: DataFolder = DEFAULT,
    kept: Annotated[
        bool, Option("--kept", "Show scores as they were computed last; quick.")
    ] = False,
) -> None:
    """Show a project's statistics: people, Table 4, F0.5, agreement, reasons, progress.

    PROJECT is its name in addresses. Scores are computed anew, by the scorer of this command
    line, and kept for the page Quality.

    \b
    gecbench annotate stats mucgec
    gecbench annotate stats mucgec --table weeks --format csv
    """  # noqa: D301 - \b keeps click from joining lines
    check_output(output)
    found = opened(data, project)
    from gecbench.server import progress
    from gecbench.server.progress.showing import build_report

    if not kept:
        progress.refresh(found)
    show(build_report(progress.quality(found)), output)
