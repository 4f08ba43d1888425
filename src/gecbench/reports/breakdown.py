"""Scores by parts, as tables and figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gecbench.analysis.breakdown import NOWHERE, Breakdown, Cell
from gecbench.analysis.deciding import Deciding, Difference
from gecbench.analysis.dissection import FIELD, Dissection
from gecbench.reports.exhibit import Column, Exhibit, Table, Value
from gecbench.reports.figure import Figure, Series
from gecbench.reports.words import Words

_KINDS: Mapping[str, Words] = {
    "type-1": Words("operation", "编辑操作"),
    "type-2": Words("category", "错误类别"),
    "type-3": Words("type", "错误类型"),
    "position": Words("position in the sentence", "句中位置"),
    "length": Words("length", "句长"),
    "errors": Words("errors", "错误数"),
    "state": Words("state", "有无错误"),
}
_GROUPS: Mapping[str, Words] = {
    "erroneous": Words("erroneous", "有错误"),
    "disputed": Words("disputed", "有分歧"),
    "error-free": Words("error-free", "无错误"),
    "unannotatable": Words("unannotatable", "无法标注"),
    NOWHERE: Words(NOWHERE, "无位置"),
}
_SCALES: Mapping[str, str] = {"characters": "字", "tokens": "词元", "words": "词"}
_SHOWN = 15
"""Differences in the table; JSON has all."""
_NO_TEXT = Words("(known by edits only)", "（仅知其编辑）")
_UNITS: Mapping[str, str] = {"edits": "编辑数", "sentences": "句数"}


def exhibit(result: Dissection, *, counts: bool = False) -> Exhibit:
    """Return all breakdowns, the widest differences and the deciding sentences.

    Args:
        result: What was found.
        counts: Also a table with a row for each group and system: counts, precision and recall.
    """
    several = len({each.metric for each in result.breakdowns}) > 1
    names = _names(result.breakdowns, several=several)
    tables = [
        _table(each, name, result.systems)
        for each, name in zip(result.breakdowns, names, strict=True)
    ]
    for metric, pair in result.pairs.items():
        prefix = f"{_slug(metric)}-" if several else ""
        tables.append(_differences(result.differences[metric], f"{prefix}differences", pair))
        tables.append(_deciding(result.deciding[metric], f"{prefix}sentences", pair))
        tables.append(_texts(result.deciding[metric], f"{prefix}texts", pair))
    if counts:
        tables.append(_counts(result.breakdowns))
    return Exhibit(
        name="breakdown",
        title=Words("Where systems are good and bad", "各系统的强项与弱项"),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=tuple(
            figure(each, f"breakdown-{name}")
            for each, name in zip(result.breakdowns, names, strict=True)
        ),
        data=_data(result),
        notes=(*result.notes, *_pair_notes(result)),
        signatures=result.signatures,
    )


def figure(found: Breakdown, name: str) -> Figure:
    """Return a breakdown as grouped bars, in percent.

    Args:
        found: One breakdown.
        name: Of the figure.
    """
    kind, size = kind_words(found), found.unit
    groups = tuple(group_words(group) for group in found.groups)
    series = tuple(
        Series(system, groups, tuple(_percent(cell.value) for cell in cells))
        for system, cells in found.cells.items()
    )
    sizes = ", ".join(f"{g} {n}" for g, n in zip(found.groups, found.sizes, strict=True))
    sizes_zh = "，".join(
        f"{group_words(g).zh} {n}" for g, n in zip(found.groups, found.sizes, strict=True)
    )
    said = [_extremes(system, found) for system in found.cells]
    return Figure(
        name=name,
        kind="bars",
        title=Words(f"{found.metric} by {kind.en}", f"按{kind.zh}划分的 {found.metric}"),
        alt=Words(
            f"Bars: {found.metric} of each system by {kind.en}. "
            + " ".join(one.en for one in said)
            + f" Number of {size}: {sizes}.",
            f"柱状图：各系统按{kind.zh}划分的 {found.metric}。"
            + "".join(one.zh for one in said)
            + f"{_UNITS[size]}：{sizes_zh}。",
        ),
        x_label=kind,
        y_label=Words(f"{found.metric} (percent)", f"{found.metric}（%）"),
        series=series,
    )


def kind_words(found: Breakdown) -> Words:
    """Return what the groups of a breakdown are, with their unit."""
    if found.by.startswith(FIELD):
        name = found.by.removeprefix(FIELD)
        return Words(name, f"“{name}”")
    words = _KINDS[found.by]
    if not found.scale:
        return words
    return Words(f"{words.en} in {found.scale}", f"{words.zh}（{_SCALES[found.scale]}）")


def group_words(group: str) -> Words:
    """Return the name of a group in both languages."""
    return _GROUPS.get(group, Words(group, group))


def _cell_of(group: str) -> str | Words:
    """Return the name of a group for a table."""
    return _GROUPS.get(group, group)


def _kind_of(by: str) -> str | Words:
    """Return what groups are, for a table, by the name that `--by` has for it in English."""
    if by.startswith(FIELD):
        return Words(by, f"“{by.removeprefix(FIELD)}”")
    return Words(by, _KINDS[by].zh)


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _extremes(system: str, found: Breakdown) -> Words:
    """Return the highest and the lowest group of a system, in words."""
    cells = zip(found.groups, found.cells[system], strict=True)
    known = [(cell.value, group) for group, cell in cells if cell.value is not None]
    if not known:
        return Words(f"{system}: nothing to score.", f"{system}：无可评分项。")
    (high, top), (low, bottom) = max(known), min(known)
    return Words(
        f"{system}: highest {100 * high:.2f} at {top}, lowest {100 * low:.2f} at {bottom}.",
        f"{system}：最高 {100 * high:.2f}（{group_words(top).zh}），"
        f"最低 {100 * low:.2f}（{group_words(bottom).zh}）。",
    )


def _names(found: Sequence[Breakdown], *, several: bool) -> list[str]:
    """Return a name for each table and figure; names of fields that would be alike get numbers."""
    names: list[str] = []
    for each in found:
        name = f"{_slug(each.metric)}-{_slug(each.by)}" if several else _slug(each.by)
        number = 2
        made = name
        while made in names:
            made, number = f"{name}-{number}", number + 1
        names.append(made)
    return names


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-") or "other"


def _table(found: Breakdown, name: str, systems: Sequence[str]) -> Table:
    kind = kind_words(found)
    rows: list[tuple[Value, ...]] = []
    marks: set[tuple[int, int]] = set()
    for at, (group, size) in enumerate(zip(found.groups, found.sizes, strict=True)):
        values = [found.cells[system][at].value for system in systems]
        rows.append((_cell_of(group), size, *values))
        known = [value for value in values if value is not None]
        if len(set(known)) > 1:
            best = max(known) if found.higher_is_better else min(known)
            marks |= {(at, 2 + n) for n, value in enumerate(values) if value == best}
    return Table(
        name,
        Words(f"{found.metric} by {kind.en}", f"按{kind.zh}划分的 {found.metric}"),
        (
            Column(kind.en, zh=kind.zh),
            Column(found.unit, "count", zh=_UNITS[found.unit]),
            *(Column(system, "percent") for system in systems),
        ),
        tuple(rows),
        frozenset(marks),
    )


def _differences(found: Sequence[Difference], name: str, pair: tuple[str, str]) -> Table:
    one, two = pair
    rows = tuple(
        (
            *(_kind_of(each.by), _cell_of(each.group), each.size),
            *(each.one, each.two, each.by_how_much),
        )
        for each in found[:_SHOWN]
    )
    cut = len(found) > _SHOWN
    return Table(
        name,
        Words(
            f"Where {one} and {two} differ most" + f" ({_SHOWN} of {len(found)} groups)" * cut,
            f"{one} 与 {two} 差别最大之处" + f"（{len(found)} 组中的 {_SHOWN} 组）" * cut,
        ),
        (
            Column("groups", zh="划分"),
            Column("group", zh="组"),
            Column("size", "count", zh="大小"),
            Column(one, "percent"),
            Column(two, "percent"),
            Column("difference", "percent", zh="差"),
        ),
        rows,
    )


def _deciding(found: Sequence[Deciding], name: str, pair: tuple[str, str]) -> Table:
    return Table(
        name,
        Words(
            f"Sentences that decide the difference of {pair[0]} and {pair[1]}",
            f"决定 {pair[0]} 与 {pair[1]} 差别的句子",
        ),
        (Column("id", zh="编号"), Column("contribution", "percent", 4, zh="贡献")),
        tuple((each.id, each.contribution) for each in found),
    )


def _texts(found: Sequence[Deciding], name: str, pair: tuple[str, str]) -> Table:
    """Return a row for each text; they are too long to stand side by side."""
    rows: list[tuple[Value, ...]] = []
    for each in found:
        rows.append((each.id, Words("source", "原文"), each.source))
        texts: list[tuple[str | Words, str | None]]
        texts = [*zip(pair, (each.one, each.two), strict=True)]
        texts += [
            (Words(f"reference {n}", f"参考 {n}"), text)
            for n, text in enumerate(each.references, 1)
        ]
        rows += [(each.id, who, _NO_TEXT if text is None else text) for who, text in texts]
    return Table(
        name,
        Words("Their texts", "这些句子的文本"),
        (Column("id", zh="编号"), Column("who", zh="来源"), Column("text", zh="文本")),
        tuple(rows),
    )


def _counts(found: Sequence[Breakdown]) -> Table:
    rows = [
        (each.metric, _kind_of(each.by), _cell_of(group), system, size, *_numbers(cells[at]))
        for each in found
        for at, (group, size) in enumerate(zip(each.groups, each.sizes, strict=True))
        for system, cells in each.cells.items()
    ]
    return Table(
        "counts",
        Words("All groups with counts", "各组计数"),
        (
            Column("metric", zh="指标"),
            Column("groups", zh="划分"),
            Column("group", zh="组"),
            Column("system", zh="系统"),
            Column("size", "count", zh="大小"),
            Column("TP", "count"),
            Column("FP", "count"),
            Column("FN", "count"),
            Column("P", "percent"),
            Column("R", "percent"),
            Column("value", "percent", zh="分数"),
        ),
        tuple(rows),
    )


def _numbers(cell: Cell) -> tuple[Value, ...]:
    counts = cell.counts
    if counts is None or cell.value is None:
        return (None, None, None, None, None, cell.value)
    return (counts.tp, counts.fp, counts.fn, counts.precision, counts.recall, cell.value)


def _pair_notes(result: Dissection) -> Iterator[str]:
    for metric, (one, two) in result.pairs.items():
        yield (
            f"{metric}: {one} is set against {two}; a sentence's contribution is what the "
            "difference of the two scores is with it, less what it is without it, the choice of "
            "references held"
        )


def _cell(cell: Cell) -> dict[str, object]:
    made: dict[str, object] = {"value": cell.value}
    if cell.counts is not None:
        made |= {"tp": cell.counts.tp, "fp": cell.counts.fp, "fn": cell.counts.fn}
    return made


def _data(result: Dissection) -> dict[str, object]:
    return {
        "systems": list(result.systems),
        "breakdowns": [
            {
                "by": each.by,
                "metric": each.metric,
                "unit": each.unit,
                "scale": each.scale or None,
                "groups": list(each.groups),
                "sizes": list(each.sizes),
                "cells": {name: list(map(_cell, cells)) for name, cells in each.cells.items()},
            }
            for each in result.breakdowns
        ],
        "comparisons": [
            {
                "metric": metric,
                "between": list(pair),
                "differences": [
                    {"by": each.by, "group": each.group, "size": each.size, "unit": each.unit}
                    | {"values": [each.one, each.two], "difference": each.by_how_much}
                    for each in result.differences[metric]
                ],
                "sentences": [
                    {"id": each.id, "contribution": each.contribution, "source": each.source}
                    | {"outputs": [each.one, each.two], "references": list(each.references)}
                    for each in result.deciding[metric]
                ],
            }
            for metric, pair in result.pairs.items()
        ],
    }
