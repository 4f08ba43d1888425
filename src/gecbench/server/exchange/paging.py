"""Rows by key, piece by piece: never by offset, never all at once."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from gecbench.server.models import Sentence

PIECE = 500
"""Sentences that are in memory at once."""


def by_number(sentences: QuerySet[Sentence]) -> Iterator[list[Sentence]]:
    """Yield sentences of one project in the order of their task numbers."""
    last = 0
    while piece := list(sentences.filter(number__gt=last).order_by("number")[:PIECE]):
        last = piece[-1].number
        yield piece
