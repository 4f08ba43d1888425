"""Commands that are measured in turn, and how a table shows what they cost."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import Cost, Run, run_once

GECBENCH = str(Path(sys.executable).with_name("gecbench"))

HEAD = (
    "| job | CPU s | least to most | wall s | peak MB | runs | target |",
    "|---|--:|--:|--:|--:|--:|---|",
)


@dataclass(frozen=True, slots=True)
class Job:
    """A command to measure.

    Args:
        name: What it does, for the table.
        command: Program and arguments.
        below: Seconds of CPU that it should stay below; None where nothing was promised.
        most_runs: A slow job is run less often; one that is run once is not run before.
    """

    name: str
    command: tuple[str, ...]
    below: float | None = None
    most_runs: int = 1000


def measure(jobs: Sequence[Job], runs: int) -> dict[Job, Cost]:
    """Run all jobs in turn, so that a busy minute falls on each of them.

    Before, each is run once unmeasured, in the order given, so that a later one can read what
    an earlier one wrote, and nobody pays for the system's empty caches.
    """
    rounds_of: dict[Job, list[Run]] = {job: [] for job in jobs}
    for job in jobs:
        if job.most_runs > 1:
            tell(f"once unmeasured: {job.name}")
            run_once(job.command)
    for turn in range(runs):
        for job in jobs:
            if turn < job.most_runs:
                tell(f"{turn + 1} of {min(runs, job.most_runs)}: {job.name}")
                rounds_of[job].append(run_once(job.command))
    return {job: Cost(tuple(rounds)) for job, rounds in rounds_of.items()}


def table(costs: Mapping[Job, Cost]) -> Iterator[str]:
    """Yield the lines of a Markdown table with a row for each job."""
    yield from HEAD
    for job, cost in costs.items():
        yield row(job.name, cost, "" if job.below is None else below(cost.cpu, job.below))


def row(name: str, cost: Cost, target: str = "") -> str:
    """Return the row of one job."""
    cells = (
        name,
        f"{cost.cpu:.3f}",
        f"{cost.least:.3f} to {cost.most:.3f}",
        f"{cost.wall:.3f}",
        f"{cost.peak:.0f}",
        str(len(cost.runs)),
        target,
    )
    return f"| {' | '.join(cells)} |"


def below(seconds: float, limit: float) -> str:
    """Say whether a time is as short as promised."""
    return f"< {limit:g} s: {verdict(met=seconds < limit)}"


def verdict(*, met: bool) -> str:
    """Return the word of a table for a target."""
    return "met" if met else "MISSED"


def tell(message: str) -> None:
    """Say what runs, to standard error."""
    end = "\033[K\r" if sys.stderr.isatty() else os.linesep
    print(message, end=end, file=sys.stderr, flush=True)
