"""gecbench annotate: the annotation platform; a file per command, imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import cast

import click

_COMMANDS = {
    "serve": ("serve:serve", "Start the site: one process group, one address."),
    "init": ("init:init", "Make a data folder, and a link for the first administrator."),
    "user": ("user:user", "Add, list and change people; make links to sign in."),
    "import": ("import_:import_", "Read sentences into a project."),
    "export": ("export:export", "Write what a project has made."),
    "release": ("release:release", "Freeze golden references under a name."),
    "stats": ("stats:stats", "Show how far a project is, and how good."),
    "check": ("check:check", "Recount all invariants; exit 1 where one is broken."),
    "backup": ("backup:backup", "Save everything into one file, while people work."),
    "restore": ("restore:restore", "Make a data folder of a backup."),
    "move": ("move:move", "Move a site from SQLite to PostgreSQL."),
}
"""Name to place and help: help needs no command to be imported."""


class _Commands(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in _COMMANDS:
            from gecbench.core.errors import UnknownNameError

            ctx.fail(str(UnknownNameError("command", cmd_name, _COMMANDS)))
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        loaded = import_module(f"gecbench.cli.annotate.{module}")
        return cast("click.Command", getattr(loaded, name))

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; what the database cannot do is one line, too."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if "django.db" not in sys.modules:  # no database has failed, and none is loaded for it
                raise
            from gecbench.server.web.outside import worded

            told = worded(error)
            if told is None:
                raise
            raise told from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])


@click.group(cls=_Commands)
def annotate() -> None:
    """The annotation platform: from raw sentences to reviewed references, in the browser.

    Everything lies in one data folder: --data DIR, else what GECBENCH_SITE names, else
    ./gecbench-data.
    """
