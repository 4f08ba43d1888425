"""The agreement of metrics with people, and with one another, as tables and figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from gecbench.analysis.correlation import (
    COEFFICIENT_KINDS,
    Coefficient,
    CoefficientKind,
    Correlations,
    MetricPair,
)
from gecbench.analysis.meta import MetaEvaluation, SentenceLevel, SystemLevel
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

_SHOWN: tuple[CoefficientKind, ...] = ("pearson", "spearman")
"""The coefficients of windows, as SEEDA has them."""


def build_report(result: MetaEvaluation) -> Report:
    """Show the agreement of metrics with people."""
    tables = [_systems(result)] if result.systems else []
    tables += [_sentences(result)] if result.sentences else []
    tables += [_windows(result)] if result.windows else []
    return Report(
        name="meta",
        title=translate("Do metrics agree with people?"),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=(*_scatters(result), *_window_figures(result), *_sentence_figures(result)),
        data={
            "system_level": [with_coefficients(level) for level in result.systems],
            "sentence_level": result.sentences,
            "windows": [with_coefficients(level) for level in result.windows],
        },
        notes=result.notes,
        signatures=result.signatures,
    )


def _systems(result: MetaEvaluation) -> Table:
    columns = (
        Column.of("metric"),
        Column.of("human"),
        Column.of("set"),
        Column.of("number|systems", "count"),
        *COEFFICIENT_COLUMNS,
    )
    rows = tuple(
        (o.metric, o.human, o.set, len(o.systems), *coefficient_cells(o.coefficients))
        for o in result.systems
    )
    return Table("systems", translate("System level"), columns, rows)


def _sentences(result: MetaEvaluation) -> Table:
    return Table.of(
        "sentences",
        translate(
            "Sentence level; a tie of the metric: official, the second name is better; fair, half"
        ),
        result.sentences,
        (Column.of("metric"), lambda o: o.metric),
        (Column.of("judgments"), lambda o: o.judgments),
        (Column.of("set"), lambda o: o.set),
        (Column.of("pairs", "count"), lambda o: o.pairs),
        (Column.of("metric ties", "count"), lambda o: o.metric_ties.first + o.metric_ties.second),
        (Column.of("official accuracy", "percent"), lambda o: o.official.accuracy),
        (Column.of("official kendall", "number", 4), lambda o: o.official.kendall),
        (Column.of("fair accuracy", "percent"), lambda o: o.fair.accuracy),
        (Column.of("fair kendall", "number", 4), lambda o: o.fair.kendall),
        (Column.of("human ties", "count"), lambda o: o.human_ties),
    )


def _windows(result: MetaEvaluation) -> Table:
    columns = [Column.of("metric"), Column.of("human")]
    columns += [Column.of("from"), Column.of("to")]
    columns += [Column.of("number|systems", "count"), Column.of("first", "count")]
    columns += [Column(kind, "number", 4) for kind in _SHOWN]
    rows = tuple(
        (
            *(window.metric, window.human, window.systems[0], window.systems[-1]),
            *(len(window.systems), rank),
            *(window.coefficients[kind].value for kind in _SHOWN),
        )
        for rank, window in _rank_windows(result.windows)
    )
    title = translate(
        "Windows of systems next to one another in people's order, set {set}",
        set=result.windows[0].set,
    )
    return Table("windows", title, tuple(columns), rows)


def _rank_windows(windows: Sequence[SystemLevel]) -> list[tuple[int, SystemLevel]]:
    """Each window with the rank of its best system among its series."""
    seen: Counter[tuple[str, str, int]] = Counter()
    ranks = []
    for window in windows:
        key = window.metric, window.human, len(window.systems)
        seen[key] += 1
        ranks.append((seen[key], window))
    return ranks


def _scatters(result: MetaEvaluation) -> list[Figure]:
    """A scatter of each metric against each way of judging, over all systems."""
    if result.scores is None or not result.human:
        return []
    scores, short = result.scores, slugs((*result.scores.metrics, *result.human))
    figures = []
    for metric, way in product(scores.metrics, result.human):
        people = result.human[way]
        values = dict(zip(scores.systems, scores.metrics[metric], strict=True))
        both = tuple(sorted(name for name in values if name in people))
        r = _pearson([o for o in result.systems if (o.metric, o.human) == (metric, way)])
        figures.append(
            Figure.of(
                f"meta-{short[metric]}-{short[way]}",
                "points",
                title="{metric} against people ({way})",
                alt="Scatter of {count} systems; {r}.",
                x="people's score ({way})",
                y="score by {metric}",
                series=(
                    Series(
                        translate("systems"),
                        tuple(people[name] for name in both),
                        tuple(values[name] for name in both),
                        labels=both,
                    ),
                ),
                metric=metric,
                way=way,
                count=len(both),
                r=r,
            )
        )
    return figures


def _pearson(levels: Sequence[SystemLevel]) -> Words:
    """Pearson's r of each set in words."""
    values = [
        f"{level.set} {value:.3f}"
        for level in levels
        if (value := level.coefficients["pearson"].value) is not None
    ]
    if not values:
        return translate("no correlation can be computed")
    return translate("Pearson's r by set of systems: {values}", values=join_texts(values))


def _window_figures(result: MetaEvaluation) -> list[Figure]:
    """A figure for each way of judging, size and coefficient, a line for each metric."""
    windows = _rank_windows(result.windows)
    ways = list(dict.fromkeys(window.human for window in result.windows))
    short, sizes = slugs(ways), sorted({len(window.systems) for window in result.windows})
    return [
        _window_figure(
            kind,
            (f"meta-window{size}-{short[way]}-{kind}", way, size),
            [(rank, o) for rank, o in windows if (o.human, len(o.systems)) == (way, size)],
        )
        for way, size, kind in product(ways, sizes, _SHOWN)
    ]


def _window_figure(
    kind: CoefficientKind, about: tuple[str, str, int], windows: Sequence[tuple[int, SystemLevel]]
) -> Figure:
    name, way, size = about
    lines: dict[str, list[tuple[int, float | None]]] = {}
    for rank, window in windows:
        lines.setdefault(window.metric, []).append((rank, window.coefficients[kind].value))
    spans = [
        f"{metric} {min(known):.3f}–{max(known):.3f}"
        for metric, points in lines.items()
        if (known := [value for _, value in points if value is not None])
    ]
    ranges = ", ".join(spans) or "-"
    return Figure.of(
        name,
        "lines",
        title="{coefficient} in windows of {size} systems ({way})",
        alt="{coefficient} in windows of {size} systems, lowest to highest: {ranges}.",
        x="rank of the window's best system",
        y=NAMES[kind],
        series=tuple(
            Series(metric, tuple(x for x, _ in points), tuple(y for _, y in points))
            for metric, points in lines.items()
        ),
        coefficient=NAMES[kind],
        size=size,
        way=way,
        ranges=ranges,
    )


def _sentence_figures(result: MetaEvaluation) -> list[Figure]:
    """The accuracies by metric for each file of rankings and set."""
    groups = dict.fromkeys((level.judgments, level.set) for level in result.sentences)
    short = slugs(f"{judgments} {group}" for judgments, group in groups)
    return [
        _sentence_figure(
            f"meta-sentences-{short[f'{judgments} {group}']}",
            [o for o in result.sentences if (o.judgments, o.set) == (judgments, group)],
        )
        for judgments, group in groups
    ]


def _sentence_figure(name: str, rows: Sequence[SentenceLevel]) -> Figure:
    first = rows[0]
    metrics = tuple(level.metric for level in rows)
    fair = [level.fair.accuracy for level in rows]
    official = [level.official.accuracy for level in rows]
    values = ", ".join(
        f"{metric} {100 * value:.1f}" for metric, value in zip(metrics, fair, strict=True) if value
    )
    about = f"{first.judgments}, {first.set}"
    return Figure.of(
        name,
        "bars",
        title="Accuracy over pairs of sentences ({about})",
        alt="Bars of accuracy in percent, ties counting half: {values}.",
        x="metric",
        y="accuracy in percent",
        series=(
            Series.of_shares(translate('official: ties are "the second"'), metrics, official),
            Series.of_shares(translate("fair: ties are half"), metrics, fair),
        ),
        about=about,
        values=values or "-",
    )


# The correlations of metrics with one another: a table, matrices and scatter plots.


def build_correlation_report(result: Correlations) -> Report:
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
