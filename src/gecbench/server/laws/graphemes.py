"""Where a text may be cut so that no drawn character is cut: graphemes, by few rules.

The rules are those of Unicode's annex 29 for what learner texts hold: marks stay with the letter
before them, emoji that are joined, coloured or tagged stay one, flags are pairs. They are written
again in `graphemes.js`, and a test compares both, and the browser's own segmenter.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_JOINER = "\u200d"
_NON_JOINER = "\u200c"
_FIRST_MARK = "\u0300"  # no mark, joiner or emoji comes before it
_REGIONAL = ("\U0001f1e6", "\U0001f1ff")
_EXTENDING = (
    ("\u1160", "\u11ff"),  # vowels and finals of a Hangul syllable
    ("\uff9e", "\uff9f"),  # half-width voicing marks of kana
    ("\U0001f3fb", "\U0001f3ff"),  # skin colours
    ("\U000e0020", "\U000e007f"),  # tags, in flags of regions
)
_PICTURES = (("\U0001f000", "\U0001faff"), ("\u2194", "\u2195"))


def starts(text: str) -> tuple[bool, ...]:
    r"""Say of each code point whether a grapheme starts there.

    >>> starts("e\u0301a")
    (True, False, True)
    """
    found: list[bool] = []
    paired = False  # the code point before is a regional indicator that still lacks its second
    pictured = False  # the grapheme so far began with an emoji
    before = ""
    for character in text:
        if character < _FIRST_MARK:
            found.append(True)
            before, paired, pictured = character, False, False
            continue
        regional = _within(character, (_REGIONAL,))
        picture = not regional and _is_picture(character)
        attached = bool(before) and (
            (regional and paired)
            or _extends(character)
            or (pictured and picture and before == _JOINER)
        )
        found.append(not attached)
        paired = regional and not paired
        pictured = pictured if attached else picture
        before = character
    return tuple(found)


def bounds(text: str) -> tuple[Sequence[int], Sequence[int]]:
    r"""Return for each code point where its grapheme starts, and where it ends (half-open).

    >>> bounds("e\u0301a")
    ([0, 0, 2], [2, 2, 3])
    """
    first = starts(text)
    begin = [0] * len(text)
    for place, opens in enumerate(first):
        begin[place] = place if opens or not place else begin[place - 1]
    end = [len(text)] * len(text)
    for place in range(len(text) - 2, -1, -1):
        end[place] = place + 1 if first[place + 1] else end[place + 1]
    return begin, end


def _extends(character: str) -> bool:
    if character in (_JOINER, _NON_JOINER) or _within(character, _EXTENDING):
        return True
    return unicodedata.category(character)[0] == "M"


def _is_picture(character: str) -> bool:
    return _within(character, _PICTURES) or unicodedata.category(character) == "So"


def _within(character: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(low <= character <= high for low, high in ranges)
