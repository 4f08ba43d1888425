"""Scores by parts, as tables and figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

from gecbench.analysis.breakdown import NOWHERE, Breakdown, Breakdowns, Cell, PairDifferences
from gecbench.analysis.options import FIELD, OF_EDITS
from gecbench.core.errors import Message
from gecbench.core.score import best_places
from gecbench.reports.report import (
    COUNT_COLUMNS,
    NO_CATEGORY,
    Category,
    Column,
    Figure,
    Filters,
    Report,
    Series,
    Table,
    Value,
    Words,
    are_errant_types,
    count_cells,
    data_of,
    join_texts,
    translate,
    type_words,
)

_KINDS: Mapping[str, Words] = {
    "type-1": translate("operation"),
    "type-2": translate("category"),
    "type-3": translate("type"),
    "position": translate("position in the sentence"),
    "length": translate("length"),
    "errors": translate("errors"),
    "state": translate("state"),
}
_TITLE_KINDS: Mapping[str, Words] = {
    "errors": translate("number of errors"),
    "state": translate("whether the sentence has errors"),
}
_GROUPS: Mapping[str, Words] = {
    group: translate(group)
    for group in ("erroneous", "disputed", "error-free", "unannotatable", NOWHERE)
}
_NO_CATEGORY = type_words(NO_CATEGORY, errant=True)
_SHOWN = 15
"""Differences in the table; JSON has all."""
_NO_TEXT = translate("(known by edits only)")


def build_report(result: Breakdowns, *, counts: bool = False, page: bool = False) -> Report:
    """Show all breakdowns, the widest differences and the sentences that do most to them.

    Args:
        result: What was found.
        counts: Also a table with a row for each group and system: counts, precision and recall.
        page: As the report page has them: types in words beside their labels, with the number of
            their edits in figures, false edits in sentences without errors, and links to the
            sentences of each group.
    """
    several = len({breakdown.metric for breakdown in result.breakdowns}) > 1
    names = _names(result.breakdowns, several=several)
    errant = are_errant_types(_types(result.breakdowns))
    tables = [
        _table(breakdown, name, result.systems, page=page, errant=errant)
        for breakdown, name in zip(result.breakdowns, names, strict=True)
    ]
    for comparison in result.comparisons:
        prefix = f"{_slug(comparison.metric)}-" if several else ""
        tables.append(_differences(comparison, f"{prefix}differences", page=page))
        tables.append(_sentences(comparison, f"{prefix}sentences"))
        tables.append(_texts(comparison, f"{prefix}texts"))
    if page:
        tables = [*_false_edits(result.breakdowns), *tables]
    if counts:
        tables.append(_counts(result.breakdowns))
    return Report(
        name="breakdown",
        title=translate("Strengths and weaknesses of each system"),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=tuple(
            _figure(shown, f"breakdown-{name}", page=page, errant=errant)
            for breakdown, name in zip(result.breakdowns, names, strict=True)
            if (shown := _where_f_says_something(breakdown)).groups and shown.cells
        ),
        data=_data(result),
        notes=(*result.notes, *_pair_notes(result)),
        signatures=result.signatures,
    )


def _types(breakdowns: Sequence[Breakdown]) -> Iterator[str]:
    """Yield the types of edits, and their operations."""
    for breakdown in breakdowns:
        if breakdown.by in ("type-1", "type-3"):
            yield from breakdown.groups


def _where_f_says_something(breakdown: Breakdown) -> Breakdown:
    """Leave out systems without edits, and groups of sentences with nothing to correct.

    In such a group F is 1 for a system that changes nothing and 0 for every other. Metrics that
    count no edits say something everywhere.
    """
    cells = {
        system: row
        for system, row in breakdown.cells.items()
        if any(cell.counts is None or cell.counts.tp + cell.counts.fp for cell in row)
    }
    places = [
        at
        for at in range(len(breakdown.groups))
        if breakdown.unit == "edits"
        or any(
            cell.counts is None or cell.counts.tp + cell.counts.fn
            for cell in (row[at] for row in breakdown.cells.values())
        )
    ]
    return replace(
        breakdown,
        groups=tuple(breakdown.groups[at] for at in places),
        sizes=tuple(breakdown.sizes[at] for at in places),
        cells={system: tuple(row[at] for at in places) for system, row in cells.items()},
    )


def _figure(breakdown: Breakdown, name: str, *, page: bool = False, errant: bool = False) -> Figure:
    """Show a breakdown as grouped bars, in percent.

    Args:
        breakdown: One breakdown.
        name: Of the figure.
        page: Whether types have the number of their edits behind them, and categories what the
            page knows of them.
        errant: Whether types are ERRANT's.
    """
    kind = _kind_words(breakdown)
    groups = tuple(_group_words(group, breakdown.by) for group in breakdown.groups)
    places, x = groups, kind
    if page and breakdown.by.startswith("type-"):
        x = translate("{kind} (number of edits)", kind=kind)
        places = tuple(
            Words(f"{group.en} ({n})", f"{group.zh} ({n})")
            for group, n in zip(groups, breakdown.sizes, strict=True)
        )
    series = tuple(_series(system, places, cells) for system, cells in breakdown.cells.items())
    sizes = join_texts(
        Words(f"{group.en} {n}", f"{group.zh} {n}")
        for group, n in zip(groups, breakdown.sizes, strict=True)
    )
    extremes = [_extremes(system, breakdown) for system in breakdown.cells]
    figure = Figure.of(
        name,
        "bars",
        title=_title(breakdown),
        alt=translate(
            "Bars: {metric} of each system by {kind}. {extremes} Number of {unit}: {sizes}.",
            metric=breakdown.metric,
            kind=kind,
            extremes=join_texts(extremes, " "),
            unit=translate(f"number|{breakdown.unit}"),
            sizes=sizes,
        ),
        x=x,
        y="{metric} (percent)",
        series=series,
        metric=breakdown.metric,
    )
    return (
        replace(figure, categories=tuple(_categories(breakdown, errant=errant))) if page else figure
    )


def _series(system: str, places: Sequence[Words], cells: Sequence[Cell]) -> Series:
    """The values of a system, with the intervals of those that have one."""
    ends = [_ends(cell) for cell in cells] if any(cell.interval for cell in cells) else []
    low, high = [low for low, _ in ends], [high for _, high in ends]
    return Series.of_shares(system, places, (cell.value for cell in cells), low, high)


def _categories(breakdown: Breakdown, *, errant: bool) -> Iterator[Category]:
    """Yield what the page knows of each group."""
    for group, size in zip(breakdown.groups, breakdown.sizes, strict=True):
        words = type_words(group, errant=errant) if breakdown.by.startswith("type-") else None
        yield Category(
            _group_words(group, breakdown.by), words, size, _filters(breakdown.by, group)
        )


def _filters(by: str, group: str) -> Filters:
    """The sentences of a group, as the page filters them."""
    if not by.startswith("type-"):
        return {"group": f"{by}:{group}"}
    return {"type": f":{group}" if by == "type-2" else group}


def _filters_of_system(by: str, group: str, system: str) -> Filters:
    """The sentences that a system's score in a group is made of."""
    filters = {**_filters(by, group), "system": system}
    return filters if by not in OF_EDITS else {**filters, "outcome": "edits"}


def sentence_groups(breakdowns: Sequence[Breakdown]) -> list[Mapping[str, object]]:
    """The groups of sentences and of places in them, as the page's filter has them."""
    groups: list[Mapping[str, object]] = []
    for breakdown in breakdowns:
        if breakdown.by == "position" or breakdown.members:
            kind = _kind_words(breakdown)
            words = [_group_words(group, breakdown.by) for group in breakdown.groups]
            groups.append(
                {
                    "by": breakdown.by,
                    "title": {"en": kind.en, "zh": kind.zh},
                    "names": list(breakdown.groups),
                    "words": [{"en": text.en, "zh": text.zh} for text in words],
                    "members": [-1 if at is None else at for at in breakdown.members],
                }
            )
    return groups


def _kind_words(breakdown: Breakdown) -> Words:
    """What the groups of a breakdown are, with their unit."""
    if breakdown.by.startswith(FIELD):
        name = breakdown.by.removeprefix(FIELD)
        return Words(name, f"“{name}”")
    words = _KINDS[breakdown.by]
    if not breakdown.scale:
        return words
    return translate("{kind} in {scale}", kind=words, scale=translate(f"unit|{breakdown.scale}"))


def _title(breakdown: Breakdown) -> Words:
    """What the table and the figure of a breakdown are called."""
    kind = _TITLE_KINDS.get(breakdown.by) or _kind_words(breakdown)
    return translate("{metric} by {kind}", metric=breakdown.metric, kind=kind)


def _group_words(group: str, by: str) -> Words:
    """The name of a group of a kind in both languages."""
    words = _NO_CATEGORY if (by, group) == ("type-2", NO_CATEGORY) else _GROUPS.get(group)
    return words or Words(group, group)


def _kind_of(by: str, *, page: bool = False) -> str | Words:
    """What groups are, for a table: on the page in words, elsewhere as `--by` has it in English."""
    if by.startswith(FIELD):
        name = by.removeprefix(FIELD)
        return Words(name if page else by, f"“{name}”")
    return Words(_KINDS[by].en if page else by, _KINDS[by].zh)


def _extremes(system: str, breakdown: Breakdown) -> Words:
    """The highest and the lowest group of a system, in words."""
    cells = zip(breakdown.groups, breakdown.cells[system], strict=True)
    known = [(cell.value, group) for group, cell in cells if cell.value is not None]
    if not known:
        return translate("{system}: nothing to score.", system=system)
    (high, top), (low, bottom) = max(known), min(known)
    if len(known) == 1:
        group = _group_words(top, breakdown.by)
        return translate(
            "{system}: {high:.2f} at {top}.", system=system, high=100 * high, top=group
        )
    if high == low:
        return translate("{system}: {high:.2f} in every group.", system=system, high=100 * high)
    return translate(
        "{system}: highest {high:.2f} at {top}, lowest {low:.2f} at {bottom}.",
        system=system,
        high=100 * high,
        top=_group_words(top, breakdown.by),
        low=100 * low,
        bottom=_group_words(bottom, breakdown.by),
    )


def _names(breakdowns: Sequence[Breakdown], *, several: bool) -> list[str]:
    """A name for each table and figure; names of fields that would be alike get numbers."""
    names: list[str] = []
    for breakdown in breakdowns:
        name = _slug(breakdown.by)
        if several:
            name = f"{_slug(breakdown.metric)}-{name}"
        others = (f"{name}-{number}" for number in count(2))
        names.append(next(unique for unique in chain([name], others) if unique not in names))
    return names


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-") or "other"


def _table(
    breakdown: Breakdown, name: str, systems: Sequence[str], *, page: bool, errant: bool
) -> Table:
    kind = _kind_words(breakdown)
    words = {group: type_words(group, errant=errant) for group in breakdown.groups}
    if not page or not breakdown.by.startswith("type-") or not any(words.values()):
        words = {}
    with_ends = not page and _has_intervals([breakdown])
    width = 3 if with_ends else 1
    columns = [
        column
        for system in systems
        for column in (
            Column(system, "percent"),
            Column.of("{metric} 95% from", "percent", metric=system),
            Column.of("{metric} 95% to", "percent", metric=system),
        )[:width]
    ]
    shown = _where_f_says_something(breakdown)
    rows: list[tuple[Value, ...]] = []
    marks: set[tuple[int, int]] = set()
    filters: dict[tuple[int, int], Filters] = {}
    for index, (group, size) in enumerate(zip(breakdown.groups, breakdown.sizes, strict=True)):
        cells = [breakdown.cells[system][index] for system in systems]
        values = [cell.value for cell in cells]
        heads: list[Value] = [_GROUPS.get(group, group), *([words[group]] if words else []), size]
        rows.append((*heads, *(v for cell in cells for v in (cell.value, *_ends(cell))[:width])))
        known = values
        if page:  # a system without edits is never the best, nor one where nothing is wrong
            known = [
                cell.value if system in shown.cells and group in shown.groups else None
                for system, cell in zip(systems, cells, strict=True)
            ]
        best = best_places(known, higher_is_better=breakdown.higher_is_better)
        marks |= {(index, len(heads) + width * n) for n in best}
        filters |= {
            (index, len(heads) + width * n): _filters_of_system(breakdown.by, group, system)
            for n, system in enumerate(systems)
            if values[n] is not None
        }
    return Table(
        name,
        _title(breakdown),
        (
            Column(kind.en, zh=kind.zh),
            *([Column.of("in words")] if words else []),
            Column.of(f"number|{breakdown.unit}", "count"),
            *columns,
        ),
        tuple(rows),
        frozenset(marks),
        filters=filters if page else {},
        ranges=tuple(range(3, 2 + len(columns), 3)) if with_ends else (),
    )


def _has_intervals(breakdowns: Sequence[Breakdown]) -> bool:
    return any(
        cell.interval
        for breakdown in breakdowns
        for cells in breakdown.cells.values()
        for cell in cells
    )


def _ends(cell: Cell) -> tuple[float | None, float | None]:
    interval = cell.interval
    return (interval.low, interval.high) if interval else (None, None)


def _false_edits(breakdowns: Sequence[Breakdown]) -> Iterator[Table]:
    """Yield how many edits each system makes where there is nothing to correct."""
    for breakdown in breakdowns:
        if breakdown.by != "state" or "error-free" not in breakdown.groups:
            continue
        at = breakdown.groups.index("error-free")
        size = breakdown.sizes[at]
        counts = [(system, cells[at].counts) for system, cells in breakdown.cells.items()]
        yield Table(
            "false-edits",
            translate("False edits in sentences without errors"),
            (
                Column.of("system"),
                Column.of("number|sentences", "count"),
                Column.of("false edits", "count"),
                Column.of("false edits per sentence", "number", 3),
            ),
            tuple((system, size, c.fp, c.fp / size) for system, c in counts if c is not None),
            filters={
                (row, 2): {"group": "state:error-free", "system": system, "outcome": "false"}
                for row, (system, c) in enumerate(counts)
                if c is not None
            },
        )


def _differences(comparison: PairDifferences, name: str, *, page: bool) -> Table:
    first, second = comparison.between
    rows = tuple(
        (
            *(_kind_of(d.by, page=page), _GROUPS.get(d.group, d.group), d.size),
            *(*d.values, d.difference),
        )
        for d in comparison.differences[:_SHOWN]
    )
    number = len(comparison.differences)
    return Table(
        name,
        translate(
            "Where {first} and {second} differ most{cut}",
            first=first,
            second=second,
            cut=translate(" ({shown} of {number} groups)", shown=_SHOWN, number=number)
            if number > _SHOWN
            else "",
        ),
        (
            Column.of("grouped by", key="groups"),
            Column.of("group"),
            Column.of("size", "count"),
            Column(first, "percent"),
            Column(second, "percent"),
            Column.of("short|difference", "percent"),
        ),
        rows,
    )


def _sentences(comparison: PairDifferences, name: str) -> Table:
    first, second = comparison.between
    return Table(
        name,
        translate(
            "Sentences that decide the difference of {first} and {second}",
            first=first,
            second=second,
        ),
        (Column.of("id"), Column.of("contribution (points)", "percent", 4, key="contribution")),
        tuple((sentence.id, sentence.contribution) for sentence in comparison.sentences),
    )


def _texts(comparison: PairDifferences, name: str) -> Table:
    """A row for each text; they are too long to stand side by side."""
    rows: list[tuple[Value, ...]] = []
    for sentence in comparison.sentences:
        texts: list[tuple[str | Words, str | None]] = [(translate("source"), sentence.source)]
        texts += zip(comparison.between, sentence.outputs, strict=True)
        texts += [
            (translate("reference {n}", n=n), text) for n, text in enumerate(sentence.references, 1)
        ]
        rows += [(sentence.id, who, _NO_TEXT if text is None else text) for who, text in texts]
    return Table(
        name,
        translate("Their texts"),
        (Column.of("id"), Column.of("who"), Column.of("text")),
        tuple(rows),
    )


def _counts(breakdowns: Sequence[Breakdown]) -> Table:
    ends = (Column.of("95% from", "percent"), Column.of("95% to", "percent"))
    width = 2 * _has_intervals(breakdowns)
    rows = [
        (
            *(breakdown.metric, _kind_of(breakdown.by), _GROUPS.get(group, group), system, size),
            *count_cells(None if cells[index].value is None else cells[index].counts),
            cells[index].value,
            *_ends(cells[index])[:width],
        )
        for breakdown in breakdowns
        for index, (group, size) in enumerate(zip(breakdown.groups, breakdown.sizes, strict=True))
        for system, cells in breakdown.cells.items()
    ]
    return Table(
        "counts",
        translate("All groups with counts"),
        (
            Column.of("metric"),
            Column.of("grouped by", key="groups"),
            Column.of("group"),
            Column.of("system"),
            Column.of("size", "count"),
            *COUNT_COLUMNS,
            Column.of("score|value", "percent"),
            *ends[:width],
        ),
        tuple(rows),
        ranges=(6 + len(COUNT_COLUMNS),) if width else (),
    )


def _pair_notes(result: Breakdowns) -> Iterator[str]:
    for comparison in result.comparisons:
        first, second = comparison.between
        yield Message(
            "{metric}: {first} is compared with {second}; the contribution of a sentence is the "
            "difference of their scores with it, minus the difference without it; the choice of "
            "references stays the same",
            metric=comparison.metric,
            first=first,
            second=second,
        )


def _data(result: Breakdowns) -> dict[str, object]:
    def values(cell: Cell) -> dict[str, object]:
        ends = {"method": "percentile bootstrap", **data_of(cell.interval)}
        interval = {"interval": ends} if cell.interval else {}
        return {"value": cell.value, **interval, **data_of(cell.counts)}

    return data_of(result) | {
        "breakdowns": [
            data_of(breakdown, "higher_is_better", "members")
            | {"cells": {name: [*map(values, cells)] for name, cells in breakdown.cells.items()}}
            for breakdown in result.breakdowns
        ]
    }
