"""A tiny base, what LoRA has learnt on it from eight pairs, and the two merged: made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gecbench.models.batches import SentencePair

from .tiny_causal import tiny_causal

PAIRS = (
    SentencePair("我高心", "我高兴"),
    SentencePair("他门来", "他们来"),
    SentencePair("在见", "再见"),
    SentencePair("因该去", "应该去"),
    SentencePair("好天", "好天"),
    SentencePair("蓝球", "篮球"),
    SentencePair("她会说", "她会说"),
    SentencePair("以经", "已经"),
)


@pytest.fixture(scope="session", autouse=True)
def offline() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


def configured(base: Path, **table: object) -> Any:
    """Return a configuration that trains on a base."""
    from gecbench.models.causal.training import CausalConfig, CausalOptions, CausalTable

    pairs = {
        "rank": 16,
        "alpha": 32,
        "dropout": 0.0,
        # Of two characters one is half of them.
        "correcting": CausalOptions(most_changed=1.0),
        **table,
    }
    return CausalConfig(
        kind="causal", name="tiny", language="zh", model=CausalTable(base=str(base), **pairs)
    )


class Trained(NamedTuple):
    """What training has made."""

    base: Path
    adapter: Path
    merged: Path
    task: Any


def overfit(task: Any, steps: int) -> None:
    """Learn the pairs by heart, in a plain loop."""
    import torch

    batch = task.collate(task.prepare(PAIRS).examples)
    learning = [parameter for parameter in task.module.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=0.005)
    task.module.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss = task.loss(task.module, batch) / task.weight(batch)
        if loss.item() < 0.05:
            break
        loss.backward()
        optimizer.step()


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    from gecbench.models.causal.loading import merge
    from gecbench.models.causal.training import build

    folder = tmp_path_factory.mktemp("causal")
    base = tiny_causal(folder / "base", chat=True)
    task = build(configured(base), PAIRS, None)
    overfit(task, 250)
    (folder / "adapter").mkdir()
    task.save(folder / "adapter", {"seed": 1})
    merge(folder / "adapter", folder / "merged")
    return Trained(base, folder / "adapter", folder / "merged", task)
