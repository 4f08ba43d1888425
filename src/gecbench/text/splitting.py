"""Splitting texts into sentences without losing a character, so that joining is exact."""

from __future__ import annotations

import re
from functools import cache

from gecbench.core.language import Splitter

_CLOSING = "”’」』）】》"

_ORDINAL = "(?:[0-9]{1,2}[./–-]{1,2})?[0-9]{1,3}"
"""As 3, 24.12 or 3.–5; a number of four digits is a year, whose full stop ends the sentence."""

_ORDINAL_LENGTH = 7
"""Characters of the longest such number."""

_PAUSE = re.compile(r"[，；、：,;:]\s*|\s+")


DEFAULT = Splitter()


def split(
    text: str, splitter: Splitter = DEFAULT, *, longest: int | None = None
) -> tuple[str, ...]:
    """Split a text into sentences; `"".join` of them is the text, blanks and all.

    A sentence ends after 。？！ with the quotes and brackets that close behind it, or after
    . ? ! or a mark of the language, and the quotes and brackets that close behind it, before white
    space; white space belongs to the sentence before it. The rule of MuCGEC's and SynGEC's
    scripts, which strip the pieces and so lose blanks.

    Args:
        text: One or several sentences.
        splitter: Marks, abbreviations, quotes and ordinals of the language.
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
    ordinal = _ORDINAL_LENGTH if splitter.ordinals else 1
    longest = 1 + max([ordinal, *map(len, splitter.abbreviations)])  # with what stands before it
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
    """What ends a sentence, and an abbreviation or an ordinal with its full stop."""
    quotes = re.escape(splitter.quotes)
    closing = rf"[\"'”’)\]{quotes}]"
    if splitter.spaced_quotes:
        closing = rf"(?:{closing}|[^\S\n][{re.escape(splitter.spaced_quotes)}])"
    ends = re.compile(
        # Chinese: the marks, then quotes and brackets that close; a comma goes on with the
        # sentence.
        rf"[。？！]++[{_CLOSING}]*+(?![，、；：])"
        # Half-width marks end a sentence before white space: not "3.5", not "example.com".
        rf"|[.?!{re.escape(splitter.marks)}]+{closing}*+(?=\s)"
        r"|…+(?=\s)"
    )
    words = ["[A-Z]", *map(re.escape, splitter.abbreviations)]
    if splitter.ordinals:
        words.append(_ORDINAL)
    return ends, re.compile(rf"(?:^|[\s(\"“'{quotes}])(?:{'|'.join(words)})\.$")


def _shorten(piece: str, longest: int) -> list[str]:
    """Parts of at most `longest` characters, cut behind pauses where there are any."""
    parts = []
    while len(piece) > longest:
        pauses = [m.end() for m in _PAUSE.finditer(piece, 0, longest)]
        at = pauses[-1] if pauses else longest
        parts.append(piece[:at])
        piece = piece[at:]
    return [*parts, piece]
