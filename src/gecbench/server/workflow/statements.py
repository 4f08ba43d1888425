"""Statements that are asked at every step, made once for each process.

A database answers a statement of many subqueries in half a millisecond; to write it costs Django
five or ten times as long. What changes from one time to the next are its parameters alone, so the
statement is made with marks in their places, kept, and filled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

MARK = 2**61
"""Marks for numbers are this and what follows; no row of a database has such an id."""

MOMENT = datetime(1970, 1, 1, 0, 0, 7, 123457, tzinfo=UTC)
"""The mark for a moment."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in the words of one database, with marks among its parameters.

    Args:
        sql: With a place for each parameter.
        params: In their order, marks among them.
    """

    sql: str
    params: tuple[Any, ...]

    @classmethod
    def of(cls, rows: QuerySet[Any, Any]) -> Statement:
        """Make the statement of a queryset of tuples; call it once and keep what it gives."""
        sql, params = rows.query.sql_with_params()
        return cls(sql, tuple(params))

    def rows(self, given: Mapping[int | datetime, Any]) -> list[tuple[Any, ...]]:
        """Ask the database.

        Args:
            given: What stands for each mark.
        """
        adapted = connection.ops.adapt_datetimefield_value
        values: dict[Any, Any] = {
            adapted(mark) if isinstance(mark, datetime) else mark: adapted(value)
            if isinstance(value, datetime)
            else value
            for mark, value in given.items()
        }
        # On PostgreSQL a number is of a class that says its type in the database.
        filled = [
            (type(one)(values[one]) if isinstance(one, int) else values[one])
            if one in values
            else one
            for one in self.params
        ]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, filled)
            return list(cursor.fetchall())
