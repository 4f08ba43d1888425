"""The HTTP server: where it may listen, gunicorn's processes, lines of the log."""

from __future__ import annotations

import errno
import ipaddress
import json
import logging
import mmap
import os
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gecbench.core.errors import GecbenchError, UsageError

_OURS = ("request", "person", "status", "milliseconds")


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class TextLine(logging.Formatter):
    """Time, level, logger, message, and who and which request where that is known."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, a traceback after it."""
        known = [
            f"{name}={getattr(record, name)}"
            for name in ("person", "request")
            if isinstance(getattr(record, name, None), str | int)
        ]
        words = super().format(record)
        first, _, rest = words.partition("\n")
        line = " ".join([_moment(record), record.levelname, record.name, first, *known])
        return f"{line}\n{rest}" if rest else line


class JsonLine(logging.Formatter):
    """The same as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; a traceback is a part of it."""
        fields: dict[str, object] = {
            "time": _moment(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name in _OURS:
            value = getattr(record, name, None)
            if isinstance(value, str | int | float):
                fields[name] = value
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


# The HTTP server: where it may listen, and gunicorn's processes, all from one command.


THREADS = 4
_SHARED_MEMORY = "/dev/shm"  # where a worker's sign of life costs no disk


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens.

    Args:
        host: An address or a name of this machine.
        port: 0 takes any free one.
    """

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def everywhere(self) -> bool:
        """Whether it is all addresses of the machine, and so no name to ask for."""
        return self.host in ("0.0.0.0", "::")  # compared, not bound


def address_of(text: str) -> Address:
    """The address of HOST:PORT or [HOST]:PORT.

    Raises:
        UsageError: It is neither.

    >>> address_of("127.0.0.1:8700"), str(address_of("[::1]:80"))
    (Address(host='127.0.0.1', port=8700), '[::1]:80')
    """
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not colon or not bare or (":" in bare and bare == host) or not port.isascii():
        raise UsageError(f"{text!r} is no address; write HOST:PORT, as 127.0.0.1:8700")
    if not port.isdigit() or int(port) > 65535:
        raise UsageError(f"{text!r}: the port is a number up to 65535")
    return Address(bare, int(port))


def refuse_exposure(
    address: Address, *, behind_proxy: bool, insecure: bool, hosts: tuple[str, ...]
) -> None:
    """Refuse to let passwords travel readable, or to listen where nobody may ask.

    Raises:
        UsageError: Others can reach the address by plain HTTP, or it has no name.
    """
    if address.loopback:
        return
    if not behind_proxy and not insecure:
        raise UsageError(
            f"{address} can be reached from other machines, by plain HTTP; put a proxy with https "
            "before it and say --behind-proxy, or say --insecure where the network is trusted"
        )
    if address.everywhere and not hosts:
        raise UsageError(
            f"{address} is every address of this machine; say the name that people type in their "
            "browser: --host annotate.example.org"
        )


def bind(address: Address) -> socket.socket:
    """A bound socket, so that a port where somebody listens is known before anything is done.

    It refuses connections until the server can answer them: a proxy asks another host meanwhile.
    Two servers that start at once can both have it; `run` says so to the one that is later.

    Raises:
        GecbenchError: The address is in use, or is none of this machine.
    """
    try:
        family, kind, _, _, place = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        opened = socket.socket(family, kind)
    except OSError as error:
        raise GecbenchError(f"{address}: is no address of this machine: {error.strerror}") from None
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(place)
    except OSError as error:
        opened.close()
        raise _cannot_listen(address, error) from None
    return opened


def _cannot_listen(address: Address, error: OSError) -> GecbenchError:
    busy = error.errno == errno.EADDRINUSE
    why = "in use by another program" if busy else str(error.strerror)
    return GecbenchError(f"{address}: {why}; name another address: --bind {address.host}:PORT")


_ending = mmap.mmap(-1, 1)
"""A byte that all processes of the server share: 1 from SIGTERM on."""


def is_ending() -> bool:
    """Whether the server has been told to end, so that a proxy shall send nobody here."""
    return _ending[0] == 1


def run(
    opened: socket.socket,
    *,
    workers: int,
    ready: Callable[[], None],
    close_in_workers: int,
    drain: float = 0,
) -> None:
    """Serve until a signal ends it; returns when all processes have ended.

    Args:
        opened: What `bind` gave.
        workers: How many processes answer, each with `THREADS` threads.
        ready: Called once, when people may come.
        close_in_workers: The lock of the data folder, which only the first process holds.
        drain: Seconds in which requests are still taken after SIGTERM, until the proxy has
            noticed that /readyz says no.

    Raises:
        GecbenchError: It ended by a failure, or another server listens there since `bind`.
    """
    from gunicorn.app.base import BaseApplication

    address = Address(*opened.getsockname()[:2])
    options = _options(opened, workers, ready, close_in_workers, drain)

    class Application(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            for key, value in options.items():
                self.cfg.set(key, value)

        def load(self) -> Callable[..., Any]:
            return load()

    first = os.getpid()
    try:
        Application().run()
    except SystemExit as ended:
        if os.getpid() != first:  # a worker: what comes after this is the first process's
            os._exit(ended.code if isinstance(ended.code, int) else 1)
        if ended.code:
            raise GecbenchError("the server ended by a failure; its messages are above") from None
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise _cannot_listen(address, error) from None


def _options(
    opened: socket.socket,
    workers: int,
    ready: Callable[[], None],
    close_in_workers: int,
    drain: float,
) -> dict[str, object]:
    def post_fork(server: object, worker: object) -> None:
        del server, worker
        os.close(close_in_workers)

    def when_ready(server: Any) -> None:
        def end(number: int, frame: object) -> None:
            if _ending[0]:  # a second one does not wait
                server.signal(number, frame)
                return
            _ending[0] = 1
            timer = threading.Timer(drain, server.signal, (number, frame))
            timer.daemon = True  # Ctrl-C does not wait for it
            timer.start()

        _ending[0] = 0
        signal.signal(signal.SIGTERM, end)
        ready()

    return {
        "bind": f"fd://{opened.detach()}",  # gunicorn closes it from now on
        "workers": workers,
        "worker_class": "gthread",
        "threads": THREADS,
        "preload_app": True,
        "timeout": 60,
        "graceful_timeout": 30,
        "keepalive": 75,
        "umask": 0o077,
        "loglevel": "warning",
        "proc_name": "gecbench",
        "control_socket_disable": True,
        "worker_tmp_dir": _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None,
        "post_fork": post_fork,
        "when_ready": when_ready,
    }


def collect_static_files() -> None:
    """Write the static files, under names with hashes, to the data folder.

    Those of an earlier version stay: pages that are open may still ask for them.

    Raises:
        GecbenchError: They cannot be written.
    """
    from django.conf import settings
    from django.core.management import call_command

    try:
        call_command("collectstatic", interactive=False, verbosity=0)
    except OSError as error:
        raise GecbenchError(f"{settings.STATIC_ROOT}: cannot be written: {error}") from error


def load() -> Callable[..., Any]:
    """The application with all its pages imported: workers share that memory."""
    from django.core.wsgi import get_wsgi_application
    from django.db import connections
    from django.urls import get_resolver

    from gecbench.server.sqlite.base import open_queue

    application = get_wsgi_application()
    open_queue()
    _ = get_resolver().url_patterns
    connections.close_all()  # a connection must not be shared by two processes
    return application
