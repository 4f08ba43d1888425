"""A site with made sentences, its server processes, and what they cost."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

HERE = Path(__file__).parent
_TICKS = os.sysconf("SC_CLK_TCK")
_WHO = ("我", "他", "老师", "妈妈", "我的同学", "这个孩子", "很多留学生", "图书馆的人")
_WHEN = ("昨天", "每天早上", "去年夏天", "下课以后", "在北京的时候", "因为下雨")
_DID = ("看书完了", "去了学校去", "学习汉语很努力", "对电影很兴趣", "把作业写", "认识新朋友们")
_WHY = ("所以他很高兴", "但是不知道怎么办", "这样可以提高水平", "结果没有赶上车", "大家都说好极了")


class LoadError(Exception):
    """Something that is measured failed; the message is one line."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that ended well.

    Args:
        wall: Seconds.
        cpu: Seconds of user and system.
        peak: Megabytes resident at most.
        output: What it printed.
    """

    wall: float
    cpu: float
    peak: float
    output: str


def write_sentences(path: Path, count: int, *, wrong: bool = False) -> None:
    """Write made sentences, one a line, no two alike; some are long.

    Args:
        path: The file.
        count: How many.
        wrong: Write a table of id, sentence with one error, and correction.
    """
    chance = random.Random(1)  # the same file each time, nothing secret
    with path.open("w", encoding="utf-8") as out:
        for n in range(count):
            parts = chance.choices((1, 2, 4), (70, 25, 5))[0]
            facts = "，".join(
                chance.choice(_WHEN) + chance.choice(_WHO) + chance.choice(_DID)
                for _ in range(parts)
            )
            text = f"{facts}，{chance.choice(_WHY)}（第{n}句）。"
            out.write(f"{n}\t{text.replace('句', '旬')}\t{text}\n" if wrong else f"{text}\n")


@dataclass
class Place:
    """A data folder and its database.

    Args:
        folder: The data folder.
        database: URL of PostgreSQL; "" is SQLite.
        workers: Processes that answer.
        address: Where the server listens; one of 127.0.0.0/8.
        options: More options of `serve`.
    """

    folder: Path
    database: str
    workers: int
    address: str = "127.0.0.1"
    options: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    port: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take nothing from whoever runs this but what it needs."""
        plain = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
        self.environment = {**plain, "GECBENCH_RATE_LIMITS": "0"}
        if self.database:
            self.environment["GECBENCH_DATABASE_URL"] = self.database

    def python(self, *words: object) -> Ended:
        """Run Python with these arguments on this site.

        Raises:
            LoadError: It failed.
        """
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, *map(str, words)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        if process.returncode:
            raise LoadError(f"{' '.join(map(str, words))}: {output.strip()[-500:]}")
        return Ended(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000, output)

    def gecbench(self, command: str, *words: object) -> Ended:
        """Run `gecbench annotate COMMAND` on this site."""
        return self.python("-m", "gecbench", "annotate", command, *words)

    def start(self) -> float:
        """Start the server; the seconds until its first answer.

        Raises:
            LoadError: It does not answer.
        """
        if not self.port or self.address == "127.0.0.1":
            with socket.socket() as probe:
                probe.bind((self.address, 0))
                self.port = probe.getsockname()[1]
        words = ["--data", str(self.folder), "--bind", f"{self.address}:{self.port}"]
        began = time.monotonic()
        with (self.folder.parent / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "gecbench", "annotate", "serve", *words),
                    *("--workers", str(self.workers)),
                    *self.options,
                ],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        while time.monotonic() - began < 60:
            if self.process.poll() is not None:
                break
            ready = f"http://{self.address}:{self.port}/readyz"
            with contextlib.suppress(OSError), urllib.request.urlopen(ready, timeout=5):
                return time.monotonic() - began
            time.sleep(0.02)
        raise LoadError(f"the server does not answer; see {self.folder.parent / 'server.log'}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server as Ctrl-C does, or as containers do by SIGTERM."""
        if self.process is not None:
            self.process.send_signal(how)
            try:
                self.process.wait(60)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process = None

    def _processes(self) -> list[Path]:
        group = str(self.process.pid) if self.process else ""
        paths = []
        for path in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if path.name.isdigit() and _stat(path)[2] == group:
                    paths.append(path)
        return paths

    def cpu(self) -> float:
        """Seconds of CPU that all server processes have used (the database server's not)."""
        return sum(sum(map(int, _stat(process)[11:13])) for process in self._processes()) / _TICKS

    def memory(self) -> float:
        """Megabytes of all server processes, shared pages counted once."""
        total = 0
        for process in self._processes():
            for line in (process / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        return total * 1024 / 1e6


class Hosts(Place):
    """Several hosts of one site on one machine, from 127.0.0.2 on, with nginx before them.

    Args:
        place: The site; its commands work as before.
        count: Of the hosts.
    """

    def __init__(self, place: Place, count: int) -> None:
        super().__init__(place.folder, place.database, place.workers)
        self.count, self.spent = count, 0.0
        self.hosts: list[Place] = []
        self.open = contextlib.ExitStack()

    def start(self) -> float:
        """Start the hosts and nginx; the seconds until the first answer of the last one."""
        sys.path.append(str(HERE.parents[1] / "tests"))
        from server.proxy import nginx

        secret = (self.folder / "secret.key").read_text("utf-8").strip()
        options = ("--no-migrate", "--drain", "1")
        for n in range(self.count):
            folder = self.folder.with_name(f"host{n}") / "site"
            folder.parent.mkdir(exist_ok=True)
            host = Place(folder, self.database, self.workers, f"127.0.0.{n + 2}", options)
            host.environment |= {"GECBENCH_SECRET_KEY": secret, "GECBENCH_BEHIND_PROXY": "1"}
            self.hosts.append(host)
        began = time.monotonic()
        for host in self.hosts:
            host.start()
        names = [f"{host.address}:{host.port}" for host in self.hosts]
        self.port = self.open.enter_context(nginx(self.hosts[0].folder.parent, names))
        return time.monotonic() - began

    def restart(self, pause: float) -> None:
        """Restart one host after the other, each when the one before it has worked for a while."""
        for host in self.hosts:
            self.spent += host.cpu()
            host.stop(signal.SIGTERM)
            host.start()
            time.sleep(pause)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End nginx, then all hosts."""
        self.open.close()
        while self.hosts:
            self.hosts.pop().stop(how)

    def cpu(self) -> float:
        """Seconds of CPU of all hosts, those before a restart too (the drain's not)."""
        return self.spent + sum(host.cpu() for host in self.hosts)

    def memory(self) -> float:
        """Megabytes of all hosts."""
        return sum(host.memory() for host in self.hosts)


def _stat(process: Path) -> list[str]:
    """Return the fields of /proc/PID/stat after the name, from the state on."""
    return (process / "stat").read_text().rpartition(")")[2].split()


@contextlib.contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """Make a database on the server of a URL, and drop it at the end; "" stays ""."""
    if not server:
        yield ""
        return
    import psycopg

    name = f"gecbench_load_{uuid4().hex[:8]}"
    with psycopg.connect(server, autocommit=True) as opened:
        opened.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            opened.execute(f"DROP DATABASE {name} WITH (FORCE)")
