"""Rules of choice that go through the corpus, run in many corpora side by side.

A candidate is three counts, of which more of the first and less of the others is better: true
positives, false positives and false negatives, or matched, proposed and gold edits. A rule says
with which candidate the totals so far go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.arrays import Values
    from gecbench.scoring.exchange import Swaps

Rule = Callable[["Values"], "Values"]
"""From totals with each candidate, shape (candidates, 3, corpora), to the preferred ones, shape
(3, corpora); of equals the first."""


def exchanged_totals(
    first: Values, second: Values, swaps: Swaps, rule: Rule
) -> tuple[Values, Values]:
    """Return the totals of two systems after each permutation, candidates chosen anew in it.

    Only where one of the systems has candidates of which none is better in every count is there
    anything to choose; what lies between such sentences is added up at once. On CoNLL-2014 that
    leaves a sixth of the steps.

    Args:
        first: Candidates of one system, shape (sentences, candidates, 3), filled up by repeating
            a sentence's last one.
        second: Of the other.
        swaps: Which sentences are exchanged, shape (permutations, sentences).
        rule: Of the choice.

    Returns:
        Two arrays of shape (3, permutations).
    """
    import numpy as np

    sides = [undominated(side) for side in _level(first, second)]
    chosen = np.flatnonzero(~(_single(sides[0]) & _single(sides[1])))
    here, there = (side[:, 0].astype(np.float64) for side in sides)
    coins = np.concatenate([swaps, ~swaps])
    total = np.zeros((3, len(coins)))
    begin = 0
    for end in [*chosen.tolist(), len(here)]:
        if end > begin:
            some = slice(begin, end)
            total += here[some].sum(axis=0)[:, None]
            total += ((there[some] - here[some]).T) @ coins[:, some].T.astype(np.float64)
        if end < len(here):
            one, two = (side[end][:, :, None] for side in sides)
            total = rule(total + np.where(coins[:, end], two, one))
        begin = end + 1
    return total[:, : len(swaps)], total[:, len(swaps) :]


def undominated(candidates: Values) -> Values:
    """Return the candidates that no other of the sentence beats or equals in all three counts.

    Both rules prefer a candidate that is nowhere worse, whatever the totals, so the others can
    never be chosen. Of equal ones the first stays.

    Args:
        candidates: Shape (sentences, candidates, 3).

    Returns:
        As many, in their order, filled up by repeating the last that stays.
    """
    import numpy as np

    signed = candidates * np.array([1, -1, -1])
    count, width = signed.shape[:2]
    lost = np.zeros((count, width), dtype=bool)
    for one in range(width):
        for other in range(width):
            if one != other:
                least = (signed[:, other] >= signed[:, one]).all(-1)
                equal = (signed[:, other] == signed[:, one]).all(-1)
                lost[:, one] |= least & (~equal | (other < one))
    order = np.argsort(lost, axis=1, kind="stable")
    last = (~lost).sum(axis=1) - 1
    kept = np.minimum(np.arange(width), last[:, None])
    places = np.take_along_axis(order, kept, axis=1)
    made: Values = np.take_along_axis(candidates, places[:, :, None], axis=1)
    return made


def _single(candidates: Values) -> NDArray[np.bool_]:
    """Return where a sentence has one candidate alone."""
    same: NDArray[np.bool_] = (candidates == candidates[:, :1]).all(axis=(1, 2))
    return same


def _level(*sides: Values) -> list[Values]:
    """Return candidates filled up to one width."""
    import numpy as np

    width = max(side.shape[1] for side in sides)
    return [
        np.concatenate([side, np.repeat(side[:, -1:], width - side.shape[1], axis=1)], axis=1)
        for side in sides
    ]
