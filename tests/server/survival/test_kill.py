"""Power cuts, as seen by people: kill -9 of all processes, again and again, while they work."""

from __future__ import annotations

import time

from server.survival.clients import Crowd
from server.survival.scenes import nothing_lost, scene

KILLS = 10
INTERVAL = 1.5


def test_ten_kills_under_load_lose_and_double_nothing_that_was_acknowledged(loaded):
    """INV-9, REV-11, section 5.2: submissions and decisions are stored once, or not at all."""
    annotators, reviewers = scene(loaded, 3000, annotators=8, reviewers=2)
    crowd = Crowd(loaded)
    with crowd.working(annotators, reviewers):
        for _ in range(KILLS):
            time.sleep(INTERVAL)
            loaded.kill()
            loaded.start()
        time.sleep(INTERVAL)
    done = crowd.record
    assert done.retried >= KILLS, "nobody noticed: the server was not killed under load"
    assert len(done.submissions) > KILLS
    assert len(done.reviews) > KILLS / 2
    nothing_lost(loaded, done)
    print(f"{len(done.submissions)} submissions, {len(done.reviews)} reviews, {done.retried} again")
