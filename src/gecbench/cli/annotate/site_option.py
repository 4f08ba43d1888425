"""The option that all commands of the platform share: which data folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import click

from gecbench.core.options import Option
from gecbench.server.site.opening import DEFAULT

data_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=DEFAULT,
    envvar="GECBENCH_SITE",
    show_default="./gecbench-data",
    help="The data folder.",
)
"""Adds `data: Path`; the command then calls `server.site.opening.open_site(data)` first."""

DataFolder = Annotated[
    Path,
    Option("--data", "The data folder.", envvar="GECBENCH_SITE", show_default="./gecbench-data"),
]
"""The same for commands that are declared by annotations; its default is `DEFAULT`."""
