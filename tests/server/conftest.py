"""A real database for each test: a copy of one that was migrated once, on SQLite or PostgreSQL.

No test runs inside a transaction that is rolled back: the workflow's own transactions, triggers
and deferred constraints work as they do for people.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gecbench.server.settings")
os.environ.pop("GECBENCH_SITE", None)
os.environ["GECBENCH_RATE_LIMITS"] = "0"  # their own tests turn them on; live servers have them

import django

django.setup()

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password
from django.core.management import call_command
from django.db import connection, connections
from django.test.client import ClientHandler
from django.test.utils import setup_test_environment, teardown_test_environment
from server.live import live, live_template, make_live, shared_live
from server.remembering import know_site, share_memories

from gecbench.server.models import Member, Person, Project
from gecbench.server.settings import SQLITE_PRAGMAS

__all__ = ["live", "live_template", "make_live", "shared_live"]

POSTGRESQL = os.environ.get("GECBENCH_TEST_POSTGRESQL", "")


@pytest.fixture(scope="session", autouse=True)
def django_under_test() -> Iterator[None]:
    """Templates and mails as Django's own test runner has them."""
    setup_test_environment(debug=False)
    yield
    teardown_test_environment()


_PLAIN = settings._wrapped
_load_middleware = ClientHandler.load_middleware
_loaded: dict[str, object] = {}
_LOADED = (
    *("_view_middleware", "_template_response_middleware"),
    *("_exception_middleware", "_middleware_chain"),
)


def load_middleware_once(handler: ClientHandler, is_async: bool = False) -> None:
    """Give all clients one chain of middleware: it keeps nothing of a client or a request.

    Each would make its own, and look at all static files for it. Where a test overrides settings,
    its clients still do.
    """
    if is_async or settings._wrapped is not _PLAIN:
        _load_middleware(handler, is_async)
        return
    if not _loaded:
        _load_middleware(handler)
        _loaded.update({name: getattr(handler, name) for name in _LOADED})
    vars(handler).update(_loaded)


ClientHandler.load_middleware = load_middleware_once


def use(database: dict[str, object]) -> None:
    """Make it the default database of this process."""
    for opened in connections.all(initialized_only=True):
        opened.close()
    plain = {
        "ATOMIC_REQUESTS": False,
        "AUTOCOMMIT": True,
        "CONN_MAX_AGE": None,
        "TIME_ZONE": None,
        "CONN_HEALTH_CHECKS": False,
        "OPTIONS": {},
        "USER": "",
        "PASSWORD": "",
        "HOST": "",
        "PORT": "",
        "TEST": {"CHARSET": None, "COLLATION": None, "NAME": None, "MIGRATE": True},
    }
    connections.databases["default"] = plain | database
    settings.DATABASES["default"] = connections.databases["default"]
    if hasattr(connections._connections, "default"):
        del connections["default"]


def sqlite(path: Path) -> dict[str, object]:
    """Settings of a SQLite file, as the site has them."""
    return {
        "ENGINE": "gecbench.server.sqlite",
        "NAME": str(path),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # Tests crash no machine: without waiting for the disk they are ten times as fast.
            "init_command": SQLITE_PRAGMAS.replace("synchronous=NORMAL", "synchronous=OFF"),
        },
    }


def postgresql(name: str) -> dict[str, object]:
    """Settings of a database on the server that GECBENCH_TEST_POSTGRESQL names."""
    import dj_database_url

    return {**dj_database_url.parse(POSTGRESQL), "NAME": name}


Once = Callable[[str, Callable[[], bytes]], bytes]


@pytest.fixture(scope="session", autouse=True)
def memories(common: Path) -> None:
    share_memories(common / "memories of sites")


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Path:
    """A SQLite file with all tables and no rows."""
    path = tmp_path_factory.mktemp("sqlite") / "empty.sqlite3"

    def migrated() -> bytes:
        use(sqlite(path))
        call_command("migrate", verbosity=0)
        # Each of hundreds of tables and indices has a page: with small ones, tests copy a third.
        with connection.cursor() as cursor:
            for words in ("PRAGMA journal_mode=DELETE", "PRAGMA page_size=1024", "VACUUM"):
                cursor.execute(words)
        connection.close()
        return path.read_bytes()

    path.write_bytes(once("empty site", migrated))
    return path


def administer(command: str) -> None:
    """Run one statement outside any transaction on the server's own database."""
    import psycopg

    with psycopg.connect(POSTGRESQL, autocommit=True) as server:
        server.execute(command)


@pytest.fixture(scope="session")
def migrated_postgresql(common: Path) -> Iterator[str]:
    """A PostgreSQL database with all tables and no rows: one for all processes of a run.

    The first of them makes it, the last one drops it.
    """
    if not POSTGRESQL:
        reason = "no PostgreSQL: set GECBENCH_TEST_POSTGRESQL to the URL of one that may be filled"
        pytest.skip(reason)
    users = common / "users of PostgreSQL"

    @contextmanager
    def counted() -> Iterator[list[str]]:
        """The name of the database, once for each process that uses it."""
        with users.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            names = file.read().split()
            yield names
            file.truncate(0)
            file.write(" ".join(names))

    with counted() as names:
        name = names[0] if names else f"gecbench_empty_{uuid4().hex[:12]}"
        if not names:
            administer(f"CREATE DATABASE {name}")
            use(postgresql(name))
            call_command("migrate", verbosity=0)
            connection.close()
        names.append(name)
    yield name
    with counted() as names:
        names.pop()
        if not names:
            for database in (name, f"{name}_world"):
                administer(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")


@pytest.fixture
def on_sqlite(migrated_sqlite: Path, tmp_path: Path) -> Iterator[None]:
    """An empty site on SQLite."""
    path = tmp_path / "site.sqlite3"
    shutil.copy(migrated_sqlite, path)
    use(sqlite(path))
    know_site("empty")
    yield
    connection.close()


@pytest.fixture
def on_postgresql(migrated_postgresql: str) -> Iterator[None]:
    """An empty site on PostgreSQL."""
    name = f"gecbench_test_{uuid4().hex[:12]}"
    administer(f"CREATE DATABASE {name} TEMPLATE {migrated_postgresql}")
    use(postgresql(name))
    yield
    connection.close()
    administer(f"DROP DATABASE {name} WITH (FORCE)")


Furnish = Callable[[str, Callable[[], object]], None]
"""Make a site with rows the current one: `furnished("its name", make)` makes them once."""


@pytest.fixture
def furnished(migrated_sqlite: Path, tmp_path: Path, once: Once) -> Iterator[Furnish]:
    """Copies of a site on SQLite; for what does not depend on the database."""
    path = tmp_path / "site.sqlite3"

    def furnish(name: str, make: Callable[[], object]) -> None:
        def whole() -> bytes:
            shutil.copy(migrated_sqlite, path)
            use(sqlite(path))
            make()
            connection.close()  # the last one folds SQLite's log into the file
            return path.read_bytes()

        path.write_bytes(once(f"site of {name}", whole))
        use(sqlite(path))

    yield furnish
    connection.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """An empty site on each of the two databases in turn.

    For transactions, locks, constraints, SQL and the order of rows. What Python decides is tested
    on SQLite alone.
    """
    request.getfixturevalue(f"on_{request.param}")
    return request.param


@pytest.fixture
def site(on_sqlite: None) -> None:
    """An empty site; for what does not depend on the database."""


class QuickArgon2(Argon2PasswordHasher):
    """The site's own hasher, made to be quick: tests sign in a thousand times."""

    time_cost, memory_cost, parallelism = 1, 8, 1


settings.PASSWORD_HASHERS = ["server.conftest.QuickArgon2"]
PASSWORD = "correct horse battery"
_HASHED = make_password(PASSWORD)


@pytest.fixture
def person() -> Callable[..., Person]:
    """Make people: `person("li")` can sign in with PASSWORD."""

    def make(login: str, **fields: object) -> Person:
        return Person.objects.create(
            **{"login": login, "name": login.title(), "password": _HASHED, **fields}
        )

    return make


@pytest.fixture
def member(person: Callable[..., Person]) -> Callable[..., Member]:
    """Make members: `member(project, "li", "annotator", "reviewer")`."""

    def make(project: Project, login: str, *roles: str, status: str = "active") -> Member:
        somebody = Person.objects.filter(login=login).first() or person(login)
        member_, _ = Member.objects.update_or_create(
            project=project,
            person=somebody,
            defaults={**{f"is_{role}": True for role in roles}, "status": status},
        )
        return member_

    return make
