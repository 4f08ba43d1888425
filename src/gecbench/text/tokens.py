"""Tokens and sentences of a text with their places, so that what is not changed stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from gecbench.core.errors import UnknownNameError
from gecbench.core.language import Splitter, Tokens


class Token(NamedTuple):
    """A token of a text.

    Args:
        text: `source[start:end]`; never empty, never with white space.
        start: First character; half-open character span.
        end: Character after the last.
    """

    text: str
    start: int
    end: int


class TokenKind(NamedTuple):
    """What a token is.

    Args:
        pattern: Of one.
        joiner: What stands between the tokens of a text: "" or a blank.
        longer: Where a token is not one character; None where that says nothing.
    """

    pattern: re.Pattern[str]
    joiner: str = " "
    longer: re.Pattern[str] | None = None


TOKEN_KINDS: Mapping[str, TokenKind] = {
    # A run of Latin letters or of digits is one token; all else one per code point.
    "zh": TokenKind(re.compile(r"[A-Za-z]+|[0-9]+|\S"), "", re.compile(r"[A-Za-z]{2}|[0-9]{2}|\s")),
    # Numbers; words with inner apostrophes and hyphens; what tokenisers cut from a word's end
    # ("John 's", "do n't"); all else one per code point.
    "en": TokenKind(
        re.compile(
            r"[0-9]+(?:[.,:][0-9]+)*"
            r"|(?<![^\W_])['’](?:s|m|d|re|ve|ll|t)(?![^\W_])"
            r"|[^\W_]+(?:['’\-‐‑][^\W_]+)*"
            r"|\S",
            re.IGNORECASE,
        )
    ),
    "space": TokenKind(re.compile(r"\S+")),
}
"""Name to what a token is: characters, words and marks, or whatever stands between spaces.

The first two serve other languages than those that they are named after, too."""


def token_kind(name: str) -> TokenKind:
    """A kind of token by its name.

    Raises:
        UnknownNameError: There is no such kind of token.
    """
    try:
        return TOKEN_KINDS[name]
    except KeyError:
        raise UnknownNameError("kind of token", name, TOKEN_KINDS) from None


def guess_kind(text: str) -> Tokens:
    """Choose the tokens of a text whose language nobody says: characters where it has Chinese ones.

    >>> guess_kind("我有3本book。"), guess_kind("I have 3 books.")
    ('zh', 'en')
    """
    return "zh" if any("\u3400" <= character <= "\u9fff" for character in text) else "en"


def tokens_of(text: str, kind: Tokens | str) -> tuple[Token, ...]:
    """The tokens of a text, with nothing but white space between them.

    Raises:
        UnknownNameError: There is no such kind of token.

    >>> [token.text for token in tokens_of("我有3本book。", "zh")]
    ['我', '有', '3', '本', 'book', '。']
    >>> [token.text for token in tokens_of("I don't like well-known 3.5 things.", "en")]
    ['I', "don't", 'like', 'well-known', '3.5', 'things', '.']
    """
    matches = token_kind(kind).pattern.finditer(text)
    return tuple(Token(m.group(), m.start(), m.end()) for m in matches)


def split_tokens(text: str, kind: Tokens | str) -> list[str]:
    """Split a text into white space and tokens in turn; white space begins and ends them.

    It is several times as fast as `tokens_of`, which gives the same tokens.

    Raises:
        UnknownNameError: There is no such kind of token.

    >>> split_tokens("Who's  there?", "en")
    ['', "Who's", '  ', 'there', '', '?', '']
    """
    return _split_pattern(kind).split(text)


@cache
def _split_pattern(kind: str) -> re.Pattern[str]:
    pattern = token_kind(kind).pattern
    return re.compile(f"({pattern.pattern})", pattern.flags)


def token_texts(text: str, kind: Tokens | str) -> list[str]:
    """The texts of the tokens alone, those of `tokens_of`, as fast as can be.

    Raises:
        UnknownNameError: There is no such kind of token.

    >>> token_texts("我有3本book。", "zh")
    ['我', '有', '3', '本', 'book', '。']
    """
    pattern, _, longer = token_kind(kind)
    return list(text) if longer and not longer.search(text) else pattern.findall(text)


# Where the tokens of a text stand in it.


Spans = tuple[tuple[int, int], ...]


def spans(text: str, tokens: Sequence[str]) -> Spans | None:
    """The half-open character spans of tokens; None if they are not those of the text.

    Tokens occur in their text in order, with nothing but white space between them.

    >>> spans("我 有 猫。", ("我", "有", "猫", "。"))
    ((0, 1), (2, 3), (4, 5), (5, 6))
    """
    token_spans = []
    end = 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0 or text[end:start].strip():
            return None
        end = start + len(token)
        token_spans.append((start, end))
    return None if text[end:].strip() else tuple(token_spans)


# Splitting texts into sentences without losing a character, so that joining is exact.

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
