"""gecbench report, whole."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_same_command_writes_the_same_page(run_process, zh: Path, tmp_path: Path):
    files = ("corpus.jsonl", "eager.txt", "fluent.txt")
    for name in files:
        lines = (zh / name).read_text("utf-8").splitlines(keepends=True)
        few = lines[: 13 if name == "corpus.jsonl" else 12]  # the first line is a head
        (tmp_path / name).write_text("".join(few), "utf-8")
    words = ("--scheme", "zh-char", "--resamples", "100")
    pages = []
    for name, hashing in (("one.html", "1"), ("two.html", "2")):
        ended = run_process("report", *files, "-o", name, *words, PYTHONHASHSEED=hashing)
        assert (ended.returncode, ended.stdout) == (0, "")
        assert ended.stderr.startswith(f"{name}: 2 systems on 12 sentences, in ")
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]
    assert pages[0].startswith(b"<!doctype html>")


def test_help_needs_nothing_of_the_extra(good):
    assert "--robustness-system" in good("report", "--help")
