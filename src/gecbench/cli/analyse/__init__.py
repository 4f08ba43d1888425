"""gecbench analyse: one command per question, each in a file of its own, imported when called."""

from __future__ import annotations

from importlib import import_module
from typing import cast

import click

_ANALYSES = {
    "robustness": "Do corrections stay the same when the context changes? (RobustGEC)",
    "difficulty": "How difficult is each error, and who corrects the difficult ones? (GoToScorer)",
    "references": "What does the number of references change?",
    "human": "How do annotators fare against the final references?",
    "agreement": "How far do annotators agree before anybody decides?",
    "correlation": "Do metrics agree with one another over systems?",
    "meta": "Do metrics agree with human judgements? (SEEDA)",
    "segmentation": "How far do scores depend on the segmenter?",
    "breakdown": "Where are systems good and bad: type, length, position, origin?",
}
"""Name to help: help needs no command to be imported."""


class _Analyses(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        del ctx
        return list(_ANALYSES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in _ANALYSES:
            from gecbench.core.errors import UnknownNameError

            ctx.fail(str(UnknownNameError("analysis", cmd_name, _ANALYSES)))
        module = import_module(f"gecbench.cli.analyse.{cmd_name}")
        return cast("click.Command", getattr(module, cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands."""
        del ctx
        with formatter.section("Analyses"):
            formatter.write_dl(list(_ANALYSES.items()))


@click.group(cls=_Analyses)
def analyse() -> None:
    """Look into scores: what a number hides, and how far it can be trusted."""
