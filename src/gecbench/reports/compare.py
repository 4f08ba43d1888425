"""The tests of significance as tables, matrices and intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from gecbench.analysis.options import Test
from gecbench.analysis.significance import Comparison, SystemPair
from gecbench.core.errors import count_noun
from gecbench.reports.report import (
    NO,
    YES,
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    data_of,
)

_TESTS: dict[Test, Words] = {
    "bootstrap": Words("bootstrap", "自助法"),
    "randomisation": Words("randomisation", "随机置换"),
}
_CORRECTIONS = {
    "none": Words("not corrected", "未校正"),
    "holm": Words("corrected by Holm", "Holm 校正"),
    "bh": Words("corrected by Benjamini and Hochberg", "Benjamini–Hochberg 校正"),
}
_SIGNIFICANT = Words("significant", "显著")
_NOT = Words("not significant", "不显著")


def build_report(corpus: str, results: Sequence[Comparison], notes: Sequence[str] = ()) -> Report:
    """Show comparisons by one or more metrics.

    Args:
        corpus: Name of the data.
        results: One for each metric, at least one.
        notes: What the reader should know.
    """
    tables = [_systems(results), _pairs(results)]
    figures: list[Figure] = []
    for result in results:
        if len(result.values) > 2 and result.plan.baseline is None:
            tables.append(_matrix(result))
            figures += [_p_figure(result), _difference_figure(result)]
        figures.append(_interval_figure(result))
    return Report(
        name="compare",
        title=Words("Are differences between systems significant?", "系统之间的差异是否显著？"),
        corpus=corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        data={"metrics": [_data(result) for result in results]},
        notes=(*notes, *map(_about, results[:1])),
        signatures=tuple(result.signature for result in results),
    )


def letters(result: Comparison) -> dict[str, str]:
    """The groups of each system as letters: two that share one do not differ."""
    names: dict[str, str] = dict.fromkeys(result.values, "")
    for index, group in enumerate(result.groups):
        for name in group:
            names[name] += _letter(index)
    return names


def _letter(index: int) -> str:
    """One of a, b, ..., z, then (27), (28), ..."""
    return chr(ord("a") + index) if index < 26 else f"({index + 1})"


def _about(result: Comparison) -> str:
    plan = result.plan
    tests = " and ".join(plan.tests)
    decides = f"; {plan.main_test} decides" if len(plan.tests) > 1 else ""
    intervals = f"{100 * plan.confidence:g}% percentile intervals of the paired bootstrap"
    corrected = f"{_CORRECTIONS[plan.correction].en} for {len(result.pairs)} comparisons; "
    return (
        f"{tests}, two-sided, {plan.resamples} resamples, seed {plan.seed}; "
        f"{corrected if len(result.pairs) > 1 else ''}"
        f"significant at {plan.alpha:g}{decides}; {intervals}"
    )


def _systems(results: Sequence[Comparison]) -> Table:
    """The scores, the best system first, with their groups."""
    several, grouped = len(results) > 1, any(result.groups for result in results)
    rows: list[tuple[Value, ...]] = []
    for result in results:
        shared = letters(result)
        for name in result.ranked:
            spread = result.intervals[name]
            words = [result.metric] * several + [name] + [shared[name]] * grouped
            rows.append((*words, result.values[name], spread.low, spread.high))
    columns = [Column("metric", zh="指标")] * several + [Column("system", zh="系统")]
    columns += [Column("groups", zh="分组")] * grouped
    columns += [Column("score", "percent", zh="得分")]
    columns += [Column("low", "percent", zh="下限"), Column("high", "percent", zh="上限")]
    title = Words(
        "Scores; systems that share a letter do not differ significantly",
        "得分；含相同字母的系统之间没有显著差异",
    )
    if not grouped:
        title = Words("Scores", "得分")
    return Table("systems", title, tuple(columns), tuple(rows))


def _pairs(results: Sequence[Comparison]) -> Table:
    """A row for each pair of systems and metric."""
    several, plan = len(results) > 1, results[0].plan
    corrected = plan.correction != "none" and any(len(result.pairs) > 1 for result in results)
    columns = [Column("metric", zh="指标")] * several
    columns += [Column("A", zh="系统甲"), Column("B", zh="系统乙")]
    columns += [Column("significant", zh="显著")]
    columns += [Column("A - B", "percent", zh="差")]
    columns += [Column("low", "percent", zh="下限"), Column("high", "percent", zh="上限")]
    columns += [Column("A better", "percent", 1, zh="甲胜率")]
    for test in plan.tests:
        columns.append(Column(f"{test} p", "p", 4, zh=f"{_TESTS[test].zh} p"))
        if corrected:
            columns.append(
                Column(f"{test} {plan.correction}", "p", 4, zh=f"{_TESTS[test].zh}校正后 p")
            )
    rows: list[tuple[Value, ...]] = []
    for result in results:
        for pair in result.pairs:
            row: list[Value] = [*[result.metric] * several, pair.first, pair.second]
            row += [YES if pair.significant else NO, pair.difference]
            row += [pair.interval.low, pair.interval.high, pair.first_better]
            for test in plan.tests:
                row += [pair.p[test], *[pair.corrected[test]] * corrected]
            rows.append(tuple(row))
    title = Words("Pairs of systems", "两两比较")
    return Table("pairs", title, tuple(columns), tuple(rows))


def _matrix(result: Comparison) -> Table:
    """The corrected p of the main test for each pair."""
    columns = (Column("system", zh="系统"), *(Column(name, "p", 4) for name in result.ranked))
    rows = tuple((system, *row) for system, row in _rows(result, _p_value))
    title = Words(
        f"p of each pair by {result.metric}, {result.plan.main_test}, "
        f"{_CORRECTIONS[result.plan.correction].en}",
        f"各对系统的 p 值：{result.metric}，{_TESTS[result.plan.main_test].zh}，"
        f"{_CORRECTIONS[result.plan.correction].zh}",
    )
    return Table(f"p-{result.metric}", title, columns, rows)


Cell = Callable[[SystemPair, Test], float]


def _p_value(pair: SystemPair, test: Test) -> float:
    return pair.corrected[test]


def _rows(result: Comparison, value: Cell) -> Iterator[tuple[str, tuple[float | None, ...]]]:
    """Yield each system, the best first, with its values against all systems."""
    test = result.plan.main_test
    for system in result.ranked:
        yield (
            system,
            tuple(
                value(result.pair(system, other), test) if system != other else None
                for other in result.ranked
            ),
        )


def _number_significant(result: Comparison) -> Words:
    """How many pairs differ, in words."""
    number, total = sum(pair.significant for pair in result.pairs), len(result.pairs)
    return Words(
        f"{number} of {count_noun(total, 'pair', ' differs', ' differ')} significantly at "
        f"{result.plan.alpha:g}",
        f"{total} 对系统中有 {number} 对在 {result.plan.alpha:g} 水平上差异显著",
    )


def _p_figure(result: Comparison) -> Figure:
    plan, number = result.plan, _number_significant(result)
    correction, groups = _CORRECTIONS[plan.correction], Words("", "")
    if result.groups:
        names = "; ".join(", ".join(group) for group in result.groups)
        groups = Words(
            f"; groups without significant differences: {names}", f"；无显著差异的分组：{names}"
        )
    return _matrix_figure(
        result,
        "p",
        Words(
            f"p of the difference by {result.metric} ({plan.main_test}, {correction.en})",
            f"{result.metric} 差异的 p 值（{_TESTS[plan.main_test].zh}，{correction.zh}）",
        ),
        Words(
            f"Matrix of p for pairs of systems: {number.en}{groups.en}.",
            f"各对系统 p 值的矩阵：{number.zh}{groups.zh}。",
        ),
        _p_value,
    )


def _difference_figure(result: Comparison) -> Figure:
    best, worst, number = result.ranked[0], result.ranked[-1], _number_significant(result)
    widest = 100 * result.pair(best, worst).difference
    return _matrix_figure(
        result,
        "differences",
        Words(
            f"Difference by {result.metric}, row less column, in points",
            f"{result.metric} 之差（行减列，百分点）",
        ),
        Words(
            f"Matrix of differences between systems; the widest is {widest:.2f} points, "
            f"{best} less {worst}; {number.en}.",
            f"系统之间差值的矩阵；最大差值为 {best} 减 {worst}：{widest:.2f} 个百分点；"
            f"{number.zh}。",
        ),
        lambda pair, _: 100 * pair.difference,
    )


def _matrix_figure(
    result: Comparison,
    name: str,
    title: Words,
    alt: Words,
    value: Cell,
) -> Figure:
    """A matrix with a value for each pair of systems, the best first."""
    return Figure(
        name=f"compare-{result.metric}-{name}",
        kind="matrix",
        title=title,
        alt=alt,
        x_label=Words("system", "系统"),
        y_label=Words("system", "系统"),
        series=tuple(Series(system, result.ranked, row) for system, row in _rows(result, value)),
    )


def _interval_figure(result: Comparison) -> Figure:
    """The differences with their intervals, those that are significant apart.

    Of all pairs the better system less the worse, so that they can be read down the ranks.
    """
    pairs = result.pairs
    if result.plan.baseline is None and len(result.ranked) > 2:
        pairs = tuple(result.pair(*names) for names in combinations(result.ranked, 2))
    first, level = pairs[0], f"{100 * result.plan.confidence:g}%"
    values = (
        f"{first.first} − {first.second}: {100 * first.difference:.2f} "
        f"[{100 * first.interval.low:.2f}, {100 * first.interval.high:.2f}]"
    )
    number = _number_significant(result)
    return Figure(
        name=f"compare-{result.metric}-intervals",
        kind="intervals",
        title=Words(
            f"Differences by {result.metric} with {level} intervals",
            f"{result.metric} 之差及其 {level} 区间",
        ),
        alt=Words(
            f"Differences of pairs with {level} intervals; {values}; {number.en}.",
            f"各对系统之差及其 {level} 区间；{values}；{number.zh}。",
        ),
        x_label=Words("pair of systems", "系统对"),
        y_label=Words("difference in points", "差值（百分点）"),
        series=tuple(
            _intervals(words, group)
            for words, significant in ((_SIGNIFICANT, True), (_NOT, False))
            if (group := [pair for pair in pairs if pair.significant == significant])
        ),
    )


def _intervals(name: Words, pairs: Sequence[SystemPair]) -> Series:
    return Series.of_shares(
        name,
        (f"{pair.first} − {pair.second}" for pair in pairs),
        (pair.difference for pair in pairs),
        (pair.interval.low for pair in pairs),
        (pair.interval.high for pair in pairs),
    )


def _data(result: Comparison) -> dict[str, object]:
    plan = data_of(result.plan) | {"deciding": result.plan.main_test}
    systems = [
        {"system": name, "value": result.values[name], "low": spread.low, "high": spread.high}
        for name in result.ranked
        for spread in (result.intervals[name],)
    ]
    pairs = [
        {
            "first": pair.first,
            "second": pair.second,
            "difference": pair.difference,
            "low": pair.interval.low,
            "high": pair.interval.high,
            **data_of(pair, "first", "second", "difference", "interval"),
        }
        for pair in result.pairs
    ]
    return {
        **data_of(result, "plan", "values", "intervals", "pairs", "groups"),
        "plan": plan,
        "systems": systems,
        "pairs": pairs,
        "groups": result.groups,
    }
