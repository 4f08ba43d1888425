r"""A Ray cluster of three nodes on this machine, against one process and two.

    python benchmarks/cluster.py --chinese MuCGEC_dev.txt --system example_pred_dev.txt \
        --english fce.gold --times 10

The texts are repeated with a number before each sentence, so that no two are the same.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

from jobs import GECBENCH, tell
from measure import run_once
from ray.cluster_utils import Cluster

TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure each command in turn, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--chinese", "--system", "--english"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--only", default="", help="commands that begin so")
    options = parser.parse_args()
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=1)
    meter = Meter()
    meter.start()
    cluster.add_node(num_cpus=1)
    print("| command | engine | sentences | wall s | CPU s, the command | CPU s, its workers |")
    print("|---|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = {
            "score zh-char": f"score {folder}/zh.tsv {folder}/sys.tsv --lang zh --scheme zh-char",
            "edits en-errant": f"edits {folder}/en.m2 --scheme en-errant --to m2",
            "corrupt zh-default": f"corrupt {folder}/zh.txt --lang zh --to jsonl --overwrite",
            "correct zh-homophone": f"correct zh-homophone {folder}/zh.txt --to lines --restart",
        }
        for times in (1, options.times):
            sizes = write_texts(folder, options, times)
            for what, line in commands.items():
                for engine in ("--jobs 1", "--jobs 2", f"--engine ray --address {cluster.address}"):
                    if not what.startswith(options.only):
                        continue
                    tell(f"{what} {engine}")
                    before = meter.look()
                    words = (*line.split(), *engine.split(), "-o", f"{folder}/out.{what[:3]}")
                    run = run_once((GECBENCH, *words))
                    workers = meter.look() - before
                    cells = (
                        *(what, engine.partition(" --address")[0]),
                        *(f"{sizes['en' if 'en-' in what else 'zh']:,}", f"{run.wall:.1f}"),
                        *(f"{run.cpu:.1f}", f"{workers:.1f}"),
                    )
                    print(f"| {' | '.join(cells)} |", flush=True)
    cluster.shutdown()


def write_texts(folder: Path, options: argparse.Namespace, times: int) -> dict[str, int]:
    """Write the texts, and return how many sentences they have, by language."""
    references = options.chinese.read_text("utf-8").splitlines()
    outputs = options.system.read_text("utf-8").splitlines()
    rows = list(zip(references, outputs, strict=True)) * times
    with (
        (folder / "zh.tsv").open("w") as corpus,
        (folder / "sys.tsv").open("w") as system,
        (folder / "zh.txt").open("w") as plain,
    ):
        for number, (reference, output) in enumerate(rows, 1):
            mark = f"第{number}，"
            for file, row in ((corpus, reference), (system, output)):
                texts = row.split("\t")[1:]
                file.write("\t".join([str(number), *(mark + text for text in texts)]) + "\n")
            plain.write(mark + reference.split("\t")[-1] + "\n")
    blocks = [b for b in options.english.read_text("utf-8").split("\n\n") if b.strip()]
    english = list(numbered(blocks * max(1, times // 5)))
    (folder / "en.m2").write_text("".join(english))
    return {"zh": len(rows), "en": len(english)}


def numbered(blocks: list[str]) -> Iterator[str]:
    """Yield sentences of M2 with a number at their end, where no edit is shifted by it."""
    for number, block in enumerate(blocks, 1):
        source, newline, edits = block.strip("\n").partition("\n")
        yield f"{source} {number}{newline}{edits}\n\n"


class Meter(Thread):
    """Looks ten times a second at the CPU of Ray's workers.

    Ray does not wait for them, so that the kernel adds theirs to nobody's.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seconds: dict[str, float] = {}

    def run(self) -> None:
        """Look for ever."""
        while True:
            self.look()
            time.sleep(0.1)

    def look(self) -> float:
        """Look once, and return the sum of all that were ever seen."""
        parents: dict[str, str] = {}
        seconds: dict[str, float] = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                name = (process / "cmdline").read_bytes()
                fields = (process / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            parents[process.name] = fields[1]
            if name.startswith(b"ray::") and b"Agent" not in name:
                seconds[process.name] = (int(fields[11]) + int(fields[12])) / TICKS
        for worker, used in seconds.items():
            if parents.get(parents[worker]) == str(os.getpid()):  # Ray's own process is between
                self.seconds[worker] = used
        return sum(self.seconds.values())


if __name__ == "__main__":
    sys.exit(main())
