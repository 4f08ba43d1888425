"""The correlations of metrics as a table, matrices and scatter plots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gecbench.analysis.correlation import (
    COEFFICIENT_KINDS,
    Coefficient,
    CoefficientKind,
    Correlations,
    MetricPair,
)
from gecbench.analysis.meta import SystemLevel
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    data_of,
    join_texts,
    translate,
)

NAMES: dict[CoefficientKind, Words] = {
    "pearson": translate("Pearson's r"),
    "spearman": translate("Spearman's rho"),
    "kendall": translate("Kendall's tau-b"),
}


def build_report(result: Correlations) -> Report:
    """Show the correlations of metrics."""
    scores = result.scores
    return Report(
        name="correlation",
        title=translate("Do metrics agree over systems?"),
        corpus=scores.corpus,
        tables=(_coefficients(result), _scores(result)),
        figures=(
            *(_matrix(result, kind) for kind in COEFFICIENT_KINDS),
            *(_scatter(result, pair) for pair in result.pairs),
        ),
        data={
            "systems": scores.systems,
            "oriented": result.oriented,
            "metrics": [
                {"metric": name, "lower_is_better": name in scores.lower, "values": values}
                for name, values in scores.metrics.items()
            ],
            "pairs": [with_coefficients(pair) for pair in result.pairs],
        },
        notes=(*result.notes, f"over {len(scores.systems)} systems; p is two-sided"),
        signatures=scores.signatures,
    )


COEFFICIENT_COLUMNS = tuple(
    column
    for kind in COEFFICIENT_KINDS
    for column in (Column(kind, "number", 4), Column.of("{kind} p", "p", 4, kind=kind))
)


def coefficient_cells(coefficients: Mapping[CoefficientKind, Coefficient]) -> list[Value]:
    """The cells of `COEFFICIENT_COLUMNS`."""
    return [
        value
        for kind in COEFFICIENT_KINDS
        for value in (coefficients[kind].value, coefficients[kind].p)
    ]


def with_coefficients(result: MetricPair | SystemLevel) -> dict[str, object]:
    """The fields of a result, with each coefficient as one of them."""
    return data_of(result, "coefficients") | {**result.coefficients}


def _coefficients(result: Correlations) -> Table:
    return Table(
        "coefficients",
        translate("Correlations of metrics over systems"),
        (Column.of("metric|A"), Column.of("metric|B"), *COEFFICIENT_COLUMNS),
        tuple(
            (pair.first, pair.second, *coefficient_cells(pair.coefficients))
            for pair in result.pairs
        ),
    )


def _scores(result: Correlations) -> Table:
    scores = result.scores
    columns = (Column.of("system"), *(Column(name, "number", 4) for name in scores.metrics))
    rows = zip(scores.systems, *scores.metrics.values(), strict=True)
    return Table("scores", translate("Scores"), columns, tuple(rows))


def _matrix(result: Correlations, kind: CoefficientKind) -> Figure:
    names = tuple(result.scores.metrics)
    values = [
        f"{pair.first} – {pair.second} {value:.3f}"
        for pair in result.pairs
        if (value := pair.coefficients[kind].value) is not None
    ]
    size = len(result.scores.systems)
    return Figure.of(
        f"correlation-{kind}",
        "matrix",
        title="{coefficient} between metrics over {size} systems",
        alt="Matrix of {coefficient}: {values}.",
        x="metric",
        y="metric",
        series=(
            Series(
                metric,
                names,
                tuple(
                    None if metric == other else result.of(metric, other).coefficients[kind].value
                    for other in names
                ),
            )
            for metric in names
        ),
        coefficient=NAMES[kind],
        size=size,
        values=join_texts(values, "; ") if values else translate("no pair has one"),
    )


def _scatter(result: Correlations, pair: MetricPair) -> Figure:
    scores, pearson = result.scores, pair.coefficients["pearson"]
    words = translate("no correlation can be computed")
    if pearson.value is not None and pearson.p is not None:
        numbers = f"r = {pearson.value:.3f} (p = {pearson.p:.4f})"
        words = translate("Pearson's {numbers}", numbers=numbers)
    x, y = scores.metrics[pair.first], scores.metrics[pair.second]
    short = slugs(scores.metrics)
    return Figure.of(
        f"correlation-{short[pair.first]}-{short[pair.second]}",
        "points",
        title="{second} against {first}",
        alt="Scatter of {count} systems by two metrics: {words}.",
        x=Words(pair.first, pair.first),
        y=Words(pair.second, pair.second),
        series=(Series(translate("systems"), x, y, labels=scores.systems),),
        second=pair.second,
        first=pair.first,
        count=len(x),
        words=words,
    )


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Make names as files and anchors have them, each its own: a-z, digits, hyphens.

    >>> slugs(["Acc_sen", "acc sen", "准确率"])
    {'Acc_sen': 'acc-sen', 'acc sen': 'acc-sen-2', '准确率': '3'}
    """
    slugs: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        short = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
        slugs[name] = f"{short}-{number}".strip("-") if short in {"", *slugs.values()} else short
    return slugs
