"""The programs in benchmarks/ run seldom: here they are held to the code that they measure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "benchmarks"
FOLDERS = (".", "annotate", pytest.param("models", marks=pytest.mark.slow))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_benchmark_can_be_imported(folder: str):
    """One process a folder: importing torch takes seconds, and modules have short names."""
    names = sorted(path.stem for path in (ROOT / folder).glob("*.py"))
    assert names
    _run("-c", f"import {', '.join(names)}", path=f"{ROOT / folder}{os.pathsep}{ROOT}")


def test_costs_within_one_process_are_measured(tmp_path: Path):
    sentence = "S he go home\nA 1 2|||V|||goes|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "gold.m2").write_text(4 * sentence)
    for name in ("source", "system", "reference"):
        (tmp_path / f"{name}.txt").write_text(4 * "he go home\n")
    program = (
        "import sys; from pathlib import Path; import inside; p = Path(sys.argv[1]); "
        "inside.gleu(p / 'source.txt', [p / 'reference.txt'], 1); "
        "print(inside.maxmatch(p / 'gold.m2', [p / 'system.txt'], 1)[0].id)"
    )
    assert _run("-c", program, str(tmp_path)).strip()


@pytest.mark.slow
def test_the_part_of_the_pipeline_is_measured(tmp_path: Path):
    for name, text in (("source", "he go home"), ("target", "he goes home")):
        (tmp_path / name).write_text(text + "\n")
    files = (str(tmp_path / "source"), "--reference", str(tmp_path / "target"))
    output = _run(
        str(ROOT / "share.py"), "edits", *files, "--lang", "en", "-o", str(tmp_path / "o")
    )
    seconds = json.loads(output.splitlines()[-1])
    assert 0 < seconds["reading"] <= seconds["spacy"] <= seconds["total"]


def _run(*arguments: str, path: str = str(ROOT)) -> str:
    paths = [path, os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    ).stdout
