"""References as tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gecbench.analysis.references import Curve, References
from gecbench.reports.report import (
    Category,
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

_BY = "references"


def build_report(result: References, *, page: bool = False) -> Report:
    """Show statistics, distribution and curves.

    Args:
        result: What was found.
        page: As the report page has them: bars lead to the sentences with as many references.
    """
    tables = [_statistics(result), _distribution(result)]
    bars = distribution_figure(result)
    if page:
        numbers = [(k, count) for k, count in result.everywhere.items() if k]
        bars = replace(
            bars,
            categories=tuple(
                Category(Words(str(k), str(k)), None, count, {"group": f"{_BY}:{k}"})
                for k, count in numbers
            ),
        )
    figures = [bars]
    for metric in dict.fromkeys(curve.metric for curve in result.curves):
        curves = [curve for curve in result.curves if curve.metric == metric]
        tables.append(_curves(metric, curves))
        figures.append(curve_figure(metric, curves))
    return Report(
        name="references",
        title=translate("References, and how their number affects the scores"),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        data=_data(result),
        notes=result.notes,
        signatures=result.signatures,
    )


def sentence_group(numbers: Sequence[int]) -> Mapping[str, object]:
    """The sentences by their number of references, as the page's filter has them."""
    names = sorted({number for number in numbers if number})
    places = {number: at for at, number in enumerate(names)}
    title = translate("references")
    return {
        "by": _BY,
        "title": {"en": title.en, "zh": title.zh},
        "names": [str(name) for name in names],
        "words": [{"en": str(name), "zh": str(name)} for name in names],
        "members": [places.get(number, -1) for number in numbers],
    }


def distribution_figure(result: References) -> Figure:
    """The share of sentences with each number of references, MuCGEC's figure 1."""
    numbers = [k for k in result.everywhere if k]
    series, alt = [], []
    for name, counts in (
        (translate("all sentences"), result.everywhere),
        (translate("sentences with errors"), result.erroneous),
    ):
        whole = sum(count for k, count in counts.items() if k)
        shares = tuple(100 * counts.get(k, 0) / whole if whole else 0.0 for k in numbers)
        series.append(Series(name, tuple(map(str, numbers)), shares))
        pairs = join_texts(f"{k}: {share:.1f}%" for k, share in zip(numbers, shares, strict=True))
        alt.append(translate("{name}: {pairs}", name=name, pairs=pairs))
    values = join_texts(alt, "; ")
    return Figure.of(
        "references-distribution",
        "bars",
        title="References per sentence",
        alt="Bars: share of sentences by their number of references. {values}.",
        x="references",
        y="sentences (percent)",
        series=series,
        values=values,
    )


def curve_figure(metric: str, curves: list[Curve]) -> Figure:
    """Score against the number of references, MuCGEC's figure 3.

    Args:
        metric: Name of the metric.
        curves: Of this metric, a system each.
    """
    series, alt = [], []
    for curve in curves:
        points = curve.points
        spread = any(point.low < point.high for point in points)
        low = [point.low for point in points] if spread else []
        high = [point.high for point in points] if spread else []
        means = [point.mean for point in points]
        series.append(Series.of_shares(curve.system, [p.k for p in points], means, low, high))
        first, last = points[0], points[-1]
        start, end = f"{100 * first.mean:.2f}", f"{100 * last.mean:.2f}"
        alt.append(
            translate(
                "{system} {start} with {k}, {end} with {last}",
                system=curve.system,
                start=start,
                k=first.k,
                end=end,
                last=last.k,
            )
        )
    values = join_texts(alt, "; ")
    return Figure.of(
        f"references-{metric}",
        "lines",
        title="{metric} against the number of references",
        alt="Lines: {metric} in percent against the greatest number of references a sentence "
        "has. {values}.",
        x="references of a sentence, at most",
        y="{metric} (percent)",
        series=series,
        metric=metric,
        values=values,
    )


def _statistics(result: References) -> Table:
    names = {"all": translate("all"), "(empty)": translate("(empty)")}
    return Table.of(
        "statistics",
        translate("Sentences and references"),
        result.statistics,
        (Column.of("part", key="sentences of"), lambda part: names.get(part.name, part.name)),
        (Column.of("sentences", "count"), lambda part: part.sentences),
        (Column.of("left out", "count", key="discarded"), lambda part: part.discarded),
        (Column.of("number|erroneous", "count"), lambda part: part.erroneous),
        (
            Column.of("erroneous (%)", "percent", 1),
            lambda part: part.erroneous / part.sentences if part.sentences else None,
        ),
        (
            Column.of("characters per sentence", "number", 1, key="characters"),
            lambda part: part.characters,
        ),
        (Column.of("edits per reference", "number", 1), lambda part: part.edits),
        (
            Column.of("references per sentence", "number", 1, key="references"),
            lambda part: part.references,
        ),
        (
            Column.of("different ones per sentence", "number", 1, key="different"),
            lambda part: part.distinct,
        ),
    )


def _distribution(result: References) -> Table:
    whole = sum(count for k, count in result.everywhere.items() if k)
    erroneous = sum(result.erroneous.values())
    rows: list[tuple[Value, ...]] = []
    for k, count in result.everywhere.items():
        wrong = result.erroneous.get(k, 0)
        shares = (count / whole, wrong / erroneous if erroneous else None) if k else (None, None)
        rows.append((str(k), count, shares[0], wrong, shares[1]))
    return Table(
        "distribution",
        translate("References per sentence"),
        (
            Column.of("references"),
            Column.of("sentences", "count"),
            Column.of("of all (%)", "percent", 1),
            Column.of("number|erroneous", "count"),
            Column.of("of erroneous (%)", "percent", 1),
        ),
        tuple(rows),
    )


def _curves(metric: str, curves: list[Curve]) -> Table:
    spread = any(p.low < p.high for curve in curves for p in curve.points)
    bounds = (Column.of("lowest", "percent"), Column.of("highest", "percent"))
    rows: list[tuple[Value, ...]] = []
    for curve in curves:
        for point in curve.points:
            values = (point.mean, point.low, point.high) if spread else (point.mean,)
            sizes = (point.subsets, point.of, point.cut)
            rows.append((curve.system, str(point.k), *values, *sizes))
    return Table(
        metric,
        translate("{metric} by number of references", metric=metric),
        (
            Column.of("system"),
            Column.of("at most"),
            Column(metric, "percent"),
            *(bounds if spread else ()),
            Column.of("subsets", "count"),
            Column.of("of", "count"),
            Column.of("sentences with more", "count"),
        ),
        tuple(rows),
    )


def _data(result: References) -> dict[str, object]:
    data: dict[str, object] = {
        "statistics": result.statistics,
        "distribution": [
            {"references": k, "sentences": count, "erroneous": result.erroneous.get(k, 0)}
            for k, count in result.everywhere.items()
        ],
    }
    if result.curves:
        data["sweep"] = data_of(result.sweep) | {"sentences": result.sentences}
        data["curves"] = result.curves
    return data
