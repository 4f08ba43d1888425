"""Work on a Ray cluster: items go to its machines, and results come back in order."""

from __future__ import annotations

import hashlib
import heapq
import io
import json
import logging
import math
import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from types import FunctionType
from typing import IO, Any, TypeVar

from gecbench import __version__
from gecbench.core.errors import (
    GecbenchError,
    ResourceError,
    UsageError,
    reason,
)
from gecbench.core.files import (
    explain_errors,
    make_folder,
    path_of,
    read_bytes,
    try_lock,
    write_bytes,
)
from gecbench.core.options import Cluster

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2
"""Parts that a worker has at a time, so that it never waits for the next."""
_WINDOW = 4
"""Parts for each worker that are begun before the first of them is done."""
_SOON, _PATIENCE = 30, 900
"""Seconds without any worker after which a note says so, and the run is given up."""
_ATTEMPTS = 4
"""How often a part is begun, or each worker started, before the run is given up."""

_LOGGER = logging.getLogger(__name__)


def map_on_cluster(
    cluster: Cluster,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    describe: Callable[[Item], str],
) -> Generator[Result, None, None]:
    """Yield what a function makes of each item, in their order; see `map_in_processes`.

    Each worker is an actor that gets the function once, so that a model is loaded once. What a
    worker or machine that dies had goes to others; a failure of our own ends the run, as anywhere.

    Raises:
        ResourceError: The cluster cannot be reached or has too little, or workers died several
            times over an item, or none was there for long.
        UsageError: The folder has parts of another run.
    """
    with (
        _connect(cluster) as ray,
        _open_parts(cluster.resume, (function, cluster.inputs)) as parts,
    ):
        run = _Run(ray, cluster, function, describe, parts)
        try:
            yield from run.results(items)
        finally:
            run.end()


@contextmanager
def _connect(cluster: Cluster) -> Iterator[Any]:
    """Yield Ray, connected to a cluster; a connection that was there before stays."""
    cluster.check()
    # Else Ray prints to standard output, among results, that a machine has died.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    import ray

    if ray.is_initialized():
        yield ray
        return
    try:
        ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        if cluster.address == "auto":
            raise ResourceError(
                "this machine belongs to no Ray cluster; start one with `ray start --head`, give "
                "the address of another (HOST:PORT), or work without a cluster"
            ) from error
        raise ResourceError(
            f"the Ray cluster {cluster.address} cannot be used: {reason(error)}"
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


class _Worker:
    """An actor; what it raises on purpose is an answer, so that it comes as it was raised."""

    _function: Callable[[Any], Any]

    def start(self, version: str, folder: str, function: bytes) -> GecbenchError | None:
        if version != __version__:
            return ResourceError(
                f"a machine of the cluster has gecbench {__version__}, this one {version}; install "
                "the same on all"
            )
        with suppress(OSError):  # what a function reads may be named from there
            os.chdir(folder)
        try:
            self._function = pickle.loads(function)  # noqa: S301 - of the driver
        except GecbenchError as error:
            return error
        return None

    def work(self, item: Any) -> tuple[Any, GecbenchError | None]:
        try:
            return self._function(item), None
        except GecbenchError as error:
            return None, error


class _Run:
    """Hands items to workers and collects their results."""

    def __init__(
        self,
        ray: Any,
        cluster: Cluster,
        function: Callable[[Any], Any],
        describe: Callable[[Any], str],
        parts: _PartsFolder | None,
    ) -> None:
        self.ray, self.describe, self.parts = ray, describe, parts
        self.count, self.gpus = _count_workers(ray.nodes(), cluster), cluster.gpus
        self.actor = ray.remote(num_cpus=1, num_gpus=cluster.gpus)(_Worker)
        # Once to each machine, not to each worker; by value where it is of the user's script.
        self.function = ray.put(ray.cloudpickle.dumps(function))
        self.workers: list[Any] = []
        self.load: dict[Any, int] = {}
        """How many items each worker has that has started."""
        self.pending: dict[Any, tuple[Any, int | None, Any]] = {}
        """What is on its way: its worker, and the place and the item; None is the start."""
        self.queue: list[tuple[int, Any]] = []
        self.done: dict[int, tuple[Any, GecbenchError | None]] = {}
        self.deaths: Counter[int | None] = Counter()

    def results(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the result of each item, in their order."""
        numbered = enumerate(items)
        window = _WINDOW * self.count
        read = place = 0
        while True:
            for at, item in islice(numbered, place + window - read):
                read = at + 1
                if result := self.parts and self.parts.load(at, item):
                    self.done[at] = *result, None
                else:
                    heapq.heappush(self.queue, (at, item))
            self._hand_out()
            if place in self.done:
                result, error = self.done.pop(place)
                if error is not None:
                    raise error
                yield result
                place += 1
            elif place == read:
                return
            else:
                self._collect()

    def end(self) -> None:
        """Stop all workers."""
        for worker in self.workers:
            self.ray.kill(worker)

    def _start(self) -> None:
        worker = self.actor.remote()
        self.workers.append(worker)
        started = worker.start.remote(__version__, str(Path.cwd()), self.function)
        self.pending[started] = worker, None, None

    def _hand_out(self) -> None:
        parts = len(self.queue) + sum(self.load.values())
        while self.queue and len(self.workers) < min(self.count, parts):
            self._start()
        while self.queue and self.load:
            worker = min(self.load, key=lambda worker: self.load[worker])
            if self.load[worker] >= _AHEAD:
                return
            place, item = heapq.heappop(self.queue)
            self.pending[worker.work.remote(item)] = worker, place, item
            self.load[worker] += 1

    def _collect(self) -> None:
        """Wait until a worker has done something, or has died."""
        waiting = list(self.pending)
        soon = None if self.load else _SOON
        answers, _ = self.ray.wait(waiting, num_returns=1, timeout=soon)
        if not answers:
            count = len(self.workers)
            gpus = f" and {count * self.gpus:g} GPUs" if self.gpus else ""
            _LOGGER.warning(
                "note: waiting for %d CPUs%s of the cluster; ray status shows who has them",
                count,
                gpus,
            )
            answers, _ = self.ray.wait(waiting, num_returns=1, timeout=_PATIENCE - _SOON)
        if not answers:
            raise ResourceError(
                f"no worker of the cluster could be started for {_PATIENCE} seconds; it may have "
                "lost machines, or other programs use them: ray status"
            )
        (answer,) = answers
        worker, place, item = self.pending.pop(answer)
        try:
            value = self.ray.get(answer)
        except self.ray.exceptions.RayTaskError:  # a fault of the program, with its traceback
            raise
        except self.ray.exceptions.RayError as error:
            self._lose(worker, place, item, error)
            return
        if place is None:
            if value is not None:
                raise value
            self.load[worker] = 0
            self.deaths[None] = 0
            return
        self.load[worker] -= 1
        self.done[place] = result, failure = value
        if self.parts and failure is None:
            self.parts.keep(place, item, result)

    def _lose(self, worker: Any, place: int | None, item: Any, error: Exception) -> None:
        """Put what a worker had back into the queue, for others or one in its place."""
        if worker in self.workers:
            self.workers.remove(worker)
            self.load.pop(worker, None)
            self.ray.kill(worker)  # it may only be out of reach
        self.deaths[place] += 1
        # A machine may go while all its workers start.
        attempts = _ATTEMPTS * self.count if place is None else _ATTEMPTS
        if self.deaths[place] == attempts:
            what = "no worker of the cluster can be started"
            if place is not None:
                what = f"workers of the cluster died while they worked on {self.describe(item)}"
            raise ResourceError(
                f"{what}, {attempts} times, perhaps for want of memory, or because gecbench is "
                f"not installed on all machines: {reason(error)}"
            ) from error
        if place is not None:
            heapq.heappush(self.queue, (place, item))


def _count_workers(nodes: Sequence[Mapping[str, Any]], cluster: Cluster) -> int:
    """How many workers there may be on the machines that `ray.nodes()` lists.

    One CPU is left to Ray. A worker has all its GPUs on one machine, and a share of one on one GPU.

    Raises:
        ResourceError: The cluster has no room for one.
        UsageError: It has less than are asked for.
    """
    machines = [node["Resources"] for node in nodes if node["Alive"]]
    cpus = [int(machine.get("CPU", 0)) for machine in machines]
    gpus = [int(machine.get("GPU", 0)) for machine in machines]
    room = cpus
    has = f"the cluster has {sum(cpus)} CPUs, of which one is left to Ray"
    if cluster.gpus:
        per_gpu = int(1 / cluster.gpus + 1e-9)
        fit = [n * per_gpu if per_gpu else n // math.ceil(cluster.gpus) for n in gpus]
        room = list(map(min, cpus, fit))
        has += f", and {sum(gpus)} GPUs, at most {max(gpus, default=0)} on a machine"
    most = min(sum(room), sum(cpus) - 1)
    if most < 1:
        raise ResourceError(f"{has}; that is not enough for a worker, add machines")
    if cluster.workers and cluster.workers > most:
        raise UsageError(f"jobs is {cluster.workers}; {has}: take at most {most}")
    return cluster.workers or most


# Results of parts, kept for a run that goes on.


class _Canonical(pickle.Pickler):
    """Makes the same bytes of equal values in every process: sets are in order."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, protocol=5)
        self.fast = True  # else it would depend on which equal texts are one object

    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, type | FunctionType):  # a script or plugin has no version of its own
            return value.__qualname__, value.__module__, _module_hash(value.__module__)
        return sorted(value, key=repr) if isinstance(value, set | frozenset) else None


@cache
def _module_hash(name: str) -> str:
    """A hash of the file of a module.

    Raises:
        UsageError: It is what somebody types, of which nothing tells whether it is the same.
    """
    path = getattr(sys.modules.get(name), "__file__", None)
    if path is None and name == "__main__":
        raise UsageError(
            "resume: a class or function was typed into this session, and nothing tells later "
            "whether it is the same; put it into a module, or leave resume out"
        )
    return hashlib.sha256(read_bytes(Path(path))).hexdigest() if path else ""


def _digest(value: object) -> str:
    file = io.BytesIO()
    _Canonical(file).dump(value)
    return hashlib.sha256(file.getbuffer()).hexdigest()


_BEGINNING = b'{"format": "gecbench-parts"'
_OTHER_TASK = "other options, or other versions of gecbench or of what it reads"


@contextmanager
def _open_parts(folder: Path | str | None, task: object) -> Iterator[_PartsFolder | None]:
    """Open the folder of a run, which is for this process alone while the block runs.

    Raises:
        UsageError: It is that of another run, or of something else.
        GecbenchError: Another process has it open, or it cannot be written.
    """
    if folder is None:
        yield None
        return
    folder = path_of(folder)
    manifest = folder / "manifest.json"
    task_hash = _digest(task)
    about = {"format": "gecbench-parts", "gecbench": __version__, "task": task_hash}
    line = json.dumps(about).encode() + b"\n"
    make_folder(folder)
    with explain_errors(manifest), manifest.open("a+b") as file:
        if not try_lock(file):
            raise GecbenchError(
                f"{folder}: another run is writing to it; wait for it, or name another folder"
            )
        file.seek(0)
        before = file.read()
        if line.startswith(before):  # new, or its run was killed before it had done anything
            file.write(line[len(before) :])
            file.flush()
        elif before.startswith(_BEGINNING):
            raise _other_run(folder, _OTHER_TASK)
        else:
            raise UsageError(
                f"{manifest}: is in the way: a run that keeps its parts writes such a file, and "
                "this one is something else; name another folder"
            )
        yield _PartsFolder(folder, task_hash)


def _other_run(folder: Path, what: str) -> UsageError:
    return UsageError(
        f"{folder}: keeps the parts of a run with {what}; give the same again to go on, or name "
        "another folder"
    )


class _PartsFolder:
    """A folder with a file for each part: hashes of task, item and result, then the result."""

    def __init__(self, folder: Path, task_hash: str) -> None:
        self.folder, self.task_hash = folder, task_hash

    def load(self, place: int, item: Any) -> tuple[Any] | None:
        """The result that is kept of an item, if there is one.

        Raises:
            UsageError: It is that of another task or item.
            GecbenchError: It is damaged.
        """
        path = self._path(place)
        if not path.exists():
            return None
        hashes, _, content = read_bytes(path).partition(b"\n")
        *task_and_item, result_hash = hashes.decode("ascii", "replace").split(" ")
        if len(task_and_item) != 2 or result_hash != hashlib.sha256(content).hexdigest():
            raise GecbenchError(f"{path}: is damaged; remove it to have this part done again")
        task_hash, item_hash = task_and_item
        if task_hash != self.task_hash:
            raise _other_run(self.folder, _OTHER_TASK)
        if item_hash != _digest(item):
            raise _other_run(self.folder, f"another input (its part {place + 1} differs)")
        return (pickle.loads(content),)  # noqa: S301 - written by this program, as its hash says

    def keep(self, place: int, item: Any, result: Any) -> None:
        """Write the result of an item, whole or not at all."""
        path = self._path(place)
        content = pickle.dumps(result)
        make_folder(path.parent)
        hashes = f"{self.task_hash} {_digest(item)} {hashlib.sha256(content).hexdigest()}\n"
        write_bytes(path, hashes.encode() + content)

    def _path(self, place: int) -> Path:
        return self.folder / f"{place // 1000:05}" / f"{place:08}.part"
