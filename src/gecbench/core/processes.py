"""Work in several processes: results in order, and an end to all of them whatever happens."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gecbench.core.errors import ResourceError
from gecbench.core.options import Cluster

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2
"""Items that are handed out for each process before the first of them is done."""


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_travel(value: object) -> bool:
    """Whether a value can be sent to other processes."""
    import pickle

    try:
        pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def map_in_processes(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int | Cluster,
    describe: Callable[[Item], str],
) -> Generator[Result, None, None]:
    """Yield what a function makes of each item, in their order, made by several processes.

    Args:
        function: Can be pickled; each process gets its own copy once.
        items: Each can be pickled, too; few are on their way at a time.
        jobs: How many processes; with 1 all is done here. A cluster does it with its own.
        describe: What an item is, for the message of a process that died over it.

    Raises:
        ResourceError: A process died, as for want of memory.
    """
    if not isinstance(jobs, int):
        from gecbench.core.cluster import map_on_cluster

        yield from map_on_cluster(jobs, function, items, describe)
        return
    if jobs == 1:
        yield from map(function, items)
        return
    # 50 ms that one process need not pay.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Started from nothing, not forked: a copy of threads' locks can stay locked for ever.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(jobs, context, _keep, (function,))
    waiting = iter(items)
    pending: deque[tuple[Item, Future[Any]]] = deque()
    last: Item | None = None
    try:
        while True:
            for last in islice(waiting, jobs * _AHEAD - len(pending)):
                with _without_interrupts():
                    pending.append((last, executor.submit(_call, last)))
            if not pending:
                break
            last, future = pending.popleft()
            yield future.result()
    except BrokenProcessPool as error:
        raise ResourceError(
            f"a process died while it worked on {describe(cast('Item', last))} or what is near it, "
            "perhaps for want of memory; take fewer at a time: --jobs 1 (a Python script: jobs=1, "
            'or put its own work under if __name__ == "__main__":)'
        ) from error
    finally:
        # Those that wait are never begun; one that was begun is of no use to anybody any more.
        for process in list((executor._processes or {}).values()) if pending else ():
            process.terminate()
        executor.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back while a process starts, which inherits that: it is for this one alone."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_functions: list[Callable[[Any], Any]] = []
"""The function of this process, which came to it once."""


def _keep(function: Callable[[Any], Any]) -> None:
    """Keep the function of this process, which ends with the one that started it.

    Ctrl-C is for that one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000)  # as in the command itself
    Thread(target=_end_with_parent, daemon=True).start()
    _functions.append(function)


def _end_with_parent() -> None:
    """End this process when the one that started it does, which may have been killed."""
    from multiprocessing import parent_process

    if parent := parent_process():
        parent.join()
        os._exit(1)


def _call(item: Any) -> Any:
    return _functions[0](item)
