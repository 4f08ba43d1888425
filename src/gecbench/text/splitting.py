"""Splitting texts into sentences without losing a character, so that joining is exact."""

from __future__ import annotations

import re

_CLOSING = "”’」』）】》"
_ENDS = re.compile(
    # Chinese: the marks, then quotes and brackets that close; a comma goes on with the sentence.
    rf"[。？！]++[{_CLOSING}]*+(?![，、；：])"
    # Half-width marks end a sentence before white space: not "3.5", not "example.com".
    r"|[.?!]+[\"'”’)\]]*(?=\s)"
    r"|…+(?=\s)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“'])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|cf|No)\.$"
)
_LONGEST = 5
"""Characters of an abbreviation before its last mark, with what stands before it."""

_PAUSE = re.compile(r"[，；、：,;:]\s*|\s+")


def split(text: str, *, longest: int | None = None) -> tuple[str, ...]:
    """Split a text into sentences; `"".join` of them is the text, blanks and all.

    A sentence ends after 。？！ with the quotes and brackets that close behind it, or after
    . ? ! before white space; white space belongs to the sentence before it. The rule of
    MuCGEC's and SynGEC's scripts, which strip the pieces and so lose blanks.

    Args:
        text: One or several sentences.
        longest: Characters; a sentence that is longer is cut behind its last pause (a comma, a
            blank) within this length, or hard at this length. None never cuts.

    >>> split("“好！”他说。然后呢？ 走了")
    ('“好！”', '他说。', '然后呢？ ', '走了')
    """
    pieces = []
    start = 0
    for end in _ends(text):
        pieces.append(text[start:end])
        start = end
    if start < len(text):
        pieces.append(text[start:])
    if longest is None:
        return tuple(pieces)
    return tuple(part for piece in pieces for part in _shorten(piece, longest))


def _ends(text: str) -> list[int]:
    """Where sentences end, with the white space behind them."""
    ends = []
    for match in _ENDS.finditer(text):
        near = max(0, match.start() - _LONGEST)
        if match.group().startswith(".") and _ABBREVIATION.search(text, near, match.start() + 1):
            continue
        end = match.end()
        while end < len(text) and text[end].isspace():
            end += 1
        ends.append(end)
    return ends


def _shorten(piece: str, longest: int) -> list[str]:
    """Parts of at most `longest` characters, cut behind pauses where there are any."""
    parts = []
    while len(piece) > longest:
        pauses = [m.end() for m in _PAUSE.finditer(piece, 0, longest)]
        at = pauses[-1] if pauses else longest
        parts.append(piece[:at])
        piece = piece[at:]
    return [*parts, piece]
