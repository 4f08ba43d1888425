"""The whole command line: in this process, or in one of its own where a process is the point."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gecbench.api.files import sample
from gecbench.cli import main

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def plain_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard output as a user has it, whatever this machine prefers."""
    for name in ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    before = gc.get_threshold()  # the command line sets it
    yield
    gc.set_threshold(*before)


def call(*words: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run `gecbench WORDS` in this process, as if it had one of its own."""
    options, out, err = (
        io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
        for content in (stdin.encode(), b"", b"")
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in (("stdin", options), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        try:
            main([str(word) for word in words])
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        except Exception:  # noqa: BLE001 - only --debug lets it through
            traceback.print_exc()
            code = 1
    out.flush()
    err.flush()
    shown = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess(words, code, *shown)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `gecbench WORDS` in an empty folder; standard input is `given`."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object, stdin: str = "", **environment: str):
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            return call(*words, stdin=stdin)

    return run


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """Run `gecbench WORDS` as `run` does, but in a process of its own."""

    def run(*words: object, stdin: str = "", **environment: str):
        return subprocess.run(
            [sys.executable, "-m", "gecbench", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def good(run: Run) -> Callable[..., str]:
    """Run a command line that has nothing to say but its result."""

    def good(*words: object, stdin: str = "", **environment: str) -> str:
        ended = run(*words, stdin=stdin, **environment)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    return good


@pytest.fixture
def bad(run: Run) -> Callable[..., str]:
    """Run a command line that fails with an exit code; return its one line."""

    def bad(code: int, *words: object, stdin: str = "", **environment: str) -> str:
        ended = run(*words, stdin=stdin, **environment)
        assert (ended.returncode, ended.stdout) == (code, ""), ended
        assert ended.stderr.startswith("gecbench: ")
        assert ended.stderr.count("\n") == 1
        assert ended.stderr.endswith("\n")
        return ended.stderr.removeprefix("gecbench: ").rstrip("\n")

    return bad


@pytest.fixture
def zh() -> Path:
    """The folder of the bundled Chinese samples."""
    return sample("zh", "corpus.jsonl").parent
