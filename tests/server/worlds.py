"""Two projects with everybody in them, made once a run; each test has a copy of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from django.db import connection
from server.conftest import sqlite, use
from server.web.routes import World, new_client, world

from gecbench.server.models import Draft, Member, Sentence, Slot, Submission

Contents = tuple[Path, Mapping[str, Mapping[str, object]], Mapping[str, Mapping[str, str]]]
"""A database, what is in each project, and the cookies of each client."""


@pytest.fixture(scope="session")
def world_database(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory, once: Callable[..., tuple]
) -> Contents:
    path = tmp_path_factory.mktemp("world") / "made.sqlite3"

    def make() -> tuple[bytes, *tuple[object, ...]]:
        shutil.copy(migrated_sqlite, path)
        use(sqlite(path))
        whole = world()
        connection.close()
        cookies = {
            who: {name: cookie.value for name, cookie in client.cookies.items()}
            for who, client in whole.clients.items()
        }
        return path.read_bytes(), whole.things, cookies

    rows, things, cookies = once("world", make)
    path.write_bytes(rows)
    return path, things, cookies


@pytest.fixture
def there(world_database: Contents, tmp_path: Path) -> Iterator[World]:
    """The world as it was made, whatever the test before did to it."""
    rows, things, cookies = world_database
    path = tmp_path / "site.sqlite3"
    shutil.copy(rows, path)
    use(sqlite(path))
    clients = {who: new_client(who) for who in cookies}
    for who, client in clients.items():
        client.cookies.load(dict(cookies[who]))
    yield World(things, clients)
    connection.close()


def work_done() -> tuple[object, ...]:
    """What an act of work would change, to compare before and after."""
    return (
        Submission.objects.count(),
        sorted(Slot.objects.values_list("pk", "state", "version")),
        sorted(Sentence.objects.values_list("pk", "state", "version", "priority")),
        sorted(Member.objects.values_list("pk", "status", "is_manager", "is_reviewer")),
        sorted(Draft.objects.values_list("pk", "rev")),
    )
