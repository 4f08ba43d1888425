"""GLEU's draws of references, the same whatever version of Python runs."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.intp]

Generator = Literal["python3", "python2"]
GENERATORS: tuple[Generator, ...] = ("python3", "python2")


def draw(seed: int, count: int, references: int, generator: Generator) -> Places:
    """Return the first `count` results of `randint(0, references - 1)` after seeding.

    Both versions of Python have the same Mersenne twister, whose 32-bit outputs are read here
    many at a time. Python 3 takes the top bits of an output, as many as `references` has, until
    they are less than `references`; Python 2 multiplies a random fraction and cuts it off.
    """
    import numpy as np

    random = Random(seed)
    if generator == "python2":
        halves = _outputs(random, 2 * count).reshape(count, 2).astype(np.float64)
        high, low = np.floor(halves[:, 0] / 2**5), np.floor(halves[:, 1] / 2**6)
        fractions = (high * 2.0**26 + low) * (1.0 / 2**53)
        return (fractions * references).astype(np.intp)
    spare = 32 - references.bit_length()
    kept = np.empty(0, dtype=np.intp)
    while len(kept) < count:
        tried = _outputs(random, 2 * count) >> spare
        kept = np.concatenate([kept, tried[tried < references].astype(np.intp)])
    return kept[:count]


def draw_for(counts: Sequence[int], seed: int, generator: Generator) -> Places:
    """Return a reference for each sentence of a corpus.

    A sentence with k references gets the draw that it would get if all had k. So where all
    have the same number, this is the official procedure.

    Args:
        counts: Number of references of each sentence.
        seed: Of this draw.
        generator: Whose draws.
    """
    import numpy as np

    numbers = np.asarray(counts, dtype=np.intp)
    made = np.zeros(len(numbers), dtype=np.intp)
    for number in sorted(set(counts) - {1}):
        drawn = draw(seed, len(numbers), number, generator)
        made = np.where(numbers == number, drawn, made)
    return made


def _outputs(random: Random, count: int) -> NDArray[np.uint32]:
    import numpy as np

    drawn = random.getrandbits(32 * count).to_bytes(4 * count, "little")
    return np.frombuffer(drawn, dtype="<u4")
