"""Files of other tools, sentence by sentence; what cannot be read is named with its line."""

from __future__ import annotations

import json

import pytest

from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.formats.records import (
    Content,
    Record,
    Trouble,
    parallel,
    records,
)
from gecbench.formats.table import column_names, join_names, split_names

COLUMNS = {"source": "wrong", "references": "right, better", "document": "essay", "position": "n"}
ROWS = [
    {"id": "a", "wrong": "He go .", "right": "He goes .", "better": "", "essay": "e1", "n": "1"},
    {"id": "b", "wrong": "Fine .", "right": "", "better": "", "essay": "e1", "n": "2"},
]


def content(text: str, name: str = "file.txt") -> Content:
    return Content(name, tuple(text.splitlines()), "0" * 64)


def read(text: str, format: str | None = None, name: str = "file.txt", **columns: str) -> list:
    return list(records(content(text, name), format, columns)[1])


def names_in(file: Content) -> list[str]:
    return column_names(file.name, file.lines)


def cells(delimiter: str) -> str:
    rows = [list(ROWS[0]), *(list(row.values()) for row in ROWS)]
    return "".join(delimiter.join(row) + "\n" for row in rows)


TABLES = {
    "csv": cells(","),
    "csv with semicolons": cells(";"),
    "tsv": cells("\t"),
    "jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "array": json.dumps(ROWS, indent=2),
    "objects by id": json.dumps({row["id"]: row for row in ROWS}),
    "array in an object": json.dumps({"version": "1", "tags": ["x"], "data": ROWS}, indent=2),
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_a_table_is_the_same_in_every_notation(text):
    first, second = read(text, **COLUMNS)
    assert (first.id, first.text, [reference.text for reference in first.references]) == (
        "a",
        "He go .",
        ["He goes ."],
    )
    assert first.meta == {"document": "e1", "position": "1"}
    assert (second.id, second.references, second.meta["position"]) == ("b", (), "2")


def test_columns_are_found_by_their_usual_names_and_others_are_facts():
    (record,) = read('{"text": "他来", "references": ["他来了"], "level": {"hsk": 3}}', "table")
    assert (record.text, record.references[0].text) == ("他来", "他来了")
    assert record.meta == {"level.hsk": "3"}
    (record,) = read('{"data": {"src": "他来", "n": 7}}', source="data.src", position="data.n")
    assert (record.text, record.meta) == ("他来", {"position": "7"})


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_a_table_names_its_columns_in_every_notation(text):
    assert set(names_in(content(text))) == set(ROWS[0])


def test_an_object_with_a_sentence_is_a_row_whatever_list_it_has():
    text = '{"text": "他来", "edits": [{"start": 1}]}'
    (record,) = read(text, "table")
    assert (record.text, record.meta) == ("他来", {"edits": '[{"start": 1}]'})
    (record,) = read(text.replace("text", "wrong"), source="wrong")
    assert record.text == "他来"
    assert names_in(content('{"a": [{"src": "x"}], "b": [{"src": "y"}]}')) == ["a", "b"]


def test_names_of_columns_are_those_of_all_first_rows_without_damaged_ones():
    assert names_in(content('[{"a": {"b": 1}}, {"c": 2, "\\ud800": 3, " d": 4}]')) == [
        "a.b",
        "c",
    ]
    assert names_in(content('{"s1": {"src": "x"}}')) == ["id", "src"]
    assert names_in(content('[{"a": 1}, {"a": 2}, {')) == ["a"]
    assert names_in(content("a,a\n")) == []


def test_a_column_whose_name_has_a_comma_is_named_in_quotation_marks():
    text = 'source,"teacher, 1",b\nx,y,z\n'
    (record,) = read(text, "table", references='"teacher, 1", b')
    assert [reference.text for reference in record.references] == ["y", "z"]
    for names in (["teacher, 1", "b"], ["two\nlines", 'a "b"'], ['"', "'"]):
        assert split_names(join_names(names)) == names


def test_csv_has_texts_with_commas_quotation_marks_and_line_ends():
    text = 'source,references\n"a, ""b""","c\nd"\ne,f\n'
    first, second = read(text, name="x.CSV")
    assert (first.line, first.text, first.references[0].text) == (2, 'a, "b"', "c\nd")
    assert second.line == 4


def test_quotation_marks_of_tsv_are_marks():
    (record,) = read('source\treferences\n"Yes\t"Yes"\n', "table")
    assert (record.text, record.references[0].text) == ('"Yes', '"Yes"')


@pytest.mark.parametrize(
    ("text", "columns", "line", "message"),
    [
        ("a,b\n1,2\n", {}, 2, "there is no column 'source'; name the columns by those that are"),
        ("source,b\n1,2\n", {"references": "c"}, 1, "there is no column 'c'"),
        ('[{"source": "x"}]', {"references": "target"}, 1, "there is no column 'target'"),
        ("source,b\n1\n", {}, 2, "the row has 1 cells, but the first row has 2"),
        ("source,source\n1,2\n", {}, 1, "two columns have the same name"),
        ('source,b\n"1,2\n', {}, 2, "a quotation mark is open"),
        ("source,b\n" + "x" * 200_000 + ",2\n", {}, 2, "more than 131,072 characters"),
        ("source,position\nx,first\n", {}, 2, "the position is 'first'; a whole number"),
        ('{"source": 5}', {}, 1, "'source' is a whole number"),
        ('{"source": "x"}\n{"source": "y', {}, 2, "the rest of the file was not looked at"),
    ],
)
def test_what_is_wrong_with_a_table_is_named_with_its_line(text, columns, line, message):
    (trouble,) = [
        record for record in read(text, "table", **columns) if isinstance(record, Trouble)
    ]
    assert trouble.line == line
    assert message in trouble.message


def test_columns_are_of_tables_alone_and_hold_what_is_known():
    with pytest.raises(UsageError, match="columns are those of format table alone, not of lines"):
        read("x\n", "lines", source="a")
    with pytest.raises(UnknownNameError, match="unknown column 'sorce'; did you mean source"):
        read("source\nx\n", sorce="a")


def test_deep_and_wide_objects_take_no_more_room_than_the_file():
    text: object = {f"k{n}": n for n in range(1000)}
    for _ in range(50):
        text = {"x" * 1000: text}
    (record,) = read(json.dumps({"source": "y", "deep": text}), "table")
    assert sum(map(len, record.meta)) < 3000


FCGEC = {
    "k1": {
        "sentence": "我们去学校了昨天。",
        "error_flag": 1,
        "error_type": "IWO",
        "operation": '[{"Switch": [0, 1, 6, 7, 2, 3, 4, 5, 8]}]',
    },
    "k2": {"sentence": "很好。", "error_flag": 0, "error_type": "*", "operation": "[]"},
    "k3": {"sentence": "他来。"},
}


def test_fcgec_is_found_out_and_its_operations_are_applied():
    first, second, third = read(json.dumps(FCGEC, ensure_ascii=False))
    assert first.references[0].text == "我们昨天去学校了。"
    assert (first.id, first.meta) == ("k1", {"error_type": "IWO"})
    assert second.references[0].error_free
    assert third.references == ()


def test_a_broken_sentence_of_fcgec_is_named_and_the_others_are_read():
    broken = {**FCGEC, "k2": {**FCGEC["k2"], "operation": '[{"Delete": [9]}]', "error_flag": 1}}
    text = read(json.dumps(broken, indent=1), "fcgec")
    assert [type(record) for record in text] == [Record, Trouble, Record]
    assert text[1].line == 8
    assert text[1].message.startswith("'k2': Delete is ")


@pytest.mark.parametrize("format", [None, "lines", "jsonl"])
@pytest.mark.parametrize(
    "text", ["\nO-S He go .\nO-T He goes .\n", '{"format": "gecbench-perturbed", "schema": 1}\n']
)
def test_perturbed_cases_are_refused_with_what_they_are_for(text, format):
    with pytest.raises(FormatError, match=r"file\.txt:1: these are perturbed cases, as RobustGEC"):
        read(text, format)
    with pytest.raises(FormatError, match="perturbed cases"):
        list(parallel(content(text), [content(text)]))


@pytest.mark.parametrize(
    ("head", "source", "replacement", "text"),
    [
        ({"lang": "en"}, "I go home .", "went", "I went home ."),
        ({"lang": "zh"}, "我去学", "来", "我来学"),
        ({}, "I go home .", "went", "I went home ."),
        ({}, "我去学", "来", "我来学"),
    ],
)
def test_the_text_of_edits_has_the_blanks_of_its_language(head, source, replacement, text):
    edits = [{"start": 1, "end": 2, "replacement": [replacement], "label": "S"}]
    row = {
        "id": "1",
        "source": source,
        "references": [{"edit_sets": [edits]}],
        "tokens": source.split() if " " in source else list(source),
    }
    header = {"format": "gecbench-corpus", "schema": 1, "name": "c", **head}
    (record,) = read(f"{json.dumps(header)}\n{json.dumps(row)}\n", "jsonl")
    assert record.references[0].text == text
