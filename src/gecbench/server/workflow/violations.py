"""How a broken invariant is told, and in which projects one is looked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from gecbench.server.models import Sentence

_M = TypeVar("_M", bound=Model)


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken invariant.

    Args:
        invariant: "INV-4" and so on, or "audit".
        where: Project and sentence, slot or row.
        message: One line: what was found, what was expected.
    """

    invariant: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What is looked at.

    Args:
        project_id: One project, or None for all.
        most: How many violations of one kind are told.
    """

    project_id: int | None
    most: int

    def of(self, rows: QuerySet[_M, _M], path: str = "project") -> QuerySet[_M, _M]:
        """Return the rows of the projects that are looked at; `path` leads to the project."""
        return rows if self.project_id is None else rows.filter(**{path: self.project_id})

    def told(
        self, invariant: str, message: str, rows: Iterable[tuple[Any, ...]]
    ) -> Iterator[Violation]:
        """Yield a violation for each row: slug, task number, then what the message names."""
        for slug, number, *values in islice(rows, self.most):
            yield Violation(invariant, f"{slug} #{number}", message.format(*values))

    def sentences(self) -> QuerySet[Sentence, Sentence]:
        """Return the sentences of the projects that are looked at."""
        return self.of(Sentence.objects.order_by("pk"))
