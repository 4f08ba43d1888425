"""The texts of a case, and the pieces that metrics over texts count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gecbench.core.case import Case

Unit = Literal["word", "character", "spaced-character"]
UNITS: tuple[Unit, ...] = ("word", "character", "spaced-character")


def references(case: Case) -> tuple[str, ...]:
    """Return the texts of the references, without those declared impossible to annotate."""
    return tuple(version.text for version in case.references if not version.unannotatable)


def characters(text: str) -> str:
    """Return the code points of a text without any white space.

    >>> characters("他 是 学生")
    '他是学生'
    """
    return "".join(text.split())


def pieces(text: str, unit: Unit) -> Sequence[str]:
    """Return what a text consists of.

    Args:
        text: Any text.
        unit: "word": what white space divides; "character": the code points without white
            space; "spaced-character": all code points, but for white space at the ends.
    """
    if unit == "word":
        return text.split()
    return characters(text) if unit == "character" else text.strip()
