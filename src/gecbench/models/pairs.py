"""Parallel pairs: a sentence with errors, and the same corrected."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """What models learn from.

    Args:
        source: The sentence as it was written.
        target: The same, corrected; equal to the source where it has no error.
        corpus: Name of the corpus it comes from; "" where nobody has said.
    """

    source: str
    target: str
    corpus: str = ""
