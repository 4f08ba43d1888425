"""Groups that import a command when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import click

from gecbench.core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and for neither help nor completion."""

    def __init__(
        self,
        *args: Any,
        package: str,
        table: Mapping[str, tuple[str, str]],
        noun: str = "command",
        gone: Mapping[str, str] | None = None,
        last: tuple[str, Mapping[str, tuple[str, str]]] | None = None,
        **attributes: Any,
    ) -> None:
        """Make the group.

        Args:
            args: As for `click.Group`.
            package: Where the modules of the commands are.
            table: For each name the place, as "score:score", and the help.
            noun: What a message calls one of them.
            gone: Names of former commands, each with what to say of it.
            last: The heading of a section at the end of the help, and its table.
            attributes: As for `click.Group`.
        """
        super().__init__(*args, **attributes)
        self.sections = {"Commands": table, **dict([last] if last else [])}
        self.table = {name: row for rows in self.sections.values() for name, row in rows.items()}
        self.package, self.noun = package, noun
        self.gone = gone or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self.table:
            if ctx.resilient_parsing:  # a shell asks for completions
                return None
            if cmd_name in self.gone:
                raise UsageError(self.gone[cmd_name])
            groups = [(name, self.get_command(ctx, name)) for name in self.table]
            commands = [
                f"{ctx.command_path} {name} {cmd_name}"
                for name, group in groups
                if isinstance(group, click.Group) and cmd_name in group.list_commands(ctx)
            ]
            if commands:
                hint = f"did you mean {' or '.join(commands)}?"
                ctx.fail(f"unknown {self.noun} {cmd_name!r}; {hint}")
            ctx.fail(str(UnknownNameError(self.noun, cmd_name, self.table)))
        module, _, name = self.table[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(f"{self.package}.{module}"), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands, section by section."""
        for heading, table in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, about) for name, (_, about) in table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names and options."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.table if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self.table[name][1]) for name in names]
        return items + click.Command.shell_complete(self, ctx, incomplete)
