"""What several tables share: choices of names, foreign keys that protect, append-only rows."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NoReturn

from django.db import models


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

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        """Refuse.

        Raises:
            AppendOnlyError: Always.
        """
        raise AppendOnlyError(f"{self._meta.db_table} is append-only; nothing is deleted")
