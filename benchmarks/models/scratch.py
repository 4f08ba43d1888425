"""Measures the baselines from scratch: training, and correcting, in sentences a second of CPU time.

    python benchmarks/models/scratch.py --texts MuCGEC_dev.txt --batch 32 --steps 2

Sizes are those of the recipes (512 dimensions, 50,000 words); weights are random, so that answers
are of any length: the search is given as many steps as a source of the same length would take.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from made import sentences

from gecbench.formats.validation import convert
from gecbench.models.batches import SentencePair
from gecbench.models.scratch.encoding import SPECIALS
from gecbench.models.scratch.model import BeamSearch
from gecbench.models.scratch.network import EncoderDecoder
from gecbench.models.scratch.training import KIND, ScratchTask
from gecbench.models.seq2seq.corrector import Decoding

ROWS = 50_004


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--texts", type=Path, help="A corpus; else the bundled sentences.")
    parser.add_argument("--units", default="words", choices=["words", "characters"])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    texts = [text[:100] for text in sentences(arguments.texts, arguments.batch * arguments.steps)]
    print(f"{len(texts)} sentences, units {arguments.units}, {arguments.threads} threads\n")
    print("| architecture | parameters | training | correcting, beams 5 |")
    print("|---|---:|---:|---:|")
    for architecture in ("convolutional", "recurrent", "transformer"):
        task = _task(architecture, arguments.units, texts)
        size = sum(parameter.numel() for parameter in task.module.parameters()) / 1e6
        trained, corrected = _training(task, texts, arguments.batch), _correcting(task, texts)
        print(f"| {architecture} | {size:.0f} M | {trained:.1f} | {corrected:.2f} |")


def _task(architecture: str, units: str, texts: list[str]) -> ScratchTask:
    """Return a task whose network has the rows of a large corpus."""
    table = {
        "kind": "scratch",
        "name": "bench",
        "language": "zh",
        "model": {"architecture": architecture, "units": units, "max_length": 200},
    }
    config = convert("bench", table, KIND.config)
    task = KIND.build(config, [SentencePair(text, text) for text in texts], None)
    object.__setattr__(task._model, "network", EncoderDecoder(config.model.shape(ROWS)))
    return task


def _training(task: ScratchTask, texts: list[str], size: int) -> float:
    """Return sentences a second of CPU time, the step of Adam included."""
    examples = sorted(
        task.prepare([SentencePair(text, text) for text in texts]).examples, key=task.length
    )
    batches = [task.collate(examples[k : k + size]) for k in range(0, len(examples), size)]
    adam = torch.optim.AdamW(task.module.parameters(), lr=1e-3)
    task.module.train()
    started = 0.0
    for k, batch in enumerate([batches[0], *batches]):
        if k == 1:  # the first has warmed up
            started = time.process_time()
        (task.loss(task.module, batch) / task.weight(batch)).backward()
        adam.step()
        adam.zero_grad()
    return len(examples) / (time.process_time() - started)


def _correcting(task: ScratchTask, texts: list[str]) -> float:
    """Return sentences a second of CPU time, of a search that takes a step for each unit."""
    encoding = task._model.encoding
    sources = sorted((encoding.source(text).ids for text in texts), key=len)
    with torch.no_grad():
        task.module.embedding.weight[SPECIALS.end] = 0  # hardly ever said
    search = BeamSearch(task.module, SPECIALS, Decoding())
    started = time.process_time()
    for k in range(0, len(sources), 32):
        part = sources[k : k + 32]
        search.answers(part, len(part[-1]))
    return len(sources) / (time.process_time() - started)


if __name__ == "__main__":
    main()
