"""Notices when this machine's clock was set, or stood still: then no lease is over yet.

Leases end by the wall clock. Where it is put forward by a day, or the machine slept, all of them
would look over at once, and nobody had a chance to show a sign of life. So the wall clock is held
against one that only runs, and after a jump a while passes before anything expires.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

JUMP = 120.0
"""Seconds by which the clocks may differ between two looks; time servers nudge by less."""


class Watch:
    """Compares two clocks from one look to the next."""

    def __init__(
        self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin to watch."""
        self._wall, self._steady = wall, steady
        self._seen = (wall(), steady())
        self._jumped_at: float | None = None

    def jumped_within(self, seconds: float) -> bool:
        """Return whether the wall clock jumped, or this process slept, less than that ago."""
        wall, steady = self._wall(), self._steady()
        if abs((wall - self._seen[0]) - (steady - self._seen[1])) > JUMP:
            self._jumped_at = steady
        self._seen = (wall, steady)
        return self._jumped_at is not None and steady - self._jumped_at < seconds


@cache
def watch() -> Watch:
    """Return the watch of this process."""
    return Watch()


watch()  # from the start: a jump before the first look is one, too
