"""What several tables share: choices of names, foreign keys that protect, append-only rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, NoReturn

from django.db import DEFAULT_DB_ALIAS, connection, models
from django.db.models.sql import InsertQuery


def choice(names: type[StrEnum], **options: Any) -> models.CharField[str, str]:
    """A column that holds one of some names."""
    return models.CharField(
        max_length=24, choices=[(str(name), str(name)) for name in names], **options
    )


def one_of(column: str, names: Iterable[StrEnum]) -> models.Q:
    """The condition that a column holds one of some names."""
    return models.Q(**{f"{column}__in": [str(name) for name in names]})


class AppendOnlyError(RuntimeError):
    """Somebody tried to change what is kept for ever."""


_inserts: dict[tuple[type[models.Model], str, int], str] = {}


class AppendOnly(models.Model):
    """Rows that are written once: triggers in the database refuse the rest, and so does this."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **options: Any) -> None:
        """Insert; a row that exists is not written again.

        Raises:
            AppendOnlyError: The row is already in the database.
        """
        if not self._state.adding:
            raise AppendOnlyError(f"{self._meta.db_table} is append-only; write a new row")
        super().save(*args, **options)

    def _do_insert(
        self, manager: Any, using: str, fields: Sequence[Any], returning_fields: Any, raw: bool
    ) -> list[Any]:
        """Insert by SQL that is written once for each table; Django writes it for each row."""
        values = [] if raw else [field.pre_save(self, add=True) for field in fields]
        plain = using == DEFAULT_DB_ALIAS and list(returning_fields) == [self._meta.pk]
        if not values or not plain or any(hasattr(value, "as_sql") for value in values):
            rows: list[Any] = super()._do_insert(  # type: ignore[misc]
                manager, using, fields, returning_fields, raw
            )
            return rows
        key = type(self), connection.vendor, len(fields)  # with the key of the row or without
        if key not in _inserts:
            query = InsertQuery(type(self))
            query.insert_values(fields, [self])
            compiler = query.get_compiler(using)
            compiler.returning_fields = returning_fields
            ((_inserts[key], _),) = compiler.as_sql()
        params = [
            field.get_db_prep_save(value, connection)
            for field, value in zip(fields, values, strict=True)
        ]
        with connection.cursor() as cursor:
            cursor.execute(_inserts[key], params)
            return [cursor.fetchone()]

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        """Refuse.

        Raises:
            AppendOnlyError: Always.
        """
        raise AppendOnlyError(f"{self._meta.db_table} is append-only; nothing is deleted")
