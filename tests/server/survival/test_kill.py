"""Power cuts, as seen by people: kill -9 of all processes, again and again, while they work."""

from __future__ import annotations

import time
from operator import gt

from server.survival.clients import Crowd
from server.survival.conftest import database_of
from server.survival.scenes import nothing_lost, scene

KILLS = {"sqlite": 5, "postgresql": 3}
STEP = 0.1
"""Seconds by which each kill comes later after new work than the one before it."""


def test_kills_under_load_lose_and_double_nothing_that_was_acknowledged(loaded):
    """INV-9, REV-11, section 5.2: submissions and decisions are stored once, or not at all.

    Sentences are corrected in one project, and perturbed in the other.
    """
    kills = KILLS["postgresql" if database_of(loaded) else "sqlite"]
    correcting = scene(loaded, 200 * kills, annotators=6, reviewers=2, needed=2)
    perturbing = scene(
        loaded, 100 * kills, slug="two", annotators=4, reviewers=1, needed=2, perturb=True
    )
    crowds = first, second = Crowd(loaded), Crowd(loaded, "two")

    def submitted() -> list[int]:
        return [len(crowd.record.submissions) for crowd in crowds]

    with first.working(*correcting), second.working(*perturbing):
        for n in range(kills):
            before = submitted()
            first.wait_until(lambda before=before: all(map(gt, submitted(), before)))
            time.sleep(n * STEP)
            loaded.kill()
            loaded.start()
        first.wait_until(lambda: min(len(crowd.record.reviews) for crowd in crowds) > kills / 2)
    noticed = min(crowd.record.retried for crowd in crowds)
    assert noticed >= kills, "nobody noticed: the server was not killed under load"
    nothing_lost(loaded, first.record, second.record)
