"""Which tokens of two sentences are the same token, so that predictions can be compared."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.edits.changes import changes


def matched(
    one: Sequence[str], two: Sequence[str], *, skip_after: int = 0
) -> tuple[tuple[int, int], ...]:
    """Return the places of equal tokens in a least-cost alignment, ascending.

    Args:
        one: Tokens of the original.
        two: Tokens of the perturbed sentence.
        skip_after: So many equal tokens right after each change are left out.

    >>> matched("I go to school".split(), "I often go to work".split())
    ((0, 0), (1, 2), (2, 3))
    >>> matched("他去学校了", "我去学校了", skip_after=1)
    ((2, 2), (3, 3), (4, 4))
    """
    found: list[tuple[int, int]] = []
    at = gained = skipped = 0
    for edit in changes(one, two):
        found += ((i, i + gained) for i in range(at + skipped, edit.start))
        gained += len(edit.replacement or ()) - (edit.end - edit.start)
        at, skipped = edit.end, skip_after
    found += ((i, i + gained) for i in range(at + skipped, len(one)))
    return tuple(found)
