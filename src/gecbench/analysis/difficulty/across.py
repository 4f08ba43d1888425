"""Systems over several corpora: whether a rank holds beyond the one corpus it was found on.

Mita et al., NAACL 2019, whom the paper follows: the mean over corpora and how far scores spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gecbench.analysis.difficulty.ranks import ranks
from gecbench.analysis.difficulty.result import Difficulty, SystemScores


@dataclass(frozen=True, slots=True)
class Across:
    """One system over several corpora.

    Args:
        system: Its name.
        values: On each; None where it was not run.
        ranks: Among the systems of each, from 1; None likewise.
        mean: Of the values there are.
        deviation: Their standard deviation of the sample; 0 for one value.
    """

    system: str
    values: tuple[float | None, ...]
    ranks: tuple[int | None, ...]
    mean: float
    deviation: float


def across(
    results: Sequence[Difficulty], measure: Callable[[SystemScores], float]
) -> tuple[Across, ...]:
    """Return what each system reaches on each corpus, the highest mean first.

    Args:
        results: One for each corpus, or each reference of it.
        measure: What is looked at.
    """
    import statistics

    found: dict[str, list[tuple[float, int] | None]] = {}
    for at, result in enumerate(results):
        values = [measure(one) for one in result.scores]
        for one, value, rank in zip(result.scores, values, ranks(values), strict=True):
            found.setdefault(one.system, [None] * len(results))[at] = (value, rank)
    made = []
    for system, row in found.items():
        known = [value for value, _ in filter(None, row)]
        made.append(
            Across(
                system,
                tuple(one and one[0] for one in row),
                tuple(one and one[1] for one in row),
                statistics.mean(known),
                statistics.stdev(known) if len(known) > 1 else 0.0,
            )
        )
    order = sorted(
        zip(ranks([one.mean for one in made]), made, strict=True), key=lambda row: row[0]
    )
    return tuple(one for _, one in order)
