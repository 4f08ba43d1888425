"""White space of answers: a sentence in tokens, as corpora have them, stays in tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from gecbench.edits.changes import changes

Spacing = Literal["auto", "source", "answer"]

_TOKENISED = re.compile(
    r"\S\s+(?:[.,!?;:。，！？；：](?:\s|$)|n['’]t\b|['’](?:s|m|d|re|ve|ll)\b)", re.I
)
# As fine as tokenisers of corpora cut: "do n't", "John 's"; numbers stay whole.
_FINE = re.compile(
    r"[0-9]+(?:[.,:][0-9]+)*"
    r"|[^\W\d_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|m|d|re|ve|ll)\b"
    r"|[A-Za-z\u00c0-\u024f]+|\S",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"[.,!?;:)\]”]|n['’]t|['’](?:s|m|d|re|ve|ll)", re.IGNORECASE)
_OPENING = "([“"


def respaced(source: str, answer: str, spacing: Spacing = "auto") -> str:
    """Return an answer with the white space of its source wherever both have the same tokens.

    Chat models write "day." where a corpus has "day ." for tokens; scored as it is, every full
    stop would be a wrong edit.

    Args:
        source: What was given.
        answer: What a model made of it.
        spacing: "source" does it always; "auto" where the source has spaces before punctuation
            or contractions, so that in plain text spaces can be corrected; "answer" never.

    >>> respaced("He do n't go to schools .", "He doesn't go to school.")
    "He does n't go to school ."
    >>> respaced("Hello ,world", "Hello, world")
    'Hello, world'
    """
    tokenised = _TOKENISED.search(source) is not None
    if source == answer or spacing == "answer" or (spacing == "auto" and not tokenised):
        return answer
    left, right = list(_FINE.finditer(source)), list(_FINE.finditer(answer))
    if not right:
        return answer
    place = _matched([m.group() for m in left], [m.group() for m in right])
    pieces = [answer[: right[0].start()]]
    for k, token in enumerate(right):
        pieces.append(token.group())
        if k + 1 == len(right):
            pieces.append(answer[token.end() :])
        elif k in place and place.get(k + 1) == place[k] + 1:
            at = place[k]
            pieces.append(source[left[at].end() : left[at + 1].start()])
        else:
            gap = answer[token.end() : right[k + 1].start()]
            apart = tokenised and not gap and _apart(answer, token, right[k + 1])
            pieces.append(" " if apart else gap)
    return "".join(pieces)


def _matched(left: list[str], right: list[str]) -> Mapping[int, int]:
    """Return the places of the tokens on the right that stand on the left, too, with theirs."""
    place: dict[int, int] = {}
    i = j = 0
    for edit in changes(left, right):
        while i < edit.start:
            place[j] = i
            i, j = i + 1, j + 1
        i, j = edit.end, j + len(edit.replacement or ())
    while i < len(left):
        place[j] = i
        i, j = i + 1, j + 1
    return place


def _apart(answer: str, one: re.Match[str], two: re.Match[str]) -> bool:
    """Say whether a tokeniser would part two tokens that the answer has written as one."""
    rest = answer[two.end() : two.end() + 1]
    closes = _CLOSING.fullmatch(two.group()) and (not rest.strip() or rest in '.,!?;:)]”"')
    return bool(closes) or one.group() in _OPENING
