"""Pairs for tiny encoder-decoders, and a plain loop, enough to learn them by heart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.formats.validation import convert
from gecbench.models.batches import SentencePair

if TYPE_CHECKING:
    from gecbench.models.seq2seq.training import Seq2SeqTask

ZH_PAIRS = (
    ("我今天很高心。", "我今天很高兴。"),
    ("他们因该去打蓝球！", "他们应该去打篮球！"),
    ("我明天要去学交。", "我明天要去学校。"),
    ("这个问题很重要的。", "这个问题很重要。"),
    ("他昨天在图书馆看。", "他昨天在图书馆看书。"),
    ("我喜欢 iphone 手几。", "我喜欢 iphone 手机。"),
    ("天气很好。", "天气很好。"),
    ("我们在一起了吃饭。", "我们在一起吃饭了。"),
)
EN_PAIRS = (
    ("He go to school every day .", "He goes to school every day ."),
    ("She like apple .", "She likes apples ."),
    ("I am agree with you .", "I agree with you ."),
    ("They was at home .", "They were at home ."),
    ("We discussed about it .", "We discussed it ."),
    ("It depends of the weather .", "It depends on the weather ."),
    ("This is right .", "This is right ."),
    ("I look forward to see you .", "I look forward to seeing you ."),
)


def task_of(
    place: Path,
    pairs: Sequence[tuple[str, str]],
    language: str,
    folder: Path | None = None,
    **model,
) -> Seq2SeqTask:
    """Return a task as a configuration file would make it."""
    from gecbench.models.seq2seq.training import KIND

    tables = {
        "kind": "seq2seq",
        "name": "tiny",
        "language": language,
        "model": {"place": str(place), "label_smoothing": 0.0, **model},
    }
    config = convert("tiny.toml", tables, KIND.config)
    return KIND.build(config, [SentencePair(*pair) for pair in pairs], folder)


def overfit(
    task: Seq2SeqTask, pairs: Sequence[tuple[str, str]], rate: float = 3e-3, steps: int = 300
) -> None:
    """Train until the loss of a token is tiny, and stop there: another step may lead away."""
    import torch

    torch.manual_seed(1)
    batch = task.collate(task.prepare([SentencePair(*pair) for pair in pairs]).examples)
    adam = torch.optim.Adam(task.module.parameters(), lr=rate)
    task.module.train()
    for _ in range(steps):
        adam.zero_grad()
        loss = task.loss(task.module, batch) / task.weight(batch)
        if float(loss.detach()) < 0.005:
            return
        loss.backward()
        torch.nn.utils.clip_grad_norm_(task.module.parameters(), 1.0)
        adam.step()
    raise AssertionError(f"the loss of a token is still {float(loss.detach()):.3f}")
