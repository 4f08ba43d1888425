"""Tiny networks from scratch that know their eight pairs by heart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny_scratch import ARCHITECTURES, task_of
from tiny_seq2seq import ZH_PAIRS, overfit


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny networks are slower with several threads, and the last bits depend on them."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def model_folders(common: Path, once: Callable[..., object]) -> dict[str, Path]:
    """Folders of models of characters, by their architecture."""

    def train() -> dict[str, Path]:
        result = {}
        for architecture in ARCHITECTURES:
            task = task_of(architecture, ZH_PAIRS)
            overfit(task, ZH_PAIRS, 1e-2)
            result[architecture] = common / f"{architecture}-trained"
            result[architecture].mkdir()
            task.save(result[architecture], {"data": "eight pairs"})
        return result

    return once("trained networks from scratch", train)
