"""How far words are from one another in characters."""

from __future__ import annotations

import sys
from functools import lru_cache

from gecbench.edits.align import lattice

UTF_32 = f"utf-32-{sys.byteorder[0]}e"
"""Code points as native 32-bit integers: what the alignment reads."""


@lru_cache(maxsize=1 << 16)
def distance(a: str, b: str) -> int:
    """Return the edit distance of two words in characters.

    >>> distance("informations", "information")
    1
    """
    left, right = (side.encode(UTF_32, "surrogatepass") for side in (a, b))
    steps = lattice(left, right, None).steps()
    return len(steps) - steps.count("M")
