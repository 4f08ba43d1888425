"""The terminal's front door: one file per command, imported when it is called."""

from __future__ import annotations

import atexit
import gc
import io
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
    "compare": ("gecbench.cli.compare:compare", "Is the difference of two systems significant?"),
    "analyse": ("gecbench.cli.analyse:analyse", "Look into scores: robustness, difficulty, ..."),
    "report": ("gecbench.cli.report:report", "One page with everything, to open in a browser."),
    "correct": ("gecbench.cli.correct:correct", "Correct texts with a model."),
    "combine": ("gecbench.cli.combine:combine", "Combine systems by voting on their edits."),
    "corrupt": ("gecbench.cli.corrupt:corrupt", "Make errors in correct texts, for training."),
    "train": ("gecbench.cli.train:train", "Train a corrector."),
    "experiment": ("gecbench.cli.experiment:experiment", "Run a paper's experiment to its table."),
    "perturb": ("gecbench.cli.perturb:perturb", "Change what surrounds errors, to train with."),
    "export": ("gecbench.cli.export:export", "Make a trained model faster on a CPU."),
    "model": ("gecbench.cli.model:model", "Look at models; take in those of others."),
    "annotate": ("gecbench.cli.annotate:annotate", "Annotate and review in the browser."),
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
    """Run the command line and exit: 0 done, 1 a failed run, 2 wrong use, 130 interrupted."""
    # Hundreds of thousands of small values, none in a cycle: looking for cycles among them at
    # every seven hundredth costs a tenth of a run.
    gc.set_threshold(100_000)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # files are UTF-8 everywhere, and so is a result
            stream.reconfigure(encoding="utf-8", errors=stream.errors)
    atexit.register(gc.freeze)  # nor need Python look through all of them once more at its end
    given, debug = _divided(list(sys.argv[1:] if arguments is None else arguments))
    try:
        _run(given)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except BrokenPipeError:
        _forget_output()  # the reader of a pipe went away, as `head` does: that is no failure
    except (Exception, KeyboardInterrupt) as error:  # a traceback is for --debug alone
        if debug:
            raise
        message, code = _worded(error)
        clear = "\033[K" if sys.stderr is not None and sys.stderr.isatty() else ""
        click.echo(f"{clear}gecbench: {' '.join(message.split())}", err=True)
        sys.exit(code)


def _run(given: list[str]) -> None:
    """Run a command to its end, past click's own answers to failures."""
    try:
        with gecbench.make_context("gecbench", given) as context:
            gecbench.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as ended:
        if ended.exit_code:
            sys.exit(ended.exit_code)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None:  # all others have become errors of ours where they arose
            raise
        _forget_output()
        raise GecbenchError(f"standard output cannot be written: {error.strerror}") from error


def _forget_output() -> None:
    """Let what is left for standard output go nowhere, or Python fails on it while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _divided(given: list[str]) -> tuple[list[str], bool]:
    """Take --debug, which may stand anywhere before "--", out of the arguments."""
    end = given.index("--") if "--" in given else len(given)
    rest = [word for word in given[:end] if word != "--debug"] + given[end:]
    return rest, len(rest) < len(given)


def _worded(error: BaseException) -> tuple[str, int]:
    """Return the line that tells of a failure, and the exit code."""
    if isinstance(error, GecbenchError):
        return str(error), error.exit_code
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        help_at = f" See: {context.command_path} --help" if context else ""
        return error.format_message() + help_at, 2
    if isinstance(error, MemoryError):
        return (
            "out of memory: aligning takes memory as the product of two lengths; "
            "are there whole documents where sentences should be?"
        ), 1
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "interrupted", 130
    kind = type(error).__name__
    return f"a mistake in gecbench, {kind}: {error}; run again with --debug and report it", 1
