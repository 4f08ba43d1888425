"""Applying edits to a source."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby

from gecbench.core.edit import Edit, check
from gecbench.core.sample import EditSet
from gecbench.edits.alignment import lattice


def apply(edits: Sequence[Edit], source: Sequence[str]) -> tuple[str, ...]:
    """Apply edits to the tokens of a source.

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


# The changes between two token sequences, whatever tokens are: least edits, neighbours merged.


def changes(source: Sequence[str], target: Sequence[str]) -> EditSet:
    """The edits of a least-cost alignment, each run of changed tokens as one, without types.

    Insertions, deletions and substitutions of tokens cost the same; of equal alignments the one
    that, read from the end, matches equal tokens wherever it can.

    >>> [(e.start, e.end, e.replacement) for e in changes("abcd", "axyd")]
    [(1, 3, ('x', 'y'))]
    """
    codes: dict[str, int] = {}
    for token in (*source, *target):
        codes.setdefault(token, len(codes))
    steps = lattice(_packed(source, codes), _packed(target, codes), None).steps()
    edits = []
    i = j = 0
    for same, run in groupby(steps, key="M".__eq__):
        kinds = list(run)
        end = i + sum(kind != "I" for kind in kinds)
        target_end = j + sum(kind != "D" for kind in kinds)
        if not same:
            edits.append(Edit(i, end, tuple(target[j:target_end])))
        i, j = end, target_end
    return tuple(edits)


def _packed(tokens: Sequence[str], codes: dict[str, int]) -> bytes:
    return b"".join(codes[token].to_bytes(4, sys.byteorder) for token in tokens)
