"""A command of gecbench in a process of its own: what it says goes into a log."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from gecbench.core.errors import GecbenchError, UsageError

_PR_SET_PDEATHSIG = 1
_TAIL = 20_000


class Execute(Protocol):
    """Runs a command of gecbench."""

    def __call__(
        self,
        words: Sequence[str],
        *,
        log: Path,
        captured: Path | None,
        environment: Mapping[str, str],
    ) -> int:
        """Return the exit code.

        Args:
            words: After `gecbench`.
            log: Takes what it says; what is there stays.
            captured: Takes its standard output; None puts it into the log, too.
            environment: Further variables.
        """
        ...


def launched(launcher: str) -> Execute:
    """Return what runs commands as processes.

    Args:
        launcher: Words before `-m gecbench` of training, instead of Python's own, as
            "torchrun --nproc_per_node 8"; "" for none.

    Raises:
        UsageError: A quotation in the launcher has no end.
    """
    try:
        before = shlex.split(launcher)
    except ValueError as error:
        raise UsageError(f"--launcher {launcher}: {error}") from None

    def execute(
        words: Sequence[str],
        *,
        log: Path,
        captured: Path | None,
        environment: Mapping[str, str],
    ) -> int:
        start = before if before and words[0] == "train" else [sys.executable]
        command = [*start, "-m", "gecbench", *words]
        with contextlib.ExitStack() as stack:
            said = stack.enter_context(log.open("ab"))
            out = stack.enter_context(captured.open("wb")) if captured else said
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=said,
                    env={**os.environ, **environment},
                    preexec_fn=_ends_with_us if sys.platform == "linux" else None,  # noqa: PLW1509
                )
            except OSError as error:
                raise GecbenchError(f"{command[0]}: cannot be run: {error.strerror}") from error
            with process:
                try:
                    return process.wait()
                except BaseException:
                    process.terminate()
                    raise

    return execute


def _ends_with_us() -> None:
    """Have this process killed with its parent, so that nobody writes when a run is resumed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def last_line(log: Path) -> str:
    """Return the last line of a log that says something, without the name of the program."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL))
        text = file.read().decode("utf-8", errors="replace")
    lines = [line.strip() for line in text.replace("\r", "\n").splitlines() if line.strip()]
    return lines[-1].removeprefix("gecbench: ") if lines else "it said nothing"
