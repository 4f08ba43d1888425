r"""Measures how much a command takes for a corpus of any size like MuCGEC's dev set.

    python benchmarks/million.py --corpus MuCGEC_dev.txt --system example_pred_dev.txt \
        --sentences 1000000 --folder FOLDER -- score CORPUS SYSTEM --scheme zh-char --jobs 2

Repeats the sentences; copy k begins each text with "k：", so that no two are the same. CORPUS and
SYSTEM in the command are the files made. Memory is the sum of PSS, sampled, of the command and its
processes (Linux).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from threading import Event, Thread

GECBENCH = (sys.executable, "-m", "gecbench")
SYSTEM_COLUMN = 2
"""Of the system's file: id, source, correction."""


def main() -> int:
    """Make the files, run the command, print what it cost, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--corpus", type=Path, required=True, help="MuCGEC_dev.txt")
    parser.add_argument("--system", type=Path, required=True, help="example_pred_dev.txt")
    parser.add_argument("--sentences", type=int, default=1_000_000, help="(default: %(default)s)")
    parser.add_argument("--folder", type=Path, required=True, help="where the files are made")
    parser.add_argument("--interval", type=float, default=0.25, help="seconds between samples")
    parser.add_argument("command", nargs="+", help="of gecbench, behind --")
    arguments = parser.parse_args()
    names = {
        "CORPUS": arguments.folder / f"corpus-{arguments.sentences}.tsv",
        "SYSTEM": arguments.folder / f"system-{arguments.sentences}.txt",
    }
    if not all(path.exists() for path in names.values()):
        arguments.folder.mkdir(parents=True, exist_ok=True)
        _make_files(arguments.corpus, arguments.system, arguments.sentences, *names.values())
    command = [*GECBENCH, *(str(names.get(word, word)) for word in arguments.command)]
    start, before = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    process = subprocess.Popen(command)
    done, peaks = Event(), {"pss": 0.0, "rss": 0.0, "largest": 0.0}
    sampler = Thread(target=_sample, args=(process.pid, arguments.interval, done, peaks))
    sampler.start()
    code = process.wait()
    done.set()
    sampler.join()
    after = getrusage(RUSAGE_CHILDREN)
    cost = {
        "sentences": arguments.sentences,
        "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "wall_s": round(time.perf_counter() - start, 1),
        **{f"peak_{name}_mb": round(peak) for name, peak in peaks.items()},
    }
    print(json.dumps(cost), file=sys.stderr)
    return code


def _make_files(corpus: Path, system: Path, count: int, new_corpus: Path, new_system: Path) -> None:
    """Write as many sentences, in MuCGEC's format, and what a system made of them, in lines."""
    rows = [line.split("\t")[1:] for line in corpus.read_text("utf-8").splitlines()]
    outputs = [line.split("\t")[SYSTEM_COLUMN] for line in system.read_text("utf-8").splitlines()]
    pairs = list(zip(rows, outputs, strict=True))
    with (
        new_corpus.open("w", encoding="utf-8") as texts,
        new_system.open("w", encoding="utf-8") as lines,
    ):
        copies = ((copy, *pair) for copy in range(count) for pair in pairs)
        for n, (copy, row, output) in enumerate(islice(copies, count), 1):
            cells = (text if text in _DECLARED else f"{copy}：{text}" for text in row)
            texts.write("\t".join([str(n), *cells]) + "\n")
            lines.write(f"{copy}：{output}\n")


_DECLARED = ("没有错误", "无法标注", "")
"""What stands in place of a reference."""


def _sample(pid: int, interval: float, done: Event, peaks: dict[str, float]) -> None:
    while not done.wait(interval):
        sizes = [_memory(process) for process in _tree(pid)]
        for name, values in zip(("pss", "rss"), zip(*sizes, strict=True), strict=False):
            peaks[name] = max(peaks[name], sum(values))
        peaks["largest"] = max([peaks["largest"], *(rss for _, rss in sizes)])


def _tree(pid: int) -> list[int]:
    """A process and those under it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return []
    return [pid, *(process for child in children for process in _tree(int(child)))]


def _memory(pid: int) -> tuple[float, float]:
    """PSS and RSS in megabytes; 0 of a process that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0.0, 0.0
    fields = {line.split(":")[0]: line.split()[1] for line in lines[1:]}
    return int(fields.get("Pss", 0)) * 1024 / 1e6, int(fields.get("Rss", 0)) * 1024 / 1e6


if __name__ == "__main__":
    sys.exit(main())
