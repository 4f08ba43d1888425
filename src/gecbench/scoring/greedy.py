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

    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.exchange import Swaps

Rule = Callable[["Values"], "Values"]
"""From totals with each candidate, shape (candidates, 3, corpora), to the preferred ones, shape
(3, corpora); of equals the first."""


_AT_ONCE = 2_000_000
"""Places of a block of work, which bounds memory by some hundred megabytes."""


def resampled_totals(candidates: Values, places: Draws, rule: Rule) -> Values:
    """Return the totals of each resample, candidates chosen anew in it.

    The rule is asked only where there is something to choose, one such place of each resample
    at a time; all others are added up at once. In MuCGEC's dev set that is one place in sixteen.

    Args:
        candidates: Shape (sentences, candidates, 3), filled up by repeating a sentence's last one.
        places: Shape (resamples, sentences).
        rule: Of the choice.

    Returns:
        Shape (3, resamples).
    """
    import numpy as np

    left = undominated(candidates)
    several = ~_single(left)
    by_candidate = left.transpose(1, 2, 0).astype(np.float64)
    certain = np.where(several[:, None], 0.0, left[:, 0])
    step = max(1, _AT_ONCE // max(1, places.shape[1]))
    blocks = [places[at : at + step] for at in range(0, len(places), step)]
    made = [_block_totals(block, several, certain, by_candidate, rule) for block in blocks]
    return np.concatenate(made, axis=1) if made else np.zeros((3, 0))


def _block_totals(
    places: Draws,
    several: NDArray[np.bool_],
    certain: Values,
    by_candidate: Values,
    rule: Rule,
) -> Values:
    import numpy as np

    totals = certain[places].cumsum(axis=1)
    doubtful = several[places]
    counts = doubtful.sum(axis=1)
    order = np.argsort(~doubtful, axis=1, kind="stable")
    chosen = np.zeros((3, len(places)))
    for turn in range(int(counts.max(initial=0))):
        some = np.flatnonzero(counts > turn)
        at = order[some, turn]
        before = totals[some, at].T
        found = rule(before + chosen[:, some] + by_candidate[:, :, places[some, at]])
        chosen[:, some] = found - before
    last: Values = totals[:, -1].T if places.shape[1] else np.zeros((3, len(places)))
    return last + chosen


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
