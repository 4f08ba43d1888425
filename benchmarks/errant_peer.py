"""ERRANT and gecbench on the same jobs: the commands of both, and whether they agree."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path
from statistics import median

from jobs import GECBENCH, Job, measure, row, table, verdict
from measure import BenchmarkError, Cost, Run
from peer import Counts

PARALLEL = (
    "import sys, spacy; load = spacy.load; model = sys.argv.pop(1); "
    "spacy.load = lambda name, **options: load(model, **options); "
    "from errant.commands.parallel_to_m2 import main; main()"
)
"""errant_parallel, but with the pipeline of the first argument instead of en_core_web_sm."""

EDITS_RATIO, MANY_RATIO, MOST_OTHER = 3, 10, 0.10


@dataclass(frozen=True, slots=True)
class Inputs:
    """What both read.

    Args:
        source: Text lines.
        references: Parallel to the source.
        systems: Outputs, parallel too.
        alone: That of them which is also measured alone.
        pipeline: Folder of the spaCy pipeline.
    """

    source: Path
    references: tuple[Path, ...]
    systems: tuple[Path, ...]
    alone: Path
    pipeline: Path

    def score(self, *systems: Path) -> tuple[str, ...]:
        """Return the arguments of gecbench that score systems."""
        named = (word for file in self.references for word in ("--reference", str(file)))
        model = ("--spacy-model", str(self.pipeline))
        return ("score", str(self.source), *named, *map(str, systems), *model, "--format", "csv")

    def edits(self, output: Path) -> tuple[str, ...]:
        """Return the arguments of gecbench that find the edits of the system alone."""
        files = (str(self.source), "--reference", str(self.alone))
        return ("edits", *files, "--spacy-model", str(self.pipeline), "-o", str(output))


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs of both, made once; files are written to a scratch folder."""

    inputs: Inputs
    scratch: Path

    def ours(self) -> dict[str, Job]:
        """Return gecbench's, by what the comparison calls them."""
        inputs, stem = self.inputs, self.inputs.alone.stem
        score, many = (
            (GECBENCH, *inputs.score(inputs.alone)),
            (GECBENCH, *inputs.score(*inputs.systems)),
        )
        cache = ("--parse-cache", str(self.scratch / "parses"))
        number, tier = len(inputs.systems), ("--by-type", "2")
        return {
            "edits": Job(f"edits of {stem}: gecbench edits", (GECBENCH, *inputs.edits(self._ours))),
            "score": Job(f"{stem}: gecbench score", score),
            "kept": Job(f"{stem}: gecbench score --parse-cache, all kept", (*score, *cache)),
            "typed": Job(f"{stem}: gecbench score --by-type 2", (*score, *tier)),
            "many": Job(f"{number} systems: gecbench score", many),
            "many typed": Job(f"{number} systems: gecbench score --by-type 2", (*many, *tier)),
        }

    def shares(self) -> dict[str, Job]:
        """Return gecbench's again, under the eyes of `share.py`."""
        script = (sys.executable, str(Path(__file__).with_name("share.py")))
        alone, edits = self.inputs.alone, self.inputs.edits(self.scratch / "share.m2")
        return {
            f"edits of {alone.stem}": Job("share of edits", (*script, *edits)),
            f"score {alone.stem}": Job("share of score", (*script, *self.inputs.score(alone))),
        }

    def theirs(self) -> dict[str, Job]:
        """Return ERRANT's for the references and the system alone."""
        return {
            "references": self._parallel("references", self.inputs.references),
            **self._system(self.inputs.alone, most_runs=1000),
        }

    def rest(self) -> dict[str, Job]:
        """Return ERRANT's for all other systems, which are run once."""
        jobs: dict[str, Job] = {}
        for system in self.inputs.systems:
            if system != self.inputs.alone:
                jobs |= self._system(system, most_runs=1)
        return jobs

    def check_edits(self) -> None:
        """Refuse to compare programs that found different edits.

        Raises:
            BenchmarkError: Names the first line that differs.
        """
        ours = self._ours.read_bytes().splitlines(keepends=True)
        theirs = self._m2(self.inputs.alone.stem).read_bytes().splitlines(keepends=True)
        if ours != theirs:
            same = (
                first == second for first, second in zip(ours, theirs, strict=False)
            )  # one may be longer
            line = next((n for n, equal in enumerate(same, 1) if not equal), "the last")
            raise BenchmarkError(
                f"{self.inputs.alone}: gecbench and errant_parallel differ at line {line}"
            )

    def _system(self, system: Path, most_runs: int) -> dict[str, Job]:
        name = system.stem
        files = ("-hyp", str(self._m2(name)), "-ref", str(self._m2("references")))
        command = (sys.executable, "-m", "errant.commands.compare_m2", *files)
        return {
            f"edits of {name}": self._parallel(name, (system,), most_runs),
            f"compare {name}": Job(f"{name}: errant_compare", command, most_runs=most_runs),
        }

    def _parallel(self, name: str, targets: Sequence[Path], most_runs: int = 1000) -> Job:
        command = (sys.executable, "-c", PARALLEL, str(self.inputs.pipeline))
        files = ("-orig", str(self.inputs.source), "-cor", *map(str, targets))
        out = ("-out", str(self._m2(name)))
        return Job(f"edits of {name}: errant_parallel", (*command, *files, *out), None, most_runs)

    def _m2(self, name: str) -> Path:
        return self.scratch / f"{name}.errant.m2"

    @property
    def _ours(self) -> Path:
        return self.scratch / "gecbench.m2"


def against_errant(inputs: Inputs, scratch: Path, runs: int) -> Iterator[str]:
    """Yield the lines that compare with ERRANT.

    Raises:
        BenchmarkError: A program failed, or the two do not agree.
    """
    jobs = Jobs(inputs, scratch)
    ours, theirs, rest, shares = jobs.ours(), jobs.theirs(), jobs.rest(), jobs.shares()
    # One of ours, one of theirs, and so on.
    order = [
        job
        for jobs_of_all in zip_longest(ours.values(), theirs.values(), shares.values())
        for job in jobs_of_all
        if job
    ]
    costs = measure(order, runs)
    costs |= measure(tuple(rest.values()), 1)
    jobs.check_edits()
    our_costs = {name: costs[job] for name, job in ours.items()}
    their_costs = {name: costs[job] for name, job in (theirs | rest).items()}
    _check_counts(inputs, our_costs, their_costs)
    yield from table({job: costs[job] for job in (*ours.values(), *theirs.values())})
    once = [costs[job] for job in rest.values()]
    if once:
        yield row(f"the other {len(once) // 2}: errant_parallel, errant_compare", _sum(once))
    yield ""
    yield from _ratios(inputs, our_costs, their_costs)
    yield ""
    yield from _shares({name: costs[job] for name, job in shares.items()})


def _ratios(inputs: Inputs, ours: Mapping[str, Cost], theirs: Mapping[str, Cost]) -> Iterator[str]:
    name, number = inputs.alone.stem, len(inputs.systems)
    extract, compare = theirs[f"edits of {name}"].cpu, theirs[f"compare {name}"].cpu
    alone = theirs["references"].cpu + extract + compare
    many = sum(cost.cpu for cost in theirs.values())
    rows = (
        (f"texts to typed M2, {name}", "edits", extract, EDITS_RATIO),
        (f"evaluation of {name}", "score", alone, None),
        (f"evaluation of {name}, all parses kept", "kept", alone, None),
        (f"evaluation of {name} by type", "typed", alone, None),
        (f"evaluation of {number} systems", "many", many, MANY_RATIO),
        (f"evaluation of {number} systems by type", "many typed", many, None),
    )
    yield "| whole job, CPU s | gecbench | ERRANT | ratio | target | results |"
    yield "|---|--:|--:|--:|---|---|"
    for title, job, other, least in rows:
        cost = ours[job].cpu
        target = f">= {least}: {verdict(met=other / cost >= least)}" if least else ""
        agreed = f"the same {'bytes' if job == 'edits' else 'counts'}"
        cells = (title, f"{cost:.2f}", f"{other:.2f}", f"{other / cost:.1f}", target, agreed)
        yield f"| {' | '.join(cells)} |"


def _shares(costs: Mapping[str, Cost]) -> Iterator[str]:
    yield "| job, CPU s | whole | in spaCy | of it reading documents | not spaCy | share | target |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for name, cost in costs.items():
        parts = [json.loads(run.output.splitlines()[-1]) for run in cost.runs]
        total, spacy, reading = (
            median(part_seconds[part] for part_seconds in parts)
            for part in ("total", "spacy", "reading")
        )
        share = median(1 - row["spacy"] / row["total"] for row in parts)
        target = f"< {MOST_OTHER:.0%}: {verdict(met=share < MOST_OTHER)}"
        cells = (f"{total:.2f}", f"{spacy:.2f}", f"{reading:.2f}", f"{total - spacy:.2f}")
        yield f"| {name} | {' | '.join(cells)} | {share:.1%} | {target} |"


def _check_counts(inputs: Inputs, ours: Mapping[str, Cost], theirs: Mapping[str, Cost]) -> None:
    known = {
        system.stem: their_counts(theirs[f"compare {system.stem}"].runs[-1].output)
        for system in inputs.systems
    }
    for job in ("score", "kept", "typed", "many", "many typed"):
        for name, counts in our_counts(ours[job].runs[-1].output).items():
            if counts != known[name]:
                raise BenchmarkError(
                    f"{name} ({job}): gecbench counts {counts}, errant_compare {known[name]}"
                )


def our_counts(output: str) -> dict[str, Counts]:
    """Return the counts of each system in what `gecbench score --format csv` printed."""
    lines = output.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("corpus,system,"))
    return {
        line["system"]: (int(line["tp"]), int(line["fp"]), int(line["fn"]))
        for line in csv.DictReader(lines[first:])
        if line["metric"] == "errant" and not line["type"]
    }


def their_counts(output: str) -> Counts:
    """Return the counts that errant_compare printed.

    Raises:
        BenchmarkError: There are none.
    """
    for head, values in pairwise(output.splitlines()):
        if head.split("\t")[:3] == ["TP", "FP", "FN"]:
            tp, fp, fn = map(int, values.split("\t")[:3])
            return tp, fp, fn
    raise BenchmarkError("errant_compare: printed no line of TP, FP and FN")


def _sum(costs: Sequence[Cost]) -> Cost:
    """Return the cost of jobs that are done one after the other, once each."""
    first = [cost.runs[0] for cost in costs]
    cpu, wall = sum(run.cpu for run in first), sum(run.wall for run in first)
    return Cost((Run(cpu, wall, max(run.peak for run in first), ""),))
