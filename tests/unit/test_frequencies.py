"""Frequencies of words: tables and texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.core.errors import FormatError
from gecbench.formats.frequencies import read_frequencies


def written(folder: Path, text: str) -> Path:
    path = folder / "train.txt"
    path.write_text(text, "utf-8")
    return path


def test_a_table_gives_counts_of_both_cases(tmp_path):
    path = written(tmp_path, "The\t3\nthe\t10\ncat\t2\n")
    assert read_frequencies(path, {"the", "dog"}, spaced=True) == {"the": 13, "dog": 0}


def test_a_text_is_counted_by_words(tmp_path):
    path = written(tmp_path, "The cat saw the cats .\nthe end\n")
    assert read_frequencies(path, {"the", "cat"}, spaced=True) == {"the": 3, "cat": 1}


def test_a_text_without_spaces_is_counted_by_runs(tmp_path):
    path = written(tmp_path, "今天天气好，今天热\n明天\n")
    wanted = {"今天", "天", "昨天"}
    found = read_frequencies(path, wanted, spaced=False)
    assert found == {"今天": 2, "天": 4, "昨天": 0}


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"train.txt:1: the file is empty; give a text, or words"):
        read_frequencies(written(tmp_path, ""), {"a"}, spaced=True)
    with pytest.raises(FormatError, match=r"train.txt:2: expected a word, TAB and a count, as in"):
        read_frequencies(written(tmp_path, "a\t1\nb 2\n"), {"a"}, spaced=True)
