"""Calls that are made again until they succeed, within limits of rate, number and time."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from gecbench.backends.chat import ChatClient, Reply, Trouble
from gecbench.models.chat.costs import CostLog
from gecbench.models.chat.rates import Rates

_LONGEST_PAUSE = 60.0
_BYTES_A_TOKEN = 3


class Failed(Exception):  # noqa: N818 (one sentence without an answer; the run goes on)
    """No answer came, even after trying again.

    Args:
        why: In one line.
        reached: Whether a server answered at all.
    """

    def __init__(self, why: str, *, reached: bool) -> None:
        super().__init__(why)
        self.reached = reached


@dataclass(slots=True)
class Sender:
    """Sends questions to a server.

    Args:
        client: Of the server.
        rates: Shared by all questions.
        costs: Where each answer is noted.
        retries: How often a call that failed is made again.
        backoff: Seconds before the first of them; doubled each time, up to a minute, and
            shortened by up to a half at random so that callers do not come back together.
        deadline: Seconds for a question from its first call.
        questions: Under way at once, at most.
        chance: What is random.
    """

    client: ChatClient
    rates: Rates
    costs: CostLog
    retries: int
    backoff: float
    deadline: float
    questions: asyncio.Semaphore
    chance: random.Random = field(default_factory=random.Random)

    async def send(self, body: Mapping[str, object], expected: int, sentences: int = 1) -> Reply:
        """Return the answer to a question.

        Args:
            body: Of the call.
            expected: Tokens that the answer may take, for the limits.
            sentences: That it is about, for the log.

        Raises:
            Failed: No answer came.
            Unsuitable: The server does not take this text.
            ServerError: The server takes none.
        """
        expected += len(json.dumps(body, ensure_ascii=False).encode()) // _BYTES_A_TOKEN
        async with self.questions:
            entry = await self.rates.admit(expected)
            end = time.monotonic() + self.deadline
            for tried in range(1, self.retries + 2):
                try:
                    reply = await self._asked(body, end)
                except Trouble as trouble:
                    await self._pause(trouble, tried, end)
                    entry = await self.rates.admit(expected)
                else:
                    used = (reply.tokens_in, reply.tokens_out)
                    if used != (None, None):
                        self.rates.settle(entry, sum(n or 0 for n in used))
                    self.costs.add(reply, cached=False, sentences=sentences, tries=tried)
                    return reply
        raise AssertionError("the last try either returns or raises")

    async def _asked(self, body: Mapping[str, object], end: float) -> Reply:
        """Return the answer to one call that the deadline bounds, too."""
        try:
            async with asyncio.timeout(max(0.0, end - time.monotonic())):
                return await self.client.ask(body)
        except TimeoutError:
            raise Failed(
                f"no answer within {self.deadline:g} seconds in all", reached=True
            ) from None

    async def _pause(self, trouble: Trouble, tried: int, end: float) -> None:
        """Wait before a call is made again.

        Raises:
            Failed: It is not to be made again.
        """
        why = str(trouble)
        self.costs.totals.last_trouble = why
        if tried > self.retries:
            times = f"; tried {tried} times" if tried > 1 else ""
            raise Failed(f"{why}{times}", reached=trouble.reached)
        pause = min(self.backoff * 2 ** (tried - 1), _LONGEST_PAUSE) * self.chance.uniform(0.5, 1)
        if trouble.retry_after is not None:
            pause = max(pause, trouble.retry_after)
        if time.monotonic() + pause > end:
            raise Failed(
                f"{why}; trying again in {pause:.0f} seconds would pass the deadline of "
                f"{self.deadline:g} seconds",
                reached=trouble.reached,
            )
        if trouble.retry_after is not None:
            self.rates.hold(trouble.retry_after)
        self.costs.totals.retries += 1
        await asyncio.sleep(pause)
