"""The tests of significance as tables, matrices and intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import combinations

from gecbench.analysis.options import Test
from gecbench.analysis.significance import Comparison, SystemPair
from gecbench.core.errors import Message, count_noun
from gecbench.reports.report import (
    NO,
    YES,
    Column,
    Figure,
    Filters,
    Report,
    Series,
    Table,
    Value,
    Words,
    data_of,
    translate,
)

_CORRECTIONS = {
    "none": translate("not corrected"),
    "holm": translate("corrected by Holm"),
    "bh": translate("corrected by Benjamini and Hochberg"),
}
_SHORT_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg"}
_P = Column("p", "p", 3)
_SHOWN = 0.001
"""A smaller p is shown as below this."""
_SIGNIFICANT = translate("significant")
_NOT = translate("not significant")


def build_report(
    corpus: str,
    results: Sequence[Comparison],
    notes: Sequence[str] = (),
    *,
    page: bool = False,
    unchanged: Set[str] = frozenset(),
) -> Report:
    """Show comparisons by one or more metrics.

    Args:
        corpus: Name of the data.
        results: One for each metric, at least one.
        notes: What the reader should know.
        page: As the report page has them: pairs with the better system first, in the order of
            their ranks.
        unchanged: Names of the systems that make no edits, which stand last on the page.
    """
    pairs = [_ranked_pairs(result, unchanged) if page else result.pairs for result in results]
    tables = [_systems(results), _pairs(results, pairs)]
    figures: list[Figure] = []
    for result in results:
        if len(result.values) > 2 and result.plan.baseline is None:
            tables.append(_matrix(result))
            figures += [_p_figure(result), _difference_figure(result)]
        figures.append(_interval_figure(result))
    return Report(
        name="compare",
        title=translate("Are differences between systems significant?"),
        corpus=corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        data={"metrics": list(map(_values, results))},
        notes=(*notes, *map(_about, results[:1])),
        signatures=tuple(result.signature for result in results),
    )


def _about(result: Comparison) -> str:
    plan = result.plan
    tests: str = Message(plan.tests[0])
    decides: str = ""
    if len(plan.tests) > 1:
        tests = Message("{first} and {second}", first=tests, second=Message(plan.tests[1]))
        decides = Message("; significance is decided by {test}", test=Message(plan.main_test))
    corrected: str = ""
    if len(result.pairs) > 1:
        corrected = Message(
            "{correction} for {pairs} comparisons; ",
            correction=Message(_CORRECTIONS[plan.correction].en),
            pairs=len(result.pairs),
        )
    return Message(
        "{tests}, two-sided, {resamples} resamples, seed {seed}; {corrected}significant at "
        "{alpha:g}{decides}; {confidence:g}% percentile intervals of the paired bootstrap",
        tests=tests,
        resamples=plan.resamples,
        seed=plan.seed,
        corrected=corrected,
        alpha=plan.alpha,
        decides=decides,
        confidence=100 * plan.confidence,
    )


def _systems(results: Sequence[Comparison]) -> Table:
    """The scores, the best system first, with their groups."""
    several, grouped = len(results) > 1, any(result.groups for result in results)
    rows: list[tuple[Value, ...]] = []
    for result in results:
        shared = result.letters
        for name in result.ranked:
            spread = result.intervals[name]
            words = [result.metric] * several + [name] + [shared[name]] * grouped
            rows.append((*words, result.values[name], spread.low, spread.high))
    columns = [Column.of("metric")] * several + [Column.of("system")]
    columns += [Column.of("groups")] * grouped
    columns += [Column.of("score", "percent")]
    columns += [Column.of("low", "percent"), Column.of("high", "percent")]
    title = translate("Scores; systems that share a letter do not differ significantly")
    if not grouped:
        title = translate("Scores")
    return Table("systems", title, tuple(columns), tuple(rows))


def _ranked_pairs(result: Comparison, unchanged: Set[str]) -> Sequence[SystemPair]:
    """The pairs with the better system first, best pairs first; those without edits last."""
    if result.plan.baseline is not None:
        return result.pairs
    names = sorted(result.ranked, key=lambda name: name in unchanged)
    return [result.pair(*pair) for pair in combinations(names, 2)]


def _pairs(results: Sequence[Comparison], pairs: Sequence[Sequence[SystemPair]]) -> Table:
    """A row for each pair of systems and metric."""
    several, plan = len(results) > 1, results[0].plan
    corrected = plan.correction != "none" and any(len(result.pairs) > 1 for result in results)
    columns = [Column.of("metric")] * several
    columns += [Column.of("A"), Column.of("B")]
    columns += [Column.of("significant")]
    columns += [Column.of("A - B", "percent")]
    columns += [Column.of("low", "percent"), Column.of("high", "percent")]
    columns += [Column.of("A better (% of resamples)", "percent", 1, key="A better")]
    for test in plan.tests:
        columns.append(Column.of("{test} p", "p", 3, test=translate(test)))
        if corrected:
            columns.append(
                Column.of(
                    "{test} p, {correction}",
                    "p",
                    3,
                    key=f"{test} {plan.correction}",
                    test=translate(test),
                    correction=_SHORT_CORRECTIONS[plan.correction],
                )
            )
    rows: list[tuple[Value, ...]] = []
    filters: dict[tuple[int, int], Filters] = {}
    for result, of_result in zip(results, pairs, strict=True):
        for pair in of_result:
            filters[len(rows), several + 3] = {"a": pair.first, "b": pair.second}
            row: list[Value] = [*[result.metric] * several, pair.first, pair.second]
            row += [YES if pair.significant else NO, pair.difference]
            row += [pair.interval.low, pair.interval.high, pair.first_better]
            for test in plan.tests:
                row += [pair.p[test], *[pair.corrected[test]] * corrected]
            rows.append(tuple(row))
    title = translate("Pairs of systems")
    return Table("pairs", title, tuple(columns), tuple(rows), filters=filters)


def _matrix(result: Comparison) -> Table:
    """The corrected p of the main test for each pair."""
    columns = (Column.of("system"), *(Column(name, "p", 3) for name in result.ranked))
    rows = tuple((system, *row) for system, row in _rows(result, _p_value))
    title = translate(
        "p of each pair by {metric}, {test}, {correction}",
        metric=result.metric,
        test=translate(result.plan.main_test),
        correction=_CORRECTIONS[result.plan.correction],
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
    return translate(
        "{number} of {pairs} significantly at {alpha:g}",
        number=number,
        pairs=count_noun(total, "pair", " differs", " differ"),
        alpha=result.plan.alpha,
        total=total,
    )


def _p_figure(result: Comparison) -> Figure:
    plan, number, groups = result.plan, _number_significant(result), Words("", "")
    if result.groups:
        names = Words(
            "; ".join(", ".join(group) for group in result.groups),
            "；".join("、".join(group) for group in result.groups),
        )
        groups = translate("; groups without significant differences: {names}", names=names)
    floor = _floor(result)
    groups = Words(groups.en + floor.en, groups.zh + floor.zh)
    return _matrix_figure(
        result,
        "p",
        translate(
            "p-values of differences in {metric} ({test}, {correction})",
            metric=result.metric,
            test=translate(plan.main_test),
            correction=_CORRECTIONS[plan.correction],
        ),
        translate(
            "Matrix of p for pairs of systems: {number}{groups}.", number=number, groups=groups
        ),
        _p_value,
        lambda p: "" if p is None else _P.format(p),
    )


def _floor(result: Comparison) -> Words:
    """The smallest p that Holm's correction leaves, where more resamples would show a smaller."""
    plan, pairs = result.plan, len(result.pairs)
    least = pairs / (plan.resamples + 1)
    if plan.correction != "holm" or least < _SHOWN:
        return Words("", "")
    return translate(
        "; with {resamples} resamples and {pairs} pairs corrected by Holm no p is below "
        "{least:.3f}",
        resamples=plan.resamples,
        pairs=pairs,
        least=min(1.0, least),
    )


def _difference_figure(result: Comparison) -> Figure:
    best, worst, number = result.ranked[0], result.ranked[-1], _number_significant(result)
    widest = 100 * result.pair(best, worst).difference
    return _matrix_figure(
        result,
        "differences",
        translate("Difference in {metric}, row minus column (points)", metric=result.metric),
        translate(
            "Matrix of differences between systems; the widest is {widest:.2f} points, "
            "{best} minus {worst}; {number}.",
            widest=widest,
            best=best,
            worst=worst,
            number=number,
        ),
        lambda pair, _: 100 * pair.difference,
    )


def _matrix_figure(
    result: Comparison,
    name: str,
    title: Words,
    alt: Words,
    value: Cell,
    cell: Callable[[float | None], str] | None = None,
) -> Figure:
    """A matrix with a value for each pair of systems, the best first; `cell` writes the values."""
    return Figure.of(
        f"compare-{result.metric}-{name}",
        "matrix",
        title=title,
        alt=alt,
        x="system",
        y="system",
        series=tuple(
            Series(system, result.ranked, row, labels=tuple(map(cell, row)) if cell else ())
            for system, row in _rows(result, value)
        ),
    )


def _interval_figure(result: Comparison) -> Figure:
    """The differences with their intervals, those that are significant apart.

    Of all pairs the better system less the worse, so that they can be read down the ranks.
    """
    pairs = result.pairs
    if result.plan.baseline is None and len(result.ranked) > 2:
        pairs = tuple(result.pair(*names) for names in combinations(result.ranked, 2))
    first, level = pairs[0], f"{100 * result.plan.confidence:g}%"
    values = translate(
        "{name}: {value}",
        name=f"{first.first} − {first.second}",
        value=f"{100 * first.difference:.2f} "
        f"[{100 * first.interval.low:.2f}, {100 * first.interval.high:.2f}]",
    )
    number = _number_significant(result)
    return Figure.of(
        f"compare-{result.metric}-intervals",
        "intervals",
        title="Differences in {metric} with {level} intervals",
        alt="Differences of pairs with {level} intervals; {values}; {number}.",
        x="pair of systems",
        y="difference in points",
        series=tuple(
            _intervals(words, group)
            for words, significant in ((_SIGNIFICANT, True), (_NOT, False))
            if (group := [pair for pair in pairs if pair.significant == significant])
        ),
        metric=result.metric,
        level=level,
        values=values,
        number=number,
    )


def _intervals(name: Words, pairs: Sequence[SystemPair]) -> Series:
    return Series.of_shares(
        name,
        (f"{pair.first} − {pair.second}" for pair in pairs),
        (pair.difference for pair in pairs),
        (pair.interval.low for pair in pairs),
        (pair.interval.high for pair in pairs),
    )


def _values(result: Comparison) -> dict[str, object]:
    """The comparisons by one metric, the best system first; the plan says which test decides."""
    return {
        "metric": result.metric,
        "signature": result.signature,
        "higher_is_better": result.higher_is_better,
        "sentences": result.sentences,
        "plan": data_of(result.plan) | {"deciding": result.plan.main_test},
        "systems": [
            {"system": name, "value": result.values[name], "low": ends.low, "high": ends.high}
            for name in result.ranked
            for ends in (result.intervals[name],)
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": pair.difference,
                "low": pair.interval.low,
                "high": pair.interval.high,
                "first_better": pair.first_better,
                "p": pair.p,
                "corrected": pair.corrected,
                "significant": pair.significant,
            }
            for pair in result.pairs
        ],
        "groups": result.groups,
    }
