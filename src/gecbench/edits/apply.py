"""Applying edits to a source."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.core.edit import Edit, check


def apply(edits: Sequence[Edit], source: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens that the edits make of the source.

    Edits without a replacement (detected, not corrected) leave their span as it is. Several
    insertions at one place come in the order in which they are listed.

    Raises:
        EditError: Names the first edit that is out of range or overlaps another.

    >>> apply([Edit(1, 2, ("went",)), Edit(3, 3, (".",))], ["I", "goed", "home"])
    ('I', 'went', 'home', '.')
    """
    check(edits, len(source))
    tokens: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        tokens.extend(source[at : edit.start])
        kept = source[edit.start : edit.end] if edit.replacement is None else edit.replacement
        tokens.extend(kept)
        at = edit.end
    tokens.extend(source[at:])
    return tuple(tokens)
