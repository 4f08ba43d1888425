"""What a received text becomes (ANN-12), and when two texts are the same (CON-10)."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.errors import GecbenchError
from gecbench.server.rules.text import (
    KINDS,
    LONGEST,
    LONGEST_NOTE,
    REFUSALS,
    TextError,
    clean,
    digest,
    key,
)

ODD = "我a ，,\t\n\r\v\x1c\x1f\x85\u2028\u00a0\u2003\u3000\u200b\ufeff\u00ad\u200e"
ODD += "\u202e\u2060\x07\u206a\u200c\u200d👩💻️🏴\U000e0067\U000e007fक्ش\u0600\u3164"
ODD += "\u034f\ufff9♂e\u0301１"
TEXTS = st.text(alphabet=ODD, max_size=20) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)


@pytest.mark.parametrize(
    ("text", "result", "removed", "spaces"),
    [
        ("我去。", "我去。", {}, {}),
        ("", "", {}, {}),
        ("  \n ", "", {}, {}),
        ("a\nb", "a b", {}, {"line_end": 1}),
        ("a\r\nb\rc", "a b c", {}, {"line_end": 2}),
        ("a \n\n\t b", "a b", {}, {"line_end": 2, "tab": 1}),
        ("a\u2028b\x0bc\x85d\x1fe", "a b c d e", {}, {"line_end": 3, "tab": 1}),
        ("a\u200b\n\u200bb", "a b", {"zero_width": 2}, {"line_end": 1}),
        ("a\u00a0b\u202fc\u2003d", "a b c d", {}, {"odd_space": 3}),
        ("a\u00a0\u00a0b", "a  b", {}, {"odd_space": 2}),
        ("a  b", "a  b", {}, {}),
        ("我\u3000去", "我\u3000去", {}, {}),
        ("我\u3000\n去", "我 去", {}, {"line_end": 1}),
        ("\u3000我去\u00a0", "我去", {}, {}),
        ("我\u200b去\u200b", "我去", {"zero_width": 2}, {}),
        ("\ufeff我", "我", {"byte_order_mark": 1}, {}),
        ("co\u00adop", "coop", {"soft_hyphen": 1}, {}),
        ("a\u200e\u202eb\u2069\u061c", "ab", {"direction": 4}, {}),
        ("a\u2060\u180eb", "ab", {"zero_width": 2}, {}),
        ("a\x07b\x9f\x7f", "ab", {"control": 3}, {}),
        ("a\u3164\uffa0\u034fb", "ab", {"filler": 3}, {}),
        ("a\ufff9b\u2061", "ab", {"format": 2}, {}),
        ("１２，。ＡＢ,.", "１２，。ＡＢ,.", {}, {}),
        ("e\u0301 é", "e\u0301 é", {}, {}),
        # joiners stay where they join
        ("👩\u200d💻👩🏽\u200d💻❤️\u200d🔥", "👩\u200d💻👩🏽\u200d💻❤️\u200d🔥", {}, {}),
        ("🏃\u200d♂️🙂\u200d↔️", "🏃\u200d♂️🙂\u200d↔️", {}, {}),
        ("我\u200d去\u200c", "我去", {"zero_width": 2}, {}),
        ("👩\u200d我", "👩我", {"zero_width": 1}, {}),
        ("👩\u200d\u200d💻", "👩\u200d💻", {"zero_width": 1}, {}),
        ("👩\u200c💻", "👩💻", {"zero_width": 1}, {}),
        ("👩\u200d", "👩", {"zero_width": 1}, {}),
        ("\u200d💻", "💻", {"zero_width": 1}, {}),
        ("क्\u200dष می\u200cخ", "क्\u200dष می\u200cخ", {}, {}),
        ("क्\u200d\u200dष", "क्\u200dष", {"zero_width": 1}, {}),
        ("\u0600۱", "\u0600۱", {}, {}),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f", {}, {}),
        ("我\U000e0067\U000e007f", "我", {"format": 2}, {}),
        ("我\ue000", "我\ue000", {}, {}),
    ],
)
def test_ann_12_what_is_removed_and_what_stays(
    text: str, result: str, removed: dict[str, int], spaces: dict[str, int]
):
    cleaned = clean(text)
    assert (cleaned.text, dict(cleaned.removed), dict(cleaned.spaces)) == (result, removed, spaces)
    assert cleaned.changed == bool(removed or spaces)


@given(TEXTS)
def test_ann_12_cleaning_twice_changes_nothing_more(text: str):
    once = clean(text)
    assert clean(once.text) == type(once)(once.text)


@given(TEXTS)
def test_ann_12_nothing_breaks_a_line_or_a_cell_and_nothing_else_is_lost(text: str):
    cleaned = clean(text)
    assert not set(cleaned.text) & set("\t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029\u00a0")
    assert cleaned.text == cleaned.text.strip()
    before = [
        character
        for character in text
        if not character.isspace() and unicodedata.category(character) in ("Lo", "Po")
    ]
    fillers = "\u3164\uffa0"
    assert [character for character in before if character not in fillers] == [
        character for character in cleaned.text if unicodedata.category(character) in ("Lo", "Po")
    ]
    lost = len([character for character in text if not character.isspace()]) - len(
        [character for character in cleaned.text if not character.isspace()]
    )
    assert lost == sum(count for _, count in cleaned.removed)
    assert {kind for kind, _ in cleaned.removed + cleaned.spaces} <= set(KINDS)


def test_counts_come_in_the_order_of_the_kinds():
    cleaned = clean("a\u206a\u200b\x07\ufeffb\u00a0c\td")
    assert [kind for kind, _ in cleaned.removed] == [
        "zero_width",
        "byte_order_mark",
        "direction",
        "control",
    ]
    assert [kind for kind, _ in cleaned.spaces] == ["tab", "odd_space"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a\0b", "nul",
         "correction 2 holds a NUL character at place 2, which no text has; paste it again"),
        ("ab\ud83d", "surrogate",
         "correction 2 holds half a character (U+D83D) at place 3; it was damaged on its way, "
         "paste it again"),
        ("\udc69", "surrogate",
         "correction 2 holds half a character (U+DC69) at place 1; it was damaged on its way, "
         "paste it again"),
        ("我" * 11, "too_long",
         "correction 2 has 11 characters; at most 10 are allowed, shorten it"),
    ],
)  # fmt: skip
def test_ann_12_what_no_text_may_hold_is_refused(text: str, code: str, message: str):
    with pytest.raises(TextError) as raised:
        clean(text, longest=10, what="correction 2")
    assert (str(raised.value), raised.value.code) == (message, code)
    assert REFUSALS[code].format(**raised.value.values) == message
    assert isinstance(raised.value, GecbenchError)


def test_limits_count_what_is_kept():
    assert clean("\u200b" + "我" * LONGEST + " \n").text == "我" * LONGEST
    with pytest.raises(TextError, match="the text has 5001 characters; at most 5000 are allowed"):
        clean("我" * (LONGEST + 1))
    assert len(clean("我" * LONGEST_NOTE, longest=LONGEST_NOTE).text) == LONGEST_NOTE


def test_a_long_stretch_of_spaces_costs_no_more_than_its_length():
    assert clean("a" + " " * 200_000 + "\nb").text == "a b"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("é", "e\u0301", True),
        (" 我去 ", "我去", True),
        ("我 去", "我去", False),
        ("，", ",", False),
        ("１", "1", False),
        ("ﬁ", "fi", False),
        ("A", "a", False),
        ("時", "时", False),
    ],
)
def test_con_10_texts_are_the_same_by_nfc_and_trimmed_not_by_nfkc(
    first: str, second: str, same: bool
):
    assert (key(first) == key(second)) == same
    assert (digest(first) == digest(second)) == same


def test_the_digest_is_the_sha_256_of_the_key():
    assert digest(" e\u0301") == hashlib.sha256("é".encode()).hexdigest()


@given(TEXTS)
def test_the_key_of_a_key_is_itself(text: str):
    assert key(key(text)) == key(text)
