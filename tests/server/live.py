"""A real server process with a data folder of its own, for browsers and HTTP clients.

    def test_something(live, browser):
        with live.rows():                      # Django in this process, on the server's database
            project = create_project(...)
            person = live.person("li")         # signs in with live.PASSWORD
        page = live.page(browser, "li")        # a new browser context that is signed in
        page.goto(f"{live.url}/p/one/work")

Tests share it, one after another, each with an empty site. `make_live("--database", url)` starts
one for a test alone, with other options: its `stop()` is Ctrl-C, `kill()` is kill -9 of all its
processes, `start()` starts it again on the same address, `log()` is what it wrote.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from gecbench.server.models import Person

DATABASE = "gecbench.sqlite3"
PATIENCE = 60.0
"""Seconds that a loaded machine may need to start a server; an idle one needs two."""


SERVER_PORTS = range(20_000, 32_000)
"""Below the ports that the system gives to outgoing connections: a server that was killed and is
started again must find its port free, and a client that calls it meanwhile must not be given the
same port as its own (it would then be connected to itself)."""


def free_port() -> int:
    """A port that nobody listens on now, and that no outgoing connection will take."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.choice(SERVER_PORTS)))
            return probe.getsockname()[1]


class Live:
    """A server process, its address and its data folder."""

    PASSWORD = "correct horse battery"

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.words = words
        self.environment = environment
        self.process: subprocess.Popen[bytes] | None = None
        self.contexts: list[BrowserContext] = []
        self.emptied = 0

    def runs(self) -> bool:
        """Whether its first process lives."""
        return self.process is not None and self.process.poll() is None

    def empty(self, template: Path) -> None:
        """Put the rows of a template in the place of its own, whether it runs or not.

        Ids go on where no test has been: the server remembers what it made of some rows, and how
        often somebody asked.
        """
        self.emptied += 1
        with (
            contextlib.closing(sqlite3.connect(template / DATABASE)) as rows,
            contextlib.closing(
                sqlite3.connect(self.folder / DATABASE, timeout=PATIENCE)
            ) as closing,
        ):
            rows.backup(closing)
            numbered = closing.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCR%'")
            first = [(name, self.emptied * 100_000) for (name,) in numbered]
            closing.execute("DELETE FROM sqlite_sequence")
            closing.executemany("INSERT INTO sqlite_sequence VALUES (?, ?)", first)
            closing.commit()

    def start(self) -> None:
        """Start the server and wait until it is ready."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "gecbench", "annotate", "serve"),
                    *("--data", str(self.folder), "--bind", f"127.0.0.1:{self.port}"),
                    *self.words,
                ],
                env={**clean, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.wait()

    def wait(self) -> None:
        """Wait until the server says that it is ready."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process is None or self.process.poll() is not None:
                pytest.fail(f"the server ended at once:\n{self.log()}")
            with (
                contextlib.suppress(OSError),
                urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer,
            ):
                if answer.status == 200:
                    return
            time.sleep(0.05)
        pytest.fail(f"the server was not ready in {PATIENCE} s:\n{self.log()}")

    def log(self) -> str:
        """What the server wrote to its standard output and error."""
        path = self.folder.parent / f"{self.folder.name}.log"
        return path.read_text("utf-8", errors="replace") if path.exists() else ""

    def stop(self) -> int:
        """End the server as Ctrl-C does; its exit code."""
        return self._end(signal.SIGINT, all_of_it=False)

    def terminate(self) -> int:
        """End the server as systemd and containers do: what is under way is finished."""
        return self._end(signal.SIGTERM, all_of_it=False)

    def kill(self) -> int:
        """End all its processes at once, as a crash of the machine would."""
        return self._end(signal.SIGKILL, all_of_it=True)

    def _end(self, what: signal.Signals, *, all_of_it: bool) -> int:
        if self.process is None:
            return 0
        with contextlib.suppress(ProcessLookupError):
            if all_of_it:
                os.killpg(self.process.pid, what)
            else:
                self.process.send_signal(what)
        try:
            code = self.process.wait(timeout=PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process = None
        return code

    @contextmanager
    def rows(self) -> Iterator[None]:
        """Let Django in this process work on the server's database, while it runs."""
        from django.db import connection
        from server.conftest import postgresql, sqlite, use

        if "--database" in self.words:
            url = self.words[self.words.index("--database") + 1]
            use(postgresql(url.rpartition("/")[2]))
        else:
            use(sqlite(self.folder / DATABASE))
        try:
            yield
        finally:
            connection.close()

    def person(self, login: str, **fields: object) -> Person:
        """Make somebody who signs in with `PASSWORD`; inside `rows()`."""
        from django.contrib.auth.hashers import make_password

        from gecbench.server.models import Person

        return Person.objects.create(
            **{
                "login": login,
                "name": login.title(),
                "password": make_password(self.PASSWORD),
                **fields,
            }
        )

    def own_secret(self) -> AbstractContextManager[None]:
        """Sign sessions and links as the site does, whose secret this process does not have."""
        from django.test import override_settings

        return override_settings(SECRET_KEY=(self.folder / "secret.key").read_text("utf-8").strip())

    def cookie(self, login: str) -> dict[str, str]:
        """The cookie of a new session of somebody, as Playwright takes it."""
        from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

        from gecbench.server.models import Person
        from gecbench.server.models.people import SessionStore

        with self.rows(), self.own_secret():
            person = Person.objects.get(login=login)
            session = SessionStore()
            session[SESSION_KEY] = str(person.pk)
            session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
            session[HASH_SESSION_KEY] = person.get_session_auth_hash()
            session.create()
            return {"name": "gecbench_session", "value": session.session_key, "url": self.url}

    def context(self, browser: Browser, login: str = "", **options: object) -> BrowserContext:
        """A new browser context, signed in as somebody or nobody; `live` closes it at the end."""
        opened = browser.new_context(base_url=self.url, **options)
        self.contexts.append(opened)
        if login:
            opened.add_cookies([self.cookie(login)])
        return opened

    def close_contexts(self) -> None:
        """Close what no test has closed."""
        while self.contexts:
            self.contexts.pop().close()

    def page(self, browser: Browser, login: str = "", **options: object) -> Page:
        """A new page in a context of its own."""
        return self.context(browser, login, **options).new_page()


@pytest.fixture(scope="session")
def live_template(common: Path) -> Path:
    """A data folder with an empty database, made once a run by the command line itself."""
    folder = common / "live template"
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
    with (common / "live template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "secret.key").exists():
            subprocess.run(
                [sys.executable, "-m", "gecbench", "annotate", "init", str(folder)],
                env=clean,
                check=True,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
    return folder


MakeLive = Callable[..., Live]


@pytest.fixture
def make_live(live_template: Path, tmp_path: Path) -> Iterator[MakeLive]:
    """Start servers of this test alone, with options of `serve`; all are killed at the end."""
    servers: list[Live] = []

    def make(*words: str, **environment: str) -> Live:
        folder = tmp_path / f"site{len(servers)}"
        shutil.copytree(live_template, folder)
        server = Live(folder, *words, **environment)
        servers.append(server)
        server.start()
        return server

    yield make
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def shared_live(live_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The server that the tests of a process use one after another."""
    folder = tmp_path_factory.mktemp("live") / "site"
    shutil.copytree(live_template, folder)
    server = Live(folder, "--workers", "2")
    yield server
    server.kill()


@pytest.fixture
def live(shared_live: Live, live_template: Path) -> Iterator[Live]:
    """A real server process on an empty site; who stops or kills one makes it by `make_live`."""
    shared_live.empty(live_template)
    if not shared_live.runs():
        shared_live.start()
    yield shared_live
    shared_live.close_contexts()
