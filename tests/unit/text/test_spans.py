"""Where tokens stand in their text."""

from __future__ import annotations

import pytest

from gecbench.text.tokens import spans


def test_tokens_are_found_in_order_over_white_space():
    assert spans(" ab  a b", ("ab", "a", "b")) == ((1, 3), (5, 6), (7, 8))


def test_a_token_that_repeats_is_found_each_time():
    assert spans("了了了", ("了", "了", "了")) == ((0, 1), (1, 2), (2, 3))


@pytest.mark.parametrize("tokens", [("b",), ("a", "c"), ("a",), ("a", "b", "b")])
def test_tokens_of_another_text_have_no_places(tokens: tuple[str, ...]):
    assert spans("ab", tokens) is None


def test_an_empty_text_has_no_tokens():
    assert spans("  ", ()) == ()
