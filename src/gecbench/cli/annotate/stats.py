"""gecbench annotate stats: how far a project is, and how good."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from gecbench.cli.annotate.project_option import opened
from gecbench.cli.annotate.site_option import data_option
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options


@click.command()
@click.argument("project", metavar="PROJECT")
@data_option
@click.option("--kept", is_flag=True, help="Show scores as they were computed last; quick.")
@show_options
def stats(project: str, data: Path, kept: bool, **given: Unpack[ShowGiven]) -> None:
    """Show a project's statistics: people, Table 4, F0.5, agreement, reasons, progress.

    PROJECT is its name in addresses. Scores are computed anew, by the scorer of this command
    line, and kept for the page Quality.

    \b
    gecbench annotate stats mucgec
    gecbench annotate stats mucgec --table weeks --format csv
    """  # noqa: D301 - \b keeps click from joining lines
    check_shown(given)
    found = opened(data, project)
    from gecbench.server import progress
    from gecbench.server.progress.showing import exhibit

    if not kept:
        progress.refresh(found)
    show(exhibit(progress.quality(found)), given)
