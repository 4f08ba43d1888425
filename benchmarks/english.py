"""Measures English scoring and the metrics over texts; prints Markdown tables.

    python benchmarks/english.py --gold conll14.gold --source INPUT.txt --reference REF0.txt
        --reference REF1.txt --systems FOLDER --jfleg FOLDER --alone T5

It measures the gecbench that is installed beside the Python that runs it, whole processes unless
a table says otherwise, in CPU seconds, user and system. All that computes has one thread.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import inside
from errant_peer import Inputs, against_errant
from jobs import GECBENCH, Job, below, measure, table, tell
from measure import BenchmarkError, Cost, load, machine, run_once

import gecbench
from gecbench.backends.spacy import Description, describe
from gecbench.edits import maxmatch
from gecbench.lang.en import PIPELINE, alignment

UNCOMPILED = (
    "import gecbench.edits.maxmatch as m; m.compiled = None; from gecbench.cli import main; main()"
)
M2_LIMIT, SENTENCE_LIMIT, GLEU_LIMIT = 2.0, 0.2, 0.3
SLOWEST = 3
ROUNDS = 3
"""Least measurements within a process, which take next to no time."""

MISSING = (
    "errant is not installed beside this Python, so neither ERRANT nor gecbench's en-errant was "
    "measured; run: pip install 'gecbench[en]'"
)


@dataclass(frozen=True, slots=True)
class Files:
    """Everything that is read.

    Args:
        gold: M2 of the annotators.
        errant: Texts and pipeline; None where errant is not installed.
        systems: Outputs for the gold's sentences.
        jfleg: Sources, then their references.
        mucgec: Corpus and prediction.
    """

    gold: Path
    errant: Inputs | None
    systems: tuple[Path, ...]
    jfleg: tuple[Path, ...]
    mucgec: tuple[str, str]


def main() -> int:
    """Measure, print, and return the exit code."""
    arguments = _arguments()
    os.environ["OMP_NUM_THREADS"] = "1"
    if arguments.data:
        os.environ["GECBENCH_DATA_MIRROR"] = str(arguments.data.resolve())
    for setting in ("GECBENCH_PARSE_CACHE", "GECBENCH_SPACY_MODEL"):
        os.environ.pop(setting, None)  # a cache would be measured instead of the work
    try:
        pipeline = describe(arguments.spacy_model or PIPELINE)
        report = "\n".join(_report(_files(arguments, pipeline), pipeline, arguments.runs)) + "\n"
    except (BenchmarkError, gecbench.GecbenchError) as error:
        print(f"english.py: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    needed: dict[str, Any] = {"type": Path, "required": True}
    parser.add_argument("--gold", **needed, help="CoNLL-2014's M2 of both annotators")
    parser.add_argument("--source", **needed, help="its sentences, one a line")
    parser.add_argument(
        "--reference", **needed, action="append", help="their corrections, for ERRANT; repeatable"
    )
    parser.add_argument("--systems", **needed, help="folder with outputs (*.txt) for them")
    parser.add_argument("--alone", help="the system that is also measured alone (the first)")
    parser.add_argument("--jfleg", **needed, help="folder with dev.src and dev.ref0 to dev.ref3")
    parser.add_argument("--data", type=Path, help="folder with the data set mucgec")
    parser.add_argument("--spacy-model", help="folder or package (the one that gecbench brings)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each job (default: 5)")
    parser.add_argument("--out", type=Path, help="file to write the tables to, too")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error(f"--runs {arguments.runs} must be at least 1")
    return arguments


def _files(arguments: argparse.Namespace, pipeline: Description) -> Files:
    """Return the files to read.

    Raises:
        BenchmarkError: One is missing; names it.
    """
    systems = tuple(sorted(arguments.systems.glob("*.txt")))
    if not systems:
        raise BenchmarkError(f"{arguments.systems}: has no files that end in .txt")
    by_name = {path.stem: path for path in systems}
    alone = arguments.alone or systems[0].stem
    if alone not in by_name:
        raise BenchmarkError(f"--alone {alone}: not among {', '.join(by_name)}")
    texts = tuple(
        arguments.jfleg / f"dev.{name}" for name in ("src", "ref0", "ref1", "ref2", "ref3")
    )
    for path in (arguments.gold, arguments.source, *arguments.reference, *texts):
        if not path.is_file():
            raise BenchmarkError(f"{path}: no such file")
    corpus, prediction = (
        run_once((GECBENCH, "data", "where", "mucgec", file)).output.strip()
        for file in ("MuCGEC_dev.txt", "example_pred_dev.txt")
    )
    references = tuple(arguments.reference)
    errant = Inputs(
        arguments.source, references, systems, by_name[alone], pipeline.folder.resolve()
    )
    return Files(
        gold=arguments.gold,
        errant=errant if find_spec("errant") else None,
        systems=systems,
        jfleg=texts,
        mucgec=(corpus, prediction),
    )


def _report(files: Files, pipeline: Description, runs: int) -> Iterator[str]:
    """Yield the lines of the report."""
    before, content = load(), pipeline.digest
    with TemporaryDirectory() as scratch:
        body = list(_sections(files, Path(scratch), runs))
    if describe(pipeline.folder).digest != content:
        raise BenchmarkError(f"{pipeline.folder}: the pipeline was changed while it was measured")
    yield f"Machine: {machine()}."
    compiled = "compiled" if maxmatch.compiled else "python"
    kernels = f"MaxMatch kernel {compiled}, ERRANT alignment kernel {alignment.kernel_name()}"
    versions = (f"{name} {_version(name)}" for name in ("errant", "spacy", "numpy"))
    yield f"gecbench {gecbench.__version__}, {kernels}; {', '.join(versions)}; pipeline {pipeline}."
    yield f"Load average {before} at the start, {load()} at the end."
    yield from body


def _version(package: str) -> str:
    return version(package) if find_spec(package) else "missing"


def _sections(files: Files, scratch: Path, runs: int) -> Iterator[str]:
    yield from ("", "### MaxMatch and GLEU", "")
    yield from table(_maxmatch(files, runs))
    yield from ("", "### ERRANT", "")
    if files.errant:
        yield from against_errant(files.errant, scratch, runs)
    else:
        tell(MISSING)
        yield MISSING
    yield from ("", "### Confidence intervals", "")
    yield from _intervals(files, scratch, runs)
    # Last, because from here on this process is larger than those whose memory is measured.
    yield from ("", "### Within one process", "")
    yield from _inside(files, max(runs, ROUNDS))


def _maxmatch(files: Files, runs: int) -> dict[Job, Cost]:
    """Return what MaxMatch costs, without its kernel for the slowest systems, and GLEU."""

    def score(*systems: Path) -> tuple[str, ...]:
        return ("score", str(files.gold), *map(str, systems), "--metric", "m2")

    single = {
        path: Job(f"m2, {path.stem}", (GECBENCH, *score(path)), M2_LIMIT) for path in files.systems
    }
    many = Job(f"m2, {len(files.systems)} systems at once", (GECBENCH, *score(*files.systems)))
    gleu = Job("gleu, JFLEG dev, 4 references, 500 iterations", (GECBENCH, *_gleu(files)))
    costs = measure((*single.values(), many, gleu), runs)
    if not maxmatch.compiled:
        return costs
    slowest = sorted(single, key=lambda path: -costs[single[path]].cpu)[:SLOWEST]
    python = (sys.executable, "-c", UNCOMPILED)
    slow = {path: Job(f"m2, {path.stem}, no compiler", (*python, *score(path))) for path in slowest}
    costs |= measure(tuple(slow.values()), runs)
    for path, job in slow.items():
        if costs[job].runs[-1].output != costs[single[path]].runs[-1].output:
            raise BenchmarkError(f"{path}: the kernels of MaxMatch do not agree")
    return costs


def _gleu(files: Files) -> tuple[str, ...]:
    source, *references = files.jfleg
    named = (word for file in references for word in ("--reference", str(file)))
    return ("score", str(source), *named, f"unchanged={source}", "--metric", "gleu")


def _intervals(files: Files, scratch: Path, runs: int) -> Iterator[str]:
    """Yield what --ci adds to each metric, for one system."""
    number = len(files.systems)
    systems = tuple(map(str, files.systems))
    kinds = {
        f"m2, {number} systems": (("score", str(files.gold), *systems, "--metric", "m2"), number),
        "gleu, JFLEG dev": (_gleu(files), 1),
        "char-bleu, MuCGEC dev": (("score", *files.mucgec, "--metric", "char-bleu"), 1),
    }
    if files.errant:
        cache = ("--parse-cache", str(scratch / "parses of all"))
        command = (*files.errant.score(*files.systems), *cache)
        kinds = {f"errant, {number} systems, all parses kept": (command, number), **kinds}
    pairs = {
        name: (Job(name, (GECBENCH, *command)), Job(f"{name}, --ci", (GECBENCH, *command, "--ci")))
        for name, (command, _) in kinds.items()
    }
    costs = measure([job for pair in pairs.values() for job in pair], runs)
    yield "| job, CPU s | without | with --ci | more for each system |"
    yield "|---|--:|--:|--:|"
    for name, (plain, added) in pairs.items():
        without, within = costs[plain].cpu, costs[added].cpu
        more = (within - without) / kinds[name][1]
        yield f"| {name} | {without:.3f} | {within:.3f} | {more:.3f} |"


def _inside(files: Files, rounds: int) -> Iterator[str]:
    tell("within one process: MaxMatch")
    *longest, other = inside.maxmatch(files.gold, files.systems, rounds)
    tell("within one process: GLEU")
    seconds = inside.gleu(files.jfleg[0], files.jfleg[1:], rounds)
    yield "| job | slowest system | CPU s | target |"
    yield "|---|---|--:|---|"
    for sentence in (*longest, other):
        which = "slowest of all others" if sentence is other else "one of the longest"
        job = f"m2 of sentence {sentence.id}, {sentence.tokens} words, {which}"
        verdict = below(sentence.seconds, SENTENCE_LIMIT)
        yield f"| {job} | {sentence.system} | {sentence.seconds:.4f} | {verdict} |"
    yield f"| gleu of JFLEG dev | unchanged | {seconds:.4f} | {below(seconds, GLEU_LIMIT)} |"


if __name__ == "__main__":
    sys.exit(main())
