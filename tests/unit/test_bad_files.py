"""Bad files, one table: what is wrong, where, and what to do, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    (b"", "1: the file is empty; a corpus has at least one sentence"),
    (b"\xef\xbb\xbf", "1: the file is empty; a corpus has at least one sentence"),
    (
        "1\t好\n2\t坏\n".encode("gbk"),
        ("1: byte 0xba is not UTF-8; save the file as UTF-8 (GBK: iconv -f GB18030 -t UTF-8)"),
    ),
    ("1\t好".encode("utf-16"), "1: the file is UTF-16; save it as UTF-8"),
]

MUCGEC = [
    ("1\t好\n二 坏\n".encode(), "2: no TAB in '二 坏'; a row is id TAB source TAB references"),
    (
        b"a" * 60 + b"\n",
        (
            "1: no TAB in 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'; a row is id TAB "
            "source TAB references"
        ),
    ),
    ("\n1\t好\n".encode(), "1: the line is blank; remove it"),
    ("1\t好\n\n2\t坏\n".encode(), "2: the line is blank; remove it"),
    ("1\t好\n 　\n".encode(), "2: the line is blank; remove it"),
    ("\t好\n".encode(), "1: the id is empty; a row is id TAB source TAB references"),
    (" \t好\n".encode(), "1: the id is empty; a row is id TAB source TAB references"),
    ("1\t\t好\n".encode(), "1: the source of id '1' is empty; fill it or remove the row"),
    ("1\t　 \t好\n".encode(), "1: the source of id '1' is empty; fill it or remove the row"),
    (b"1\t\n", "1: the source of id '1' is empty; fill it or remove the row"),
    (
        "1\t好\t\n".encode(),
        "1: a reference is empty; remove the TAB before it, or write 没有错误 or 无法标注",
    ),
    (
        "1\t好\t很好\t\t真好\n".encode(),
        "1: a reference is empty; remove the TAB before it, or write 没有错误 or 无法标注",
    ),
    (
        "1\t好\t 　\n".encode(),
        "1: a reference is empty; remove the TAB before it, or write 没有错误 or 无法标注",
    ),
    ("1\t好\n2\t坏\n1\t再\n".encode(), "3: id '1' stands in line 1 already; ids are unique"),
]

JSONL = [
    (
        b"{\n",
        (
            "1: not JSON at column 2: Expecting property name enclosed in double quotes; "
            "each line is one object"
        ),
    ),
    (b"[]\n", "1: the line is a list; expected an object"),
    (b"1\n", "1: the line is a whole number, 1; expected an object"),
    (
        b'{"id": "1"}\n',
        ('1: the first line has no "format": "gecbench-corpus"; it is the header of the file'),
    ),
    (
        b'{"format": "other", "schema": 1}\n',
        ('1: the first line has no "format": "gecbench-corpus"; it is the header of the file'),
    ),
    (
        b'{"format": "gecbench-corpus", "name": "n"}\n',
        "1: 'schema' is missing; expected a whole number",
    ),
    (
        b'{"format": "gecbench-corpus", "schema": 2, "name": "n"}\n',
        "1: schema 2 is not known, only 1; read the file with a newer gecbench",
    ),
    (
        b'{"format": "gecbench-corpus", "schema": "1", "name": "n"}\n',
        "1: 'schema' is a string, '1'; expected a whole number",
    ),
    (b'{"format": "gecbench-corpus", "schema": 1}\n', "1: 'name' is missing; expected a string"),
    (
        b'{"format": "gecbench-corpus", "schema": 1, "name": "n", "language": "zh"}\n',
        "1: unknown key 'language'; did you mean lang or name?",
    ),
    (
        b'{"format": "gecbench-corpus", "schema": 1, "name": "n", "lang": null}\n',
        "1: 'lang' is null; expected a string",
    ),
    (
        b'{"format": "gecbench-corpus", "schema": 1, "name": "n", "provenance": {"year": 2022}}\n',
        "1: 'year' in 'provenance' is a whole number, 2022; expected a string",
    ),
    (j(""), "2: the line is blank; remove it"),
    (j("[" * 200_000), "2: brackets are nested too deep; each line is one object"),
    (
        edit('{"start": %s, "end": 1, "replacement": []}' % ("1" * 5000)),
        "2: a number has too many digits; write a token number",
    ),
    (
        j('{"id": "1", "source": "a", "references": []'),
        "2: not JSON at column 44: Expecting ',' delimiter; each line is one object",
    ),
    (j(f'{{"id": "1", "source": "", {R}}}'), "2: the source is empty; fill it or remove the line"),
    (j(f'{{"id": 1, "source": "a", {R}}}'), "2: 'id' is a whole number, 1; expected a string"),
    (j(f'{{"id": "1", "id": "2", {R}}}'), "2: key 'id' occurs twice in one object; remove one"),
    (j('{"id": "1", "source": "a"}'), "2: 'references' is missing; expected a list"),
    (
        j('{"id": "1", "source": "a", "references": {}}'),
        "2: 'references' is an object; expected a list",
    ),
    (
        j('{"id": "1", "source": "a", "references": ["b"]}'),
        "2: an item of 'references' is a string, 'b'; expected an object",
    ),
    (
        j('{"id": "1", "source": "a", "refrences": []}'),
        "2: unknown key 'refrences'; did you mean references?",
    ),
    (
        rest('"meta": {"n": 1.5}'),
        "2: 'n' in 'meta' is a number with a point, 1.5; expected a string",
    ),
    (rest('"tokens": "a"'), "2: 'tokens' is a string, 'a'; expected a list"),
    (rest('"tokens": [true]'), "2: an item of 'tokens' is true or false; expected a string"),
    (
        rest(r'"meta": {"n": "\ud800"}'),
        "2: a string holds half a surrogate pair, as \\ud800; write the character",
    ),
    (
        rows("", ("1", "a"), ("2", "a"), ("1", "b")),
        "4: id '1' stands in line 2 already; ids are unique",
    ),
    (ref("{}"), "2: a rewrite needs a text, edits, or one of error free, unannotatable"),
    (
        ref('{"text": "a", "error_free": true}'),
        ("2: a rewrite is one of: a text, error free, unannotatable; here are two at once"),
    ),
    (ref('{"error_free": 1}'), "2: 'error_free' is a whole number, 1; expected true or false"),
    (ref('{"text": null}'), "2: 'text' is null; expected a string"),
    (ref('{"txt": "a"}'), "2: unknown key 'txt'; did you mean text?"),
    (
        ref('{"text": "a", "edit_sets": [{}]}'),
        "2: an item of 'edit_sets' is an object; expected a list",
    ),
    (
        edit('{"start": 1, "end": 0, "replacement": []}'),
        ("2: edit span 1 0 is reversed or negative; a span is start end with 0 <= start <= end"),
    ),
    (
        edit('{"start": true, "end": 2, "replacement": []}'),
        "2: 'start' is true or false; expected a whole number",
    ),
    (
        edit('{"start": 1, "end": 3, "replacement": []}'),
        "2: edit span 1 3 ends after the source, which has 2 tokens",
    ),
    (
        edit(
            '{"start": 0, "end": 1, "replacement": []}, {"start": 0, "end": 1, "replacement": []}'
        ),
        "2: edit span 0 1 overlaps edit span 0 1",
    ),
    (edit('{"start": 0, "end": 1}'), "2: 'replacement' is missing; expected a list"),
    (
        edit('{"start": 0, "end": 1, "replacement": "a"}'),
        "2: 'replacement' is a string, 'a'; expected a list",
    ),
    (
        edit('{"start": 0, "end": 1, "replacement": [], "alternatives": ["a"]}'),
        "2: an item of 'alternatives' is a string, 'a'; expected a list",
    ),
    (
        edit('{"start": 0, "end": 1, "replacement": [], "op": "R"}'),
        "2: unknown key 'op'; known: alternatives, end, label, replacement, start",
    ),
    (
        edit('{"start": 1e3, "end": 1, "replacement": []}'),
        "2: 'start' is a number with a point, 1000.0; expected a whole number",
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


def test_there_are_at_least_sixty() -> None:
    assert len(FILES) >= 60


@pytest.mark.parametrize(("format", "content", "message"), FILES)
def test_a_bad_file_is_refused_with_path_line_and_mend(
    format: str | None, content: bytes, message: str
) -> None:
    Path("file").write_bytes(content)
    with pytest.raises(FormatError) as error:
        read(Path("file"), format=format)
    assert str(error.value) == f"file:{message}"


@pytest.mark.parametrize("message", [case[-1] for case in FILES])
def test_messages_are_one_line(message: str) -> None:
    assert len(message.splitlines()) == 1
