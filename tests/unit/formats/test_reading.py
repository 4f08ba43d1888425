"""Reading corpora and system outputs: which format, which sentence belongs to which."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

import gecbench
from gecbench.core.edit import Edit
from gecbench.core.errors import (
    CorpusError,
    FormatError,
    GecbenchError,
    UnknownNameError,
    UsageError,
)
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import FIRST_CHARACTERS, load_format, load_writer, reading
from gecbench.formats.reading import (
    check_plain,
    read,
    read_meta,
    read_parallel,
    read_system,
    with_meta,
)

HEADER = '{"format": "gecbench-corpus", "schema": 1, "name": "n"}\n'
M2 = "S 你 好\nA 0 1|||S|||您|||REQUIRED|||-NONE-|||0\n"
CORPUS = Corpus("dev", (Sample("b", "你 好"), Sample("a", "好")), "zh")


@pytest.fixture
def file(tmp_path: Path):
    def make(text: str, name: str = "sys.v1.txt") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (HEADER + '{"id": "k", "source": "好", "references": []}\n', Sample("k", "好")),
        (
            M2,
            Sample(
                "1",
                "你 好",
                (Rewrite(text="您 好", edit_sets=((Edit(0, 1, ("您",), "S"),),), annotator="0"),),
                tokens=("你", "好"),
            ),
        ),
        ("k\t好\t很好\n", Sample("k", "好", (Rewrite(text="很好"),))),
        ("\ufeff好\r\n\r\n", Sample("1", "好")),
        ("\n", Sample("1", "")),
    ],
)
def test_the_format_is_found_out(file, text: str, first: Sample) -> None:
    assert read(file(text)).samples[0] == first


def test_no_format_is_loaded_behind_the_one_that_matches(file, monkeypatch) -> None:
    names: list[str] = []
    monkeypatch.setattr(reading, "load_format", lambda n: names.append(n) or load_format(n))
    read(file("k\t好\t很好\n"))
    assert "lines" not in names


def test_a_format_that_is_named_is_taken(file) -> None:
    assert read(file("1\t好\n"), format="lines").samples == (Sample("1", "1\t好"),)


def test_an_unknown_format_is_answered_with_the_nearest(file) -> None:
    nearest = r"unknown format 'mucgek'; did you mean mucgec or"
    with pytest.raises(UnknownNameError, match=nearest):
        read(file("1\t好\n"), format="mucgek")
    with pytest.raises(UnknownNameError, match=r"unknown format 'xls'; known: "):
        read(file("1\t好\n"), format="xls")


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(GecbenchError, match="no such file"):
        read(tmp_path / "none.tsv")


def test_line_k_of_parallel_files_belongs_to_sentence_k(file) -> None:
    source, first, second = file("a\n\n", "x.src"), file("b\tc\n\n", "0"), file("S d\nx\n", "1")
    assert read_parallel(source, [first, second]) == Corpus(
        "x",
        (
            Sample("1", "a", (Rewrite(text="b\tc"), Rewrite(text="S d"))),
            Sample("2", "", (Rewrite(text=""), Rewrite(text="x"))),
        ),
    )


def test_parallel_files_without_references_are_sources(file) -> None:
    assert read_parallel(file("a\n", "x.src"), []) == Corpus("x", (Sample("1", "a"),))


def test_lines_of_a_system_are_joined_by_position(file) -> None:
    output = read_system(file("您好\n\n"), CORPUS)
    assert output.system == "sys.v1"
    assert output.hypotheses == {"b": (Rewrite(text="您好"),), "a": (Rewrite(text=""),)}
    assert output.tokens == {}


def test_a_system_may_be_named(file) -> None:
    assert read_system(file("x\ty\nz\n"), CORPUS, name="", format="lines").system == ""


def test_rows_of_a_system_are_joined_by_id_and_white_space_is_not_compared(file) -> None:
    output = read_system(file("a\t好\t没有错误\nb\t你\u3000好\t您好\t你们好\n"), CORPUS)
    assert output.hypotheses == {
        "a": (Rewrite(error_free=True),),
        "b": (Rewrite(text="您好"), Rewrite(text="你们好")),
    }


def test_jsonl_of_a_system_is_joined_by_id(file) -> None:
    row = '{{"id": "{}", "source": "{}", "references": [{{"text": "x"}}]}}\n'
    output = read_system(file(HEADER + row.format("a", "好") + row.format("b", "你好")), CORPUS)
    assert output.hypotheses == {"a": (Rewrite(text="x"),), "b": (Rewrite(text="x"),)}


def test_m2_of_a_system_is_joined_by_position_and_brings_tokens(file) -> None:
    coder = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
    output = read_system(file(M2 + coder + "\nS 好\n"), CORPUS)
    assert [len(output.hypotheses[name]) for name in ("b", "a")] == [2, 1]
    assert output.tokens == {"b": ("你", "好"), "a": ("好",)}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("id\tsource\n1\t我好\n", "header"),
        ("Source\tTarget\nHe go .\tHe goes .\n", "--columns"),
        (
            "他每天早上都跑步。\t他每天早上跑步。\n我在家。\t我在家里。\n他们都去学校。\t他们去学校。\n",
            "'他每天早上都跑步。'",
        ),
        ("他每天早上都跑步。\t他每天早上跑步。\n", "source TAB target"),
    ],
)
def test_a_table_that_would_be_read_wrongly_is_refused_unless_named(tmp_path: Path, text, fact):
    path = tmp_path / "t.tsv"
    path.write_text(text, encoding="utf-8")
    with expect_error(FormatError, f"{path}:1", fact):
        read(path)
    assert read(path, format="mucgec").samples


@pytest.mark.parametrize("text", ["1\t我好\n", '{"format": "x"}\n', "S 我 好\n\n"])
def test_a_file_of_another_format_is_not_plain(tmp_path: Path, text: str):
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")
    with expect_error(FormatError, f"{path}:1", "not plain text", "--reference"):
        check_plain(path, ())
    plain = tmp_path / "plain"
    plain.write_text("我好\n", encoding="utf-8")
    with expect_error(FormatError, f"{path}:1", "not plain text", "--reference"):
        check_plain(plain, [path])
    check_plain(plain, [plain])
    check_plain(Path("-"), [plain])  # standard input can be read once only


LIKE_MARKDOWN = "我好\n\n## 第一章\n\n他去学校\n"


@pytest.mark.parametrize(
    ("text", "line"), [(LIKE_MARKDOWN, 3), ("text,label\n我，好\n他,去\n你,去\n我,去\n", 1)]
)
def test_a_reference_of_as_many_lines_may_look_like_markdown_or_csv(tmp_path: Path, text, line):
    source, reference = tmp_path / "source.txt", tmp_path / "reference.txt"
    reference.write_text(text, encoding="utf-8")
    source.write_text("我好\n" * 5, encoding="utf-8")
    corpus = gecbench.load(source, references=[reference])
    assert [s.references[0].text for s in corpus.samples] == text.splitlines()
    source.write_text("我好\n" * 4, encoding="utf-8")
    with expect_error(FormatError, f"{reference}:{line}"):
        gecbench.load(source, references=[reference])
    with expect_error(FormatError, f"{reference}:{line}"):
        gecbench.load(reference, references=[source])


def test_sources_that_differ_late_are_shown_from_where_they_differ(tmp_path):
    words = " ".join(f"word{n}" for n in range(90))
    (tmp_path / "a.m2").write_text(f"S {words} end\n\n", "utf-8")
    (tmp_path / "b.m2").write_text(f"S {words} else\n\n", "utf-8")
    with pytest.raises(CorpusError) as error:
        read_system(tmp_path / "b.m2", read(tmp_path / "a.m2"))
    assert "has the source '…d88 word89 else', but corpus 'a' has '…d88 word89 end'" in str(
        error.value
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.txt"


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        gecbench.load(path)
    return str(caught.value)


def test_an_edit_before_its_sentence_is_named(path: Path):
    message = refusal(path, b"\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\nS a b\n")
    assert message.startswith(f"{path}:2: ")
    assert "S line" in message


def test_a_compressed_file_is_called_that(path: Path):
    message = refusal(path, gzip.compress("我们\n".encode()))
    assert message.startswith(f"{path}:1: ")
    assert "compressed" in message
    assert "iconv" not in message


@pytest.mark.parametrize("encoding", ["gb18030", "latin-1"])
def test_other_encodings_are_guessed(path: Path, encoding: str):
    text = {"gb18030": "a\n我们", "latin-1": "a\nnaïve café"}[encoding]
    message = refusal(path, text.encode(encoding))
    assert message.startswith(f"{path}:2: ")
    assert "GB18030" in message
    assert "LATIN1" in message


def test_binary_data_are_called_that(path: Path):
    message = refusal(path, b"PNG\x00\x00\xff\xfe\n")
    assert "binary" in message
    assert "iconv" not in message


TWO = Corpus("c", (Sample("a", "好", meta={"level": "B1"}), Sample("b", "吗")))


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "meta.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_facts_are_joined_by_id_and_older_ones_stay(tmp_path: Path):
    path = table(tmp_path, "id\torigin\nb\tchat\na\tessay\n")
    first, second = with_meta(TWO, path, read_meta(path)).samples
    assert first.meta == {"level": "B1", "origin": "essay"}
    assert second.meta == {"origin": "chat"}


@pytest.mark.parametrize(
    ("text", "line", "facts"),
    [
        ("", 1, ("header", "'id'")),
        ("id\n", 1, ("header", "'id'")),
        ("name\torigin\n", 1, ("header", "'id'")),
        ("id\t\n", 1, ("header", "'id'")),
        ("id\torigin\torigin\n", 1, ("header", "'id'")),
        ("id\torigin\na\tx\ty\n", 2, ("3 cells", "2")),
        ("id\torigin\na\tx\na\ty\n", 3, ("'a'", "twice")),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, text, line, facts):
    path = table(tmp_path, text)
    with expect_error(FormatError, f"{path}:{line}", *facts):
        read_meta(path)


@pytest.mark.parametrize(
    ("ids", "facts"),
    [
        (["a"], ("1 id", "missing", "'b'")),
        (["a", "b", "z"], ("1 id", "not in", "'z'")),
        (["a", "b", *"nopqrs"], ("6 ids", "not in", "'n', 'o', 'p', 'q', 'r', ...")),
    ],
)
def test_every_sentence_and_no_other_has_facts(ids, facts):
    with expect_error(CorpusError, "m.tsv", "'c'", *facts):
        with_meta(TWO, Path("m.tsv"), {name: {"origin": "x"} for name in ids})


_PIECES = (
    *("\n", " ", "\t", "x", "1", "{", "[", "]", "}", '"a": {', '"a"', "[[", ","),
    *('"sentence":', '"sentence_text"', '"text"', '"edits": [', '"format"', "<DOC ", 'nid="1">'),
    *("<TEXT>", "<SENTENCE>", "<ESSAY>", "<DOC Nid=1>", "<p>", "### essay_id = a", "S a b", "A "),
)
"""What files of the formats begin with."""


@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
def test_a_format_is_tried_on_all_files_that_it_may_be(text: str) -> None:
    lines = text.split("\n")
    for name, characters in FIRST_CHARACTERS.items():
        if load_format(name).matches(lines):
            assert text.lstrip()[0] in characters, name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fcgec", '{"a": {"sentence": 1}}'),
        ("yaclc", '[{"sentence_text": 1}]'),
        ("bea19", '{"text": "a", "edits": [[0, []]]}'),
        ("jsonl", HEADER),
        ("nucle", '<DOC nid="1">\n<TEXT>'),
        ("sighan", "<ESSAY title=1>\n<TEXT>"),
        ("multigec", "### essay_id = a"),
        ("m2", M2),
    ],
)
def test_the_first_character_of_a_format_is_that_of_its_files(name: str, text: str) -> None:
    assert load_format(name).matches(text.split("\n"))
    assert text[0] in FIRST_CHARACTERS[name]


def test_an_unknown_format_to_write_is_answered_with_those_that_are_written():
    with pytest.raises(UnknownNameError) as caught:
        load_writer("xml")
    assert "known: fcgec, jsonl, lines, m2, " in str(caught.value)
    assert "nucle" not in str(caught.value)
    with pytest.raises(UsageError, match="format nucle is only read"):
        load_writer("nucle")
