"""The packaged tables of confusions, one file a language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gecbench.formats.config import toml_of

NOTHING = "-"
"""Stands in a table for what is left out."""


@cache
def tables(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the rows of each table of a language, as they are written."""
    path = Path(__file__).parent / "tables" / f"{language}.toml"
    read = toml_of(path)
    return {name: tuple(rows) for name, rows in read.items() if isinstance(rows, list)}


def confusions_of(language: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return what is right to what is written instead, without doubles.

    >>> confusions_of("zh", "word-misused")["地"]
    ('的', '得')
    """
    found: dict[str, dict[str, None]] = {}
    for row in tables(language)[name]:
        right, _, wrong = row.partition(" > ")
        for each in wrong.split(" | "):
            text = "" if each.strip() == NOTHING else each.strip()
            found.setdefault(right.strip(), {})[text] = None
    return {right: tuple(wrong) for right, wrong in found.items()}
