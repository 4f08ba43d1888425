"""Hints: the table, the places, and the rules that they come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.hint_cases import CASES, CODES, Case, hints

from gecbench.server.rules.consistency import distance, misspellings, symbols, unpaired


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.lang}: {case.text}")
def test_the_table(case: Case):
    assert tuple((one.code, one.text, one.repair) for one in hints(case)) == case.found


def test_the_table_has_each_code():
    assert {code for case in CASES for code, _, _ in case.found} == set(CODES)


def test_a_hint_stands_where_it_says():
    for case in CASES:
        for one in hints(case):
            text = case.source if one.code == "lost_word" else case.text
            assert text[one.start : one.end] == one.text


@given(st.text(alphabet='我你,. "()（“”[]缺失成分mc1', max_size=20), st.sampled_from(["zh", "en"]))
def test_repairs_leave_nothing_to_repair_but_what_a_person_decides(text: str, lang: str):
    found = [one for one in hints(Case("", text, lang=lang)) if one.code == "double_space"]
    for one in reversed(found):
        text = text[: one.start] + (one.repair or "") + text[one.end :]
    assert "  " not in text


@given(st.text(alphabet="我mc[]缺失成分【】", max_size=16))
def test_misspellings_do_not_overlap_and_are_not_the_placeholder(text: str):
    done = 0
    for one in misspellings(text, "", "[缺失成分]", ("[MC]",)):
        assert one.start >= done
        assert one.text == text[one.start : one.end] != "[缺失成分]"
        done = one.end


@given(st.text(alphabet="()[]（）", max_size=14))
def test_without_the_unpaired_marks_all_are_paired(text: str):
    lonely = {one.start for one in unpaired(text)}
    rest = "".join(mark for at, mark in enumerate(text) if at not in lonely)
    while any(pair in rest for pair in ("()", "[]", "（）")):
        for pair in ("()", "[]", "（）"):
            rest = rest.replace(pair, "")
    assert rest == ""


def test_symbols_count_inside_chinese_text_only():
    assert [one.text for one in symbols("我#去 ** 家，C#好 5*6 ＊")] == ["#", "**"]


@pytest.mark.parametrize(
    ("one", "two", "most", "wanted"),
    [("", "", 0, 0), ("ab", "ab", 0, 0), ("ab", "b", 1, 1), ("ab", "cd", 1, 2), ("a", "bcd", 1, 2),
     ("kitten", "sitting", 3, 3), ("kitten", "sitting", 2, 3), ("abc", "xyz", 1, 2)],
)  # fmt: skip
def test_the_distance_of_words(one: str, two: str, most: int, wanted: int):
    assert distance(one, two, most=most) == wanted
