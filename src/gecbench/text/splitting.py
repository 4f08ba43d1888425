"""Splitting texts into sentences without losing a character, so that joining is exact."""

from __future__ import annotations

import re
from functools import cache

from gecbench.core.language import Splitter

_CLOSING = "”’」』）】》"

_PAUSE = re.compile(r"[，；、：,;:]\s*|\s+")


DEFAULT = Splitter()


def split(
    text: str, splitter: Splitter = DEFAULT, *, longest: int | None = None
) -> tuple[str, ...]:
    """Split a text into sentences; `"".join` of them is the text, blanks and all.

    A sentence ends after 。？！ with the quotes and brackets that close behind it, or after
    . ? ! or a mark of the language before white space; white space belongs to the sentence before
    it. The rule of MuCGEC's and SynGEC's scripts, which strip the pieces and so lose blanks.

    Args:
        text: One or several sentences.
        splitter: Marks and abbreviations of the language.
        longest: Characters; a sentence that is longer is cut behind its last pause (a comma, a
            blank) within this length, or hard at this length. None never cuts.

    >>> split("“好！”他说。然后呢？ 走了")
    ('“好！”', '他说。', '然后呢？ ', '走了')
    """
    pieces = []
    start = 0
    for end in _ends(text, splitter):
        pieces.append(text[start:end])
        start = end
    if start < len(text):
        pieces.append(text[start:])
    if longest is None:
        return tuple(pieces)
    return tuple(part for piece in pieces for part in _shorten(piece, longest))


def _ends(text: str, splitter: Splitter) -> list[int]:
    """Where sentences end, with the white space behind them."""
    sentence_end, abbreviation = _patterns(splitter)
    longest = 1 + max(map(len, splitter.abbreviations), default=1)  # with what stands before it
    ends = []
    for match in sentence_end.finditer(text):
        near = max(0, match.start() - longest)
        if match.group().startswith(".") and abbreviation.search(text, near, match.start() + 1):
            continue
        end = match.end()
        while end < len(text) and text[end].isspace():
            end += 1
        ends.append(end)
    return ends


@cache
def _patterns(splitter: Splitter) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What ends a sentence, and an abbreviation with its full stop."""
    ends = re.compile(
        # Chinese: the marks, then quotes and brackets that close; a comma goes on with the
        # sentence.
        rf"[。？！]++[{_CLOSING}]*+(?![，、；：])"
        # Half-width marks end a sentence before white space: not "3.5", not "example.com".
        rf"|[.?!{re.escape(splitter.marks)}]+[\"'”’)\]]*(?=\s)"
        r"|…+(?=\s)"
    )
    known = "|".join(map(re.escape, splitter.abbreviations))
    return ends, re.compile(rf"(?:^|[\s(\"“'])(?:[A-Z]|{known})\.$")


def _shorten(piece: str, longest: int) -> list[str]:
    """Parts of at most `longest` characters, cut behind pauses where there are any."""
    parts = []
    while len(piece) > longest:
        pauses = [m.end() for m in _PAUSE.finditer(piece, 0, longest)]
        at = pauses[-1] if pauses else longest
        parts.append(piece[:at])
        piece = piece[at:]
    return [*parts, piece]
