"""Workflows planned in this process, or run as users run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from . import forks as fork_server

WORKFLOWS = Path(__file__).parents[2] / "workflows"
NAMES = sorted(path.stem for path in WORKFLOWS.glob("*.smk"))

Plan = Callable[..., list[str]]


@pytest.fixture
def dry_run(tmp_path, monkeypatch, capfd) -> Callable[..., tuple[int, str]]:
    """Return a function that plans a workflow: its exit code and what it prints."""
    from snakemake.cli import main

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def plan(name: str, *config: str) -> tuple[int, str]:
        words = ["--snakefile", str(WORKFLOWS / f"{name}.smk"), "--directory", str(tmp_path)]
        words += ["--dry-run", "--config", *config] if config else ["--dry-run"]
        with pytest.raises(SystemExit) as ended:
            main(words)
        return ended.value.code, "".join(capfd.readouterr())

    return plan


@pytest.fixture
def planned(dry_run, tmp_path) -> Plan:
    """Return a function that gives the command lines of a workflow, its data being there."""

    def plan(name: str, small: bool) -> list[str]:
        for path in WORKFLOWS.rglob("*.smk"):
            for place in re.findall(r'data\(\s*"[\w-]+",\s*"([^"]+)"', path.read_text("utf-8")):
                (tmp_path / place).parent.mkdir(exist_ok=True)
                (tmp_path / place).touch()
        code, output = dry_run(name, f"small={str(small).lower()}")
        assert code == 0, output
        assert "MISSING" not in output
        lines = re.findall(r"^Shell command: (.*\n(?:(?:gecbench|done).*\n)*)", output, re.M)
        return [line for lines in lines for line in lines.splitlines() if line != "None"]

    return plan


@pytest.fixture(scope="module")
def forks(tmp_path_factory) -> Iterator[Path]:
    """A folder with a program `gecbench` whose commands need not import torch, see forks.py."""
    folder = tmp_path_factory.mktemp("forks")
    place = folder / "socket"
    fork_server.write_client(folder, place)
    with subprocess.Popen([sys.executable, fork_server.__file__, place]) as process:
        while not place.exists():
            assert process.poll() is None
            time.sleep(0.1)
        yield folder
        process.terminate()


def snakemake(
    name: str, folder: Path, *words: str, config: Sequence[str] = (), first: Path | None = None
) -> subprocess.Popen[str]:
    """Start the small form of a workflow in a folder, as a user does; with its own group.

    Args:
        name: Of the workflow.
        folder: Where it runs.
        words: More of the command line.
        config: More of its configuration.
        first: A folder of programs that are taken before others.
    """
    tools = Path(sys.executable).parent
    path = os.pathsep.join(map(str, [*([first] if first else []), tools, os.environ["PATH"]]))
    return subprocess.Popen(
        [
            *(tools / "snakemake", "--snakefile", WORKFLOWS / f"{name}.smk"),
            *("--directory", folder, *words, "--config", "small=true", *config),
        ],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
