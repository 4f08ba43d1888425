"""Rate limits: how many requests and tokens go out in any minute."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

_MINUTE = 60.0


class Rates:
    """Lets callers through so that no minute holds more than is allowed.

    Args:
        requests: In any 60 seconds; 0 does not limit.
        tokens: In any 60 seconds; 0 does not limit. One call that needs more alone is let
            through when nothing else is under way in its minute.
        clock: Seconds that never go back.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        requests: int = 0,
        tokens: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Start with an empty minute."""
        self._requests, self._tokens = requests, tokens
        self._clock, self._sleep = clock, sleep
        self._past: deque[list[float]] = deque()
        self._closed_until = 0.0
        self._turn = asyncio.Lock()

    async def admit(self, tokens: int) -> list[float]:
        """Wait until a call may go out; first come, first served.

        Args:
            tokens: That the call is expected to take, in and out.

        Returns:
            What `settle` needs to put the true number in the place of the expected one.
        """
        async with self._turn:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(wait)
            entry = [self._clock(), float(tokens)]
            self._past.append(entry)
            return entry

    def settle(self, entry: list[float], tokens: int) -> None:
        """Say how many tokens an admitted call really took."""
        entry[1] = float(tokens)

    def hold(self, seconds: float) -> None:
        """Let nobody through for so long: the server has asked for it."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _wait(self, tokens: int) -> float:
        """Return for how many seconds a call must wait; 0 or less where it may go."""
        now = self._clock()
        while self._past and self._past[0][0] <= now - _MINUTE:
            self._past.popleft()
        wait = self._closed_until - now
        if self._requests and len(self._past) >= self._requests:
            wait = max(wait, self._past[-self._requests][0] + _MINUTE - now)
        if self._tokens and self._past:
            spare = self._tokens - tokens - sum(used for _, used in self._past)
            for when, used in self._past:
                if spare >= 0:
                    break
                wait = max(wait, when + _MINUTE - now)
                spare += used
        return wait
