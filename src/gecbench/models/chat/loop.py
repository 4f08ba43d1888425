"""An event loop in a thread of its own: asynchronous work behind a plain call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopThread:
    """Runs coroutines for callers that are none, also inside a running loop, as in a notebook."""

    def __init__(self) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chat", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return what a coroutine returns, or raise what it raises.

        Ctrl-C stops it in order: its calls are cancelled and its cleaning up is waited for.
        """
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            if not future.done():
                self._settle()
            raise

    @property
    def closed(self) -> bool:
        """Whether it has been stopped."""
        return self._loop.is_closed()

    def close(self) -> None:
        """Stop the thread; what still runs is cancelled."""
        if self.closed:
            return
        self._settle()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _settle(self) -> None:
        """Cancel all that runs and wait until it has ended."""
        asyncio.run_coroutine_threadsafe(_cancelled(), self._loop).result()


async def _cancelled() -> None:
    """Cancel all tasks of the running loop but this one."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
