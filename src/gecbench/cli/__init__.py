"""The terminal: commands, imported when they are called."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Sequence

import click

from gecbench import __version__
from gecbench.cli.command import LazyGroup
from gecbench.core.errors import GecbenchError

_COMMANDS = {
    "score": ("score:score", "Score systems on a corpus."),
    "edits": ("edits:edits", "Find the edits of a corpus; write M2 or JSONL."),
    "compare": ("compare:compare", "Test whether systems differ significantly."),
    "analyse": ("analyse:analyse", "Analyse scores: robustness, difficulty, ..."),
    "report": ("report:report", "Write a page with everything, for a browser."),
    "correct": ("correct:correct", "Correct texts with a model."),
    "combine": ("correct:combine", "Combine systems by voting on their edits."),
    "corrupt": ("corrupt:corrupt", "Make errors in correct texts, for training."),
    "train": ("train:train", "Train a corrector."),
    "parse": ("edits:parse", "Write dependency trees of sentences."),
    "perturb": ("corrupt:perturb", "Change the context of errors, for training."),
    "export": ("train:export", "Make a trained model faster on a CPU."),
    "model": ("train:model", "Show, convert and merge models."),
    "annotate": ("annotate:annotate", "Annotate and review in the browser."),
    "convert": ("edits:convert", "Convert a corpus to another format."),
    "data": ("data:data", "List, download and prepare data sets."),
    "doctor": ("doctor:doctor", "Show what is installed, and what is missing."),
}
"""Name to place and help: help needs no command to be imported."""

_OFFICIAL = {
    "errant-parallel": ("official:errant_parallel", "ERRANT's errant_parallel."),
    "errant-m2": ("official:errant_m2", "ERRANT's errant_m2."),
    "errant-compare": ("official:errant_compare", "ERRANT's errant_compare."),
    "cherrant-parallel": ("official:cherrant_parallel", "ChERRANT's parallel_to_m2.py."),
    "cherrant-compare": (
        "official:cherrant_compare",
        "ChERRANT's compare_m2_for_evaluation.py.",
    ),
    "m2scorer": ("official:m2scorer", "The MaxMatch scorer's m2scorer."),
    "install-aliases": (
        "official:install_aliases",
        "Write launchers under the programs' own names.",
    ),
}
"""Commands that take the flags of other programs and print what these print."""

_FOLDER_ALONE = "give the folder alone: {}"

_OPTIONS_ELSEWHERE = {
    ("gecbench annotate serve", "--port"): "the port is part of --bind: --bind 127.0.0.1:8791",
    ("gecbench annotate init", "--data"): _FOLDER_ALONE.format("init FOLDER"),
    ("gecbench annotate restore", "--data"): _FOLDER_ALONE.format("restore BACKUP FOLDER"),
}
"""What to say instead of options that somebody may expect of a command."""

_COMPLETE = "_GECBENCH_COMPLETE"
"""The variable by which shells ask for completions, as click names it."""

_SHELLS = ("bash", "zsh", "fish")


@click.group(
    cls=LazyGroup,
    package=__name__,
    table=_COMMANDS,
    last=("Command lines of other programs", _OFFICIAL),
    context_settings={"help_option_names": ["-h", "--help"]},
)
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
            line_end = None if stream is sys.stdin else "\n"  # on Windows, too
            stream.reconfigure(encoding="utf-8", errors=stream.errors, newline=line_end)
    atexit.register(gc.freeze)  # nor need Python look through all of them once more at its end
    if request := os.environ.get(_COMPLETE):
        _answer_shell(request)
    words = list(sys.argv[1:] if arguments is None else arguments)
    end = words.index("--") if "--" in words else len(words)  # --debug may stand anywhere before it
    debug = "--debug" in words[:end]
    try:
        arguments = [word for word in words[:end] if word != "--debug"] + words[end:]
        with gecbench.make_context("gecbench", arguments) as context:
            gecbench.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as ended:
        if ended.exit_code:
            sys.exit(ended.exit_code)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - any failure is one line
        _fail(error, debug=debug)


def _fail(error: BaseException, *, debug: bool) -> None:
    """Say what went wrong and exit; a traceback is for --debug alone."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        sys.exit(2)
    if _is_of_output(error):
        _forget_output()
        if isinstance(error, BrokenPipeError):
            return  # the reader of a pipe went away, as `head` does: that is no failure
    if debug:
        raise error
    message, code = _describe(error)
    clear = "\033[K" if sys.stderr is not None and sys.stderr.isatty() else ""
    click.echo(f"{clear}gecbench: {' '.join(message.split())}", err=True)
    sys.exit(code)


_OF_OUTPUT = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What writing can fail of; a failure with a file or in a connection is another."""


def _is_of_output(error: BaseException) -> bool:
    """Whether standard output cannot be written: files that cannot be are errors of ours."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _OF_OUTPUT


def _forget_output() -> None:
    """Let what is left for standard output go nowhere, or Python fails on it while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _answer_shell(request: str) -> None:
    """Print a shell's completion script or its completions, and exit."""
    from click.shell_completion import shell_complete

    shell, _, instruction = request.partition("_")
    if shell not in _SHELLS or instruction not in ("source", "complete"):
        sources = ", ".join(f"{shell}_source" for shell in _SHELLS)
        click.echo(f"gecbench: {_COMPLETE} is {request!r}; it may be {sources}", err=True)
        sys.exit(2)
    sys.exit(shell_complete(gecbench, {}, "gecbench", _COMPLETE, request))


def _describe(error: BaseException) -> tuple[str, int]:
    """The line that tells of a failure, and the exit code."""
    if isinstance(error, GecbenchError):
        return str(error), error.exit_code
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        message = error.format_message()
        if isinstance(error, click.NoSuchOption) and context:
            hint = _OPTIONS_ELSEWHERE.get((context.command_path, error.option_name))
            message = f"no such option {error.option_name}; {hint}" if hint else message
        stop = "" if message.endswith((".", "?")) else "."
        code = error.exit_code if isinstance(error, click.UsageError) else 2
        return f"{message}{stop} See: {context.command_path} --help" if context else message, code
    if isinstance(error, MemoryError):
        return (
            "out of memory: aligning takes memory as the product of two lengths; "
            "are there whole documents where sentences should be?"
        ), 1
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "interrupted", 130
    if isinstance(error, OSError) and error.filename is None:
        reason = error.strerror or str(error) or type(error).__name__
        return f"standard output cannot be written: {reason}" if _is_of_output(error) else reason, 1
    from traceback import walk_tb

    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__)]
    expected = {"gecbench", "click", *sys.stdlib_module_names}
    others = [name for name in modules if name.partition(".")[0] not in expected]
    place = " or ".join(["gecbench", *others[:1]])  # a package's plug-in, or what we call wrongly
    kind = type(error).__name__
    return f"a mistake in {place}, {kind}: {error}; run again with --debug and report it", 1
