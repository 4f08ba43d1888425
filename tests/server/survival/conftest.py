"""A server under real load, on each database, and the command line beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from server.conftest import POSTGRESQL, administer
from server.live import Live, MakeLive

Cli = Callable[..., str]


def run_cli(*words: object, database: str = "") -> str:
    """What `gecbench annotate ...` wrote, in a process of its own; it must end well."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
    if database:
        clean["GECBENCH_DATABASE_URL"] = database
    ended = subprocess.run(
        [sys.executable, "-m", "gecbench", "annotate", *map(str, words)],
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def database_of(live: Live) -> str:
    """The URL of a server's PostgreSQL database; "" for SQLite."""
    return live.words[live.words.index("--database") + 1] if "--database" in live.words else ""


@pytest.fixture
def new_database(migrated_postgresql: str) -> Iterator[Callable[..., str]]:
    """Make PostgreSQL databases, with tables or bare; each is dropped at the end."""
    result: list[str] = []

    def make(*, bare: bool = False) -> str:
        name = f"gecbench_survival_{uuid4().hex[:12]}"
        result.append(name)
        administer(f"CREATE DATABASE {name}" + (f" TEMPLATE {migrated_postgresql}" * (not bare)))
        return f"{POSTGRESQL.rpartition('/')[0]}/{name}"

    yield make
    for name in result:
        administer(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def loaded(request: pytest.FixtureRequest, make_live: MakeLive) -> Iterator[Live]:
    """A server without limits of rate, on each of the two databases in turn."""
    words = ["--workers", "2"]
    if request.param == "postgresql":
        words += ["--database", request.getfixturevalue("new_database")()]
    live = make_live(*words, GECBENCH_RATE_LIMITS="0")
    yield live
    live.kill()
