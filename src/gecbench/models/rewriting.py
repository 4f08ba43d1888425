"""From a text and its rewriting to the edits between them."""

from __future__ import annotations

import re

from gecbench.core.corrector import Correction, TextEdit
from gecbench.core.edit import Edit
from gecbench.edits.changes import changes
from gecbench.text.tokens import tokens_of

_PIECES = re.compile(r"\s+|\S+")


def rewritten(
    source: str,
    text: str,
    *,
    tokens: str,
    score: float | None = None,
    flags: tuple[str, ...] = (),
    alternatives: tuple[str, ...] = (),
) -> Correction:
    """Return the correction of a source to a text that a model wrote whole.

    Args:
        source: What was given.
        text: What the model made of it.
        tokens: The kind of tokens that edits consist of, a name of `text.tokens`.
        score: Of the whole.
        flags: As `Correction`.
        alternatives: As `Correction`.
    """
    edits = edits_between(source, text, tokens=tokens)
    return Correction(source, text, edits, score, flags, alternatives)


def edits_between(source: str, text: str, *, tokens: str) -> tuple[TextEdit, ...]:
    """Return the edits of a least alignment of two texts, blanks included; applying is exact.

    >>> edits_between("我今天很高心。", "我今天很高兴。", tokens="zh")
    (TextEdit(start=5, end=6, replacement='兴', score=None, label=None),)
    """
    if source == text:
        return ()
    left, right = _pieces(source, tokens), _pieces(text, tokens)
    starts = [0]
    for piece in left:
        starts.append(starts[-1] + len(piece))
    return tuple(_placed(edit, starts) for edit in changes(left, right))


def _placed(edit: Edit, starts: list[int]) -> TextEdit:
    return TextEdit(starts[edit.start], starts[edit.end], "".join(edit.replacement or ()))


def _pieces(text: str, kind: str) -> list[str]:
    """Return tokens and the white space between them."""
    pieces = []
    done = 0
    for token in tokens_of(text, kind):
        pieces += _PIECES.findall(text[done : token.start])
        pieces.append(token.text)
        done = token.end
    return pieces + _PIECES.findall(text[done:])
