"""The state machine on both databases: no history of a team breaks an invariant."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import ClassVar
from uuid import uuid4

import pytest
from django.db import connection
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from server.conftest import administer, postgresql, sqlite, use
from server.workflow.machine import Team

HISTORIES = {"sqlite": 12, "postgresql": 2}
STEPS = 40
ACTS = {
    *("claim", "draft", "submit", "take back", "skip", "recall", "expire"),
    *("review", "finalise corrected", "undo", "pass on", "return for more"),
    *("attempt True", "attempt False", "complain 1", "decide upheld", "decide dismissed"),
    *("waive", "left or paused", "active", "promote", "add", "raise"),
    *("reopen", "withdraw", "restore"),
}
"""What must have happened on SQLite, or it proves little."""


def on_sqlite(empty, folder):
    path = folder / f"{uuid4().hex}.sqlite3"
    shutil.copy(empty, path)
    use(sqlite(path))

    def throw_away():
        connection.close()
        for leftover in folder.glob(f"{path.name}*"):
            leftover.unlink()

    return throw_away


def on_postgresql(empty):
    name = f"gecbench_machine_{uuid4().hex[:12]}"
    administer(f"CREATE DATABASE {name} TEMPLATE {empty}")
    use(postgresql(name))

    def throw_away():
        connection.close()
        administer(f"DROP DATABASE {name} WITH (FORCE)")

    return throw_away


@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_no_history_breaks_an_invariant(request, tmp_path, vendor):
    empty = request.getfixturevalue(f"migrated_{vendor}")

    class Here(Team):
        done: ClassVar[Counter[str]] = Counter()

        @staticmethod
        def prepare():
            return on_sqlite(empty, tmp_path) if vendor == "sqlite" else on_postgresql(empty)

    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=HISTORIES[vendor],
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=True,
            database=None,
            report_multiple_bugs=False,
            suppress_health_check=[*HealthCheck],
            phases=[Phase.generate],  # a history of rows takes minutes to shrink
        ),
    )
    if vendor == "sqlite":
        done = {*Here.done} | ({"left or paused"} if {"left", "paused"} & {*Here.done} else set())
        assert done >= ACTS, ACTS - done
