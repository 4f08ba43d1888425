"""Tables of numbers, and human judgements: what is read, and what is refused in which words."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError, UsageError
from gecbench.formats.judgments import (
    SEEDA,
    Item,
    read_human,
    read_judgments,
    read_numbers,
    read_sentence_scores,
)


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str = "t.tsv") -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "text",
    ["system\tF\tAcc\nA, B\t1.5\t-2\n\n乙\t3e-1\t4\n", 'x,F,Acc\n"A, B",1.5,-2\n 乙 , 0.3 ,4\n'],
)
def test_tabs_or_commas_divide_a_table(write, text: str):
    table = read_numbers(write(text))
    assert (table.name, table.rows) == ("t", ("A, B", "乙"))
    assert table.columns == {"F": (1.5, 0.3), "Acc": (-2.0, 4.0)}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ("t.tsv:1", "empty")),
        ("\n \n", ("t.tsv:1", "empty")),
        ("\nsystem\n", ("t.tsv:2", "header")),
        ("s\ta\ta\nx\t1\t2\n", ("t.tsv:1", "header", "different")),
        ("s\ta\t\nx\t1\t2\n", ("t.tsv:1", "header")),
        ("s\ta\n", ("t.tsv:1", "row", "header")),
        ("s\ta\nx\t1\n\ny\t1\t2\n", ("t.tsv:4", "3 cells", "2")),
        ("s\ta\nx\t1\nx\t2\n", ("t.tsv:3", "'x'")),
        ("s\ta\nx\t1,5\n", ("t.tsv:2", "'a'", "'1,5'")),
        ("s\ta\nx\tnan\n", ("t.tsv:2", "'a'", "'nan'")),
        ("s\ta\nx\t\n", ("t.tsv:2", "'a'", "''")),
        ("s\ta\nx\t-1e101\n", ("t.tsv:2", "'a'", "'-1e101'", "1e+100")),
        ("s\ta\nx\t1_0\n", ("t.tsv:2", "'a'", "'1_0'")),
        ("s\ta\nx\t" + "x" * 50, ("t.tsv:2", "'a'", f"'{'x' * 39}…'")),
        ("s\ta\n\t1\n", ("t.tsv:2", "first cell", "empty")),
        ("A,1,2\nB,2,3\n", ("t.tsv:1", "'1', '2'")),
        ('s,a\n\n"x,1\ny,2\n', ("t.tsv:3", "CSV")),
        ('s,a\n"x\ny",1\n', ("t.tsv:2", "CSV")),
        ("s,a\n" + "x" * 140_000 + ",1\n", ("t.tsv:2", "CSV")),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(write, text: str, facts: tuple[str, ...]):
    with expect_error(FormatError, *facts):
        read_numbers(write(text))


XML = """<?xml version="1.0"?>
<results><error-correction-ranking-result>
<ranking-item src-id="12" id="1"><translation system="B A" rank="1" /><translation
 system="C" rank="3" /></ranking-item>
<ranking-item src-id="12" id="1"><translation system="A" rank="2" /></ranking-item>
</error-correction-ranking-result></results>
"""


def test_seedas_xml_has_systems_of_one_output_in_one_entry(write):
    judgments = read_judgments(write(XML, "edit.xml"))
    assert (judgments.name, judgments.lines, judgments.systems) == ("edit", True, ("A", "B", "C"))
    assert judgments.items == (
        Item("1", "12", {"B": 1, "A": 1, "C": 3}),
        Item("2", "12", {"A": 2}),
    )


def test_a_table_of_rankings_is_ours(write):
    text = "item\tid\tsystem\trank\n1\ta\tX\t1\n2\tb\tX\t2\n1\ta\tY\t2\n"
    judgments = read_judgments(write(text), "mine")
    assert (judgments.name, judgments.lines) == ("mine", False)
    assert judgments.items == (Item("1", "a", {"X": 1, "Y": 2}), Item("2", "b", {"X": 2}))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("<a><b></a>", ("t.tsv:1", "XML", "9")),
        ("<a></a>", ("t.tsv:1", "ranking-item")),
        (XML.replace('src-id="12"', ""), ("ranking-item 1", "src-id")),
        (XML.replace('src-id="12"', 'src-id="a1"'), ("ranking-item 1", "'a1'")),
        (XML.replace('rank="3"', f'rank="{"1" * 5000}"'), (f"'{'1' * 39}…'",)),
        (XML.replace('rank="3"', 'rank="good"'), ("ranking-item 1", "'good'")),
        (XML.replace('system="C"', 'system="A"'), ("ranking-item 1", "A", "1 and 3")),
        (XML.replace('system="A"', 'system=""'), ("ranking-item 2",)),
        ("id\tsystem\trank\n", ("t.tsv:1", "item, id, system, rank")),
        ("item\tid\tsystem\trank\n", ("t.tsv:1", "row", "header")),
        ("item,id,system,rank\n1,a,X\n", ("t.tsv:2", "3 cells", "4")),
        ("item,id,system,rank\n1,a,,1\n", ("t.tsv:2", "id", "system")),
        ("item,id,system,rank\n1,a,X,1\n1,b,Y,1\n", ("t.tsv:3", "'1'", "'a'", "'b'")),
        ("item,id,system,rank\n1,a,X,1\n1,a,X,1\n", ("t.tsv:3", "'1'", "X")),
        ("item,id,system,rank\n1,a,X,-1\n", ("t.tsv:2", "'-1'")),
    ],
)
def test_what_is_no_ranking_is_refused(write, text: str, facts: tuple[str, ...]):
    with expect_error(FormatError, *facts):
        read_judgments(write(text))


def test_fifteen_numbers_are_of_seedas_systems(write):
    path = write("".join(f"{n}.5\n" for n in range(15)), "TS.txt")
    numbers = read_human(path)
    assert numbers.rows == SEEDA
    assert numbers.columns == {"TS": tuple(n + 0.5 for n in range(15))}
    assert tuple(sorted(SEEDA)) == SEEDA


def test_other_numbers_are_of_the_systems_that_are_named(write):
    numbers = read_human(write("1\n2\n"), "way", ["b", "a"])
    assert (numbers.rows, numbers.columns) == (("b", "a"), {"way": (1.0, 2.0)})


def test_a_table_of_people_names_its_systems_and_ways(write):
    path = write("system,one,two\nX,1,2\n")
    assert read_human(path).columns == {"one": (1.0,), "two": (2.0,)}
    assert read_human(path, "by").columns == {"by one": (1.0,), "by two": (2.0,)}
    assert read_human(write("system,one\nX,1\n"), "by").columns == {"by": (1.0,)}
    with expect_error(UsageError, str(path), "names its systems"):
        read_human(path, None, ["X"])


def test_numbers_that_are_not_as_many_as_systems_are_refused(write):
    path = write("1\n2\n")
    with expect_error(FormatError, "2 numbers", "15"):
        read_human(path)
    with expect_error(FormatError, "2 numbers", "1 system"):
        read_human(path, None, ["a"])
    with expect_error(FormatError, "2", "'t'", "'x'"):
        read_human(write("1\nx\n"), None, ["a", "b"])


def test_scores_of_sentences_are_by_metric_then_source_and_system(write):
    text = "id\tsystem\tm\tn\n1\tA\t0.5\t1\n1\tB\t0\t2\n"
    assert read_sentence_scores(write(text)) == {
        "m": {("1", "A"): 0.5, ("1", "B"): 0.0},
        "n": {("1", "A"): 1.0, ("1", "B"): 2.0},
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("id\tsystem\n", ("t.tsv:1", "id, system", "metric")),
        ("system\tid\tm\n", ("t.tsv:1", "id, system")),
        ("id\tsystem\tm\tm\n", ("t.tsv:1", "metric", "twice")),
        ("id\tsystem\tm\n1\t\t1\n", ("t.tsv:2", "id", "system")),
        ("id\tsystem\tm\n1\tA\n", ("t.tsv:2", "2 cells", "3")),
        ("id\tsystem\tm\n1\tA\t1\n1\tA\t1\n", ("t.tsv:3", "A", "'1'")),
        ("id\tsystem\tm\n1\tA\tx\n", ("t.tsv:2", "'m'", "'x'")),
    ],
)
def test_what_is_no_table_of_sentence_scores_is_refused(write, text: str, facts: tuple[str, ...]):
    with expect_error(FormatError, *facts):
        read_sentence_scores(write(text))
