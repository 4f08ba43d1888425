"""SQLite whose writers wait in a queue, and for the disk after it.

SQLite has no queue: whoever finds it locked sleeps, looks again, and may find it locked by somebody
who came later. Thirty people at work made one wait for 18.7 seconds, on a server that was idle for
two thirds of the time. So the threads of all server processes line up before they begin to write.
Other programs (an import beside the server) take their chance between two of them, as SQLite does
it: only the first of the line is in their way.

The disk writes for some milliseconds until a transaction is safe. With `synchronous=FULL` the
database stays locked meanwhile: 100 to 200 transactions a second, on any number of cores. So
connections have `synchronous=NORMAL`, which leaves the log of a commit to the system, and each
commit then waits for the log to be on the disk itself, out of the queue. What is acknowledged is as
safe as with FULL, and the disk writes the commits of several people at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import time
from collections.abc import Callable
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

_LONGEST = 20.0  # seconds; as long as SQLite itself waits for other programs
_LOOK_AGAIN = 0.5  # seconds after which the first of the line looks: who was killed rings no bell
_BELLS = 64  # more people than usually wait at once; two that share one only look once more
_READING = ("SELECT", "PRAGMA", "EXPLAIN", "WITH", "BEGIN", "ROLLBACK")
_NORMAL = 1  # of "PRAGMA synchronous"; with OFF, in tests, nobody waits


class Line:
    """The queue, which a process shares with those that it forks."""

    def __init__(self) -> None:
        self.file = os.memfd_create("writers")
        self._bells = [os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC) for _ in range(_BELLS)]

    def ring(self, number: int) -> None:
        """Wake the one who waits for a number."""
        os.eventfd_write(self._bells[number % _BELLS], 1)

    def wait(self, number: int, seconds: float) -> None:
        """Sleep until the bell of a number rings, or for so long."""
        bell = self._bells[number % _BELLS]
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        if poll.poll(1000 * seconds):
            with contextlib.suppress(BlockingIOError):  # another one has heard it, too
                os.eventfd_read(bell)

    def close(self) -> None:
        """Close its files."""
        for file in (self.file, *self._bells):
            os.close(file)


_line: Line | None = None


def open_queue() -> None:
    """Let this process, and those that it forks from now on, queue before they write.

    Where the system has no locks of that kind (it is not Linux), they go on without.
    """
    global _line  # noqa: PLW0603  # one for each process, inherited by its children
    if _line is None and hasattr(fcntl, "F_OFD_SETLK"):
        _line = Line()


class Place:
    """A place in the queue, for one thread.

    Each writer takes the next number and locks the byte of that number in a file in memory. Then it
    waits until it can lock the byte before its own. Who leaves rings a bell that only the next one
    hears; the kernel lets go of what a process had locked that dies.
    """

    def __init__(self, line: Line) -> None:
        # Opened again, so that the locks are its own and not those of all who share the file.
        self._line, self._file = line, os.open(f"/proc/self/fd/{line.file}", os.O_RDWR)
        self._number = 0
        self.holds_turn = False

    def __del__(self) -> None:
        os.close(self._file)

    def take(self) -> None:
        """Wait for the turn.

        Raises:
            OperationalError: It did not come; what SQLite says after as long.
        """
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            last = int.from_bytes(os.pread(self._file, 8, 0), "little")
            os.pwrite(self._file, (last + 1).to_bytes(8, "little"), 0)
            self._number = last + 1
            self._lock(self._number)
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        try:
            self._wait_for(last)
        except BaseException:
            self.leave()
            raise
        self.holds_turn = True

    def _wait_for(self, number: int) -> None:
        end = time.monotonic() + _LONGEST
        while not self._lock(number):
            left = end - time.monotonic()
            if left <= 0:  # a writer that hangs must not take all others with it
                raise OperationalError("database is locked")
            self._line.wait(number, min(left, _LOOK_AGAIN))

    def leave(self) -> None:
        """Let the next one in."""
        self._change(fcntl.F_UNLCK, 0, length=0)
        self._line.ring(self._number)
        self.holds_turn = False

    def _lock(self, number: int) -> bool:
        try:
            self._change(fcntl.F_WRLCK, number)
        except BlockingIOError:
            return False
        return True

    def _change(self, kind: int, begin: int, length: int = 1) -> None:
        locked = struct.pack("hhqqi4x", kind, os.SEEK_SET, begin, length, 0)  # C's struct flock
        fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, locked)


class Cursor(base.SQLiteCursorWrapper):
    """Fetches at once what a new row returns: SQLite has not written it before."""

    _rows: list[Any] | None = None

    def execute(self, query: str, params: Any = None) -> Any:
        """Execute a statement."""
        self._rows = None
        super().execute(query, params)
        if query.startswith("INSERT") and self.description is not None:
            self._rows = super().fetchall()
        return self

    def fetchone(self) -> Any:
        """Fetch the next row, None where there is none."""
        if self._rows is None:
            return super().fetchone()
        return self._rows.pop(0) if self._rows else None

    def fetchall(self) -> list[Any]:
        """Fetch the rows that are left."""
        if self._rows is None:
            return super().fetchall()
        rows, self._rows = self._rows, []
        return rows


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that queues before each transaction, and before each statement without one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Make it; nothing is opened yet."""
        super().__init__(*args, **options)
        self._place: Place | None = None
        self.execute_wrappers.append(self._alone)

    def create_cursor(self, name: str | None = None) -> Any:
        """Make a cursor that has written what it executed."""
        del name
        return self.connection.cursor(factory=Cursor)

    def _alone(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        """Execute a statement; one that writes without a transaction is one by itself."""
        if self.in_atomic_block or sql.startswith(_READING):
            return execute(sql, params, many, context)
        first = self._enter()
        try:
            result = execute(sql, params, many, context)
        finally:
            if first:
                self._leave()
        self._sync()
        return result

    def _enter(self) -> bool:
        """Wait for the turn; return whether this is the one to end it."""
        if _line is None or (self._place is not None and self._place.holds_turn):
            return False
        if self._place is None:
            self._place = Place(_line)
        self._place.take()
        return True

    def _leave(self) -> None:
        if self._place is not None and self._place.holds_turn:
            self._place.leave()

    def _start_transaction_under_autocommit(self) -> None:
        self._enter()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._leave()
        self._sync()

    def _sync(self) -> None:
        """Wait until what was committed is on the disk.

        A checkpoint that moves it from the log to the database meanwhile has synchronised both.

        Raises:
            OperationalError: The disk failed.
        """
        if self.connection.execute("PRAGMA synchronous").fetchone()[0] != _NORMAL:
            return
        try:
            log = os.open(f"{os.path.realpath(self.settings_dict['NAME'])}-wal", os.O_RDWR)
        except FileNotFoundError:  # a database in memory, or without a log
            return
        try:
            os.fdatasync(log)
        except OSError as error:
            raise OperationalError(f"disk I/O error: {error.strerror}") from error
        finally:
            os.close(log)

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave()
