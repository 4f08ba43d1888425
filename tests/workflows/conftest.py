"""Workflows planned in this process, or run as users run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

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


def snakemake(
    name: str, folder: Path, *words: str, config: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """Start the small form of a workflow in a folder, as a user does; with its own group."""
    tools = Path(sys.executable).parent
    return subprocess.Popen(
        [
            *(tools / "snakemake", "--snakefile", WORKFLOWS / f"{name}.smk"),
            *("--directory", folder, *words, "--config", "small=true", *config),
        ],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
