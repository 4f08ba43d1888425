"""A cheap experiment of two systems and a score, and what runs commands in this process."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from gecbench.api.files import sample
from gecbench.cli import main

CHEAP = """
about = "Two systems that need no model"
paper = "nobody's table"
notes = ["a note of the recipe"]
[parameters]
seeds = [1, 2]
metrics = ["sentence-accuracy"]
share = 0.5
[small]
seeds = [1]
[[inputs]]
name = "corpus"
what = "a corpus"
get = "write one"
default = "corpus.jsonl"
small = "sample:zh/corpus.jsonl"
[[inputs]]
name = "spare"
what = "what only a spare row needs"
get = "ask for it"
optional = true
[[steps]]
name = "copy"
each = { seed = "seeds" }
run = ["correct", "copying", "{corpus}", "--to", "lines", "-o", "{out}"]
out = "systems/copy-{seed}.txt"
[[steps]]
name = "again"
run = ["correct", "copying", "{copy}", "-o", "{out}"]
out = "systems/again-{seed}.txt"
each = { seed = "seeds" }
[[steps]]
name = "score"
run = [
  "score", "{corpus}", "copy-{seed}={copy}", "again-{seed}={again}",
  "--metric", "{metric}", "--format", "json",
]
each = { metric = "metrics" }
out = "scores-{metric}.json"
captured = true
[[steps]]
name = "spare-score"
run = ["score", "{corpus}", "{spare}", "--metric", "sentence-accuracy", "--format", "json"]
out = "spare.json"
captured = true
[[tables]]
name = "accuracy"
title = "Accuracy"
zh = "准确率"
columns = [
  { name = "Acc", get = "results[system=copy-{seed}].value" },
  { name = "n", get = "corpus.sentences", kind = "count" },
]
rows = [
  { name = "copy {seed}", step = "score", each = { seed = "seeds" }, paper = [12.5, 76] },
  { name = "spare", step = "spare-score", where = { seed = 1 }, paper = [1.0, 2] },
  { name = "dreamt of", status = "not built" },
]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch) -> Path:
    """A working folder with the cheap experiment and its corpus."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cheap.toml").write_text(CHEAP, "utf-8")
    (tmp_path / "corpus.jsonl").write_bytes(sample("zh", "corpus.jsonl").read_bytes())
    return tmp_path


def inside(
    words: Sequence[str], *, log: Path, captured: Path | None, environment: Mapping[str, str]
) -> int:
    """Run a command in this process, which has imported all that is dear already."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with mock.patch.dict(os.environ, environment), redirect_stdout(out), redirect_stderr(err):
        try:
            main(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
    if captured:
        captured.write_text(out.getvalue(), "utf-8")
    with log.open("a", encoding="utf-8") as file:
        file.write(err.getvalue() + ("" if captured else out.getvalue()))
    return code


@pytest.fixture
def gecbench(capfd) -> Callable[..., tuple[int, str, str]]:
    """Run a command line in this process; its steps are processes."""

    def run(*words: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = 0
        try:
            main(list(map(str, words)))
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, *capfd.readouterr()

    return run
