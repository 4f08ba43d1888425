"""Telling Chinese from English by the script."""

from __future__ import annotations

import pytest

from gecbench.text.script import language_of


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        ([], "en"),
        ([""], "en"),
        (["123, 。！"], "en"),
        (["我"], "zh"),
        (["it is 我的"], "zh"),
        (["this is the 我的"], "en"),
        (["㐀𠀀豈"], "zh"),
        (["ab我"], "zh"),
        (["abc我"], "en"),  # exactly three letters for one character: not more
        (["I like tea.", "我喜欢茶。"], "zh"),
    ],
)
def test_han_characters_weigh_as_much_as_three_letters(texts: list[str], language: str):
    assert language_of(texts) == language


def test_ten_thousand_characters_are_enough():
    def endless():
        yield "我" * 10_001
        raise AssertionError("it asked for more")

    assert language_of(endless()) == "zh"


def test_at_ten_thousand_it_still_asks():
    assert language_of(["我" * 10_000, "a" * 40_000]) == "en"
