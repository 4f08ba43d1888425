"""A table of all real sentences and where they stand, for spreadsheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gecbench.server.exchange.bridge import Look, real
from gecbench.server.exchange.paging import by_number
from gecbench.server.models import GoldenReference, Project, Sentence

HEADER = (
    *("number", "id", "source", "state", "needed", "submitted", "decision", "golden_version"),
    *("references", "sentence"),
)


def sheet(project: Project, look: Look) -> Iterator[Sequence[Sequence[str | int | None]]]:
    """Yield the rows, some hundred at a time."""

    def rows(piece: Sequence[Sentence]) -> list[Sequence[str | int | None]]:
        entries = Counter(
            GoldenReference.objects.filter(
                golden_id__in=[one.golden_id for one in piece if one.golden_id]
            ).values_list("golden_id", flat=True)
        )
        return [
            (
                one.number,
                one.external_id,
                "" if one.source_id is None else look.sources[one.source_id],
                one.state,
                one.needed,
                one.submitted,
                one.golden.kind if one.golden else None,
                one.golden.version if one.golden else None,
                entries[one.golden_id] if one.golden_id else 0,
                one.text,
            )
            for one in piece
        ]

    yield from by_number(real(project).select_related("golden"), rows)
