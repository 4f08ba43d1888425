"""Two projects with everybody in them, made once for a module; each test has a copy of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from server.conftest import sqlite, use
from server.web.routes import World, world


@pytest.fixture(scope="module")
def made(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, World]:
    path = tmp_path_factory.mktemp("world") / "made.sqlite3"
    shutil.copy(migrated_sqlite, path)
    use(sqlite(path))
    whole = world()
    connection.close()
    return path, whole


@pytest.fixture
def there(made: tuple[Path, World], tmp_path: Path) -> Iterator[World]:
    """The world as it was made, whatever the test before did to it."""
    path = tmp_path / "site.sqlite3"
    shutil.copy(made[0], path)
    use(sqlite(path))
    yield made[1]
    connection.close()
