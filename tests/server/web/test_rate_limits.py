"""All processes of a site count together how often somebody asks: in PostgreSQL, or in Redis."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import connections
from django.test import RequestFactory, override_settings
from server.conftest import use
from server.live import free_port

from gecbench.server.models import RateLimit
from gecbench.server.web import http


@pytest.fixture
def redis(site, tmp_path: Path) -> Iterator[str]:
    """A Redis server of this test alone; its URL."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no Redis: install Debian's package redis-server")
    path = tmp_path / "redis.sock"
    words = ["--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(tmp_path)]
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    yield f"unix://{path}"
    process.kill()
    process.wait()


@pytest.fixture(params=["postgresql", "redis"])
def shared(request, monkeypatch) -> Iterator[str]:
    """A site whose processes share their limits in one of the two ways."""
    url = ""
    if request.param == "redis":
        url = request.getfixturevalue("redis")
    else:
        request.getfixturevalue("on_postgresql")
    with override_settings(SITE=replace(settings.SITE, rate_limits=True, cache=url)):
        yield request.param
    http._redis_script.cache_clear()


def ask(times: int) -> list[int]:
    """The seconds that a process hears which signs in so many times."""
    # After Playwright a worker keeps its connections elsewhere; a fork would find older ones.
    use(settings.DATABASES["default"])
    request = RequestFactory().post("/login")
    request.user = AnonymousUser()
    return [http.seconds_to_wait("sign-in", request) for _ in range(times)]


def test_two_processes_share_a_limit(shared, monkeypatch):
    monkeypatch.setattr(http, "LIMITS", {"sign-in": http.Limit(1 / 1000, 20)})
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        heard = [seconds for part in pool.map(ask, [15, 15]) for seconds in part]
    assert heard.count(0) == 20
    assert all(990 < seconds <= 1000 for seconds in heard if seconds)
    assert ask(1)[0] > 990


def test_whoever_waits_as_long_as_was_said_may_go_on(shared, monkeypatch):
    monkeypatch.setattr(http, "LIMITS", {"sign-in": http.Limit(2, 2)})
    assert ask(3) == [0, 0, 1]
    time.sleep(1)
    assert ask(3) == [0, 0, 1]
    monkeypatch.setattr(http.secrets, "randbelow", lambda _: 0)
    time.sleep(1.1)
    if shared == "postgresql":
        assert RateLimit.objects.count() == 1
        connections["default"].cursor().execute(http._FORGET)
        assert RateLimit.objects.count() == 0, "a full bucket is forgotten"
    assert ask(2) == [0, 0]


@pytest.mark.parametrize("hangs", [False, True])
def test_without_redis_nobody_is_held_up_and_the_log_says_so_once(site, caplog, hangs, monkeypatch):
    """It is away, or takes connections and never answers."""
    monkeypatch.setattr(http, "_OUTAGE", http._Outage())
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"redis://127.0.0.1:{server.getsockname()[1] if hangs else free_port()}/0"
        began = time.monotonic()
        with override_settings(SITE=replace(settings.SITE, rate_limits=True, cache=url)):
            assert ask(20) == [0] * 20
            assert time.monotonic() - began < 1.5
            http._OUTAGE.ask_again_at = 0
            assert ask(1) == [0]
    (record,) = caplog.records
    assert ("TimeoutError" if hangs else "ConnectionError") in record.getMessage()
    assert url not in caplog.text
    http._redis_script.cache_clear()


def test_an_ipv6_line_has_one_limit_for_all_its_addresses():
    assert http._network("2001:db8:1:2::7") == http._network("2001:db8:1:2:ffff::")
    assert http._network("2001:db8:1:3::7") != http._network("2001:db8:1:2::7")
    assert http._network("::ffff:192.0.2.7") == http._network("192.0.2.7") == "192.0.2.7"


def test_sites_that_share_a_redis_do_not_share_limits(redis, monkeypatch):
    monkeypatch.setattr(http, "LIMITS", {"sign-in": http.Limit(1 / 1000, 1)})
    for secret in ("a" * 32, "b" * 32):
        changed = replace(settings.SITE, rate_limits=True, cache=redis, secret=secret)
        with override_settings(SITE=changed):
            assert ask(2)[0] == 0
    http._redis_script.cache_clear()
