"""nlpcc18: rows that say how many corrections they have."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.core.sample import Rewrite
from gecbench.formats.reading import read
from gecbench.formats.tsv import NLPCC18

PATH = Path("data.train")


def test_rows_are_numbered_and_their_first_column_is_metadata(tmp_path: Path) -> None:
    path = tmp_path / "data.train"
    path.write_text("1\t2\t我去\t我走\t我去了\n2\t0\t好\n1\t1\t你\t您\n", "utf-8")
    text = read(path)
    assert text.lang == "zh"
    assert [(s.id, s.source, s.references, s.meta["number"]) for s in text.samples] == [
        ("1", "我去", (Rewrite(text="我走"), Rewrite(text="我去了")), "1"),
        ("2", "好", (Rewrite(error_free=True),), "2"),
        ("3", "你", (Rewrite(text="您"),), "1"),
    ]


@pytest.mark.parametrize(
    "row", ["1\t1\t好", "1\t0\t好\t坏", "a\t0\t好", "1\t-1\t好", "1\t1\t好\t "]
)
def test_a_row_that_does_not_fit_is_named(row: str) -> None:
    with expect_error(FormatError, f"{PATH}:2"):
        NLPCC18.read(PATH, ["1\t0\t好", row])


def test_other_tables_are_not_taken_for_it() -> None:
    assert not NLPCC18.matches(["1\t0\t好", "2\t好\t坏"])
    assert not NLPCC18.matches([])
