"""The server of the tests is a real one: it lives, dies and comes again with its rows."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection
from server import conftest

from gecbench.server.models import Person


@pytest.fixture
def url(migrated_postgresql: str) -> Iterator[str]:
    """The URL of an empty site on PostgreSQL."""
    name = f"gecbench_live_{uuid4().hex[:12]}"
    conftest.administer(f"CREATE DATABASE {name} TEMPLATE {migrated_postgresql}")
    yield conftest.POSTGRESQL.rpartition("/")[0] + f"/{name}"
    connection.close()
    conftest.administer(f"DROP DATABASE {name} WITH (FORCE)")


def test_it_lives_on_postgresql_too(make_live, url):
    live = make_live("--workers", "1", "--database", url)
    with live.rows():
        live.person("li")
        assert connection.vendor == "postgresql"
    live.kill()
    live.start()
    with live.rows():
        assert Person.objects.get().login == "li"


def test_a_browser_can_be_signed_in_at_once(live, browser):
    with live.rows():
        live.person("li", language="en")
    page = live.page(browser, "li")
    page.goto("/account")
    assert page.locator(".bar-person").inner_text() == "Li"
    page.context.close()


def test_ctrl_c_ends_it_clean(make_live):
    live = make_live("--workers", "2")
    with urllib.request.urlopen(f"{live.url}/healthz", timeout=30) as answer:
        assert answer.read() == b"ok\n"
    assert live.stop() == 0
    assert "Traceback" not in live.log()
    assert live.log().rstrip().endswith("gecbench: ended")
