"""A model of character trigrams, counted from a text in about a second."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import read_lines

_DISCOUNT = 0.75
_EDGE = "\n"
"""Stands before the first and after the last character of a line."""


@dataclass(frozen=True, slots=True)
class Level:
    """Counts of the n-grams of one length.

    Args:
        seen: By n-gram.
        context: By n-gram without its last character: occurrences, and different last characters.
    """

    seen: Mapping[str, int]
    context: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Characters:
    """How likely a character is after the two before it.

    Interpolated absolute discounting (Ney, Essen and Kneser 1994, section 4) with one discount.

    Args:
        name: Hash of the text that was counted.
        levels: Of n-grams of length 1, 2, 3.
        kinds: Different characters of the text, and one for all others.
    """

    name: str
    levels: Sequence[Level]
    kinds: int

    def log(self, trigram: str) -> float:
        """Return the natural logarithm of the probability of the last character."""
        chance = 1 / self.kinds
        for length, level in enumerate(self.levels, 1):
            gram = trigram[-length:]
            total, different = level.context.get(gram[:-1], (0, 0))
            if not total:
                break
            rest = _DISCOUNT * different / total
            chance = max(level.seen.get(gram, 0) - _DISCOUNT, 0.0) / total + rest * chance
        return math.log(chance)

    def gain(self, text: str, start: int, end: int, replacement: str) -> float:
        """Return by how much a change makes a text likelier, in natural logarithms."""
        left = (_EDGE * 2 + text[max(0, start - 2) : start])[-2:]
        right = (text[end : end + 2] + _EDGE)[:2]
        return self._sum(left + replacement + right) - self._sum(left + text[start:end] + right)

    def _sum(self, window: str) -> float:
        return sum(self.log(window[k : k + 3]) for k in range(len(window) - 2))


def characters(path: Path) -> Characters:
    """Return the model of a text file, a sentence or a paragraph a line.

    Raises:
        FormatError: The file is not UTF-8, or has no text.
        GecbenchError: It cannot be read.
    """
    lines = [line.strip() for line in read_lines(path) if line.strip()]
    if not lines:
        raise FormatError(f"{path}: no text; give some clean text, a sentence a line")
    # Two edges before each line; the one after it is the first of the next's.
    text = _EDGE * 2 + (_EDGE * 2).join(lines) + _EDGE
    levels = [_level(text, length) for length in (1, 2, 3)]
    digest = hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()[:12]
    return Characters(digest, levels, len(levels[0].seen) + 1)


def _level(text: str, length: int) -> Level:
    seen = Counter(text[k : k + length] for k in range(len(text) - length + 1))
    totals: Counter[str] = Counter()
    different: Counter[str] = Counter()
    for gram, count in seen.items():
        totals[gram[:-1]] += count
        different[gram[:-1]] += 1
    return Level(seen, {c: (total, different[c]) for c, total in totals.items()})
