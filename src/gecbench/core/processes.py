"""Work in several processes: results in order, and an end to all of them whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from gecbench.core.errors import ResourceError

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2
"""Items that are handed out for each process before the first of them is done."""


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_in_processes(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int,
    describe: Callable[[Item], str],
) -> Generator[Result, None, None]:
    """Yield what a function makes of each item, in their order, made by several processes.

    Args:
        function: Can be pickled; each process gets its own copy once.
        items: Each can be pickled, too; few are on their way at a time.
        jobs: How many processes; with 1 all is done here.
        describe: What an item is, for the message of a process that died over it.

    Raises:
        ResourceError: A process died, as for want of memory.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    others = set(multiprocessing.active_children())
    # Started anew, not forked: a copy of threads' locks can stay locked for ever.
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _keep, (function,))
    with _ended(executor, others):
        waiting = iter(items)
        pending: list[tuple[Item, Future[Any]]] = [
            (item, executor.submit(_call, item)) for item in islice(waiting, jobs * _AHEAD)
        ]
        while pending:
            item, future = pending.pop(0)
            try:
                result = future.result()
            except BrokenProcessPool as error:
                raise ResourceError(
                    f"a process died while it worked on {describe(item)} or what came soon after, "
                    "perhaps for want of memory; take fewer at a time: --jobs 1"
                ) from error
            pending += [(item, executor.submit(_call, item)) for item in islice(waiting, 1)]
            yield result


@contextmanager
def _ended(executor: ProcessPoolExecutor, others: Collection[BaseProcess]) -> Iterator[None]:
    """End all processes of an executor at once if something fails or is interrupted.

    Args:
        executor: Whose processes.
        others: Those that ran before and have nothing to do with it.
    """
    try:
        yield
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        executor.shutdown(cancel_futures=True)
        raise
    executor.shutdown()


_kept: list[Callable[[Any], Any]] = []
"""The function of this process, which came to it once."""


def _keep(function: Callable[[Any], Any]) -> None:
    """Keep the function of this process; Ctrl-C is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _kept.append(function)


def _call(item: Any) -> Any:
    return _kept[0](item)
