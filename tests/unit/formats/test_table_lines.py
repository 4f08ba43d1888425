"""Rows of a table that has all of them in one line."""

from pathlib import Path

from messages import expect_error

import gecbench
from gecbench.core.errors import FormatError
from gecbench.core.sample import Corpus, Sample


def test_an_id_that_comes_twice_in_one_line_is_refused(tmp_path: Path):
    """The last of the two was scored."""
    path = tmp_path / "out.json"
    path.write_text(
        '[{"id": "1", "text": "A"}, {"id": "2", "text": "B"}, {"id": "2", "text": "C"}]'
    )
    corpus = Corpus("c", (Sample("1", "a"), Sample("2", "b")), "en")
    with expect_error(FormatError, f"{path}:1", "'2' stands in line 1 already"):
        gecbench.load_system(path, corpus, columns={"id": "id", "text": "text"})


def test_an_answer_that_was_cut_behind_its_id_is_refused(tmp_path: Path):
    """It was taken for a sentence without errors."""
    path = tmp_path / "answers.txt"
    path.write_text("A-1, 0\nA-2\n")
    corpus = Corpus("c", (Sample("A-1", "我去"), Sample("A-2", "他去")), "zh")
    with expect_error(FormatError, f"{path}:2", "behind the id stand 0"):
        gecbench.load_system(path, corpus, format="sighan-test")
