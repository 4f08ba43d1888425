"""How many calls a minute a server allows, and how many tokens."""

from __future__ import annotations

import pytest
from event_loops import run as run_in_thread
from hypothesis import given
from hypothesis import strategies as st

from gecbench.chat.calls import Rates


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


CALLS = st.lists(st.tuples(st.floats(0, 30), st.integers(0, 50)), max_size=40)


@given(calls=CALLS, requests=st.integers(0, 5), tokens=st.integers(0, 100))
def test_no_minute_holds_more_than_is_allowed(
    calls: list[tuple[float, int]], requests: int, tokens: int
) -> None:
    clock = Clock()
    rates = Rates(requests, tokens, clock=clock, sleep=clock.sleep)
    went: list[tuple[float, int]] = []

    async def run() -> None:
        for gap, used in calls:
            clock.now += gap
            await rates.admit(used)
            went.append((clock.now, used))

    run_in_thread(run())
    assert len(went) == len(calls)
    for when, _ in went:
        minute = [used for at, used in went if when - 59.999 < at <= when]
        assert not requests or len(minute) <= requests
        assert not tokens or sum(minute) <= tokens or len([u for u in minute if u]) == 1
    if not requests and not tokens:
        assert clock.now == pytest.approx(1000 + sum(gap for gap, _ in calls))


def test_true_numbers_take_the_place_of_expected_ones_and_a_pause_is_for_all() -> None:
    clock = Clock()
    rates = Rates(0, 100, clock=clock, sleep=clock.sleep)

    async def run() -> None:
        entry = await rates.admit(90)
        rates.settle(entry, 10)
        await rates.admit(90)
        assert clock.now == 1000
        rates.hold(7)
        await rates.admit(0)
        assert clock.now == 1007
        await rates.admit(50)
        assert clock.now == 1060

    run_in_thread(run())
