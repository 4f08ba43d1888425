"""Parquet: a corpus comes back as it was, columns of others are named, errors name file and row."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import fsspec
import pyarrow as pa
import pytest
from messages import expect_error
from pyarrow import parquet

import gecbench
from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError, MissingExtraError, UsageError
from gecbench.core.files import read_lines, write_text
from gecbench.core.parquet import read_rows
from gecbench.core.sample import Corpus, Rewrite, Sample

ROWS = {
    "nr": [7, 8, 9],
    "src": ["我有三个书。", "他来", "好"],
    "refs": [["我有三本书。", "我有书。"], ["他来了"], None],
    "origin": ["a", None, "b"],
}
COLUMNS = "id=nr,source=src,references=refs"
EDITS = (
    Edit(1, 2, ("本",), "S", alternatives=(("册",), ())),
    Edit(2, 3, None, "UNK"),
)
CORPUS = Corpus(
    "mine",
    (
        Sample(
            "1",
            "三个书",
            (
                Rewrite(text="三本书", annotator="A", edit_sets=(EDITS, ())),
                Rewrite(text="", capped=True),
                Rewrite(error_free=True),
                Rewrite(unannotatable=True, annotator="B"),
            ),
            {"level": "B1", "空": ""},
            ("三", "个", "书"),
        ),
        Sample("b", "好\n\u2028", ()),
    ),
    "zh",
    {"origin": "class 3"},
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table(ROWS), path)
    return path


def test_a_corpus_comes_back_as_it_was(tmp_path: Path):
    path = tmp_path / "mine.parquet"
    assert gecbench.save(CORPUS, path, format="jsonl") == []
    assert gecbench.load(path) == CORPUS
    content = path.read_bytes()
    gecbench.save(CORPUS, path, format="jsonl")
    assert path.read_bytes() == content
    assert parquet.read_table(path).column("source").to_pylist() == ["三个书", "好\n\u2028"]


def test_columns_of_others_are_named(table: Path):
    corpus = gecbench.load(table, columns={"id": "nr", "source": "src", "references": ["refs"]})
    assert [(s.id, s.source, [r.text for r in s.references]) for s in corpus.samples] == [
        ("7", "我有三个书。", ["我有三本书。", "我有书。"]),
        ("8", "他来", ["他来了"]),
        ("9", "好", []),
    ]
    assert corpus.samples[0].meta == {"origin": "a"}


def test_commands_take_and_write_it_as_jsonl(run, tmp_path: Path):
    """Corpora, systems and outputs; here and at addresses; the samples are those of jsonl."""
    store = fsspec.filesystem("memory")
    first = tmp_path / "dev.jsonl"
    first.write_text(
        '{"format": "gecbench-corpus", "schema": 1, "name": "dev", "lang": "zh"}\n'
        '{"id": "1", "source": "我去学校", "references": [{"text": "我去了学校"}]}\n'
        '{"id": "x", "source": "他今天很高心", "references": [{"text": "他今天很高兴"}]}\n',
        "utf-8",
    )
    (tmp_path / "recipe.toml").write_text('name = "one"\nlanguage = "zh"\n', "utf-8")
    run("convert", first, "--to", "jsonl", "-o", tmp_path / "dev.parquet")
    store.put(str(tmp_path / "dev.parquet"), "/in/dev.parquet")
    for words in (
        ("edits", "{}", "--scheme", "zh-char"),
        ("corrupt", "{}", "--overwrite"),
        ("correct", "zh-homophone", "{}"),
        ("data", "prepare", tmp_path / "recipe.toml", "--corpus", "a={}", "--overwrite"),
    ):
        corpora = []
        for corpus, output in (
            (first, tmp_path / "out.jsonl"),
            (tmp_path / "dev.parquet", tmp_path / "out.parquet"),
            *(
                (("memory://in/dev.parquet", "memory://out/out.parquet"),)
                if words[0] != "data"  # its manifest is a file beside the output
                else ()
            ),
        ):
            command = [str(word).format(corpus) for word in words]
            code, _, message = run(*command, "-o", output)
            assert code == 0, (words, message)
            corpora.append(gecbench.load(output).samples)
        assert corpora == [corpora[0]] * len(corpora), words
    one = run("score", first, tmp_path / "dev.jsonl", "--scheme", "zh-char")
    other = run("score", tmp_path / "dev.parquet", "memory://in/dev.parquet", "--scheme", "zh-char")
    assert (one[0], one[1]) == (0, other[1])
    store.store.clear()


def test_columns_are_named_on_the_command_line(run, table: Path, tmp_path: Path):
    system = tmp_path / "system.parquet"
    parquet.write_table(pa.table({"out": ["我有三本书。", "他来"]}), system)
    parquet.write_table(pa.table(ROWS).slice(0, 2), table)
    command = ("score", table, system, "--columns", COLUMNS, "--system-columns", "text=out")
    code, _, message = run(*command, "--scheme", "zh-char")
    assert code == 0, message
    code, _, message = run("edits", table)
    assert (code, "--columns" in message, "'src'" in message) == (1, True, True)


def test_a_large_file_is_not_read_at_once(tmp_path: Path):
    path = tmp_path / "large.parquet"
    parquet.write_table(pa.table({"source": [str(n) for n in range(30_000)]}), path)
    with path.open("rb") as file:
        assert next(read_rows(path, file)) == '{"source": "0"}'
    corpus = gecbench.load(path, format="table", in_memory=False)
    assert (len(corpus.samples), corpus.samples[-1].source) == (30_000, "29999")


def _broken(path: Path, table: Any) -> Path:
    parquet.write_table(table, path)
    return path


@pytest.mark.parametrize(
    ("columns", "row", "fact"),
    [
        ({"source": ["a", None]}, 2, "null"),
        ({"source": ["a", " "]}, 2, "empty"),
        ({"source": ["a", "b"], "picture": [b"x", b"\xff"]}, 2, "'picture'"),
        ({"source": [1, 2]}, 1, "source"),
    ],
)
def test_an_error_names_the_row(tmp_path: Path, columns: dict[str, Any], row: int, fact: str):
    path = _broken(tmp_path / "x.parquet", pa.table(columns))
    with expect_error(FormatError, f"{path}:{row}", fact):
        gecbench.load(path, format="table")


def test_an_error_of_a_corpus_of_ours_names_the_row(tmp_path: Path):
    path = tmp_path / "x.parquet"
    gecbench.save(CORPUS, path, format="jsonl")
    table = parquet.read_table(path)
    source = pa.array(["a", ""])
    parquet.write_table(table.set_column(1, "source", source), path)
    with expect_error(FormatError, f"{path}:2", "the source is empty"):
        gecbench.load(path)


@pytest.mark.parametrize("content", [b"", b"text\n" * 9, b"cut"])
def test_what_is_no_parquet_is_refused(tmp_path: Path, content: bytes):
    path = tmp_path / "x.parquet"
    gecbench.save(CORPUS, path, format="jsonl")
    path.write_bytes(path.read_bytes()[:-9] if content == b"cut" else content)
    with expect_error(FormatError, f"{path}:1", "Parquet"):
        gecbench.load(path)


def test_two_columns_of_one_name_are_refused(tmp_path: Path):
    arrays = [pa.array(["a"]), pa.array(["b"])]
    path = _broken(tmp_path / "x.parquet", pa.table(arrays, names=["source", "source"]))
    with expect_error(FormatError, f"{path}:1", "two columns"):
        read_lines(path)


def test_rows_are_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    encode = Mock(side_effect=str)
    monkeypatch.setattr("gecbench.core.parquet._as_text", encode)
    days = pa.array([19_000] * 5, pa.date32())
    read_lines(_broken(tmp_path / "x.parquet", pa.table({"d": days})))
    assert encode.call_count == 5


def test_fractions_and_what_is_no_number_are_as_python_writes_them(tmp_path: Path):
    """As docs/formats.md says of metadata."""
    path = tmp_path / "x.parquet"
    columns = {"source": ["a", "b"], "nan": [float("nan"), 1.0], "whole": pa.array([1, 2])}
    corpus = gecbench.load(_broken(path, pa.table(columns)), columns={"source": "source"})
    assert [s.meta for s in corpus.samples] == [
        {"nan": "NaN", "whole": "1"},
        {"nan": "1.0", "whole": "2"},
    ]


def test_dates_and_bytes_of_text_are_texts(tmp_path: Path):
    days = pa.array([19_000], pa.date32())
    path = _broken(tmp_path / "x.parquet", pa.table({"source": [b"\xe5\xa5\xbd"], "d": days}))
    assert read_lines(path) == ['{"source": "好", "d": "2022-01-08"}']


def test_only_corpora_in_jsonl_are_written(run, tmp_path: Path):
    path = tmp_path / "x.parquet"
    with expect_error(UsageError, str(path), "jsonl"):
        write_text(path, "text\n")
    code, _, message = run("convert", tmp_path / "none", "--to", "m2", "-o", path)
    assert (code, "jsonl" in message, path.exists()) == (2, True, False)
    code, _, message = run("score", tmp_path / "none", "none", "--per-sentence", path)
    assert (code, str(path) in message, "--per-sentence" in message) == (2, True, True)


def test_rows_are_no_lines_of_text(run, table: Path):
    code, _, message = run("edits", table, "--from", "lines")
    assert (code, "--columns" in message) == (2, True)


def test_the_extra_is_named_where_pyarrow_is_missing(table: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with expect_error(MissingExtraError, "gecbench[parquet]"):
        read_lines(table)


def test_pyarrow_is_imported_for_parquet_alone():
    code = "import sys, gecbench.core.files; assert 'pyarrow' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
