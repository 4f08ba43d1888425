"""Many at once: real threads with connections of their own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

from django.db import connection


def together(count: int, act: Callable[[int], object]) -> list[object]:
    """What `act(n)` gave in each of so many threads that begin at the same moment.

    What it raised stands for what it gave.
    """
    begin = Barrier(count)

    def run(n: int) -> object:
        try:
            begin.wait(60)
            return act(n)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        futures = [threads.submit(run, n) for n in range(count)]
        return [future.exception() or future.result() for future in futures]


class BrokenError(RuntimeError):
    """The database went away, so to speak."""


@contextmanager
def breaking(at: int):
    """Fail at the at-th statement, counted from 1; yields a list whose length is their number."""
    seen: list[str] = []

    def wrapper(execute, sql, params, many, context):
        seen.append(sql)
        if len(seen) == at:
            raise BrokenError(f"statement {at}: {sql[:60]}")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield seen
