"""Writers on SQLite take turns in the order in which they came, and none is lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, close_old_connections, connection, transaction
from server.conftest import sqlite, use

from gecbench.server.models import Person
from gecbench.server.sqlite import base
from gecbench.server.sqlite.base import Line, Place

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="only Linux has the queue")

FORK = multiprocessing.get_context("fork")  # as gunicorn makes its workers
PATIENCE = 30.0


@pytest.fixture
def line() -> Iterator[Line]:
    opened = Line()
    yield opened
    opened.close()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


def came(line: Line) -> int:
    """How many have come to the queue so far."""
    return int.from_bytes(os.pread(line.file, 8, 0), "little")


def test_threads_of_three_processes_are_served_in_the_order_in_which_they_came(line):
    reading, writing = os.pipe()
    first = Place(line)
    first.take()

    def wait_and_say(name: int) -> None:
        place = Place(line)
        place.take()
        os.write(writing, bytes([name]))
        place.leave()

    def worker(names: range, begin: list) -> None:
        threads = []
        for name in names:
            begin[name].wait(PATIENCE)
            threads.append(threading.Thread(target=wait_and_say, args=(name,)))
            threads[-1].start()
        for thread in threads:
            thread.join(PATIENCE)

    begin = [FORK.Event() for _ in range(12)]
    workers = [FORK.Process(target=worker, args=(range(n, 12, 3), begin)) for n in range(3)]
    for process in workers:
        process.start()
    for name in range(12):
        begin[name].set()
        until(lambda name=name: came(line) == name + 2)
    first.leave()
    for process in workers:
        process.join(PATIENCE)
    assert list(os.read(reading, 100)) == list(range(12))
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("waiting", [False, True], ids=["at work", "in the queue"])
def test_a_writer_that_is_killed_stops_nobody(line, waiting):
    first = Place(line)
    if waiting:
        first.take()

    def take_for_ever() -> None:
        Place(line).take()
        time.sleep(PATIENCE)

    killed = FORK.Process(target=take_for_ever)
    killed.start()
    until(lambda: came(line) == 1 + waiting)
    os.kill(killed.pid, signal.SIGKILL)
    killed.join(PATIENCE)
    if waiting:
        first.leave()
    next_one = threading.Thread(target=Place(line).take)
    next_one.start()
    next_one.join(PATIENCE)
    assert not next_one.is_alive()


@pytest.fixture
def impatient(tmp_path, migrated_sqlite, monkeypatch) -> Iterator[dict[str, object]]:
    """A SQLite file whose users do not wait for its lock: who is not alone fails at once."""
    path = tmp_path / "impatient.sqlite3"
    path.write_bytes(migrated_sqlite.read_bytes())
    settings = sqlite(path)
    settings["OPTIONS"]["init_command"] += "PRAGMA busy_timeout=0;"
    with sqlite3.connect(path) as opened:
        opened.execute("PRAGMA journal_mode=WAL")
    monkeypatch.setattr(base, "_line", Line())
    use(settings)
    yield settings
    connection.close()


def test_no_writer_meets_another_and_none_is_lost(impatient):
    Person.objects.create(login="counter", name="0")
    connection.close()
    failures = FORK.Queue()

    def count(times: int) -> None:
        """Read, think, write, as a transaction; and write single rows without one."""
        try:
            for n in range(times):
                with transaction.atomic():
                    person = Person.objects.get(login="counter")
                    person.name = str(int(person.name) + 1)
                    person.save()
                login = f"{os.getpid()} {threading.get_ident()} {n}"
                Person.objects.create(login=login, name="x")
                Person.objects.filter(login=login).update(name="y")
        except Exception as error:  # noqa: BLE001  # shown by the first process
            failures.put(repr(error))
        finally:
            connection.close()

    def worker() -> None:
        threads = [threading.Thread(target=count, args=(20,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)

    workers = [FORK.Process(target=worker) for _ in range(3)]
    for process in workers:
        process.start()
    for process in workers:
        process.join(PATIENCE)
    assert failures.empty(), failures.get()
    assert Person.objects.get(login="counter").name == "240"
    assert Person.objects.filter(name="y").count() == 240


def test_what_fails_lets_the_next_one_in(impatient):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        raise ZeroDivisionError
    Person.objects.create(login="li", name="Li")
    with sqlite3.connect(impatient["NAME"]) as other:
        other.execute("BEGIN IMMEDIATE")  # another program, which knows of no queue
        with pytest.raises(Exception, match="locked"), transaction.atomic():
            pytest.fail("nobody else may write now")
    Person.objects.create(login="wang", name="Wang")
    close_old_connections()
    assert Person.objects.count() == 2


def test_who_waits_for_a_writer_that_hangs_is_told_and_the_queue_goes_on(line, monkeypatch):
    monkeypatch.setattr(base, "_LONGEST", 0.1)
    hanging, late = Place(line), Place(line)
    hanging.take()
    with pytest.raises(Exception, match="database is locked"):
        late.take()
    assert not late.holds_turn
    hanging.leave()
    monkeypatch.setattr(base, "_LONGEST", PATIENCE)
    for place in (late, hanging, late):
        place.take()
        place.leave()


@pytest.mark.parametrize("single", [False, True], ids=["transaction", "statement"])
def test_what_is_committed_is_on_the_disk_before_anybody_is_told_and_others_write_meanwhile(
    impatient, monkeypatch, single
):
    files, synchronise = [], os.fdatasync

    def fdatasync(file: int) -> None:
        synchronise(file)
        files.append(str(Path(f"/proc/self/fd/{file}").readlink()))
        with sqlite3.connect(impatient["NAME"], timeout=0) as other:
            other.execute("UPDATE person SET name = 'x'")
        assert not connection._place.holds_turn

    connection.cursor().execute("PRAGMA synchronous=NORMAL")
    monkeypatch.setattr(os, "fdatasync", fdatasync)
    if single:
        Person.objects.create(login="li", name="Li")
    else:
        with transaction.atomic():
            Person.objects.create(login="li", name="Li")
    assert files == [f"{impatient['NAME']}-wal"]


def test_a_disk_that_fails_is_no_commit(impatient, monkeypatch):
    def fdatasync(file: int) -> None:
        raise OSError(5, "Input/output error")

    connection.cursor().execute("PRAGMA synchronous=NORMAL")
    monkeypatch.setattr(os, "fdatasync", fdatasync)
    with pytest.raises(OperationalError, match="disk I/O error"), transaction.atomic():
        Person.objects.create(login="li", name="Li")
