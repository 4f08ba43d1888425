"""Where the server may listen, and what it refuses before anything is done."""

from __future__ import annotations

import socket
import threading
from signal import SIGTERM

import pytest
from django.test import Client

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.site import serving
from gecbench.server.site.serving import (
    Address,
    address_of,
    bind,
    load,
    refuse_exposure,
    run,
)


@pytest.mark.parametrize("text", ["", "8700", "127.0.0.1", ":80", "::1:80", "a:b", "a:٣", "[::1]"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(UsageError, match=r"is no address|the port is a number"):
        address_of(text)


def test_a_port_has_a_limit():
    with pytest.raises(UsageError, match=r"the port is a number up to 65535"):
        address_of("a:65536")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("example.org", False),
    ],
)
def test_only_loopback_is_this_machine_alone(host, loopback):
    assert Address(host, 1).loopback is loopback


def test_plain_http_to_others_is_refused_unless_said():
    open_to_all = Address("192.168.1.5", 80)
    with pytest.raises(UsageError, match=r"by plain HTTP; put a proxy"):
        refuse_exposure(open_to_all, behind_proxy=False, insecure=False, hosts=("a",))
    refuse_exposure(open_to_all, behind_proxy=True, insecure=False, hosts=())
    refuse_exposure(open_to_all, behind_proxy=False, insecure=True, hosts=())
    refuse_exposure(Address("::1", 80), behind_proxy=False, insecure=False, hosts=())


def test_all_addresses_need_a_name():
    with pytest.raises(UsageError, match=r"--host annotate.example.org"):
        refuse_exposure(Address("0.0.0.0", 80), behind_proxy=True, insecure=False, hosts=())
    refuse_exposure(Address("0.0.0.0", 80), behind_proxy=True, insecure=False, hosts=("a",))


def test_a_port_in_use_is_one_clear_line():
    with bind(Address("127.0.0.1", 0)) as first:
        first.listen()
        port = first.getsockname()[1]
        text = rf"127.0.0.1:{port}: in use by another program; name another address: --bind"
        with pytest.raises(GecbenchError, match=text):
            bind(Address("127.0.0.1", port))


def test_a_port_that_another_server_took_since_is_the_same_line(monkeypatch):
    from gunicorn.app.base import BaseApplication

    def arbiter(application):
        number = int(application.cfg.settings["bind"].get()[0].removeprefix("fd://"))
        with socket.socket(fileno=number) as given:
            given.listen()

    monkeypatch.setattr(BaseApplication, "run", arbiter)
    with bind(Address("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        second = bind(Address("127.0.0.1", port))
        first.listen()
        with pytest.raises(GecbenchError, match=rf"127.0.0.1:{port}: in use by another program"):
            run(second, workers=1, ready=print, close_in_workers=-1)


def test_an_address_of_another_machine_is_one_clear_line():
    with pytest.raises(GecbenchError, match=r"Cannot assign requested address"):
        bind(Address("192.0.2.1", 0))
    with pytest.raises(GecbenchError, match=r"is no address of this machine"):
        bind(Address("no.such.name.invalid", 80))


def test_the_application_answers(site):
    assert callable(load())


class Ended(BaseException):
    """What takes the place of a process's end."""


@pytest.mark.parametrize(("code", "ends"), [(0, None), (3, GecbenchError)])
def test_the_first_process_comes_back_and_says_a_failure(monkeypatch, code, ends):
    from gunicorn.app.base import BaseApplication

    monkeypatch.setattr(serving.signal, "signal", lambda *_: None)  # pytest's own stay
    seen = {}

    def arbiter(application):
        seen.update(
            {name: application.cfg.settings[name].get() for name in ("bind", "workers", "umask")}
        )
        application.cfg.when_ready(None)
        raise SystemExit(code)

    monkeypatch.setattr(BaseApplication, "run", arbiter)
    with socket.socket() as opened:
        number = opened.fileno()
        ready = []
        if ends is None:
            run(opened, workers=2, ready=lambda: ready.append(1), close_in_workers=-1)
        else:
            with pytest.raises(ends, match=r"ended by a failure"):
                run(opened, workers=2, ready=lambda: ready.append(1), close_in_workers=-1)
        socket.close(number)
    assert seen == {"bind": [f"fd://{number}"], "workers": 2, "umask": 0o077}
    assert ready == [1]


def test_a_worker_ends_where_it_is(monkeypatch):
    from gunicorn.app.base import BaseApplication

    pids = iter([1, 2])

    def ended(code):
        raise Ended(code)

    def arbiter(application):
        application.wsgi = None
        raise SystemExit("x")

    monkeypatch.setattr(BaseApplication, "run", arbiter)
    monkeypatch.setattr(serving.os, "getpid", lambda: next(pids))
    monkeypatch.setattr(serving.os, "_exit", ended)
    opened = socket.socket()
    number = opened.fileno()
    with pytest.raises(Ended, match=r"1"):
        run(opened, workers=1, ready=print, close_in_workers=-1)
    socket.close(number)


def test_readiness_ends_with_sigterm_and_requests_after_the_drain(site, monkeypatch):
    """A proxy has `drain` seconds to notice; only then, or by a second signal, gunicorn hears."""
    from gunicorn.app.base import BaseApplication

    handlers: dict[int, object] = {}
    monkeypatch.setattr(serving.signal, "signal", handlers.__setitem__)
    ended = threading.Event()

    class Arbiter:
        def signal(self, number, frame):
            heard.append((number, Client().get("/readyz").content))
            ended.set()

    heard: list[tuple[int, bytes]] = []

    def arbiter(application):
        application.cfg.when_ready(Arbiter())
        assert Client().get("/readyz").status_code == 200
        handlers[SIGTERM](SIGTERM, None)
        assert Client().get("/readyz").status_code == 503
        assert Client().get("/healthz").status_code == 200
        assert not heard
        assert ended.wait(10)
        handlers[SIGTERM](SIGTERM, None)

    monkeypatch.setattr(BaseApplication, "run", arbiter)
    with socket.socket() as opened:
        run(opened, workers=1, ready=lambda: None, close_in_workers=-1, drain=0.2)
    assert heard == [(SIGTERM, b"ending\n")] * 2
    serving._ending[0] = 0
