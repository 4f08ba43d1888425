"""The terminal's front door: one file per command, imported when it is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import cast

import click

from gecbench import __version__
from gecbench.core.errors import GecbenchError

_COMMANDS = {
    "score": ("gecbench.cli.score:score", "Score systems on a corpus."),
    "edits": ("gecbench.cli.edits:edits", "Find the edits of a corpus; write M2 or JSONL."),
    "convert": ("gecbench.cli.convert:convert", "Turn a corpus from one format into another."),
    "data": ("gecbench.cli.data:data", "List, get and find data sets and resources."),
    "doctor": ("gecbench.cli.doctor:doctor", "Say what is installed, and what is missing."),
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
            ctx.fail(_unknown(cmd_name))
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])


def _unknown(name: str) -> str:
    from gecbench.core.errors import UnknownNameError

    return str(UnknownNameError("command", name, _COMMANDS))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="gecbench %(version)s")
def gecbench() -> None:
    """gecbench: the workbench for grammatical error correction.

    Files in, results to standard output, messages to standard error; "-" is standard input.
    `gecbench COMMAND --help` explains a command. With --debug, a failure shows its traceback.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a failed run, 2 wrong use."""
    # Hundreds of thousands of small values, none in a cycle: looking for cycles among them at
    # every seven hundredth costs a tenth of a run.
    gc.set_threshold(100_000)
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    debug = "--debug" in given[:end]
    given = [word for at, word in enumerate(given) if at >= end or word != "--debug"]
    try:
        gecbench.main(given, prog_name="gecbench", standalone_mode=False)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            error.show()
            sys.exit(2)
        _fail(error.format_message(), 2)
    except click.Abort:
        _fail("interrupted", 130)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except BrokenPipeError:
        # The reader of a pipe went away, as `head` does: no failure, and nothing left to say.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
        sys.exit(0)
    except MemoryError:
        if debug:
            raise
        _fail(
            "out of memory; aligning needs memory as the product of two lengths: are there "
            "whole documents where sentences should be?",
            1,
        )
    except GecbenchError as error:
        if debug:
            raise
        _fail(str(error), error.exit_code)


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split("\n"))
    click.echo(f"gecbench: {line}", err=True)
    sys.exit(code)
