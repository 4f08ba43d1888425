"""Tokens that know where they stand, so that what is not changed is never written anew."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from gecbench.core.errors import UnknownNameError

Tokens = Literal["zh", "en", "space"]


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


_PATTERNS: Mapping[str, re.Pattern[str]] = {
    # A run of Latin letters or of digits is one token; all else one per code point.
    "zh": re.compile(r"[A-Za-z]+|[0-9]+|\S"),
    # Numbers; words with inner apostrophes and hyphens; what tokenisers cut from a word's end
    # ("John 's", "do n't"); all else one per code point.
    "en": re.compile(
        r"[0-9]+(?:[.,:][0-9]+)*"
        r"|(?<![^\W_])['’](?:s|m|d|re|ve|ll|t)(?![^\W_])"
        r"|[^\W_]+(?:['’\-‐‑][^\W_]+)*"
        r"|\S",
        re.IGNORECASE,
    ),
    "space": re.compile(r"\S+"),
}
"""Name to what a token is: Chinese characters, English words, or whatever stands between spaces."""


def tokens_of(text: str, kind: Tokens | str) -> tuple[Token, ...]:
    """Return the tokens of a text, with nothing but white space between them.

    Raises:
        UnknownNameError: There is no such kind of token.

    >>> [token.text for token in tokens_of("我有3本book。", "zh")]
    ['我', '有', '3', '本', 'book', '。']
    >>> [token.text for token in tokens_of("I don't like well-known 3.5 things.", "en")]
    ['I', "don't", 'like', 'well-known', '3.5', 'things', '.']
    """
    try:
        pattern = _PATTERNS[kind]
    except KeyError:
        raise UnknownNameError("kind of token", kind, _PATTERNS) from None
    return tuple(Token(m.group(), m.start(), m.end()) for m in pattern.finditer(text))


def split_tokens(text: str, kind: Tokens | str) -> list[str]:
    """Return a text in pieces, white space and tokens in turn; white space begins and ends them.

    It is several times as fast as `tokens_of`, which gives the same tokens.

    Raises:
        UnknownNameError: There is no such kind of token.

    >>> split_tokens("Who's  there?", "en")
    ['', "Who's", '  ', 'there', '', '?', '']
    """
    return _parting(kind).split(text)


def token_texts(text: str, kind: Tokens | str) -> list[str]:
    """Return the texts of the tokens alone, those of `tokens_of`, as fast as can be.

    Raises:
        UnknownNameError: There is no such kind of token.

    >>> token_texts("我有3本book。", "zh")
    ['我', '有', '3', '本', 'book', '。']
    """
    if kind == "zh" and not _LONGER.search(text):
        return list(text)
    try:
        return _PATTERNS[kind].findall(text)
    except KeyError:
        raise UnknownNameError("kind of token", kind, _PATTERNS) from None


_LONGER = re.compile(r"[A-Za-z]{2}|[0-9]{2}|\s")
"""Where a token of Chinese is not a character."""


@cache
def _parting(kind: str) -> re.Pattern[str]:
    try:
        pattern = _PATTERNS[kind]
    except KeyError:
        raise UnknownNameError("kind of token", kind, _PATTERNS) from None
    return re.compile(f"({pattern.pattern})", pattern.flags)


# Where the tokens of a text stand in it.


Spans = tuple[tuple[int, int], ...]


def spans(text: str, tokens: Sequence[str]) -> Spans | None:
    """Return the half-open character spans of tokens; None if they are not those of the text.

    Tokens occur in their text in order, with nothing but white space between them.

    >>> spans("我 有 猫。", ("我", "有", "猫", "。"))
    ((0, 1), (2, 3), (4, 5), (5, 6))
    """
    found = []
    done = 0
    for token in tokens:
        start = text.find(token, done)
        if start < 0 or text[done:start].strip():
            return None
        done = start + len(token)
        found.append((start, done))
    return None if text[done:].strip() else tuple(found)
