"""Chinese tokens: one per code point, the placeholder whole, no white space."""

from __future__ import annotations

import itertools

import pytest

from gecbench.lang.zh.char import PLACEHOLDER, parse

SPACES = " \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ()),
        (" ", ()),
        ("我", ("我",)),
        (SPACES.join("我们"), ("我", "们")),
        ("\u200b\ufeff\x00\x7f", ("\u200b", "\ufeff", "\x00", "\x7f")),
        ("Ａ1a", ("Ａ", "1", "a")),
        ("😀𠀀", ("😀", "𠀀")),
        ("👩‍💻", ("👩", "\u200d", "💻")),
        ("e\u0301❤️", ("e", "\u0301", "❤", "\ufe0f")),
        ("[MC]", ("[", "M", "C", "]")),
        ("[缺失成分]", (PLACEHOLDER,)),
        ("我[缺失成分]好", ("我", PLACEHOLDER, "好")),
        ("[缺失成分][缺失成分]", (PLACEHOLDER, PLACEHOLDER)),
        ("[缺 失成\u3000分]", (PLACEHOLDER,)),
        ("[[缺失成分]]", ("[", PLACEHOLDER, "]")),
        ("[缺失成分", tuple("[缺失成分")),
    ],
)
def test_tokens_are_code_points_but_for_the_placeholder(text: str, tokens: tuple[str, ...]):
    sentence = parse(text)
    assert sentence.tokens == tokens
    assert sentence.text == text
    assert len(sentence.codes) == 4 * len(tokens)


def test_codes_are_equal_exactly_where_tokens_are():
    texts = ["我", "们", "[缺失成分]", "[", "\U0010ffff", "我们", "我 们", "Ａ", "A", ""]
    for first, second in itertools.product(map(parse, texts), repeat=2):
        assert (first.codes == second.codes) == (first.tokens == second.tokens)


def test_joined_tokens_are_the_text_without_white_space():
    assert "".join(parse("我 有[缺失成分]。").tokens) == "我有[缺失成分]。"
    assert parse("".join(parse("[缺失成分]👩‍💻").tokens)).tokens == parse("[缺失成分]👩‍💻").tokens
