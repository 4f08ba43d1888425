"""What metrics cost within one process, without starting it and without reading files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from measure import BenchmarkError

import gecbench
from gecbench.core.case import Case, Part
from gecbench.core.scheme import Scheme
from gecbench.metrics.gleu import Gleu
from gecbench.metrics.m2 import M2
from gecbench.scoring.cases import make_cases
from gecbench.scoring.extractor import Extractor

LONGEST = 3


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the system on whose version of it MaxMatch takes longest.

    Args:
        id: As in the corpus.
        tokens: Of the source.
        system: Its name.
        seconds: CPU, median.
    """

    id: str
    tokens: int
    system: str
    seconds: float


def maxmatch(gold: Path, systems: Sequence[Path], rounds: int) -> tuple[Sentence, ...]:
    """Return the three longest sentences and, last, the slowest of all others.

    Args:
        gold: M2.
        systems: Outputs.
        rounds: Measurements of each sentence of each system.
    """
    metric = M2()
    cases = {path.stem: _cases(gold, (), path, "gold_edits") for path in systems}
    seconds = {
        (place, system): _median(lambda case=case: metric.stats(case), rounds)
        for system, own_cases in cases.items()
        for place, case in enumerate(own_cases)
    }
    sources = next(iter(cases.values()))

    def slowest(places: Sequence[int]) -> Sentence:
        most = max(product(places, cases), key=lambda key: seconds[key])
        case = sources[most[0]]
        return Sentence(case.id, len(case.tokens), most[1], seconds[most])

    order = sorted(range(len(sources)), key=lambda place: -len(sources[place].tokens))
    return (*(slowest([place]) for place in order[:LONGEST]), slowest(order[LONGEST:]))


def gleu(source: Path, references: Sequence[Path], rounds: int) -> float:
    """Return the CPU seconds of GLEU for the unchanged source: statistics and all iterations."""
    metric = Gleu()
    cases = _cases(source, references, source, "texts")

    def score() -> None:
        metric.aggregate([metric.stats(case) for case in cases])

    score()  # imports numpy
    return _median(score, rounds)


def _cases(path: Path, references: Sequence[Path], system: Path, part: Part) -> list[Case]:
    corpus = gecbench.load(path, references=references)
    output = gecbench.load_system(system, corpus)
    cases = make_cases(corpus, [output], frozenset({part}), Extractor(_no_scheme))
    return list(cases.by_system[output.system])


def _no_scheme() -> Scheme:
    raise BenchmarkError("a corpus has sentences whose edits would have to be found first")


def _median(call: Callable[[], object], rounds: int) -> float:
    return median(_seconds(call) for _ in range(rounds))


def _seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started
