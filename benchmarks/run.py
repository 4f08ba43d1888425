"""Measures gecbench as a user runs it, whole processes; prints a Markdown table.

    python benchmarks/run.py --data FOLDER --systems FOLDER --cherrant CHECKOUT

It measures the gecbench that is installed beside the Python that runs it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import BenchmarkError, Cost, load, machine, run_once
from peer import Counts, Peer

GECBENCH = str(Path(sys.executable).with_name("gecbench"))

UNCOMPILED = (
    "import gecbench.edits.alignment as a; a.compiled = None; from gecbench.cli import main; main()"
)
FOREIGN = (
    "import sys; before = set(sys.modules); import gecbench; "
    "roots = {name.partition('.')[0] for name in set(sys.modules) - before}; "
    "print(*sorted(roots - sys.stdlib_module_names - {'gecbench'}))"
)


@dataclass(frozen=True, slots=True)
class Job:
    """A command to measure.

    Args:
        name: What it does, for the table.
        command: Program and arguments.
        cpu: Seconds of CPU that it should stay below; None where nothing was promised.
        peak: Megabytes that it should stay below, likewise.
        most_runs: A slow job is run less often.
        first_use: Each run starts with an empty cache, so that resources are compiled.
    """

    name: str
    command: tuple[str, ...]
    cpu: float | None = None
    peak: float | None = None
    most_runs: int = 1000
    first_use: bool = False


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that jobs read; `env` is set for every one of them."""

    corpus: str
    system: str
    systems: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def main() -> int:
    """Measure, print, and return the exit code."""
    arguments = _arguments()
    try:
        inputs = _inputs(arguments.data, arguments.systems)
        peer = Peer(arguments.cherrant, arguments.cherrant_python) if arguments.cherrant else None
        if peer:
            peer.check()
        report = "\n".join(_report(inputs, arguments.runs, peer)) + "\n"
    except BenchmarkError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--data", type=Path, help="folder with the data sets mucgec and cherrant")
    parser.add_argument("--systems", type=Path, help="folder with outputs (*.para) for MuCGEC dev")
    parser.add_argument("--cherrant", type=Path, help="checkout of MuCGEC's scorers/ChERRANT")
    parser.add_argument("--cherrant-python", default=sys.executable, help="its interpreter")
    parser.add_argument("--runs", type=int, default=11, help="runs of each job (default: 11)")
    parser.add_argument("--out", type=Path, help="file to write the tables to, too")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error(f"--runs {arguments.runs} must be at least 1")
    return arguments


def _inputs(data: Path | None, systems: Path | None) -> Inputs:
    """Return the files to read, as `gecbench data where` knows them."""
    env = {"GECBENCH_DATA_MIRROR": str(data.resolve())} if data else {}

    def where(name: str, file: str) -> str:
        return run_once((GECBENCH, "data", "where", name, file), env=env).output.strip()

    for resource in ("cilin.txt", "confusion_dict.txt"):
        where("cherrant", resource)
    outputs = tuple(sorted(map(str, systems.glob("*.para")))) if systems else ()
    if systems and not outputs:
        raise BenchmarkError(f"{systems}: has no files that end in .para")
    return Inputs(
        corpus=where("mucgec", "MuCGEC_dev.txt"),
        system=where("mucgec", "example_pred_dev.txt"),
        systems=outputs,
        env=env,
    )


def _jobs(inputs: Inputs, scratch: str, *, compiled: bool) -> Iterator[Job]:
    score = (GECBENCH, "score", inputs.corpus, inputs.system)
    edits = (GECBENCH, "edits", inputs.corpus, "-o", str(Path(scratch, "edits.m2")))
    slow = (sys.executable, "-c", UNCOMPILED)
    first = ("--strategy", "first")
    yield Job("`python -c pass`, to compare with", (sys.executable, "-c", "pass"))
    yield Job("`import gecbench`", (sys.executable, "-c", "import gecbench"), cpu=0.05)
    yield Job("`gecbench --help`", (GECBENCH, "--help"), cpu=0.15)
    yield Job("score", score, cpu=0.5 if compiled else 8, peak=100)
    yield Job("score, strategy first", (*score, *first))
    yield Job("score, zh-char", (*score, "--scheme", "zh-char"))
    if inputs.systems:
        many = (GECBENCH, "score", inputs.corpus, *inputs.systems)
        yield Job(f"score, {len(inputs.systems)} systems at once", many)
    yield Job("edits of the references", edits)
    yield Job("score, first use: compiles resources", score, most_runs=3, first_use=True)
    if not compiled:
        return
    yield Job("score, no compiler", (*slow, *score[1:]), cpu=8, peak=100, most_runs=5)
    yield Job("score, no compiler, strategy first", (*slow, *score[1:], *first), most_runs=3)
    yield Job("edits, no compiler", (*slow, *edits[1:]), most_runs=3)


def _measure(jobs: Sequence[Job], runs: int, env: Mapping[str, str]) -> dict[Job, Cost]:
    """Run all jobs in turn, so that a busy minute falls on each of them."""
    rounds_of: dict[Job, list] = {job: [] for job in jobs}
    for job in jobs:
        _tell(f"once unmeasured: {job.name}")
        run_once(job.command, env=env)  # compiles resources and fills the system's caches
    for turn in range(runs):
        for job in jobs:
            if turn >= job.most_runs:
                continue
            _tell(f"{turn + 1} of {min(runs, job.most_runs)}: {job.name}")
            with TemporaryDirectory() as empty:
                cache = {"XDG_CACHE_HOME": empty} if job.first_use else {}
                rounds_of[job].append(run_once(job.command, env={**env, **cache}))
    return {job: Cost(tuple(rounds)) for job, rounds in rounds_of.items()}


def _report(inputs: Inputs, runs: int, peer: Peer | None) -> Iterator[str]:
    """Yield the lines of the report."""
    before = load()
    doctor = run_once((GECBENCH, "doctor"), env=inputs.env).output
    rows = dict(line.split(maxsplit=1) for line in doctor.splitlines())
    kernel = rows["kernel"].split()[0]
    with TemporaryDirectory() as scratch:
        jobs = tuple(_jobs(inputs, scratch, compiled=kernel == "compiled"))
        costs = _measure(jobs, runs, inputs.env)
    foreign = run_once((sys.executable, "-c", FOREIGN)).output.strip()
    yield f"Machine: {machine()}."
    yield f"gecbench {rows['gecbench']}, {kernel} kernel, OpenCC {rows['opencc']}."
    yield f"Load average {before} at the start, {load()} at the end."
    yield f"`import gecbench` brings modules of others: {foreign or 'none'}."
    yield ""
    yield "| job | CPU s | least to most | wall s | peak MB | runs | target |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    yield from (_row(job, cost) for job, cost in costs.items())
    if peer:
        ours = next(cost for job, cost in costs.items() if job.name == "score")
        yield ""
        yield from _against(peer, inputs, ours)


def _row(job: Job, cost: Cost) -> str:
    verdicts = []
    if job.cpu is not None:
        verdicts.append(f"< {job.cpu:g} s: {'met' if cost.cpu < job.cpu else 'MISSED'}")
    if job.peak is not None:
        verdicts.append(f"< {job.peak:g} MB: {'met' if cost.peak < job.peak else 'MISSED'}")
    cells = (
        job.name,
        f"{cost.cpu:.3f}",
        f"{cost.least:.3f} to {cost.most:.3f}",
        f"{cost.wall:.3f}",
        f"{cost.peak:.0f}",
        str(len(cost.runs)),
        "; ".join(verdicts),
    )
    return f"| {' | '.join(cells)} |"


def _against(peer: Peer, inputs: Inputs, ours: Cost) -> Iterator[str]:
    """Yield the lines that compare with the official scripts."""
    theirs, counts = peer.run(Path(inputs.corpus), Path(inputs.system), _tell)
    known = _our_counts(inputs)
    yield "| whole job | CPU s | wall s | peak MB | TP, FP, FN |"
    yield "|---|--:|--:|--:|---|"
    yield _peer_row("gecbench score", ours.cpu, ours.wall, ours.peak, known)
    yield _peer_row("official scripts", theirs.cpu, theirs.wall, theirs.peak, counts)
    yield (
        f"| ratio | {theirs.cpu / ours.cpu:.0f} | {theirs.wall / ours.wall:.0f} "
        f"| {theirs.peak / ours.peak:.1f} | {'equal' if counts == known else 'DIFFERENT'} |"
    )


def _peer_row(name: str, cpu: float, wall: float, peak: float, counts: Counts) -> str:
    return f"| {name} | {cpu:.3f} | {wall:.3f} | {peak:.0f} | {', '.join(map(str, counts))} |"


def _our_counts(inputs: Inputs) -> Counts:
    command = (GECBENCH, "score", inputs.corpus, inputs.system, "--format", "json")
    result = json.loads(run_once(command, env=inputs.env).output)["results"][0]
    return result["tp"], result["fp"], result["fn"]


def _tell(message: str) -> None:
    """Say what runs, to standard error."""
    end = "\033[K\r" if sys.stderr.isatty() else os.linesep
    print(message, end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
