"""Coroutines in tests: a browser's driver may hold an event loop in the thread of the tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Value = TypeVar("Value")


def run(coroutine: Coroutine[None, None, Value]) -> Value:
    """Run a coroutine to its end in a thread, and so in a loop, of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
