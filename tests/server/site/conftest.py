"""A real data folder whose database is open in this process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connection
from server.conftest import sqlite, use

from gecbench.server.models import Project
from gecbench.server.site.folder import DATABASE, Site, make_site
from gecbench.server.workflow import accounts, audit


@pytest.fixture
def folder(
    migrated_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    """A site with tables and no rows."""
    for name in [item for item in os.environ if item.startswith("GECBENCH_")]:
        if name not in ("GECBENCH_TEST_POSTGRESQL", "GECBENCH_SHARED_REQUIRED"):
            monkeypatch.delenv(name)
    site = make_site(tmp_path / "site")
    shutil.copy(migrated_sqlite, site.folder / DATABASE)
    use(sqlite(site.folder / DATABASE))
    yield site
    connection.close()


@pytest.fixture
def filled(folder: Site) -> Site:
    """A site with people, a project, and rows of the chained log."""
    li = accounts.add_person("li", name="李薇", administrator=True)
    Project.objects.create(slug="one", name="第一个项目", lang="zh", created_by=li)
    audit.record("project.made", who=li, data={"name": "第一个项目"})
    return folder


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> Callable[[Site], None]:
    """Let commands of the command line work on a folder that this process has open already."""

    def let(site: Site) -> None:
        from gecbench.server.site import folder
        from gecbench.server.site.folder import read_site

        monkeypatch.setattr(folder, "open_site", lambda data, **_: read_site(data))

    return let
