"""Measures training: gecbench's loop against the bare forward and backward passes.

    python benchmarks/models/training.py --texts MuCGEC_dev.txt --layers 12 --steps 12

The bare passes go over batches of the same shapes that are put together beforehand: no optimizer,
no clipping, no shuffling, no checks. What the loop adds is the difference.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path

import torch
from epochs import configuration, seconds_of
from made import sentences, task

from gecbench.models.batches import SentencePair
from gecbench.models.training.loop import plan_epoch


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--texts", type=Path, help="A corpus; else the bundled sentences.")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--scratch", type=Path, default=Path("bench-models"))
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(arguments.threads)
    texts = sentences(arguments.texts, arguments.batch * arguments.steps)
    pairs = [SentencePair(text, text[:3] + text[4:]) for text in texts if len(text) > 6]
    learner = task(arguments.scratch, arguments.layers, pairs)
    examples = learner.prepare(pairs).examples
    config = configuration({"batch_size": arguments.batch, "log_every": 5})
    batches = plan_epoch([learner.length(example) for example in examples], config.training, 0)
    bare = _bare(learner, [learner.collate([examples[k] for k in places]) for places in batches])
    ours = seconds_of(learner, examples, config)
    taken = sum(max(learner.length(examples[k]) for k in b) * len(b) for b in batches)
    filled = sum(learner.length(example) for example in examples)
    print(f"{len(examples)} pairs, {len(batches)} batches, {arguments.threads} threads\n")
    print("| what | sentences/s | share |")
    print("|---|---:|---:|")
    print(f"| bare forward and backward | {len(examples) / bare:.2f} | 100% |")
    print(f"| gecbench's loop | {len(examples) / ours:.2f} | {bare / ours:.1%} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\npadding {1 - filled / taken:.1%}; peak memory of the process {peak:.2f} GB")


def _bare(learner: object, batches: list) -> float:
    """Return the seconds of the passes alone."""
    learner.freeze(cold=False)
    learner.module.train()
    started = 0.0
    for k, batch in enumerate([batches[0], *batches]):
        if k == 1:  # the first has warmed up
            started = time.perf_counter()
        (learner.loss(learner.module, batch) / learner.weight(batch)).backward()
        learner.module.zero_grad()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
