"""The tables of difficulty: scores, ranks, types, unlike systems, several corpora."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gecbench.analysis.difficulty.across import across
from gecbench.analysis.difficulty.ranks import ranked, ranks
from gecbench.analysis.difficulty.result import Difficulty, SystemScores
from gecbench.analysis.difficulty.types import Level
from gecbench.reports.exhibit import Column, Table, Value
from gecbench.reports.words import Words

_SYSTEM = Column("system", zh="系统")
_PARTS: dict[Level, Words] = {
    1: Words("operation", "编辑操作"),
    2: Words("category", "错误类别"),
    3: Words("type", "错误类型"),
}
NO_PART = "-"
"""Stands for what a type lacks, as in the tables of scores."""


def tables(results: Sequence[Difficulty], level: Level) -> tuple[Table, ...]:
    """Return all tables, the scores first."""
    made = [_scores(results), _ranking(results), _ranking_by_accuracy(results)]
    made.append(types_table(results, level))
    if any(one.break_even for result in results for one in result.scores):
        made.append(_unlike(results))
    if len(results) > 1:
        made += [
            _across(
                results, "across-f", f_name(results), lambda one: one.weighted.f(beta(results))
            ),
            _across(results, "across-accuracy", "accuracy", lambda one: one.weighted.accuracy),
        ]
    return tuple(made)


def beta(results: Sequence[Difficulty]) -> float:
    """Return the weight of recall, the same in all results."""
    return results[0].beta


def f_name(results: Sequence[Difficulty]) -> str:
    """Return what the F of these results is called, as F0.5."""
    return f"F{beta(results):g}"


def name_of(result: Difficulty, results: Sequence[Difficulty]) -> str:
    """Return what tells a result from the others; "" where there is one."""
    return ", ".join(_words(result, results))


def _heads(results: Sequence[Difficulty]) -> tuple[Column, ...]:
    made = []
    if len({result.corpus for result in results}) > 1:
        made.append(Column("corpus", zh="语料"))
    if len({result.reference for result in results}) > 1:
        made.append(Column("reference", zh="参考答案"))
    return tuple(made)


def _words(result: Difficulty, results: Sequence[Difficulty]) -> tuple[str, ...]:
    of = {"corpus": result.corpus, "reference": result.reference}
    return tuple(of[column.name] for column in _heads(results))


def _scores(results: Sequence[Difficulty]) -> Table:
    f = f_name(results)
    heads = (*_heads(results), _SYSTEM)
    numbers = (
        Column("P", "percent", zh="精确率"),
        Column("R", "percent", zh="召回率"),
        Column(f, "percent"),
        Column("A", "percent", zh="准确率"),
        Column("plain P", "percent", zh="未加权精确率"),
        Column("plain R", "percent", zh="未加权召回率"),
        Column(f"plain {f}", "percent", zh=f"未加权 {f}"),
        Column("plain A", "percent", zh="未加权准确率"),
    )
    rows: list[tuple[Value, ...]] = []
    marks: set[tuple[int, int]] = set()
    for result in results:
        block = [_values(one, result.beta) for one in result.scores]
        for at in range(len(numbers)):
            places = ranks([values[at] for values in block])
            if max(places) > 1:
                best = (row for row, place in enumerate(places) if place == 1)
                marks |= {(len(rows) + row, len(heads) + at) for row in best}
        rows += [
            (*_words(result, results), one.system, *values)
            for one, values in zip(result.scores, block, strict=True)
        ]
    title = Words(
        "Scores weighted by difficulty, and plain ones of the same chunks",
        "按难度加权的得分，以及同一组语块的未加权得分",
    )
    return Table("scores", title, (*heads, *numbers), tuple(rows), frozenset(marks))


def _values(one: SystemScores, beta: float) -> tuple[float, ...]:
    return tuple(
        value
        for tally in (one.weighted, one.plain)
        for value in (tally.precision, tally.recall, tally.f(beta), tally.accuracy)
    )


def _ranking(results: Sequence[Difficulty]) -> Table:
    f = f_name(results)
    title = Words(
        f"Rank by weighted {f}, against plain {f}", f"加权 {f} 排名与未加权 {f} 排名的对比"
    )
    return _ranks(results, "ranking", title, f, f_measures(results))


def _ranking_by_accuracy(results: Sequence[Difficulty]) -> Table:
    title = Words(
        "Rank by weighted accuracy, against plain accuracy",
        "加权准确率排名与未加权准确率排名的对比",
    )
    return _ranks(results, "ranking-accuracy", title, "A", ACCURACIES)


Measures = tuple[Callable[[SystemScores], float], Callable[[SystemScores], float]]
"""A measure with weights, and the same without."""

ACCURACIES: Measures = (lambda one: one.weighted.accuracy, lambda one: one.plain.accuracy)


def f_measures(results: Sequence[Difficulty]) -> Measures:
    """Return F with weights and without."""
    weight = beta(results)
    return lambda one: one.weighted.f(weight), lambda one: one.plain.f(weight)


def _ranks(
    results: Sequence[Difficulty], name: str, title: Words, measure: str, measures: Measures
) -> Table:
    columns = (
        *_heads(results),
        _SYSTEM,
        Column("rank", "count", zh="排名"),
        Column(measure, "percent", zh="加权准确率" if measure == "A" else f"加权 {measure}"),
        Column("plain rank", "count", zh="未加权排名"),
        Column(
            f"plain {measure}",
            "percent",
            zh="未加权准确率" if measure == "A" else f"未加权 {measure}",
        ),
        Column("change", "count", zh="名次变化"),
    )
    rows: list[tuple[Value, ...]] = []
    for result in results:
        names = [one.system for one in result.scores]
        weighted, plain = ([of(one) for one in result.scores] for of in measures)
        rows += [
            (
                *_words(result, results),
                one.system,
                one.rank,
                one.value,
                one.other_rank,
                one.other,
                one.change,
            )
            for one in ranked(names, weighted, plain)
        ]
    return Table(name, title, columns, tuple(rows))


def types_table(results: Sequence[Difficulty], level: Level) -> Table:
    """Return the difficulty of types, the most difficult of the first corpus first."""
    part = _PARTS[level]
    columns = [Column(part.en, zh=part.zh)]
    for result in results:
        head = name_of(result, results)
        head = f"{head} " if head else ""
        columns += [
            Column(f"{head}mean", "number", zh=f"{head}平均"),
            Column(f"{head}SD", "number", zh=f"{head}标准差"),
            Column(f"{head}errors", "count", zh=f"{head}错误数"),
        ]
    labels = dict.fromkeys(one.label for result in results for one in result.types[level])
    known = [{one.label: one for one in result.types[level]} for result in results]
    rows: list[tuple[Value, ...]] = []
    for label in labels:
        found = (of.get(label) for of in known)
        cells = ((one.mean, one.deviation, one.count) if one else (None, None, 0) for one in found)
        rows.append((label or NO_PART, *(cell for three in cells for cell in three)))
    title = Words(
        f"Weights of errors by {part.en}, the most difficult first", f"各{part.zh}的权重，难的在前"
    )
    return Table(f"types-{level}", title, tuple(columns), tuple(rows))


def _unlike(results: Sequence[Difficulty]) -> Table:
    columns = (
        *_heads(results),
        _SYSTEM,
        Column("errors", "count", zh="错误数"),
        Column("corrects", "count", zh="改对数"),
        Column("alone", "count", zh="独自改对数"),
        Column("level at", "number", zh="持平点"),
        Column("ahead from", "count", zh="领先点"),
    )
    rows: list[tuple[Value, ...]] = []
    for result in results:
        for one in result.scores:
            even = one.break_even
            rows.append(
                (
                    *_words(result, results),
                    one.system,
                    result.sheet.errors,
                    one.corrected,
                    one.alone,
                    even.level if even else None,
                    even.ahead if even and even.possible else None,
                )
            )
    title = Words(
        "If all others were like it: how many other errors an unlike system must correct",
        "若其他系统都与它相同：一个与众不同的系统须改对多少个别的错误",
    )
    return Table("unlike", title, columns, tuple(rows))


def _across(
    results: Sequence[Difficulty],
    name: str,
    measure: str,
    value: Callable[[SystemScores], float],
) -> Table:
    columns = [_SYSTEM]
    for result in results:
        head = name_of(result, results) or result.corpus
        columns += [Column(head, "percent"), Column(f"{head} rank", "count", zh=f"{head} 排名")]
    columns += [Column("mean", "percent", zh="平均"), Column("SD", "percent", zh="标准差")]
    rows: list[tuple[Value, ...]] = []
    for one in across(results, value):
        cells = zip(one.values, one.ranks, strict=True)
        rows.append((one.system, *(cell for two in cells for cell in two), one.mean, one.deviation))
    chinese = "准确率" if measure == "accuracy" else f" {measure} "
    title = Words(
        f"Weighted {measure} and rank on each, the highest mean first",
        f"各处的加权{chinese}与排名，平均高的在前",
    )
    return Table(name, title, tuple(columns), tuple(rows))
