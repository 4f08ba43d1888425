"""The words of a text: spans of its tokens, with parts of speech where something knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from gecbench.core.errors import UsageError
from gecbench.text.spans import spans
from gecbench.text.tokens import Token, token_texts, tokens_of

Tag = Callable[[Sequence[tuple[str, ...]]], Iterable[tuple[str, ...]]]
"""Tokens of sentences, none empty, to their parts of speech."""

Cut = Callable[[str], Sequence[tuple[str, str]]]
"""A text without spaces to its words and their parts of speech, "" where these are not known."""


class Word(NamedTuple):
    """A word of a text.

    Args:
        text: As it is written.
        start: First token; half-open token span.
        end: Token after the last.
        tag: Its part of speech; "" is unknown.
        initial: Whether no word stands before it.
    """

    text: str
    start: int
    end: int
    tag: str
    initial: bool


Words = tuple[Word, ...]

Divide = Callable[[Sequence[str]], Iterator[Words]]
"""Texts to their words; punctuation is no word."""


def is_word(text: str) -> bool:
    """Return whether a token is a word or a number, not punctuation.

    >>> is_word("n't"), is_word("3.5"), is_word("——")
    (True, True, False)
    """
    return any(map(str.isalnum, text))


def is_han(text: str) -> bool:
    """Return whether a word is of Chinese characters alone.

    >>> is_han("图书馆"), is_han("T恤"), is_han("３")
    (True, False, False)
    """
    return all(c.isalpha() and not c.isascii() and c.lower() == c.upper() for c in text)


def by_tokens(kind: str, tag: Tag | None) -> Divide:
    """Return a division into words that takes each token for one.

    Args:
        kind: Of tokens, as `text.tokens` names them.
        tag: Gives parts of speech; None leaves them unknown.
    """

    def divide(texts: Sequence[str]) -> Iterator[Words]:
        divided = [tuple(token_texts(text, kind)) for text in texts]
        tagged = iter(tag([tokens for tokens in divided if tokens]) if tag else ())
        for tokens in divided:
            tags = next(tagged) if tag and tokens else ("",) * len(tokens)
            spaced = zip(tokens, range(len(tokens)), range(1, len(tokens) + 1), tags, strict=True)
            yield _words(spaced)

    return divide


def by_cutting(cut: Cut) -> Divide:
    """Return a division into words for Chinese, whose tokens are characters.

    A word of the program that begins or ends inside a token is left out.
    """

    def divide(texts: Sequence[str]) -> Iterator[Words]:
        return (_words(_spans(text, tokens_of(text, "zh"), cut(text))) for text in texts)

    return divide


def _spans(
    text: str, tokens: Sequence[Token], pieces: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, int, int, str]]:
    starts = {token.start: n for n, token in enumerate(tokens)}
    ends = {token.end: n for n, token in enumerate(tokens, 1)}
    found = spans(text, [word for word, _ in pieces])
    if found is None:
        raise UsageError(
            f"the segmenter does not give back the text that it divides: {text[:40]!r}"
        )
    for (word, tag), (start, end) in zip(pieces, found, strict=True):
        if start in starts and end in ends:
            yield word, starts[start], ends[end], tag


def _words(found: Iterable[tuple[str, int, int, str]]) -> Words:
    words: list[Word] = []
    for text, start, end, tag in found:
        if is_word(text):
            words.append(Word(text, start, end, tag, not words))
    return tuple(words)
