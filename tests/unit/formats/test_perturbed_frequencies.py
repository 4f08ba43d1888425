"""Frequencies of words: tables and texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.formats.perturbed import read_frequencies


def written(folder: Path, text: str) -> Path:
    path = folder / "train.txt"
    path.write_text(text, "utf-8")
    return path


def test_a_table_gives_counts_of_both_cases(tmp_path):
    path = written(tmp_path, "The\t3\nthe\t10\ncat\t2\n")
    frequencies = read_frequencies(path, {"the", "dog"}, has_spaces=True)
    assert frequencies.of == {"the": 13, "dog": 0}
    assert frequencies.note == "train: read as a table of 3 words"


def test_a_text_is_counted_by_words(tmp_path):
    path = written(tmp_path, "The cat saw the cats .\nthe end\n")
    frequencies = read_frequencies(path, {"the", "cat"}, has_spaces=True)
    assert frequencies.of == {"the": 3, "cat": 1}
    assert frequencies.note == "train: read as a text of 8 words"


def test_a_text_without_spaces_is_counted_by_runs(tmp_path):
    path = written(tmp_path, "今天天气好，今天热\n明天\n")
    words = {"今天", "天", "昨天"}
    frequencies = read_frequencies(path, words, has_spaces=False)
    assert frequencies.of == {"今天": 2, "天": 4, "昨天": 0}
    assert frequencies.note == "train: read as a text of 11 characters"


def test_bad_files_are_refused(tmp_path):
    with expect_error(FormatError, "train.txt:1", "empty"):
        read_frequencies(written(tmp_path, ""), {"a"}, has_spaces=True)
    with expect_error(FormatError, "train.txt:2", "TAB"):
        read_frequencies(written(tmp_path, "a\t1\nb 2\n"), {"a"}, has_spaces=True)
    header = written(tmp_path, "word\tcount\na\t1\n")
    message = r"train.txt:1: expected a word, TAB and a count, as in line 2, not 'word.*a header"
    with pytest.raises(FormatError, match=message):
        read_frequencies(header, {"a"}, has_spaces=True)
