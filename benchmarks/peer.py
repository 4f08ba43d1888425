"""The official scripts on the same job: what they cost, and whether the counts agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import BenchmarkError, Run, run_once

EXTRACT, COMPARE = "parallel_to_m2.py", "compare_m2_for_evaluation.py"

Counts = tuple[int, int, int]
"""True positives, false positives, false negatives."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A checkout of the official scripts.

    Args:
        folder: MuCGEC's scorers/ChERRANT.
        python: An interpreter with what they require.
    """

    folder: Path
    python: str

    def check(self) -> None:
        """Refuse a folder that is no such checkout.

        Raises:
            BenchmarkError: Names the script that is missing.
        """
        for script in (EXTRACT, COMPARE):
            if not (self.folder / script).is_file():
                raise BenchmarkError(
                    f"{self.folder}: has no {script}; name the folder scorers/ChERRANT of a "
                    "checkout of MuCGEC"
                )

    def run(self, corpus: Path, system: Path, tell: Callable[[str], None]) -> tuple[Run, Counts]:
        """Return what the three processes cost together, once each, and the counts they end in.

        Args:
            corpus: Sources and references, as MuCGEC's TSV.
            system: Sources and outputs, likewise.
            tell: Told each command before it starts.

        Raises:
            BenchmarkError: A script failed, or printed no counts.
        """
        with TemporaryDirectory() as scratch:
            reference, hypothesis = Path(scratch, "reference.m2"), Path(scratch, "hypothesis.m2")
            commands = (
                (EXTRACT, "-f", str(corpus), "-o", str(reference), "-g", "char", "-s", "all"),
                (EXTRACT, "-f", str(system), "-o", str(hypothesis), "-g", "char", "-s", "all"),
                (COMPARE, "-hyp", str(hypothesis), "-ref", str(reference)),
            )
            runs = []
            for command in commands:
                tell(" ".join(command))
                # The scripts look for their resources below the folder they run in.
                runs.append(run_once((self.python, *command), folder=self.folder.resolve()))
        total = Run(
            cpu=sum(run.cpu for run in runs),
            wall=sum(run.wall for run in runs),
            peak=max(run.peak for run in runs),
            output=runs[-1].output,
        )
        return total, _counts(total.output)


def _counts(output: str) -> Counts:
    """Return the counts below the line that heads them."""
    lines = output.splitlines()
    for head, values in pairwise(lines):
        if head.split("\t")[:3] == ["TP", "FP", "FN"]:
            tp, fp, fn = map(int, values.split("\t")[:3])
            return tp, fp, fn
    raise BenchmarkError(f"{COMPARE}: printed no line of TP, FP and FN")
