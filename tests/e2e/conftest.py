"""The real command line, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gecbench.api.files import sample

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def plain_python(monkeypatch: pytest.MonkeyPatch):
    """Standard output as a user has it, whatever this machine prefers."""
    for name in ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `gecbench WORDS` in an empty folder; standard input is `given`."""

    def run(*words: object, given: str = "", **environment: str):
        return subprocess.run(
            [sys.executable, "-m", "gecbench", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def good(run: Run) -> Callable[..., str]:
    """Run a command line that has nothing to say but its result."""

    def good(*words: object, given: str = "", **environment: str) -> str:
        ended = run(*words, given=given, **environment)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    return good


@pytest.fixture
def bad(run: Run) -> Callable[..., str]:
    """Run a command line that fails with an exit code; return its one line."""

    def bad(code: int, *words: object, given: str = "", **environment: str) -> str:
        ended = run(*words, given=given, **environment)
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
