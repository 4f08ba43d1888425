"""pairs: source TAB target, where the format is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.reading import read
from gecbench.formats.tsv import PAIRS

PATH = Path("clang8.tsv")


def test_cells_behind_the_source_are_references(tmp_path: Path) -> None:
    path = tmp_path / "clang8.tsv"
    path.write_text("He go .\tHe goes .\nFine .\tFine .\t\tGood .\n", "utf-8")
    assert read(path, format="pairs") == Corpus(
        "clang8",
        (
            Sample("1", "He go .", (Rewrite(text="He goes ."),)),
            Sample("2", "Fine .", (Rewrite(text="Fine ."), Rewrite(text="Good ."))),
        ),
    )


@pytest.mark.parametrize("row", ["", "He go .", "He go .\t ", "\tHe goes ."])
def test_a_row_without_a_source_or_target_is_named(row: str) -> None:
    with expect_error(FormatError, f"{PATH}:2"):
        PAIRS.read(PATH, ["a\tb", row])
