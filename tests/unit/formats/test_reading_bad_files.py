"""Bad files, one table: what is wrong, where, and which value."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import assert_says

from gecbench.core.errors import FormatError
from gecbench.formats.reading import read

HEADER = '{"format": "gecbench-corpus", "schema": 1, "name": "n"}\n'
R = '"references": []'


def j(body: str) -> bytes:
    """A jsonl file."""
    return (HEADER + body + "\n").encode()


def rest(more: str) -> bytes:
    """A jsonl file with one sample and one more key."""
    return j(f'{{"id": "1", "source": "a", {R}, {more}}}')


def ref(reference: str) -> bytes:
    """A jsonl file with one reference."""
    return j(f'{{"id": "1", "source": "ab", "tokens": ["a", "b"], "references": [{reference}]}}')


def edit(edits: str) -> bytes:
    """A jsonl file with one reference with one edit set."""
    return ref(f'{{"text": "a", "edit_sets": [[{edits}]]}}')


def rows(references: str, *pairs: tuple[str, str]) -> bytes:
    """A jsonl file with the same references for pairs of id and source."""
    row = '{{"id": "{}", "source": "{}", "references": [{}]}}'
    return j("\n".join(row.format(*pair, references) for pair in pairs))


ANY = [
    (b"", ("1:", "empty")),
    (b"\xef\xbb\xbf", ("1:", "empty")),
    (
        "1\t好\n2\t坏\n".encode("gbk"),
        ("1:", "byte 0xba", "not UTF-8", "GB18030"),
    ),
    ("1\t好".encode("utf-16"), ("1:", "UTF-16")),
]

MUCGEC = [
    ("1\t好\n二 坏\n".encode(), ("2:", "no TAB", "'二 坏'")),
    (
        b"a" * 60 + b"\n",
        ("1:", "no TAB", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'"),
    ),
    ("\n1\t好\n".encode(), ("1:", "blank")),
    ("1\t好\n\n2\t坏\n".encode(), ("2:", "blank")),
    ("1\t好\n 　\n".encode(), ("2:", "blank")),
    ("\t好\n".encode(), ("1:", "empty")),
    (" \t好\n".encode(), ("1:", "empty")),
    ("1\t\t好\n".encode(), ("1:", "'1'", "empty")),
    ("1\t　 \t好\n".encode(), ("1:", "'1'", "empty")),
    (b"1\t\n", ("1:", "'1'", "empty")),
    (
        "1\t好\t\n".encode(),
        ("1:", "empty"),
    ),
    (
        "1\t好\t很好\t\t真好\n".encode(),
        ("1:", "empty"),
    ),
    (
        "1\t好\t 　\n".encode(),
        ("1:", "empty"),
    ),
    ("1\t好\n2\t坏\n1\t再\n".encode(), ("3:", "'1'", "1", "already")),
]

JSONL = [
    (
        b"{\n",
        ("1:", "not JSON", "2"),
    ),
    (b"[]\n", ("1:", "a list", "an object")),
    (b"1\n", ("1:", "whole number", "1", "an object")),
    (
        b'{"id": "1"}\n',
        ("1:", "gecbench-corpus", "header"),
    ),
    (
        b'{"format": "other", "schema": 1}\n',
        ("1:", "gecbench-corpus", "header"),
    ),
    (
        b'{"format": "gecbench-corpus", "name": "n"}\n',
        ("1:", "'schema'", "missing", "whole number"),
    ),
    (
        b'{"format": "gecbench-corpus", "schema": 2, "name": "n"}\n',
        ("1:", "2", "not known", "1", "newer gecbench"),
    ),
    (
        b'{"format": "gecbench-corpus", "schema": "1", "name": "n"}\n',
        ("1:", "'schema'", "a string", "'1'", "whole number"),
    ),
    (b'{"format": "gecbench-corpus", "schema": 1}\n', ("1:", "'name'", "missing", "a string")),
    (
        b'{"format": "gecbench-corpus", "schema": 1, "name": "n", "language": "zh"}\n',
        ("1:", "unknown key", "'language'", "did you mean"),
    ),
    (
        b'{"format": "gecbench-corpus", "schema": 1, "name": "n", "lang": "English"}\n',
        ("1:", "language", "'English'", "ISO 639"),
    ),
    (
        b'{"format": "gecbench-corpus", "schema": 1, "name": "n", "lang": null}\n',
        ("1:", "'lang'", "null", "a string"),
    ),
    (
        b'{"format": "gecbench-corpus", "schema": 1, "name": "n", "provenance": {"year": 2022}}\n',
        ("1:", "'provenance.year'", "whole number", "2022"),
    ),
    (j(""), ("2:", "blank")),
    (j("[" * 200_000), ("2:", "nested too deep")),
    (
        edit('{"start": %s, "end": 1, "replacement": []}' % ("1" * 5000)),
        ("2:", "too many digits"),
    ),
    (
        j('{"id": "1", "source": "a", "references": []'),
        ("2:", "not JSON", "44", "','"),
    ),
    (j(f'{{"id": "1", "source": "", {R}}}'), ("2:", "empty")),
    (j(f'{{"id": 1, "source": "a", {R}}}'), ("2:", "'id'", "whole number", "1", "a string")),
    (j(f'{{"id": "1", "id": "2", {R}}}'), ("2:", "'id'", "occurs twice")),
    (j('{"id": "1", "source": "a"}'), ("2:", "'references'", "missing", "a list")),
    (
        j('{"id": "1", "source": "a", "references": {}}'),
        ("2:", "'references'", "an object", "a list"),
    ),
    (
        j('{"id": "1", "source": "a", "references": ["b"]}'),
        ("2:", "'references[0]'", "a string", "'b'", "an object"),
    ),
    (
        j('{"id": "1", "source": "a", "refrences": []}'),
        ("2:", "unknown key", "'refrences'", "did you mean"),
    ),
    (
        rest('"meta": {"n": 1.5}'),
        ("2:", "'meta.n'", "number with a point", "1.5"),
    ),
    (rest('"tokens": "a"'), ("2:", "'tokens'", "a string", "'a'", "a list")),
    (rest('"tokens": [true]'), ("2:", "'tokens[0]'", "true or false", "a string")),
    (
        rest(r'"meta": {"n": "\ud800"}'),
        ("2:", "a string", "surrogate"),
    ),
    (
        rows("", ("1", "a"), ("2", "a"), ("1", "b")),
        ("4:", "'1'", "2", "already"),
    ),
    (ref("{}"), ("2:", "a text", "error free", "unannotatable")),
    (
        ref('{"text": "a", "error_free": true}'),
        ("2:", "a text", "error free", "unannotatable", "two at once"),
    ),
    (ref('{"error_free": 1}'), ("2:", "error_free'", "whole number", "1", "true or false")),
    (ref('{"text": null}'), ("2:", ".text'", "null", "a string")),
    (ref('{"txt": "a"}'), ("2:", "unknown key", "'references.txt'", "did you mean")),
    (
        ref('{"text": "a", "edit_sets": [{}]}'),
        ("2:", "edit_sets[0]'", "an object", "a list"),
    ),
    (
        edit('{"start": 1, "end": 0, "replacement": []}'),
        ("2:", "1 0", "reversed", "negative", "0"),
    ),
    (
        edit('{"start": true, "end": 2, "replacement": []}'),
        ("2:", "start'", "true or false", "whole number"),
    ),
    (
        edit('{"start": 1, "end": 3, "replacement": []}'),
        ("2:", "1 3", "ends after", "2"),
    ),
    (
        edit(
            '{"start": 0, "end": 1, "replacement": []}, {"start": 0, "end": 1, "replacement": []}'
        ),
        ("2:", "0 1", "overlaps"),
    ),
    (edit('{"start": 0, "end": 1}'), ("2:", "replacement'", "missing", "a list")),
    (
        edit('{"start": 0, "end": 1, "replacement": "a"}'),
        ("2:", "replacement'", "a string", "'a'", "a list"),
    ),
    (
        edit('{"start": 0, "end": 1, "replacement": [], "alternatives": ["a"]}'),
        ("2:", "alternatives[0]'", "a string", "'a'", "a list"),
    ),
    (
        edit('{"start": 0, "end": 1, "replacement": [], "op": "R"}'),
        ("2:", "unknown key", "'references.edit_sets.op'"),
    ),
    (
        edit('{"start": 1e3, "end": 1, "replacement": []}'),
        ("2:", "start'", "number with a point", "1000.0", "whole number"),
    ),
]

FILES = [
    *[(None, *case) for case in ANY],
    *[("mucgec", *case) for case in MUCGEC],
    *[("jsonl", *case) for case in JSONL],
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("format", "content", "facts"), FILES)
def test_a_bad_file_is_refused_with_path_line_and_value(
    format: str | None, content: bytes, facts: tuple[str, ...]
) -> None:
    Path("file").write_bytes(content)
    with pytest.raises(FormatError) as error:
        read(Path("file"), format=format)
    assert_says(error.value, f"file:{facts[0]}", *facts[1:])


NLPCC = "1\t1\t我有三个书。\t我有三本书。\n2\t{}\t他去了。\t他去。\n3\t0\t好。\n"
LANG8 = "{}\t10\thttp://lang-8.com/1/journals/10\t{}\tI go .\tI went .\n"
ESSAYS = "### essay_id = a1\nHan gå hem .\n\n{}\nDe är .\n"
YACLC = (
    '{{"sentence_id": "1", "sentence_text": "我", "sentence_annos": '
    '[{{"correction": "你", "is_grammatical": {}, "annotator_count": 1}}]}}\n'
)
ROW = '{"id": "1", "source": "a", "references": "b"}\n'
DETECTED = [
    (NLPCC.format("x"), ("2:", "number of corrections", "'2\\tx")),
    (NLPCC.format("2"), ("2:", "number of corrections", "as many as it says")),
    (LANG8.format("x", 1), ("1:", "number of corrections TAB entry", "'x\\t10")),
    (LANG8.format(1, 1) + "\n" + LANG8.format(1, "one"), ("3:", "number of the sentence")),
    ("(pid=A2-1)\t他門。\n(p", ("2:", "an id and a sentence, as (pid=A2-0001-1)", "'(p'")),
    ("(pid=A2-1)\t他門。\n(pid=A2-2)\t好。\n他們。\n", ("3:", "an id and a sentence", "'他們。'")),
    ("(YACLC-CSC-VALID-ID=0165)\t他。\n(YAC", ("2:", "an id and a sentence", "'(YAC'")),
    ("pid=0011-1\t他門。\npi", ("2:", "an id and a sentence", "'pi'")),
    (ESSAYS.format("### essay_id ="), ("4:", "'### essay_id ='", "### essay_id = NAME")),
    (ESSAYS.format("### essay_id: a2"), ("4:", "'### essay_id: a2'", "### essay_id = NAME")),
    (ESSAYS.format("## essay_id = a2"), ("4:", "'## essay_id = a2'", "### essay_id = NAME")),
    (YACLC.format(0) + YACLC.format(5), ("2:", "'is_grammatical'", "5", "0", "1")),
    (YACLC.format(0) + YACLC.format('"0"'), ("2:", "'is_grammatical'", "'0'", "1")),
    (YACLC.format(1) + YACLC.format(1)[:30], ("2:", "not JSON", "cut off", "list of objects")),
    ('<DOC nid="8">\n<TEXT>\n<P>\nHe go .\n', ("1:", "DOC", "has no end", "cut off")),
    ('<DOC Nid="8">\n<p>他門。</p>\n', ("1:", "DOC", "has no end", "cut off")),
    ('<ESSAY title="x">\n<TEXT>\n<PASSAGE id="1">好。</PASS', ("1:", "ESSAY", "cut off")),
]


@pytest.mark.parametrize(("text", "facts"), DETECTED)
def test_a_damaged_file_is_refused_as_what_it_was(tmp_path: Path, text: str, facts) -> None:
    """It is neither taken for another format nor read in part."""
    path = tmp_path / "damaged"
    path.write_text(text, "utf-8")
    with pytest.raises(FormatError) as caught:
        read(path)
    assert_says(caught.value, f"{path}:{facts[0]}", *facts[1:])


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (ROW + ROW[:20], ("2:", "not JSON", "cut off")),
        (f"[{ROW},\n{ROW[:20]}", ("3:", "not JSON", "cut off")),
        (ROW + ROW.replace('"b"', "4"), ("2:", "'references'", "'4'", "text", "list of texts")),
        ("id,source,references\n1,a\n", ("2:", "2 cells", "3", "quotation marks")),
    ],
)
def test_a_damaged_table_is_refused_with_what_to_do(tmp_path: Path, text: str, facts) -> None:
    path = tmp_path / "damaged"
    path.write_text(text, "utf-8")
    with pytest.raises(FormatError) as caught:
        read(path, format="table")
    assert_says(caught.value, f"{path}:{facts[0]}", *facts[1:])
