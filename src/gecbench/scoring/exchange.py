"""Two systems whose outputs are exchanged sentence by sentence, many times at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gecbench.core.seeding import number
from gecbench.scoring.metric import Metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.arrays import Draws, Values

    Swaps = NDArray[np.bool_]
    """Whether a sentence is exchanged, of shape (permutations, sentences)."""


_AT_ONCE = 2_000_000
"""Places of a block of work, which bounds memory by some hundred megabytes."""


def swaps(sentences: int, *, count: int, seed: int) -> Iterator[Swaps]:
    """Yield fair coins for each sentence, some permutations at a time.

    NumPy's PCG64 under a seed of its own; the same coins on every machine, for all pairs of
    systems, and however the work is divided.
    """
    import numpy as np

    random = np.random.PCG64(number(seed, "randomisation"))
    words = -(-sentences // 64)
    step = max(1, _AT_ONCE // max(1, sentences))
    for first in range(0, count, step):
        some = min(step, count - first)
        drawn = random.random_raw(some * words).astype("<u8").view(np.uint8).reshape(some, -1)
        yield np.unpackbits(drawn, axis=1, count=sentences, bitorder="little").astype(bool)


def exchanged(
    metric: Metric[Any], first: Sequence[Any], second: Sequence[Any], made: Swaps
) -> tuple[Values, Values]:
    """Return the scores of both systems after each permutation.

    Exact for every metric whose `resample` gives what `aggregate` gives of the rows drawn:
    the rows of the two systems are put one after the other, and a permutation is a draw of one
    of the two for each sentence, in the order of the corpus. So rules that go through the
    corpus, as the greedy choice of references, are run again in each permutation. A metric
    whose statistics depend on a sentence's place brings its own way, a method `exchange`.

    Args:
        metric: Whose rows these are.
        first: Statistics of one system, of each sentence.
        second: Of the other.
        made: Which sentences are exchanged.
    """
    import numpy as np

    own: Callable[[Sequence[Any], Sequence[Any], Swaps], tuple[Values, Values]] | None
    own = getattr(metric, "exchange", None)
    if own is not None:
        both: tuple[Values, Values] = own(first, second, made)
        return both
    size = np.int32(len(first))
    here = np.arange(size, dtype=np.int32)
    places: Draws = np.concatenate([here + size * made, here + size * ~made])
    values: Values = metric.resample([*first, *second], places)
    return values[: len(made)], values[len(made) :]
