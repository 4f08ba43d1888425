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
