"""Fetching against a real server on this machine, which can be told to misbehave."""

import errno
import hashlib
import os
import random
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch
import pytest
from messages import missing_facts

from gecbench.core.errors import ResourceError
from gecbench.core.files import try_lock
from gecbench.datasets import fetch
from gecbench.datasets.catalog import DataFile, DataSet

CONTENT = random.Random(4).randbytes(100_000)
HALF = 50_000


@dataclass
class Behaviour:
    """What the server does, and the Range header of each request it got."""

    content: bytes = CONTENT
    status: int | None = None  # answer with this one only
    cut: int | None = None  # close the connection after so many bytes
    ranges: bool = True
    range_start: int | None = None  # begin there, whatever was asked for
    says_length: bool = True
    headers: dict[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None  # wait for it before the body
    stall: threading.Event | None = None  # wait for it after the body
    asked: threading.Event = field(default_factory=threading.Event)
    requests: list[str | None] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        behaviour = self.server.behaviour
        behaviour.requests.append(self.headers["Range"])
        behaviour.asked.set()
        start = 0
        if behaviour.ranges and self.headers["Range"]:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        status = 206 if start else 200
        if start >= len(behaviour.content):
            status = 416
        self.send_response(behaviour.status or status)
        if start and behaviour.range_start is not None:
            start = behaviour.range_start
        body = b"" if behaviour.status or status == 416 else behaviour.content[start:]
        if status == 206:
            end = len(behaviour.content)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
        if behaviour.says_length:
            self.send_header("Content-Length", str(len(body)))
        for name, value in behaviour.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if behaviour.hold is not None:
            behaviour.hold.wait(30)
        self.wfile.write(body if behaviour.cut is None else body[: behaviour.cut])
        if behaviour.stall is not None:
            behaviour.stall.wait(30)

    def log_message(self, *args):
        """Keep quiet."""


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client may hang up."""


@contextmanager
def serving(behaviour):
    with Server(("127.0.0.1", 0), Handler) as server:
        server.behaviour = behaviour
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def behaviour():
    return Behaviour()


@pytest.fixture
def data_set(behaviour):
    with serving(behaviour) as address:
        yield make_set(address)


def make_set(address, *, note="", names=("one.txt",)):
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    files = tuple(DataFile(name, address + name, len(CONTENT), sha256) for name in names)
    return DataSet("set", "A set", "https://example.org", "MIT", note, "Nobody 2022", files)


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}/"


def get(data_set, folder, **options):
    lines = []
    options.setdefault("mirror", None)
    try:
        return fetch.get(data_set, folder=folder, say=lines.append, **options), lines
    except ResourceError as error:
        message = str(error)
    assert "\n" not in message
    return message, lines


def left(folder):
    return sorted(path.name for path in (folder / "set").iterdir() if path.name != ".lock")


def leave_part(data_set, folder, content):
    file = data_set.files[0]
    part = folder / "set" / f".{file.name}.{file.sha256[:12]}.part"
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(content)
    return part


class TestDownload:
    def test_every_file_arrives_whole(self, behaviour, tmp_path):
        with serving(behaviour) as address:
            paths, _ = get(make_set(address, names=("a.txt", "b.txt")), tmp_path)
        assert paths == [tmp_path / "set" / "a.txt", tmp_path / "set" / "b.txt"]
        assert all(path.read_bytes() == CONTENT for path in paths)
        assert left(tmp_path) == ["a.txt", "b.txt"]

    def test_licence_and_citation_are_said_once_and_only_when_something_came(
        self, behaviour, tmp_path
    ):
        with serving(behaviour) as address:
            data_set = make_set(address, note="in part", names=("a.txt", "b.txt"))
            _, lines = get(data_set, tmp_path)
            assert lines[-3:] == [
                "A set, https://example.org",
                "licence: MIT (in part)",
                "please cite: Nobody 2022",
            ]
            assert sum(line.startswith("licence: ") for line in lines) == 1
            _, lines = get(data_set, tmp_path)
        assert lines == ["a.txt: already here", "b.txt: already here"]
        assert len(behaviour.requests) == 2

    def test_pooch_does_not_say_it_again(self, data_set, tmp_path, monkeypatch):
        records = []
        monkeypatch.setattr(pooch.get_logger(), "handle", records.append)
        get(data_set, tmp_path)
        assert records == []

    def test_progress_ends_at_the_size(self, data_set, tmp_path):
        seen = []
        get(data_set, tmp_path, progress=lambda file, done: seen.append((file.name, done)))
        assert seen[-1] == ("one.txt", len(CONTENT))
        assert [done for _, done in seen] == sorted(done for _, done in seen)

    def test_a_wrong_file_that_is_here_is_replaced(self, data_set, tmp_path):
        path = tmp_path / "set" / "one.txt"
        path.parent.mkdir()
        path.write_bytes(b"wrong")
        get(data_set, tmp_path)
        assert path.read_bytes() == CONTENT

    def test_force_fetches_what_is_here(self, data_set, behaviour, tmp_path):
        get(data_set, tmp_path)
        get(data_set, tmp_path, force=True)
        assert behaviour.requests == [None, None]

    def test_a_forced_fetch_that_fails_keeps_what_was_here(self, data_set, behaviour, tmp_path):
        (path,), _ = get(data_set, tmp_path)
        behaviour.status = 503
        message, _ = get(data_set, tmp_path, force=True)
        assert "503" in message
        assert path.read_bytes() == CONTENT


class TestResume:
    def test_the_second_request_asks_only_for_the_rest(self, data_set, behaviour, tmp_path):
        behaviour.cut = HALF
        message, _ = get(data_set, tmp_path)
        assert left(tmp_path)[0].endswith(".part")
        size = (tmp_path / "set" / left(tmp_path)[0]).stat().st_size
        assert 0 < size <= HALF
        assert f"{size} of 100000 bytes are kept, the same command continues there" in message
        assert data_set.files[0].url in message
        assert "--mirror" in message
        behaviour.cut = None
        (path,), lines = get(data_set, tmp_path)
        assert behaviour.requests == [None, f"bytes={size}-"]
        assert lines[0].startswith(f"one.txt: continuing at {size} of 100000 bytes from http")
        assert path.read_bytes() == CONTENT
        assert left(tmp_path) == ["one.txt"]

    def test_a_server_that_ignores_ranges_sends_all(self, data_set, behaviour, tmp_path):
        leave_part(data_set, tmp_path, CONTENT[:HALF])
        behaviour.ranges = False
        (path,), lines = get(data_set, tmp_path)
        assert behaviour.requests == [f"bytes={HALF}-"]
        assert lines[0].startswith("one.txt: downloading 100000 bytes")
        assert path.read_bytes() == CONTENT

    def test_a_part_of_something_else_is_fetched_anew(self, data_set, behaviour, tmp_path):
        leave_part(data_set, tmp_path, bytes(HALF))
        (path,), lines = get(data_set, tmp_path)
        assert behaviour.requests == [f"bytes={HALF}-", None]
        assert "one.txt: what an earlier run left does not fit; starting again" in lines
        assert path.read_bytes() == CONTENT

    def test_a_whole_part_needs_no_request(self, data_set, behaviour, tmp_path):
        leave_part(data_set, tmp_path, CONTENT)
        (path,), _ = get(data_set, tmp_path)
        assert behaviour.requests == []
        assert path.read_bytes() == CONTENT

    def test_a_part_that_is_too_long_is_not_continued(self, data_set, behaviour, tmp_path):
        leave_part(data_set, tmp_path, CONTENT + b"more")
        get(data_set, tmp_path)
        assert behaviour.requests == [None]

    @pytest.mark.parametrize("trouble", [{"range_start": 7}, {"content": CONTENT[:HALF]}])
    def test_a_range_that_the_server_does_not_give_is_given_up(
        self, data_set, behaviour, tmp_path, trouble
    ):
        leave_part(data_set, tmp_path, CONTENT[: HALF + 1])
        for name, value in trouble.items():
            setattr(behaviour, name, value)
        get(data_set, tmp_path)
        assert behaviour.requests == [f"bytes={HALF + 1}-", None]

    def test_an_interrupted_run_leaves_no_file_and_can_be_continued(
        self, data_set, behaviour, tmp_path
    ):
        def interrupt(_file, done):
            if done > HALF:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fetch.get(data_set, folder=tmp_path, mirror=None, progress=interrupt)
        (part,) = left(tmp_path)
        size = (tmp_path / "set" / part).stat().st_size
        assert part.endswith(".part")
        (path,), _ = get(data_set, tmp_path)
        assert behaviour.requests == [None, f"bytes={size}-"]
        assert path.read_bytes() == CONTENT


class TestWrongContent:
    def test_another_content_is_refused_with_both_hashes_and_not_kept(
        self, data_set, behaviour, tmp_path
    ):
        behaviour.content = bytes(len(CONTENT))
        message, _ = get(data_set, tmp_path)
        assert hashlib.sha256(behaviour.content).hexdigest() in message
        assert data_set.files[0].sha256 in message
        assert data_set.files[0].url in message
        assert left(tmp_path) == []

    @pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT + b"!"])
    def test_another_size_is_refused_before_a_byte_is_written(
        self, data_set, behaviour, tmp_path, content
    ):
        behaviour.content, behaviour.ranges = content, False
        message, _ = get(data_set, tmp_path)
        assert f"sends {len(content)} bytes, but the catalogue says 100000" in message
        assert left(tmp_path) == []

    def test_an_endless_answer_is_stopped(self, data_set, behaviour, tmp_path):
        behaviour.content, behaviour.says_length = CONTENT * 3, False
        message, _ = get(data_set, tmp_path)
        assert "but the catalogue says 100000" in message
        assert left(tmp_path) == []

    def test_an_answer_that_ends_early_without_a_length_is_a_cut(
        self, data_set, behaviour, tmp_path
    ):
        behaviour.cut, behaviour.says_length = HALF, False
        message, _ = get(data_set, tmp_path)
        assert "the answer ended early; 50000 of 100000" in message

    def test_the_length_of_a_compressed_answer_is_not_that_of_the_file(
        self, data_set, behaviour, tmp_path
    ):
        import zlib

        behaviour.content, behaviour.headers = (
            zlib.compress(CONTENT),
            {"Content-Encoding": "deflate"},
        )
        (path,), _ = get(data_set, tmp_path)
        assert path.read_bytes() == CONTENT


class TestNetwork:
    @pytest.mark.parametrize("status", [204, 404, 500])
    def test_another_status_is_said(self, data_set, behaviour, tmp_path, status):
        behaviour.status = status
        message, _ = get(data_set, tmp_path)
        assert f"{data_set.files[0].url}: the server answered {status} " in message
        assert "--mirror" in message
        assert left(tmp_path) == []

    def test_an_error_page_does_not_cost_what_is_kept(self, data_set, behaviour, tmp_path):
        part = leave_part(data_set, tmp_path, CONTENT[:HALF])
        behaviour.status = 502
        get(data_set, tmp_path)
        assert part.read_bytes() == CONTENT[:HALF]

    def test_a_refused_connection_is_one_line(self, tmp_path):
        url = closed_port()
        message, _ = get(make_set(url), tmp_path)
        facts = (f"{url}one.txt", os.strerror(errno.ECONNREFUSED), "--mirror DIR")
        assert missing_facts(message, facts) == []

    def test_a_host_without_address_is_one_line(self, tmp_path, monkeypatch):
        def nowhere(*args, **kwargs):
            raise socket.gaierror(-2, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", nowhere)
        message, _ = get(make_set("http://origin.invalid/"), tmp_path)
        assert "http://origin.invalid/one.txt: Name or service not known; check the" in message

    def test_silence_ends_after_a_while(self, data_set, behaviour, tmp_path, monkeypatch):
        behaviour.hold = threading.Event()
        monkeypatch.setattr(fetch, "TIMEOUT", 0.1)
        message, _ = get(data_set, tmp_path)
        behaviour.hold.set()
        assert "timed out" in message

    def test_what_the_caller_was_handling_is_not_the_reason(self, tmp_path):
        try:
            raise FileNotFoundError(2, "no table")
        except FileNotFoundError:
            message, _ = get(make_set(closed_port()), tmp_path)
        assert "no table" not in message


CHILD = """
import sys
from pathlib import Path
from gecbench.datasets.catalog import DataFile, DataSet
from gecbench.datasets.fetch import get

folder, url, size, sha256 = sys.argv[1:]
data_set = DataSet("set", "", "", "", "", "", (DataFile("one.txt", url, int(size), sha256),))
say = lambda *line: print(*line[-1:], flush=True)
get(data_set, folder=Path(folder), mirror=None, say=say, progress=say)
"""


def child(data_set, folder):
    file = data_set.files[0]
    arguments = [str(folder), file.url, str(file.size), file.sha256]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments], stdout=subprocess.PIPE, text=True
    )


class TestTwoAtOnce:
    def test_the_second_process_waits_and_finds_the_file(self, data_set, behaviour, tmp_path):
        behaviour.hold = threading.Event()
        with child(data_set, tmp_path) as first:
            assert behaviour.asked.wait(60)
            with child(data_set, tmp_path) as second:
                assert second.stdout.readline().endswith("waiting\n")
                behaviour.hold.set()
                assert second.stdout.read() == "one.txt: already here\n"
            first.stdout.read()
        assert (first.returncode, second.returncode) == (0, 0)
        assert behaviour.requests == [None]
        assert (tmp_path / "set" / "one.txt").read_bytes() == CONTENT

    def test_a_killed_process_neither_blocks_nor_costs_the_next(
        self, data_set, behaviour, tmp_path
    ):
        behaviour.cut, behaviour.stall = HALF, threading.Event()
        with child(data_set, tmp_path) as first:
            while first.stdout.readline() != f"{5 * fetch.CHUNK}\n":
                pass
            first.kill()
        behaviour.stall.set()
        assert first.returncode < 0
        behaviour.cut = None
        (path,), _ = get(data_set, tmp_path)
        start = int(behaviour.requests[1].removeprefix("bytes=").removesuffix("-"))
        assert 4 * fetch.CHUNK <= start <= HALF
        assert path.read_bytes() == CONTENT

    def test_a_lock_is_waited_for(self, data_set, tmp_path, monkeypatch):
        (tmp_path / "set").mkdir()
        lock = (tmp_path / "set" / ".lock").open("ab")
        assert try_lock(lock)
        monkeypatch.setattr("time.sleep", lambda _seconds: lock.close())
        _, lines = get(data_set, tmp_path)
        assert lines[0] == f"{tmp_path / 'set'}: another gecbench is fetching into it; waiting"
