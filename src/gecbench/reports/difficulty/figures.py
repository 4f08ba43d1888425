"""The figures of difficulty: weighted against plain scores, types, changes of rank."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.analysis.difficulty.ranks import ranked
from gecbench.analysis.difficulty.result import Difficulty
from gecbench.analysis.difficulty.types import Level, TypeDifficulty
from gecbench.reports.difficulty.tables import (
    ACCURACIES,
    NO_PART,
    f_measures,
    f_name,
    name_of,
)
from gecbench.reports.figure import Figure, Series
from gecbench.reports.words import Words

_MOST = 30
"""Types in the figure; the table has all."""


def figures(results: Sequence[Difficulty], level: Level) -> tuple[Figure, ...]:
    """Return all figures; that of ranks only where systems can change places."""
    made = [_against(results)]
    if any(result.types[level] for result in results):
        made.append(types_figure(results, level))
    if any(len(result.scores) > 1 for result in results):
        made.append(_changes(results))
    return tuple(made)


def _series_name(result: Difficulty, results: Sequence[Difficulty]) -> str:
    return name_of(result, results) or result.corpus


def _against(results: Sequence[Difficulty]) -> Figure:
    f = f_name(results)
    weighted, plain = f_measures(results)
    series = tuple(
        Series(
            _series_name(result, results),
            tuple(100 * plain(one) for one in result.scores),
            tuple(100 * weighted(one) for one in result.scores),
            labels=tuple(one.system for one in result.scores),
        )
        for result in results
    )
    told = [_extremes(result, results) for result in results]
    return Figure(
        name="difficulty-scores",
        kind="points",
        title=Words(f"{f} weighted by difficulty against plain {f}", f"加权 {f} 与未加权 {f}"),
        alt=Words(
            f"Weighted {f} in percent. {'; '.join(one.en for one in told)}.",
            f"加权 {f}（百分比）。{'；'.join(one.zh for one in told)}。",
        ),
        x_label=Words(f"plain {f} (%)", f"未加权 {f}（%）"),
        y_label=Words(f"weighted {f} (%)", f"加权 {f}（%）"),
        series=series,
    )


def _extremes(result: Difficulty, results: Sequence[Difficulty]) -> Words:
    """Return which system is best and which is last, with its weighted and plain F."""
    weighted, plain = f_measures(results)
    name = _series_name(result, results)
    best, last = max(result.scores, key=weighted), min(result.scores, key=weighted)
    high, other, low = (100 * value for value in (weighted(best), plain(best), weighted(last)))
    return Words(
        f"{name}: {best.system} is highest with {high:.2f} (plain {other:.2f}), "
        f"{last.system} lowest with {low:.2f}",
        f"{name}：{best.system} 最高，为 {high:.2f}（未加权 {other:.2f}），"
        f"{last.system} 最低，为 {low:.2f}",
    )


def types_figure(results: Sequence[Difficulty], level: Level) -> Figure:
    """Return the mean weight of each type with its standard deviation."""
    kept = [_most_frequent(result.types[level]) for result in results]
    series = tuple(
        Series(
            _series_name(result, results),
            tuple(one.label or NO_PART for one in found),
            tuple(one.mean for one in found),
            tuple(one.low for one in found),
            tuple(one.high for one in found),
        )
        for result, found in zip(results, kept, strict=True)
    )
    told = [found for found in kept if found]
    hardest = ", ".join(f"{one.label or NO_PART} {one.mean:.2f}" for one in told[0][:3])
    easiest = ", ".join(f"{one.label or NO_PART} {one.mean:.2f}" for one in told[0][-3:][::-1])
    return Figure(
        name="difficulty-types",
        kind="intervals",
        title=Words(
            "Weight of errors by type: mean and standard deviation", "各类错误的权重：平均与标准差"
        ),
        alt=Words(
            f"Most difficult: {hardest}. Least difficult: {easiest}.",
            f"最难：{hardest}。最易：{easiest}。",
        ),
        x_label=Words("type of error", "错误类型"),
        y_label=Words("weight", "权重"),
        series=series,
    )


def _most_frequent(found: Sequence[TypeDifficulty]) -> list[TypeDifficulty]:
    """Return the types with most errors, still the most difficult first."""
    often = sorted(found, key=lambda one: -one.count)[:_MOST]
    return [one for one in found if one in often]


def _changes(results: Sequence[Difficulty]) -> Figure:
    f = f_name(results)
    series = []
    told = []
    for result in results:
        names = tuple(one.system for one in result.scores)
        for measure, of in ((f, f_measures(results)), ("A", ACCURACIES)):
            values = ([value(one) for one in result.scores] for value in of)
            change = {one.system: one.change for one in ranked(names, *values)}
            head = name_of(result, results)
            name = Words(measure, "准确率" if measure == "A" else measure)
            if measure == "A":
                name = Words("accuracy", "准确率")
            full = Words(f"{head} {name.en}", f"{head} {name.zh}") if head else name
            series.append(Series(full, names, tuple(change[one] for one in names)))
            told.append((full, [f"{one} {move:+d}" for one, move in change.items() if move]))
    return Figure(
        name="difficulty-ranks",
        kind="bars",
        title=Words(
            "Ranks won and lost when errors are weighted by difficulty", "按难度加权后名次的升降"
        ),
        alt=Words(
            "; ".join(f"{name.en}: {', '.join(moves) or 'no change'}" for name, moves in told)
            + ".",
            "；".join(f"{name.zh}：{'，'.join(moves) or '没有变化'}" for name, moves in told)
            + "。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words("ranks won", "上升的名次"),
        series=tuple(series),
    )
