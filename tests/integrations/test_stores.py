"""Corpora and results in S3: the real client, and a server on this machine that answers as S3."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from messages import expect_error

import gecbench
from gecbench.cli import main
from gecbench.core.errors import GecbenchError
from gecbench.core.files import read_lines, write_stream

pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = "1\t我去学校\t我去了学校\n2\t他来\t没有错误\n"
COMMANDS = (
    (("edits", "{}", "--scheme", "zh-char"), "edits.m2"),
    (("convert", "{}", "--to", "jsonl"), "dev.jsonl.gz"),
    (("convert", "{}", "--to", "jsonl"), "dev.parquet"),
    (("score", "{}", "{system}", "--scheme", "zh-char"), "scores.json"),
    (("corrupt", "{}", "--overwrite"), "pairs.jsonl"),
    (("correct", "zh-homophone", "{}", "--to", "jsonl"), "out.jsonl"),
)


def _serve(module: str, *words: str) -> Iterator[int]:
    """Run a server on a free port until it is no longer needed."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", module, *(word.format(port) for word in words)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert server.poll() is None, f"{module} ended"
                time.sleep(0.1)
        yield port
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def s3(need) -> Iterator[str]:
    """A server that answers as S3, with a bucket; its address is where boto's clients look."""
    need("moto")
    with pytest.MonkeyPatch.context() as patch:
        for port in _serve("moto.server", "-H", "127.0.0.1", "-p", "{}"):
            patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
            patch.setenv("AWS_ACCESS_KEY_ID", "anyone")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "anything")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            system = need("s3fs").S3FileSystem(skip_instance_cache=True)
            system.mkdir("corpora")
            yield "s3://corpora"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Run a command line; return exit code and standard error."""

    def run(*words: str) -> tuple[int, str]:
        try:
            main(list(words))
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, capsys.readouterr().err

    return run


def _put(address: str, text: str) -> None:
    write_stream(Path(address), [text.encode()])


@pytest.mark.parametrize("engine", ["one process", "ray"])
def test_commands_give_there_what_they_give_here(run, s3, tmp_path, engine, request):
    """The same bytes, by one process and by a cluster, whose machines open no file themselves."""
    more: tuple[str, ...] = ()
    if engine == "ray":
        more = ("--engine", "ray", "--address", request.getfixturevalue("cluster"))
    here = tmp_path / "dev.tsv"
    here.write_text(ROWS, "utf-8")
    (tmp_path / "system.txt").write_text("我去了学校\n他来\n", "utf-8")
    _put(f"{s3}/in/dev.tsv", ROWS)
    _put(f"{s3}/in/system.txt", "我去了学校\n他来\n")
    for words, name in COMMANDS:
        if more and words[0] == "convert":
            continue
        for folder, corpora in ((str(tmp_path), str(tmp_path)), (f"{s3}/out", f"{s3}/in")):
            places = {"system": f"{corpora}/system.txt"}
            command = [word.format(f"{corpora}/dev.tsv", **places) for word in words]
            engine_options = () if corpora == str(tmp_path) else more
            code, message = run(*command, *engine_options, "-o", f"{folder}/{name}")
            assert code == 0, (words, message)
        there = read_lines(Path(f"{s3}/out/{name}"))
        assert there == read_lines(tmp_path / name), name
    assert gecbench.load(f"{s3}/out/dev.parquet").samples == gecbench.load(here).samples


def test_a_file_is_there_whole_or_the_old_one_stays(run, s3):
    _put(f"{s3}/old/pairs.tsv", "old\tone\n")

    def broken() -> Iterator[bytes]:
        yield b"x" * 6_000_000  # more than the client sends at once
        raise GecbenchError("in the middle")

    with pytest.raises(GecbenchError, match="in the middle"):
        write_stream(Path(f"{s3}/old/pairs.tsv"), broken())
    assert read_lines(Path(f"{s3}/old/pairs.tsv")) == ["old\tone"]
    _put(f"{s3}/in/dev.tsv", ROWS)
    code, message = run("corrupt", f"{s3}/in/dev.tsv", "-o", f"{s3}/old/pairs.tsv")
    assert (code, "already exists" in message) == (1, True)


@pytest.mark.parametrize("name", ["none.tsv", "none.parquet"])
def test_what_is_not_there_is_said(s3, name: str):
    with expect_error(GecbenchError, f"{s3}/in/{name}"):
        read_lines(Path(f"{s3}/in/{name}"))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Ray cluster of two nodes on this machine."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    nodes.add_node(num_cpus=1)
    yield nodes.address
    nodes.shutdown()
