"""The real command line, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gecbench.api.files import sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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


CHROMIUM = Path("/usr/bin/chromium")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real headless Chromium."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM.exists():
        pytest.skip(f"no chromium at {CHROMIUM}; install Debian's package chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=list(QUIET))
        yield opened
        opened.close()
