"""Chips and gaps: what is derived of them, what moves, how much changes, what is a fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.perturbation_cases import CASES, Case

from gecbench.api.schemes import load_scheme
from gecbench.core.errors import GecbenchError
from gecbench.server.rules.perturbation import (
    Chip,
    Division,
    Fault,
    Move,
    clean_gap,
    derive,
    divide,
    faults,
    moves,
    subtlety,
    variant_digest,
)


@pytest.fixture(scope="module")
def chinese():
    return load_scheme("zh-char")


@pytest.fixture(scope="module")
def english():
    return load_scheme("en-errant", types=False)


@pytest.mark.parametrize(
    ("source", "target", "gaps", "chips"),
    [
        ("我门去学校。", "我们去学校。", ["我", "去学校。"], [("门", "们")]),
        ("我去学校。", "我去了学校。", ["我去", "学校。"], [("", "了")]),
        ("我去了学校。", "我去学校。", ["我去", "学校。"], [("了", "")]),
        ("去学校。", "我去学校。", ["", "去学校。"], [("", "我")]),
        ("我去学校。", "我去学校。", ["我去学校。"], []),
        ("我 门去。", "我 们去。", ["我 ", "去。"], [("门", "们")]),
        ("我门[缺失 成分]去。", "我们[缺失 成分]去。", ["我", "[缺失 成分]去。"], [("门", "们")]),
        ("😀𠮷门去。", "😀𠮷们去。", ["😀𠮷", "去。"], [("门", "们")]),
    ],
)
def test_a_chinese_sentence_is_chips_between_gaps_and_comes_back(
    chinese, source, target, gaps, chips
):
    division = divide(chinese, [(source, target)])[0]
    assert list(division.gaps) == gaps
    assert [(chip.source, chip.target) for chip in division.chips] == chips
    assert derive(division.gaps, division.chips, "zh") == (source, target)


@pytest.mark.parametrize(
    ("source", "target", "chips"),
    [
        ("He go home .", "He goes to home .", [("go", "goes to")]),
        ("He likes dog .", "He likes the dog .", [("", "the")]),
        ("dog barks .", "The dog barks .", [("", "The")]),
        ("He is go", "He is", [("go", "")]),
        ("My answer is no .", "My answer is no .", []),
        ("Bad", "", [("Bad", "")]),
    ],
)
def test_an_english_sentence_is_chips_between_gaps_and_comes_back(english, source, target, chips):
    division = divide(english, [(source, target)])[0]
    assert [(chip.source, chip.target) for chip in division.chips] == chips
    assert len(division.gaps) == len(chips) + 1
    assert derive(division.gaps, division.chips, "en") == (source, target)


@pytest.mark.parametrize(
    ("gaps", "source", "target"),
    [
        (["He likes ", " dog ."], "He likes dog .", "He likes the dog ."),
        (["She likes", "big dog ."], "She likes big dog .", "She likes the big dog ."),
        (["", ""], "", "the"),
        (["  She  likes  ", "  dogs ."], "She  likes dogs .", "She  likes the dogs ."),
    ],
)
def test_one_blank_stands_at_a_chip_of_a_language_with_blanks(gaps, source, target):
    assert derive(gaps, [Chip("", "the")], "en") == (source, target)


@given(st.lists(st.text("我你他 ab，。"), min_size=3, max_size=3))
def test_both_sides_have_the_same_context(gaps):
    chips = [Chip("<门", "们>"), Chip("", "<了>")]
    source, target = derive(gaps, chips, "zh")
    assert source.replace("<门", "") == target.replace("们>", "").replace("<了>", "")


def test_a_moved_error_is_named_by_its_number(english):
    pairs = [
        ("He go home and like dog .", "He goes home and likes dogs ."),
        ("He go there and like dog .", "He goes there and likes dogs ."),
        ("He go home and love dog .", "He goes home and likes dogs ."),
    ]
    original, same, other = divide(english, pairs)
    assert moves(original.chips, same, "en") == ()
    assert moves(original.chips, other, "en") == (
        Move(2, "like", "likes"),
        Move(0, "love", "likes"),
    )


def test_errors_are_compared_as_often_as_they_occur():
    chips = (Chip("a", "the"), Chip("a", "the"))
    assert moves(chips, Division(("", "", ""), chips[::-1]), "en") == ()
    assert moves(chips, Division(("", ""), chips[:1]), "en") == (Move(2, "a", "the"),)


@pytest.mark.parametrize(
    ("original", "source", "lang", "edits", "changed", "tokens"),
    [
        ("My answer is no .", "My answer is no .", "en", 0, 0, 5),
        ("My answer is no .", "My answer may be no .", "en", 1, 2, 5),
        ("My answer is no .", "Our answer is not no .", "en", 2, 2, 5),
        ("我去学校。", "他去学校。", "zh", 1, 1, 5),
        ("我去学校。", "我 去 学校。", "zh", 0, 0, 5),
    ],
)
def test_per_6_edits_and_changed_tokens_are_counted(original, source, lang, edits, changed, tokens):
    measured = subtlety(original, source, lang)
    assert (measured.edits, measured.changed, measured.tokens) == (edits, changed, tokens)


def test_variants_are_equal_whatever_white_space_they_have():
    assert variant_digest(" He  goes ", "en") == variant_digest("He goes", "en")
    assert variant_digest("我 去", "zh") == variant_digest("我去", "zh")
    assert variant_digest("He go es", "en") != variant_digest("He goes", "en")


def test_a_gap_is_cleaned_and_keeps_the_blanks_at_its_ends():
    assert clean_gap("\u200b He\n goes\t").text == " He goes "
    assert clean_gap(" \n ").text == " "
    assert clean_gap("").text == ""
    with pytest.raises(GecbenchError):
        clean_gap("a\0")


def test_faults_of_a_file_are_found():
    variants = [
        ("he go .", "he goes .", False),
        ("He go home .", "He goes home .", False),
        ("He go home .", "He goes home .", False),
        ("He went .", "He goes .", True),
    ]
    assert list(faults(("he go .", "he goes ."), variants, "en")) == [
        (1, Fault.ORIGINAL),
        (3, Fault.REPEATED),
        (4, Fault.MOVED),
    ]
    assert list(faults(("Hi .", "Hi ."), [("Hello .", "Hello !", True)], "en")) == [
        (1, Fault.ERROR_FREE)
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.original} {case.gaps}")
def test_per_3_per_6_the_table_that_the_page_is_held_to(case: Case):
    original, source = (
        derive(gaps, case.chips, case.lang)[0] for gaps in (case.original, case.gaps)
    )
    measured = subtlety(original, source, case.lang)
    assert (measured.edits, measured.changed, measured.tokens) == case.change
