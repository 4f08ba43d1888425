"""A text and its correction in one line, as `git diff --word-diff` shows them."""

from __future__ import annotations

from gecbench.core.corrector import Correction

_RED, _GREEN, _PLAIN = "\033[31m", "\033[32m", "\033[0m"


def word_diff(correction: Correction, *, colour: bool = False) -> str:
    """Return the source with its edits marked: [-what goes-]{+what comes+}.

    Args:
        correction: What is shown.
        colour: For terminals: what goes is red, what comes is green; the marks stay.

    >>> from gecbench.core.corrector import TextEdit
    >>> word_diff(Correction("很高心。", "很高兴。", (TextEdit(2, 3, "兴"),)))
    '很高[-心-]{+兴+}。'
    """
    parts = []
    done = 0
    for edit in correction.edits:
        parts.append(correction.source[done : edit.start])
        if edit.end > edit.start:
            parts.append(_marked(f"[-{correction.source[edit.start : edit.end]}-]", _RED, colour))
        if edit.replacement:
            parts.append(_marked(f"{{+{edit.replacement}+}}", _GREEN, colour))
        done = edit.end
    return "".join((*parts, correction.source[done:]))


def _marked(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{_PLAIN}" if colour else text
