"""The tables of scores: one overview of all metrics, and the counts of those that count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gecbench.core.score import Counts, Score
from gecbench.reports.grid import Grid
from gecbench.scoring.results import Result, ScoreReport, by_tier

NOT_APPLICABLE = "n/a"

Row = tuple[str, ...]


def subset_name(result: Result) -> str:
    """Return what a table calls the part of the corpus that a result is over."""
    return "(all)" if result.subset is None else result.subset or "(empty)"


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _spread(score: Score) -> str:
    if score.interval is None:
        return ""
    return f"{_percent(score.interval.low)}-{_percent(score.interval.high)}"


def _cells(counts: Counts, beta: float) -> Row:
    ratios = (counts.precision, counts.recall, counts.f(beta))
    return (str(counts.tp), str(counts.fp), str(counts.fn), *map(_percent, ratios))


def overview(reports: Sequence[ScoreReport]) -> Grid:
    """Return a table with a row for each system and a column for each metric on each corpus.

    Values are in percent; the best of each column is marked.
    """
    results = [(report, result) for report in reports for result in report.results]
    several = len(reports) > 1
    with_subset = any(result.subset is not None for _, result in results)
    with_spread = any(result.score and result.score.interval for _, result in results)
    columns = list(dict.fromkeys((report.corpus, result.metric) for report, result in results))
    keys = list(dict.fromkeys((result.system, subset_name(result)) for _, result in results))
    found = {
        (report.corpus, result.metric, result.system, subset_name(result)): result
        for report, result in results
    }
    rows = []
    for system, subset in keys:
        cells = []
        for corpus, metric in columns:
            result = found.get((corpus, metric, system, subset))
            cells += _value(result, with_spread=with_spread)
        rows.append((system, *[subset] * with_subset, *cells))
    width = 1 + with_spread
    names = [f"{corpus} {metric}" if several else metric for corpus, metric in columns]
    header = [cell for name in names for cell in (name, *["95%"] * with_spread)]
    words = 1 + with_subset
    marks = set()
    for at, (corpus, metric) in enumerate(columns):
        for subset in {subset for _, subset in keys}:
            column = [found.get((corpus, metric, system, subset)) for system, _ in keys]
            places = [row for row, key in enumerate(keys) if key[1] == subset]
            marks |= {
                (place, words + at * width)
                for place in _best([column[place] for place in places], places)
            }
    made = Grid(("system", *["subset"] * with_subset, *header), tuple(rows), words)
    return replace(made, marks=frozenset(marks))


def _value(result: Result | None, *, with_spread: bool) -> list[str]:
    if result is None or result.score is None:
        return ["" if result is None else NOT_APPLICABLE, *[""] * with_spread]
    return [_percent(result.score.value), *[_spread(result.score)] * with_spread]


def _best(
    results: Sequence[Result | None],
    places: Sequence[int],
    value: Callable[[Score], float] = lambda score: score.value,
) -> set[int]:
    """Return the places of the best of several; where all are equal, none is."""
    scored = [(p, r, value(r.score)) for p, r in zip(places, results, strict=True) if r and r.score]
    if len({number for _, _, number in scored}) < 2:
        return set()
    best = (max if scored[0][1].higher_is_better else min)(number for _, _, number in scored)
    return {place for place, _, number in scored if number == best}


def count_grids(report: ScoreReport, tier: int | None) -> list[Grid]:
    """Return the table of counts, and with a tier the table by type; none where nothing counts."""
    counted = [r for r in report.results if r.score is not None and r.score.counts is not None]
    if not counted:
        return []
    metrics = len({result.metric for result in counted})
    shown = _Shown(
        metrics > 1,
        any(result.subset is not None for result in counted),
        any(result.score and result.score.interval for result in counted),
    )
    names = ["system", *["metric"] * shown.metric, *["subset"] * shown.subset]
    numbers = ["TP", "FP", "FN", "P", "R", f"F{report.beta:g}"]
    rows: list[Row] = []
    typed: list[Row] = []
    for result in counted:
        if result.score is None or result.score.counts is None:
            continue
        words = shown.words(result)
        spread = [_spread(result.score)] * shown.spread
        rows.append((*words, *_cells(result.score.counts, report.beta), *spread))
        for label, counts in by_tier(result.score.by_type or {}, tier or 3).items():
            typed.append((*words, label, *_cells(counts, report.beta)))
    spread = ["95%"] * shown.spread
    marks = _count_marks(counted, len(names))
    grids = [Grid((*names, *numbers, *spread), tuple(rows), len(names), marks)]
    if typed and tier:
        grids.append(Grid((*names, "type", *numbers), tuple(typed), len(names) + 1))
    return grids


class _Shown:
    """Which columns of words a table needs, because not all rows have the same in them."""

    def __init__(self, metric: bool, subset: bool, spread: bool) -> None:
        self.metric, self.subset, self.spread = metric, subset, spread

    def words(self, result: Result) -> Row:
        """Return the words at the left of a row."""
        subset = [subset_name(result)] * self.subset
        return (result.system, *[result.metric] * self.metric, *subset)


def _count_marks(results: Sequence[Result], words: int) -> frozenset[tuple[int, int]]:
    """Return the cells of P, R and F that are the best among the systems."""
    marks: set[tuple[int, int]] = set()
    groups: dict[tuple[str, str | None], list[int]] = {}
    for place, result in enumerate(results):
        groups.setdefault((result.metric, result.subset), []).append(place)
    for places in groups.values():
        some = [results[place] for place in places]
        for at, value in enumerate((_precision, _recall, _f)):
            marks |= {(place, words + 3 + at) for place in _best(some, places, value)}
    return frozenset(marks)


def _precision(score: Score) -> float:
    return score.counts.precision if score.counts else 0.0


def _recall(score: Score) -> float:
    return score.counts.recall if score.counts else 0.0


def _f(score: Score) -> float:
    return score.value
