"""Files that are no company for one another: which, where, and how far they differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import assert_says, expect_error

import gecbench
from gecbench.core.errors import CorpusError, FormatError, GecbenchError
from gecbench.core.sample import Rewrite
from gecbench.formats.reading import read, read_parallel, read_system

A = "|||REQUIRED|||-NONE-|||0"
HEADER = '{"format": "gecbench-corpus", "schema": 1, "name": "n"}\n'
SRC = "1\t我 好\n2\t你好吗\n3\t他\n"
IDS = "".join(f"{k}\t好\n" for k in range(1, 9))


def m(*lines: str) -> bytes:
    """An M2 file."""
    return ("\n".join(lines) + "\n").encode()


def rows(references: str, *pairs: tuple[str, str]) -> bytes:
    """A jsonl file with the same references for pairs of id and source."""
    row = '{{"id": "{}", "source": "{}", "references": [{}]}}'
    return (HEADER + "".join(row.format(*pair, references) + "\n" for pair in pairs)).encode()


PARALLEL = [
    (
        {"a.src": b"", "a.ref0": b"x\n"},
        FormatError,
        ("a.src:1:", "empty"),
    ),
    (
        {"a.src": b"x\n", "a.ref0": b""},
        FormatError,
        ("a.ref0:1:", "empty"),
    ),
    (
        {"a.src": b"x\ny\n", "a.ref0": b"x\n"},
        CorpusError,
        ("a.ref0:", "1", "line, but", "2"),
    ),
    (
        {"a.src": b"x\n", "a.ref0": b"x\n", "a.ref1": b"x\n\n"},
        CorpusError,
        ("a.ref1:", "2", "1"),
    ),
]

SYSTEM = [
    (
        "s.txt",
        SRC,
        b"",
        FormatError,
        ("s.txt:1:", "empty"),
    ),
    (
        "s.txt",
        SRC,
        "我好\n你好吗？\n".encode(),
        CorpusError,
        ("s.txt:", "2", "sentences, but", "'dev'", "3"),
    ),
    (
        "s.txt",
        SRC,
        "我好\n你好吗？\n他\n\n".encode(),
        CorpusError,
        ("s.txt:", "4", "sentences, but", "'dev'", "3"),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t我很好\n3\t他\t她\n".encode(),
        CorpusError,
        ("s.tsv:", "1", "id missing", "'2'", "'dev'"),
    ),
    (
        "s.tsv",
        SRC,
        (SRC.replace("\n", "\t好\n") + "4\t她\t好\n5\t它\t好\n").encode(),
        CorpusError,
        ("s.tsv:", "2", "ids too many", "'4'", "'5'"),
    ),
    (
        "s.tsv",
        IDS,
        "9\t好\t很好\n".encode(),
        CorpusError,
        ("s.tsv:", "8", "ids missing", "'1'", "'2'"),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t我很好\n2\t你好吗\n3\t他\t她\n".encode(),
        CorpusError,
        ("s.tsv:2:", "'2'", "no rewrite"),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t我很好\n3\t他\t她\n2\t你好\t您好\n".encode(),
        CorpusError,
        ("s.tsv:3:", "'2'", "has the source", "'你好'", "'dev'"),
    ),
    (
        "s.tsv",
        SRC,
        "1\t我好\t\n2\t你好吗\t好\n3\t他\t她\n".encode(),
        FormatError,
        ("s.tsv:1:", "empty"),
    ),
    (
        "s.m2",
        SRC,
        m("S 我 好", "", "S 你 好 吗"),
        CorpusError,
        ("s.m2:", "2", "sentences, but", "'dev'", "3"),
    ),
    (
        "s.m2",
        SRC,
        m("", "S 我 好", "", "S 你 好 吗", "A 0 1|||S|||您" + A, "", "", "S 她"),
        CorpusError,
        ("s.m2:8:", "'3'", "has the source", "'她'", "'dev'"),
    ),
    (
        "s.m2",
        SRC,
        m("S 我 好", "A 0 9|||S|||您" + A),
        FormatError,
        ("s.m2:2:", "'0 9'", "ends after", "2", "--from m2-maxmatch"),
    ),
    (
        "s.jsonl",
        SRC,
        rows('{"text": "好"}', ("1", "我好")),
        CorpusError,
        ("s.jsonl:", "2", "ids missing", "'2'", "'3'"),
    ),
    (
        "s.jsonl",
        SRC,
        rows('{"text": "好"}', ("1", "我好"), ("2", "我"), ("3", "他")),
        CorpusError,
        ("s.jsonl:3:", "'2'", "has the source", "'我'", "'dev'"),
    ),
    (
        "s.jsonl",
        SRC,
        rows("", ("1", "我好"), ("2", "我"), ("3", "他")),
        CorpusError,
        ("s.jsonl:2:", "'1'", "no rewrite"),
    ),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("files", "kind", "facts"), PARALLEL)
def test_parallel_files_that_do_not_fit_are_refused(
    files: dict[str, bytes], kind: type[GecbenchError], facts: tuple[str, ...]
) -> None:
    source, *references = map(Path, files)
    for name, content in files.items():
        Path(name).write_bytes(content)
    with pytest.raises(kind) as error:
        read_parallel(source, references)
    assert_says(error.value, *facts)


@pytest.mark.parametrize(("name", "corpus", "content", "kind", "facts"), SYSTEM)
def test_a_system_that_does_not_fit_the_corpus_is_refused(
    name: str, corpus: str, content: bytes, kind: type[GecbenchError], facts: tuple[str, ...]
) -> None:
    Path("dev.tsv").write_text(corpus, encoding="utf-8")
    Path(name).write_bytes(content)
    with pytest.raises(kind) as error:
        read_system(Path(name), read(Path("dev.tsv")))
    assert_says(error.value, *facts)


THREE = "".join(f"s{n}\t好{n}\n" for n in range(3))


def test_a_file_of_all_ids_is_joined_with_a_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("s1\t好1\n", "utf-8")
    (tmp_path / "s.tsv").write_text(THREE.replace("\n", "\t好\n"), "utf-8")
    corpus = read(tmp_path / "c.tsv")
    with expect_error(CorpusError, "s.tsv", "2", "'s0'", "--subset"):
        read_system(tmp_path / "s.tsv", corpus)
    output = gecbench.load_system(tmp_path / "s.tsv", corpus, subset=True)
    assert output.hypotheses == {"s1": (Rewrite(text="好"),)}
    assert output.provenance == {"not kept": "2 sentences that corpus 'c' has not"}


def test_what_has_no_ids_is_no_subset_and_what_misses_some_is_none(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text(THREE, "utf-8")
    (tmp_path / "s.txt").write_text("一\n二\n三\n四\n", "utf-8")
    (tmp_path / "s.tsv").write_text("s1\t好1\t好\nz\t坏\t坏\n", "utf-8")
    corpus = read(tmp_path / "c.tsv")
    with expect_error(CorpusError, "s.txt", "4", "3", "--subset"):
        read_system(tmp_path / "s.txt", corpus)
    with expect_error(CorpusError, "s.txt", "--subset", "lines"):
        read_system(tmp_path / "s.txt", corpus, subset=True)
    with expect_error(CorpusError, "s.tsv", "2", "missing", "'s0'"):
        read_system(tmp_path / "s.tsv", corpus, subset=True)
