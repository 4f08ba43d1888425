"""From pairs to labels, round after round, and back."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench.core.language import Transforms
from gecbench.edits.alignment import distance
from gecbench.lang import transforms_for
from gecbench.models.tags import derive
from gecbench.models.tags.derive import apply_labels, choose_labels, derive_labels, derive_rounds
from gecbench.models.tags.labels import KEEP, parse_label

EN, ZH = transforms_for("en"), transforms_for("zh")


def show_labels(source: str, target: str, transforms: Transforms = EN) -> str:
    """Return the labels that are not $KEEP, with their places."""
    rows = derive_labels(source.split(), target.split(), transforms)
    return " ".join(f"{n}{label}" for n, row in enumerate(rows) for label in row if label != KEEP)


@pytest.mark.parametrize(
    ("source", "target", "labels"),
    [
        ("a b", "a b", ""),
        ("", "a b", "0$APPEND_a 0$APPEND_b"),
        ("a b", "", "1$DELETE 2$DELETE"),
        ("I goes home", "I go home .", "2$TRANSFORM_VERB_VBZ_VB 3$APPEND_."),
        ("the cat", "The cat", "1$TRANSFORM_CASE_CAPITAL"),
        ("a well-known man", "a well known man", "2$TRANSFORM_SPLIT_HYPHEN"),
        (
            "a well-known man",
            "a well known old man",
            "2$TRANSFORM_SPLIT_HYPHEN 2$APPEND_old",
        ),
        ("in to it", "into it", "1$MERGE_SPACE"),
        ("well known men", "well-known men", "1$MERGE_HYPHEN"),
        ("up to date x", "up-to-date x", "1$MERGE_HYPHEN 2$MERGE_HYPHEN"),
        ("many informations", "many pieces of information",
         "1$APPEND_pieces 1$APPEND_of 2$TRANSFORM_AGREEMENT_SINGULAR"),
        # The token most like it is what a token becomes; the others are inserted around it.
        ("he recieve it", "he will receive it", "1$APPEND_will 2$REPLACE_receive"),
        ("he recieve it", "he receive all it", "2$REPLACE_receive 2$APPEND_all"),
        ("he hardly wroks", "he works hard", "2$REPLACE_works 3$REPLACE_hard"),
        # Of equally unlike ones it is the middle one, and runs are as short as can be.
        ("I x it", "I aa bb cc it", "1$APPEND_aa 2$REPLACE_bb 2$APPEND_cc"),
        ("I zz ww yy it", "I aa bb cc dd ee ff gg it",
         "2$REPLACE_aa 2$APPEND_bb 3$REPLACE_cc 3$APPEND_dd 3$APPEND_ee 4$REPLACE_ff 4$APPEND_gg"),
        # A form of the word itself is nearer than any word like it.
        ("I gone wenz", "I went", "2$TRANSFORM_VERB_VBN_VBD 3$DELETE"),
        # What is deleted and has something inserted behind it is replaced.
        ("cc abc", "a bc", "1$REPLACE_a 2$REPLACE_bc"),
        # Two tokens in each other's place.
        ("b a c", "a b c", "0$APPEND_a 2$DELETE"),
    ],
)  # fmt: skip
def test_labels_of_english_pairs(source, target, labels):
    assert show_labels(source, target) == labels


@pytest.mark.parametrize(
    ("source", "target", "labels"),
    [
        ("高 心", "高 兴", "2$REPLACE_兴"),
        ("他 很 高", "他 今 天 很 高", "1$APPEND_今 1$APPEND_天"),
        # What surplus there is, is spread over the token before and those replaced.
        ("我 甲 你", "我 乙 丙 你", "1$APPEND_乙 2$REPLACE_丙"),
        ("我 甲 你", "我 乙 丙 丁 戊 你", "1$APPEND_乙 1$APPEND_丙 2$REPLACE_丁 2$APPEND_戊"),
        ("我 甲 乙 你", "我 丙 你", "2$REPLACE_丙 3$DELETE"),
        # A word that moved is deleted and inserted, not everything between replaced.
        ("甲 乙 丙 丁", "丙 丁 甲 乙", "0$APPEND_丙 0$APPEND_丁 3$DELETE 4$DELETE"),
        ("甲 丁", "丁 丙", "1$DELETE 2$APPEND_丙"),
        # No transforms, no merges.
        ("big data 。", "Big data 。", "1$REPLACE_Big"),
        ("in to 。", "into 。", "1$DELETE 2$REPLACE_into"),
    ],
)
def test_labels_of_chinese_pairs(source, target, labels):
    assert show_labels(source, target, ZH) == labels


def test_an_exchange_is_never_derived():
    assert "SWAP" not in show_labels("he always is late", "he is always late")


def test_the_first_label_is_the_first_that_changes_something():
    rows = derive_labels("我甲你", "我乙丙你了吗", ZH)
    assert rows[3] == (KEEP, "$APPEND_了", "$APPEND_吗")
    assert choose_labels(rows) == (KEEP, "$APPEND_乙", "$REPLACE_丙", "$APPEND_了")


def test_rounds_end_at_the_limit_or_the_target():
    rounds = derive_rounds("我", "我一二三四", ZH)
    assert [len(step.tokens) for step in rounds] == [1, 2, 3, 4]
    assert derive_rounds("我", "我一二三四", ZH, limit=2) == rounds[:2]
    assert derive_rounds("我", "我", ZH) == ()


def test_two_merges_at_one_place_make_one_token():
    labels = [KEEP, "$MERGE_SPACE", "$MERGE_HYPHEN", KEEP, "$MERGE_SPACE"]
    assert apply_labels(["a", "b", "c", "d"], labels, EN) == ("ab-c", "d")


def test_a_merge_reaches_over_what_is_deleted():
    labels = [KEEP, "$MERGE_SPACE", "$DELETE", KEEP]
    assert apply_labels(["a", "b", "c"], labels, EN) == ("ac",)


def test_large_blocks_are_aligned_by_tokens(monkeypatch):
    monkeypatch.setattr(derive, "_LARGEST", 3)
    assert show_labels("aa bb", "bbb aaa") == "1$REPLACE_bbb 2$REPLACE_aaa"


HAN = st.sampled_from("的了我你，。😀")
ZH_TOKENS = st.lists(st.one_of(HAN, st.sampled_from(["ab", "12", "B"])), max_size=9)
WORDS = ["a", "the", "The", "go", "goes", "went", "well-known", "well", "known", "-", "into", "in"]
WORDS += ["to", "cat", "cats", ",", "😀", "'s", "a-b", "a", "b", "$KEEP", "wellknown", "é"]
EN_TOKENS = st.lists(st.one_of(st.sampled_from(WORDS), st.text("ab-", min_size=1)), max_size=9)


def apply_rows(tokens, rows, transforms):
    """Do all labels of each position, in order: the slow obvious way, without rounds."""
    result: list[str] = []
    joint = None
    for token, row in zip(["", *tokens], rows, strict=True):
        for label in row:
            kind, argument = parse_label(label)
            words = [argument] if kind in ("append", "replace") else []
            if kind in ("keep", "merge") and token:
                words = [token]
            if kind == "transform":
                words = transforms.apply(argument, token).split()
            if words and joint is not None:
                words[0] = result.pop() + joint + words[0]
                joint = None
            result += words
            if kind == "merge":
                joint = {"SPACE": "", "HYPHEN": "-"}[argument]
    return tuple(result)


HALF = settings(max_examples=settings().max_examples // 2 + 1)
"""These laws are tried on half as many examples as others, to save time."""


@HALF
@given(ZH_TOKENS, ZH_TOKENS)
def test_all_chinese_labels_done_give_the_target(source, target):
    assert apply_rows(source, derive_labels(source, target, ZH), ZH) == tuple(target)


@HALF
@given(EN_TOKENS, EN_TOKENS)
def test_all_english_labels_done_give_the_target(source, target):
    assert apply_rows(source, derive_labels(source, target, EN), EN) == tuple(target)


@HALF
@given(EN_TOKENS, EN_TOKENS, st.booleans())
def test_round_after_round_the_target_is_reached(source, target, in_english):
    transforms = EN if in_english else ZH
    rounds = derive_rounds(source, target, transforms)
    tokens = tuple(source)
    for step in rounds:
        assert step.tokens == tokens
        tokens = apply_labels(*step, transforms)
    assert tokens == tuple(target)
    # After the first round only insertions are left.
    assert all(
        parse_label(label).kind in ("keep", "append") for r in rounds[1:] for label in r.labels
    )


@HALF
@given(EN_TOKENS, EN_TOKENS)
def test_every_change_of_a_word_is_a_label_it_can_bear(source, target):
    rows = derive_labels(source, target, EN)
    assert len(rows) == len(source) + 1
    assert all(parse_label(row[0]).kind not in ("append", "unknown") for row in rows)
    assert all(parse_label(label).kind == "append" for row in rows for label in row[1:])
    assert parse_label(rows[0][0]).kind == "keep"


TOKENS = st.lists(st.text("abgo-s", min_size=1, max_size=5), min_size=1, max_size=7)


@given(TOKENS, TOKENS)
def test_distances_are_those_of_each_run(source, target):
    for token, distances in zip(source, derive._distances(source, target), strict=True):
        for start, end in combinations_with_replacement(range(len(target) + 1), 2):
            assert distances[start, end] == distance(token, "".join(target[start:end]))
