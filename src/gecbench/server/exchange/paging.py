"""Rows by key, piece by piece: never by offset, never all at once, each piece of one moment."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection, transaction
from django.db.models import QuerySet

from gecbench.server.models import Sentence

PIECE = 500
"""Sentences that are in memory at once."""

_Made = TypeVar("_Made")


def by_number(
    sentences: QuerySet[Sentence], make: Callable[[list[Sentence]], _Made]
) -> Iterator[_Made]:
    """Yield what is made of sentences of one project, in the order of their task numbers.

    All that `make` reads about a piece is of the moment at which the piece was read: people who
    work meanwhile are not held up, and no sentence is half before and half after what they do.
    """
    last = 0
    while True:
        with one_moment():
            piece = list(sentences.filter(number__gt=last).order_by("number")[:PIECE])
            if not piece:
                return
            made = make(piece)
        last = piece[-1].number
        yield made
        del piece, made
        # Rows that know their parents are in circles: without this, hundreds of megabytes wait.
        gc.collect(1)


@contextmanager
def one_moment() -> Iterator[None]:
    """Let all that is read inside be of one moment; nothing may be written inside.

    A reader of SQLite begins without IMMEDIATE, or it would hold up everybody who writes.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")
