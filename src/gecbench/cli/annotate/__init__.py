"""gecbench annotate: the annotation platform; commands are imported when they are called."""

from __future__ import annotations

import sys

import click

from gecbench.cli.command import LazyGroup
from gecbench.core.errors import UsageError

_COMMANDS = {
    "serve": ("site:serve", "Start the site: one process group, one address."),
    "init": ("site:init", "Make a data folder, and a link for the first administrator."),
    "user": ("people:user", "Add, list and change people; make links to sign in."),
    "import": ("project:import_", "Read sentences into a project."),
    "export": ("project:export", "Write what a project has made."),
    "release": ("project:release", "Freeze golden references under a name."),
    "suggest": ("project:suggest", "Let a corrector propose corrections."),
    "judgements": ("project:judgements", "Show what the judges of an inspection found."),
    "propose": ("project:propose", "Let a program propose variants for perturbers."),
    "stats": ("project:stats", "Show progress and quality of a project."),
    "pay": ("people:pay", "Preview pay, close a period, write statements."),
    "check": ("site:check", "Recount all invariants; exit 1 where one is broken."),
    "backup": ("site:backup", "Save everything into one file, while people work."),
    "restore": ("site:restore", "Restore a data folder from a backup."),
    "move": ("site:move", "Move a site from SQLite to PostgreSQL."),
}
"""Name to place and help: help needs no command to be imported."""


class _Commands(LazyGroup):
    """Commands whose failures in the database are one line, too."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; what the database cannot do is one line, too."""
        if sys.platform == "win32":  # pragma: no cover
            raise UsageError("the annotation platform needs Linux or macOS; on Windows, use WSL")
        try:
            return super().invoke(ctx)
        except Exception as error:
            if "gecbench.server.models" not in sys.modules:  # no database has failed
                raise
            from gecbench.server.web.errors import database_error

            readable = database_error(error)
            if readable is None:
                raise
            raise readable from error


@click.group(cls=_Commands, package=__name__, table=_COMMANDS)
def annotate() -> None:
    """The annotation platform: from raw sentences to reviewed references, in the browser.

    Everything is in one data folder: --data DIR, else the one that GECBENCH_SITE names, else
    ./gecbench-data.
    """
