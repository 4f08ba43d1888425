"""Measures analyses and the report page; prints Markdown tables.

    python benchmarks/analysis.py --cases FOLDER --robust SYSTEM --gold conll14.gold
        --hypotheses systems.m2 --corpus dev.tsv --system output.tsv

It measures the gecbench that is installed beside the Python that runs it, whole processes, in CPU
seconds, user and system. All that computes has one thread. The large report is of a corpus that
is made here: the given one repeated, with systems that mix the given output, the sources and the
references sentence by sentence under a seed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jobs import GECBENCH, Job, measure, table, tell
from measure import BenchmarkError, load, machine

import gecbench
from gecbench import Corpus, Rewrite, Sample
from gecbench.core.seeding import number

PARSED, CACHED = 60.0, 5.0
SENTENCES, SYSTEMS = 7000, 15


def main() -> int:
    """Measure, print, and return the exit code."""
    arguments = _arguments()
    os.environ["OMP_NUM_THREADS"] = "1"
    if arguments.data:
        os.environ["GECBENCH_DATA_MIRROR"] = str(arguments.data.resolve())
    for setting in ("GECBENCH_PARSE_CACHE", "GECBENCH_SPACY_MODEL"):
        os.environ.pop(setting, None)  # a cache would be measured instead of the work
    before = load()
    try:
        with TemporaryDirectory() as folder:
            lines = list(_measured(arguments, Path(folder)))
    except (BenchmarkError, gecbench.GecbenchError) as error:
        print(f"analysis.py: {error}", file=sys.stderr)
        return 2
    head = [f"Machine: {machine()}.", f"Load average {before} at the start, {load()} at the end."]
    report = "\n".join([*head, "", *lines]) + "\n"
    sys.stdout.write(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    needed: dict[str, Any] = {"type": Path, "required": True}
    parser.add_argument("--cases", **needed, help="folder with subsets of RobustGEC")
    parser.add_argument("--robust", **needed, help="a system on them: folder, a file a subset")
    parser.add_argument("--gold", **needed, help="M2 with the reference of the difficulty job")
    parser.add_argument("--hypotheses", **needed, help="M2 with a system as each annotator")
    parser.add_argument("--corpus", **needed, help="Chinese corpus, as MuCGEC dev")
    parser.add_argument("--system", **needed, help="a system's output for it")
    parser.add_argument("--data", type=Path, help="folder with ChERRANT's resources, a mirror")
    parser.add_argument("--spacy-model", help="folder or package (the one that gecbench brings)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each job (default: 3)")
    parser.add_argument("--out", type=Path, help="file to write the tables to, too")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error(f"--runs {arguments.runs} must be at least 1")
    return arguments


def _measured(arguments: argparse.Namespace, folder: Path) -> Iterator[str]:
    """Yield the lines of the tables."""
    for path in (
        arguments.cases,
        arguments.robust,
        arguments.gold,
        arguments.hypotheses,
        arguments.corpus,
    ):
        if not path.exists():
            raise BenchmarkError(f"{path}: is not there")
    tell("making the large corpus")
    large = list(map(str, _large(arguments, folder)))
    page = folder / "large.html"
    small = ("report", str(arguments.corpus), str(arguments.system))
    jobs = [
        *_robustness(arguments, folder),
        Job(
            "difficulty, all systems of the M2",
            (
                *(GECBENCH, "analyse", "difficulty", str(arguments.gold)),
                *("--systems-in", str(arguments.hypotheses), "--format", "json"),
            ),
        ),
        Job(
            "compare, the system and the source, both tests",
            (
                *(GECBENCH, "compare", str(arguments.corpus), str(arguments.system), large[-1]),
                *("--test", "both", "--format", "json"),
            ),
        ),
        Job("report, one system", (GECBENCH, *small, "-o", str(folder / "small.html"))),
        Job(
            f"report, {SENTENCES:,} sentences, {SYSTEMS} systems",
            (GECBENCH, "report", *large[:-1], "-o", str(page)),
            most_runs=1,
        ),
    ]
    yield from table(measure(jobs, arguments.runs))
    sizes = {name: (folder / f"{name}.html").stat().st_size for name in ("small", "large")}
    yield ""
    for name, size in sizes.items():
        yield f"The {name} report is a file of {size / 1e6:.1f} MB."


def _robustness(arguments: argparse.Namespace, folder: Path) -> list[Job]:
    command = [GECBENCH, "analyse", "robustness", str(arguments.cases), str(arguments.robust)]
    command += ["--format", "json"]
    command += ["--spacy-model", arguments.spacy_model] if arguments.spacy_model else []
    cache = ("--parse-cache", str(folder / "parses"))
    return [
        Job("robustness, every sentence parsed", tuple(command), below=PARSED),
        Job("robustness, parses kept", (*command, *cache), below=CACHED),
    ]


def _large(arguments: argparse.Namespace, folder: Path) -> list[Path]:
    """Return the files of a large corpus and its systems; last the sources of the given one."""
    corpus = gecbench.load(arguments.corpus)
    output = gecbench.load_system(arguments.system, corpus)
    samples, rows = [], []
    for at in range(SENTENCES):
        sample = corpus.samples[at % len(corpus.samples)]
        samples.append(
            Sample(f"{sample.id}-{at // len(corpus.samples)}", sample.source, sample.references)
        )
        rows.append(_rows(sample, output.hypotheses[sample.id][0], at))
    path = folder / "large.jsonl"
    gecbench.save(Corpus("large", tuple(samples), corpus.lang or "zh"), path, format="jsonl")
    files = [path]
    for k in range(SYSTEMS):
        files.append(folder / f"system-{k + 1}.txt")
        files[-1].write_text("".join(f"{row[k]}\n" for row in rows), encoding="utf-8")
    files.append(folder / "source.txt")
    sources = "".join(f"{sample.source}\n" for sample in corpus.samples)
    files[-1].write_text(sources, encoding="utf-8")
    return files


def _rows(sample: Sample, output: Rewrite, at: int) -> list[str]:
    """Return what each made system writes for one sentence."""
    texts = [sample.source, output.text or sample.source]
    texts += [reference.text for reference in sample.references if reference.text]
    stream = random.Random(number(0, f"large report {at}"))
    return [stream.choice(texts) for _ in range(SYSTEMS)]


if __name__ == "__main__":
    sys.exit(main())
