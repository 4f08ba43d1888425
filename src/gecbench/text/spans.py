"""Where the tokens of a text stand in it."""

from __future__ import annotations

from collections.abc import Sequence

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
