"""Metadata beside a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.reading import read_meta, with_meta

CORPUS = Corpus("c", (Sample("a", "好", meta={"level": "B1"}), Sample("b", "吗")))


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "meta.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_facts_are_joined_by_id_and_older_ones_stay(tmp_path: Path):
    path = table(tmp_path, "id\torigin\nb\tchat\na\tessay\n")
    first, second = with_meta(CORPUS, path, read_meta(path)).samples
    assert first.meta == {"level": "B1", "origin": "essay"}
    assert second.meta == {"origin": "chat"}


HEADER = (
    "{path}:1: the header must be 'id' and at least one more different field name, with tabs "
    "between"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", HEADER),
        ("id\n", HEADER),
        ("name\torigin\n", HEADER),
        ("id\t\n", HEADER),
        ("id\torigin\torigin\n", HEADER),
        (
            "id\torigin\na\tx\ty\n",
            "{path}:2: 3 cells where the header has 2; give every row a cell for each field",
        ),
        (
            "id\torigin\na\tx\na\ty\n",
            "{path}:3: id 'a' occurs twice; ids are unique",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, text, message):
    path = table(tmp_path, text)
    with pytest.raises(FormatError) as raised:
        read_meta(path)
    assert str(raised.value) == message.format(path=path)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a"], "m.tsv: 1 id of corpus 'c' missing: 'b'"),
        (["a", "b", "z"], "m.tsv: 1 id not in corpus 'c': 'z'"),
        (
            ["a", "b", *"nopqrs"],
            "m.tsv: 6 ids not in corpus 'c': 'n', 'o', 'p', 'q', 'r', ...",
        ),
    ],
)
def test_every_sentence_and_no_other_has_facts(ids, message):
    with pytest.raises(CorpusError) as raised:
        with_meta(CORPUS, Path("m.tsv"), {name: {"origin": "x"} for name in ids})
    assert str(raised.value) == message
