"""Hints: the table, the places, and the rules that they come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.hint_cases import CASES, CODES, Case, hints

from gecbench.server.rules.consistency import distance, misspellings, symbols, unpaired


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.lang}: {case.text}")
def test_the_table(case: Case):
    assert tuple((hint.code, hint.text, hint.repair) for hint in hints(case)) == case.found


def test_the_table_has_each_code():
    assert {code for case in CASES for code, _, _ in case.found} == set(CODES)


def test_a_hint_stands_where_it_says():
    for case in CASES:
        for hint in hints(case):
            text = case.source if hint.code == "lost_word" else case.text
            assert text[hint.start : hint.end] == hint.text


@given(st.text(alphabet='我你,. "()（“”[]缺失成分mc1', max_size=20), st.sampled_from(["zh", "en"]))
def test_repairs_leave_nothing_to_repair_but_what_a_person_decides(text: str, lang: str):
    spaces = [hint for hint in hints(Case("", text, lang=lang)) if hint.code == "double_space"]
    for space in reversed(spaces):
        text = text[: space.start] + (space.repair or "") + text[space.end :]
    assert "  " not in text


@given(st.text(alphabet="我mc[]缺失成分【】", max_size=16))
def test_misspellings_do_not_overlap_and_are_not_the_placeholder(text: str):
    done = 0
    for place in misspellings(text, "", "[缺失成分]", ("[MC]",)):
        assert place.start >= done
        assert place.text == text[place.start : place.end] != "[缺失成分]"
        done = place.end


@given(st.text(alphabet="()[]（）", max_size=14))
def test_without_the_unpaired_marks_all_are_paired(text: str):
    lonely = {place.start for place in unpaired(text)}
    rest = "".join(mark for at, mark in enumerate(text) if at not in lonely)
    while any(pair in rest for pair in ("()", "[]", "（）")):
        for pair in ("()", "[]", "（）"):
            rest = rest.replace(pair, "")
    assert rest == ""


def test_symbols_count_inside_chinese_text_only():
    assert [place.text for place in symbols("我#去 ** 家，C#好 5*6 ＊")] == ["#", "**"]


@pytest.mark.parametrize(
    ("first", "second", "most", "expected"),
    [("", "", 0, 0), ("ab", "ab", 0, 0), ("ab", "b", 1, 1), ("ab", "cd", 1, 2), ("a", "bcd", 1, 2),
     ("kitten", "sitting", 3, 3), ("kitten", "sitting", 2, 3), ("abc", "xyz", 1, 2)],
)  # fmt: skip
def test_the_distance_of_words(first: str, second: str, most: int, expected: int):
    assert distance(first, second, most=most) == expected
