"""What a whole process costs, measured by the kernel of the operating system (Linux, macOS)."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO, cast


class BenchmarkError(Exception):
    """Something that is measured is not here or failed; the message is one line."""


@dataclass(frozen=True, slots=True)
class Run:
    """One process from start to end, with the processes that it waited for.

    Args:
        cpu: Seconds, user and system.
        wall: Seconds.
        peak: Megabytes (10**6 bytes) resident at most, in the largest single process. Linux
            counts the parent's size at the fork, too, so the parent has to be the smaller one.
        output: What it printed.
    """

    cpu: float
    wall: float
    peak: float
    output: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What several runs of one command cost."""

    runs: tuple[Run, ...]

    @property
    def cpu(self) -> float:
        """Median of the seconds of CPU."""
        return median(run.cpu for run in self.runs)

    @property
    def wall(self) -> float:
        """Median of the seconds by the clock."""
        return median(run.wall for run in self.runs)

    @property
    def peak(self) -> float:
        """Largest peak, in megabytes."""
        return max(run.peak for run in self.runs)

    @property
    def least(self) -> float:
        """Fewest seconds of CPU."""
        return min(run.cpu for run in self.runs)

    @property
    def most(self) -> float:
        """Most seconds of CPU."""
        return max(run.cpu for run in self.runs)


def run_once(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, folder: Path | None = None
) -> Run:
    """Run a command and return what it cost.

    Args:
        command: Program and arguments.
        env: Variables to set beside those of this process.
        folder: Where it runs; None means here.

    Raises:
        BenchmarkError: It could not be started or failed; gives the last line it wrote.
    """
    started = time.perf_counter()
    try:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            cwd=folder,
        )
    except OSError as error:
        raise BenchmarkError(f"{command[0]}: cannot be started: {error.strerror}") from error
    with cast("IO[bytes]", process.stdout) as pipe:
        output = pipe.read().decode("utf-8", "replace")
    # Popen's own wait would throw the resource usage away.
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        last = (output.strip().splitlines() or ["nothing"])[-1]
        raise BenchmarkError(f"{last} (exit {process.returncode} of: {' '.join(command)})")
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * unit / 1e6, output)


def machine() -> str:
    """Return processor, cores, system and Python in one line."""
    model = platform.processor() or platform.machine()
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            named = (line.partition(":")[2].strip() for line in lines if "model name" in line)
            model = next(named, model)
    except FileNotFoundError:  # not Linux
        pass
    system = f"{platform.system()} {platform.machine()}"
    return f"{model}, {os.cpu_count()} cores, {system}, Python {platform.python_version()}"


def load() -> str:
    """Return how busy the machine is: the load average over a minute."""
    return f"{os.getloadavg()[0]:.1f}"
