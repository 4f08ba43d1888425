"""Weighted precision, recall, F and accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gecbench.analysis.difficulty.sheet import Sheet
from gecbench.core.score import f_score
from gecbench.edits.chunks import FALSE, KEPT, MISSED, RIGHT, WRONG

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums of weights over chunks; not rounded.

    An error changed into something else is both a false positive and a false negative, so that
    recall divides by all errors. All ratios are 0 where they would divide by 0, as in the
    program; m2scorer has a precision of 1 there.

    Args:
        tp: Of chunks changed as the reference has it.
        fp: Of chunks changed otherwise.
        fn: Of errors that stay, or became something else.
        tn: Of chunks left as the reference leaves them.
        all: Of all chunks.
    """

    tp: float
    fp: float
    fn: float
    tn: float
    all: float

    @property
    def precision(self) -> float:
        """Share of changes that are right, by weight."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of errors that are corrected, by weight."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def accuracy(self) -> float:
        """Share of chunks that are right, by weight."""
        return _ratio(self.tp + self.tn, self.all)

    def f(self, beta: float) -> float:
        """Return F of precision and recall."""
        return f_score(self.precision, self.recall, beta)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def tallies(sheet: Sheet, weights: Sequence[Sequence[float]]) -> Mapping[str, Tally]:
    """Return the sums of each system.

    They are made from left to right, one weight after another as the program does it, so that
    they agree to the last digit.

    Args:
        sheet: Chunks and verdicts.
        weights: Of each chunk of each sentence.
    """
    import numpy as np

    flat = np.array([weight for row in weights for weight in row], dtype=np.float64)
    whole = _running(flat)
    made = {}
    for system, sentences in sheet.letters.items():
        letters = np.frombuffer("".join(sentences).encode("ascii"), dtype=np.uint8)
        of = {one: letters == ord(one) for one in (RIGHT, KEPT, FALSE, WRONG, MISSED)}
        made[system] = Tally(
            tp=_running(flat[of[RIGHT]]),
            fp=_running(flat[of[FALSE] | of[WRONG]]),
            fn=_running(flat[of[MISSED] | of[WRONG]]),
            tn=_running(flat[of[KEPT]]),
            all=whole,
        )
    return made


def _running(values: Floats) -> float:
    """Return the sum from left to right; `sum` of numpy, and of Python 3.12, take other ways."""
    import numpy as np

    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0
