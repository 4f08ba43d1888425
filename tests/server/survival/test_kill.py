"""Power cuts, as seen by people: kill -9 of all processes, again and again, while they work."""

from __future__ import annotations

import time

from server.survival.clients import Crowd
from server.survival.scenes import nothing_lost, scene

KILLS = 10
INTERVAL = 1.5


def test_ten_kills_under_load_lose_and_double_nothing_that_was_acknowledged(loaded):
    """INV-9, REV-11, section 5.2: submissions and decisions are stored once, or not at all."""
    annotators, reviewers = scene(loaded, 2000, annotators=8, reviewers=2, needed=2)
    crowd = Crowd(loaded)
    done = crowd.record
    with crowd.working(annotators, reviewers):
        for _ in range(KILLS):
            before = len(done.submissions)
            time.sleep(INTERVAL)
            crowd.wait_until(lambda before=before: len(done.submissions) > before)
            loaded.kill()
            loaded.start()
        crowd.wait_until(lambda: len(done.reviews) > KILLS / 2)
    assert done.retried >= KILLS, "nobody noticed: the server was not killed under load"
    nothing_lost(loaded, done)
