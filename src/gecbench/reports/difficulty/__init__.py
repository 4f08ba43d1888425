"""Difficulty as tables, figures and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.analysis.difficulty.result import Difficulty
from gecbench.analysis.difficulty.types import Level
from gecbench.reports.difficulty.data import data
from gecbench.reports.difficulty.figures import figures
from gecbench.reports.difficulty.tables import tables
from gecbench.reports.exhibit import Exhibit
from gecbench.reports.words import Words


def exhibit(results: Sequence[Difficulty], tier: Level | None = None) -> Exhibit:
    """Return everything that was found of one corpus or several.

    Args:
        results: At least one; one for each corpus, or each reference of it.
        tier: The part of types in the table of types: operation (1), category (2), whole (3);
            None means the category, and the whole where most types have none.
    """
    level: Level = tier or (2 if _divided(results) else 3)
    return Exhibit(
        name="difficulty",
        title=Words("How difficult the errors are", "错误的难度"),
        corpus=" + ".join(dict.fromkeys(result.corpus for result in results)),
        tables=tables(results, level),
        figures=figures(results, level),
        data=data(results),
        notes=tuple(_notes(results)),
        signatures=tuple(dict.fromkeys(str(result.signature) for result in results)),
    )


def _divided(results: Sequence[Difficulty]) -> bool:
    """Return whether most errors have a category behind their operation."""
    found = [one for result in results for one in result.types[2]]
    return 2 * sum(one.count for one in found if one.label) > sum(one.count for one in found)


def _notes(results: Sequence[Difficulty]) -> list[str]:
    """Return the notes of all results, each once, with the corpus where there are several."""
    several = len({result.corpus for result in results}) > 1
    notes = []
    for result in results:
        about = (
            f"{result.reference}: {len(result.sheet.ids)} sentences, {result.sheet.size} chunks, "
            f"{result.sheet.errors} errors; weights of {result.voters} systems ({result.origin})"
        )
        head = f"{result.corpus}: " if several else ""
        notes += [f"{head}{note}" for note in (about, *result.notes)]
    return list(dict.fromkeys(notes))
