"""A tiny parser, trained once for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny_syntax import parser_run

os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny networks are slower with several threads, and the last bits depend on them."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def trained_parser(common: Path, once: Callable[..., object]) -> Path:
    """The folder of a parser that knows its trees by heart."""
    return Path(str(once("tiny parser", lambda: str(parser_run(common / "tiny-parser")))))
