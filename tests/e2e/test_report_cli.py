"""gecbench report in a process of its own."""

from __future__ import annotations

from pathlib import Path


def test_the_same_command_writes_the_same_page(good, zh: Path, tmp_path: Path):
    files = (zh / "corpus.jsonl", zh / "eager.txt", zh / "fluent.txt")
    words = ("--scheme", "zh-char", "--resamples", "100")
    pages = []
    for name, hashing in (("one.html", "1"), ("two.html", "2")):
        assert good("report", *files, "-o", name, *words, PYTHONHASHSEED=hashing) == ""
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]
    assert pages[0].startswith(b"<!doctype html>")


def test_help_needs_nothing_of_the_extra(good):
    assert "--robustness-system" in good("report", "--help")
