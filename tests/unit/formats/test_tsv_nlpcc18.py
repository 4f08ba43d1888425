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


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("1\t1\t你好。\t你好吗。\n2\t3\t我有三个书。\t我有三本书。\n", 2),
        ("1\t2\t你好。\t你好吗。\n2\t1\t我有三个书。\t我有三本书。\n", 1),
        ("1\t120\t你好。\t你好吗。\n2\t1\t我有三个书。\t我有三本书。\n", 1),
        ("1\t120\t你好。\t你好吗。\n2\t130\t我有三个书。\t我有三本书。\n", 1),
        ("1\t1\t你好。\t你好吗。\n2\t我有三个书。\t我有三本书。\n3\t0\t好。\n", 2),
    ],
)
def test_a_wrong_number_in_the_first_rows_is_named_and_not_read_as_a_sentence(
    tmp_path: Path, rows: str, line: int
) -> None:
    path = tmp_path / "data.train"
    path.write_text(rows, "utf-8")
    with expect_error(FormatError, f"{path}:{line}"):
        read(path)


@pytest.mark.parametrize(
    "rows",
    [
        ["7\t2019\t2019年"],
        ["7\t5\t5个"],
        [f"{n}\t{n}\t{n}年" for n in range(60)],
        [f"{n}\t{2000 + n}\t二零一零年" for n in range(60)],
        ["7\t看这个\thttp://a.b/c", "8\t看\thttps://a.b/c\t看看"],
        ["x\t看\thttps://a.b"],
        ["7\t看这个\thttp://a.b/c\t看看"],
    ],
)
def test_numbers_and_addresses_may_be_sentences_of_mucgec(tmp_path: Path, rows: list[str]) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text("\n".join(rows), "utf-8")
    assert [(s.id, s.source) for s in read(path).samples] == [
        tuple(row.split("\t")[:2]) for row in rows
    ]


def test_a_sentence_and_an_address_are_not_taken_for_lang8(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("我\t看\thttps://a.b", "utf-8")
    assert len(read(path).samples) == 1


@pytest.mark.parametrize("rows", ["1\t2\t你好。\t你好吗。\n", "1\t10\thttp://a.b/c\tone\tI go .\n"])
def test_what_the_row_may_be_otherwise_is_said(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "data.train"
    path.write_text(rows, "utf-8")
    with expect_error(FormatError, f"{path}:1", "--from mucgec"):
        read(path)


@pytest.mark.parametrize(
    "rows",
    [
        ["1\t0\t好", "2\t好\t坏"],
        ["1\t2020\t2021", "2\t好\t坏", "3\t你\t您"],
        ["1\t好\t坏"],
        ["a\t1\t好\t坏"],
        [],
    ],
)
def test_other_tables_are_not_taken_for_it(rows: list[str]) -> None:
    assert not NLPCC18.matches(rows)
