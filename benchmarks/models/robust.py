"""Measures robust training: pairs per second beside plain training, and the divergence's memory.

    python benchmarks/models/robust.py speed --layers 12 --batch 32 --steps 8
    python benchmarks/models/robust.py speed --kind seq2seq --layers 6 --batch 16 --steps 4
    python benchmarks/models/robust.py memory --batches 4 8 16 32

Speed: the same network learns once from pairs and once from pairs of contexts, in batches of as
many sentences. A pair of contexts is two passes, so half the pairs per second would be perfect. On
a CPU the seconds are those of the CPU, of all threads, since others may use the machine as well.

Memory: forward and backward of the divergence on logits of a vocabulary of 50,000, every measure in
a process of its own. Logits and their gradient are there in any training; counted is what comes on
top of these two. "plain" is what one would write first: log-softmax of everything, then the places.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import torch

WORDS = 50_000


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["speed", "memory"])
    parser.add_argument("--texts", type=Path, help="A corpus; else the bundled sentences.")
    parser.add_argument("--kind", choices=["tagger", "seq2seq"], default="tagger")
    parser.add_argument("--layers", type=int, default=12, help="On each side, of seq2seq.")
    parser.add_argument("--width", type=int, default=768, help="Of seq2seq.")
    parser.add_argument("--words", type=int, default=21_128, help="In its vocabulary.")
    parser.add_argument("--batch", type=int, default=32, help="Sentences in a batch.")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--scratch", type=Path, default=Path("bench-models"))
    parser.add_argument(
        "--batches", type=int, nargs="+", default=[2, 4, 8], help="In context pairs."
    )
    parser.add_argument("--length", type=int, default=32, help="Positions of a sentence.")
    parser.add_argument("--share", type=float, default=0.8, help="Of places that match.")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    (speed if arguments.what == "speed" else memory)(arguments)


def speed(arguments: argparse.Namespace) -> None:
    """Print pairs per second, plain and robust."""
    from made import sentences, seq2seq_task, task

    from gecbench.models.batches import ContextPair, SentencePair
    from gecbench.models.robust.task import RobustTask
    from gecbench.models.training.config import RobustTable

    arguments.scratch.mkdir(parents=True, exist_ok=True)
    texts = [t for t in sentences(arguments.texts, arguments.batch * arguments.steps) if len(t) > 9]
    pairs = [SentencePair(text, text[:3] + text[4:]) for text in texts]
    others = [SentencePair(f"{s[:-3]}好{s[-2:]}", f"{t[:-3]}好{t[-2:]}") for s, t, _ in pairs]
    if arguments.kind == "tagger":
        plain_task = task(arguments.scratch, arguments.layers, pairs)
    else:
        shape = {"width": arguments.width, "words": arguments.words}
        plain_task = seq2seq_task(arguments.scratch, arguments.layers, **shape)
    robust = {
        alpha: RobustTask(plain_task, RobustTable(cases=("x",), alpha=alpha))
        for alpha in (0.0, 1.0)
    }
    context_pairs = [ContextPair(*pair) for pair in zip(pairs, others, strict=True)]
    rows = [
        (
            "plain",
            _pairs_per_second(
                plain_task, plain_task.prepare(pairs).examples, arguments.batch, arguments
            ),
        )
    ]
    for alpha, learner in robust.items():
        examples = learner.prepare(context_pairs).examples
        rate = _pairs_per_second(learner, examples, arguments.batch // 2, arguments)
        rows.append((f"robust, alpha {alpha:g}", rate))
    print(f"{len(pairs)} pairs, {arguments.batch} sentences a batch, {arguments.threads} threads\n")
    print("| training | pairs/s | share of plain |\n|---|---:|---:|")
    for name, rate in rows:
        print(f"| {name} | {rate:.2f} | {rate / rows[0][1]:.1%} |")


def _pairs_per_second(
    task: object, examples: list, size: int, arguments: argparse.Namespace
) -> float:
    """Return how fast one epoch of gecbench's own loop is."""
    from epochs import configuration, seconds_of

    config = configuration({"batch_size": size, "learning_rate": 1e-6, "log_every": 1_000_000})
    cpu = arguments.device == "cpu"
    clock = time.process_time if cpu else time.perf_counter
    seconds = 0.0
    for part in (examples[: 2 * size], examples):  # the first warms up
        seconds = seconds_of(task, part, config, cpu=cpu, clock=clock)
    return len(examples) / seconds


def memory(arguments: argparse.Namespace) -> None:
    """Print the peak memory of the divergence, in several ways, at growing batches."""
    ways = ("gecbench", "gathered, recorded", "plain")
    print(
        f"{WORDS:,} words, {arguments.length} positions, {arguments.share:.0%} match,"
        f" {arguments.device}\n"
    )
    print("| pairs | logits, MB | " + " | ".join(f"{way}, MB on top" for way in ways) + " |")
    print("|---:" * (2 + len(ways)) + "|")
    for batch in arguments.batches:
        logits = 2 * batch * arguments.length * WORDS * 4 / 1e6
        tops = [_apart(way, batch, arguments) for way in ways]
        print(f"| {batch} | {logits:,.0f} | " + " | ".join(f"{top:,.0f}" for top in tops) + " |")


def _apart(way: str, batch: int, options: argparse.Namespace) -> float:
    """Return the megabytes that a way takes beyond logits and gradient, in its own process."""
    arguments = (way, batch, options.length, options.share, options.device)
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, arguments)


def _peak(way: str, batch: int, length: int, share: float, device: str) -> float:
    from gecbench.models.robust.task import divergence

    def ours(logits: torch.Tensor, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return divergence(logits[rows, places].view(2, -1, WORDS))

    def recorded(logits: torch.Tensor, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return _formula(*logits[rows, places].view(2, -1, WORDS).log_softmax(-1))

    def plain(logits: torch.Tensor, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return _formula(*logits.log_softmax(-1)[rows, places].view(2, -1, WORDS))

    ways: dict[str, Callable[..., torch.Tensor]]
    ways = {"gecbench": ours, "gathered, recorded": recorded, "plain": plain}
    torch.manual_seed(0)
    logits = torch.randn(2 * batch, length, WORDS, device=device).requires_grad_()
    logits.grad = torch.zeros_like(logits)  # as the likelihood leaves it
    chosen = torch.randperm(batch * length)[: int(share * batch * length)]
    rows, places = chosen // length, chosen % length
    rows, places = torch.cat((rows, rows + batch)).to(device), places.repeat(2).to(device)
    before = _held(device, reset=True)
    ways[way](logits, rows, places).backward()
    return (_held(device) - before) / 1e6


def _formula(log_p: torch.Tensor, log_q: torch.Tensor) -> torch.Tensor:
    return ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum() / 2


def _held(device: str, *, reset: bool = False) -> float:
    """Return the most bytes that were held until now, since the last reset where there is one."""
    if device == "cpu":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if reset:
        torch.cuda.reset_peak_memory_stats()
    return torch.cuda.max_memory_allocated()


if __name__ == "__main__":
    main()
