"""ChERRANT's merging rules at character level (merger.py, MuCGEC 3922193)."""

from __future__ import annotations

from gecbench.edits.kernel import Segment
from gecbench.edits.merge import Window
from gecbench.lang.zh.marks import MERGE_MARKS

_MERGEABLE = frozenset(("SMS", "DMI", "DTI", "IMD", "ITD"))


def windows(source: tuple[str, ...], target: tuple[str, ...]) -> Window:
    """Return the rule that merges three segments between these tokens into a word-order edit."""

    def text(tokens: tuple[str, ...], start: int, end: int) -> str:
        return "".join(tokens[start:end])

    def window(one: Segment, middle: Segment, two: Segment) -> Segment | None:
        kinds = one[0] + middle[0] + two[0]
        if kinds not in _MERGEABLE:
            return None
        if kinds == "SMS":
            merges = _exchanged(
                text(source, *one[1:3]),
                text(target, *one[3:5]),
                text(source, *two[1:3]),
                text(target, *two[3:5]),
            )
        elif kinds[0] == "D":
            merges = _moved(text(source, *one[1:3]), text(target, *two[3:5]))
        else:
            merges = _moved(text(source, *two[1:3]), text(target, *one[3:5]))
        return ("T", one[1], two[2], one[3], two[4]) if merges else None

    return window


def _exchanged(w1: str, w2: str, w3: str, w4: str) -> bool:
    """Say whether w1 became w2 and w3 became w4 because they changed places."""
    if min(len(w1), len(w2), len(w3), len(w4)) == 1:
        return w1 == w4 and w2 == w3
    return within_one_edit(w1, w4) and within_one_edit(w2, w3)


def _moved(deleted: str, inserted: str) -> bool:
    """Say whether the deleted text is the inserted one, moved and perhaps slightly changed."""
    longer, shorter = sorted((deleted, inserted), key=len, reverse=True)
    if longer in MERGE_MARKS or shorter in MERGE_MARKS or len(longer) - len(shorter) > 1:
        return False
    if len(shorter) == 1:
        return longer == shorter
    rotated = len(longer) == len(shorter) and shorter in longer + longer
    return rotated or within_one_edit(longer, shorter)


def within_one_edit(one: str, two: str) -> bool:
    """Say whether the edit distance of two strings is 0 or 1.

    A library's distance would cost more to import than all merging of a corpus takes.
    """
    if one == two:
        return True
    start = 0
    while start < min(len(one), len(two)) and one[start] == two[start]:
        start += 1
    rest_one, rest_two = one[start:], two[start:]
    return rest_one[1:] == rest_two[1:] or rest_one[1:] == rest_two or rest_one == rest_two[1:]
