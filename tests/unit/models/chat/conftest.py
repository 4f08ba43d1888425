"""Correctors that ask a scripted server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import Scripted

from gecbench.models import load_corrector


@pytest.fixture
def chat(server: Scripted, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Make correctors that ask the scripted server, with a cache of the test's own."""
    result = []

    def make(**options: object) -> Any:
        pairs = {
            "prompt": "zh-minimal",
            "cache": str(tmp_path / "cache"),
            "backoff": 0.01,
            "retries": 2,
            **options,
        }
        result.append(load_corrector(f"chat:tiny@{server.url}", pairs))
        return result[-1]

    yield make
    for corrector in result:
        corrector.close()
