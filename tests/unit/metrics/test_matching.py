"""Matching characters, in four readings."""

from __future__ import annotations

import pytest

from gecbench.metrics.meaning_preservation import MATCHINGS


@pytest.mark.parametrize(
    ("source", "text", "multiset", "lcs", "blocks", "position"),
    [
        ("", "", 0, 0, 0, 0),
        ("我", "", 0, 0, 0, 0),
        ("", "我", 0, 0, 0, 0),
        ("我爱你", "我爱你", 3, 3, 3, 3),
        ("我们去学校", "学校我们去", 5, 3, 3, 0),
        ("的的的", "的", 1, 1, 1, 1),
        ("abcd", "xabcd", 4, 4, 4, 0),
        ("ab😀", "😀ab", 3, 2, 2, 0),
        ("axbxcx", "abcxxx", 6, 4, 4, 3),
    ],
)
def test_readings(source: str, text: str, multiset: int, lcs: int, blocks: int, position: int):
    found = {name: match(source, text) for name, match in MATCHINGS.items()}
    wanted = {"multiset": multiset, "lcs": lcs, "blocks": blocks, "position": position}
    assert found == wanted


def test_blocks_cannot_exchange_source_and_text():
    assert MATCHINGS["blocks"]("aba", "bca") == 2
    assert MATCHINGS["blocks"]("bca", "aba") == 1
