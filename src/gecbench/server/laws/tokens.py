"""What the live diff compares: characters in Chinese, words and marks in English.

Chinese tokens are those of the scheme `zh-char`: every code point but white space, and the
placeholder whole. English tokens are words (a run of letters, marks and digits, with apostrophes
inside, and points and commas between digits), Chinese characters one by one, and every other
grapheme by itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gecbench.server.laws.graphemes import bounds

_APOSTROPHES = "'’"
_DECIMALS = ".,"
_HAN = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a text.

    Args:
        form: What is compared: the text without the white space in it.
        start: Its first character in the text; half-open character span.
        end: The character after its last.
        placeholder: It is the project's placeholder.
    """

    form: str
    start: int
    end: int
    placeholder: bool = False


def is_han(character: str) -> bool:
    """Say whether a character is a Chinese one.

    >>> is_han("我"), is_han("。")
    (True, False)
    """
    code = ord(character)
    return any(low <= code <= high for low, high in _HAN)


def tokens(text: str, lang: str, placeholder: str) -> tuple[Token, ...]:
    """Return the tokens of a text, in order; only white space lies between them.

    Args:
        text: Any text.
        lang: "zh" for characters, everything else for words.
        placeholder: The project's token for content that cannot be guessed; "" for none.

    >>> [token.form for token in tokens("我 有[缺失成分]。", "zh", "[缺失成分]")]
    ['我', '有', '[缺失成分]', '。']
    >>> [token.form for token in tokens("It's 3.5 km-long!", "en", "")]
    ["It's", '3.5', 'km', '-', 'long', '!']
    """
    return tuple(_characters(text, placeholder) if lang == "zh" else _words(text, placeholder))


def _characters(text: str, placeholder: str) -> Iterator[Token]:
    # As the scheme does it: white space goes first, so the placeholder is found across it.
    places = [place for place, character in enumerate(text) if not character.isspace()]
    packed = "".join(text.split())
    form = "".join(placeholder.split())
    at = 0
    while at < len(packed):
        found = bool(form) and packed.startswith(form, at)
        length = len(form) if found else 1
        last = at + length - 1
        yield Token(packed[at : last + 1], places[at], places[last] + 1, found)
        at += length


def _words(text: str, placeholder: str) -> Iterator[Token]:
    _, ends = bounds(text)
    at = 0
    while at < len(text):
        if placeholder and text.startswith(placeholder, at):
            end = at + len(placeholder)
            yield Token(placeholder, at, end, placeholder=True)
        elif text[at].isspace() and ends[at] == at + 1:
            end = at + 1
        else:
            end = _word_end(text, at, ends)
            yield Token(text[at:end], at, end)
        at = end


def _word_end(text: str, at: int, ends: Sequence[int]) -> int:
    """Return where the token that starts at a place ends."""
    end = ends[at]
    if is_han(text[at]) or not _in_word(text[at]):
        return end
    while end < len(text):
        if _in_word(text[end]) and not is_han(text[end]):
            end = ends[end]
        elif _joins(text, end):
            end += 1
        else:
            break
    return end


def _in_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def _joins(text: str, at: int) -> bool:
    """Say whether an apostrophe, or a point between digits, goes on with the word."""
    if at + 1 == len(text) or is_han(text[at + 1]):
        return False
    if text[at] in _APOSTROPHES:
        return _in_word(text[at + 1])
    digits = text[at - 1].isdecimal() and text[at + 1].isdecimal()
    return text[at] in _DECIMALS and digits
