"""English words that no list knows, and what they were meant to be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gecbench.models.lexical.english_words import EnglishWords
from gecbench.models.lexical.nearest import Look, Nearest
from gecbench.models.lexical.rules import Change

SHORTEST = 3
"""Letters of a word that is looked up; of fewer nobody can say what they were meant for."""

LONGEST = 30
"""Letters; no longer word of the list is likely to be misspelled, and looking takes long."""

_PIECES = re.compile(r"([-‐‑])")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def misspelled(
    words: Sequence[str], known: EnglishWords, nearest: Look, *, threshold: float
) -> dict[int, Change]:
    """Return changes of words that are not known, by their place.

    Looked at are words in lower case, the first word of the sentence if it begins with a
    capital, and the parts of words with hyphens. Capitals elsewhere are names and abbreviations.

    Args:
        words: The tokens of a sentence.
        known: Words that are right.
        nearest: Finds what an unknown word is meant for.
        threshold: Least probability, in [0, 1].
    """
    found = {}
    for place, word in enumerate(words):
        pieces = _PIECES.split(word)
        made = [
            _mended(p, known, nearest, first=place == 0 and k == 0) for k, p in enumerate(pieces)
        ]
        scores = [near.score for near in made if near]
        if scores and min(scores) >= threshold:
            text = "".join(near.word if near else p for near, p in zip(made, pieces, strict=True))
            found[place] = Change(text, min(scores), "spelling")
    return found


def _mended(piece: str, known: EnglishWords, nearest: Look, *, first: bool) -> Nearest | None:
    """Return what a word is meant for, with its capital and its ending; None leaves it."""
    lower = piece.replace("’", "'")
    if first and piece[:1].isupper() and piece[1:].islower():
        lower = lower.lower()
    if not _WORD.fullmatch(lower) or not SHORTEST <= len(lower) <= LONGEST:
        return None
    if lower == "n't":  # what tokenisers cut from "don't"
        return None
    stem = lower.removesuffix("'s")
    ending = lower[len(stem) :]
    if known.knows(lower) or known.knows(stem):
        return None
    near = nearest(stem)
    if near is None or near.word == stem:
        return None
    text = near.word + ending
    if piece[0].isupper():
        text = text[0].upper() + text[1:]
    return Nearest(text.replace("'", "’") if "’" in piece else text, near.score)
