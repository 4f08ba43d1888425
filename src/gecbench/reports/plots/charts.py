"""The kinds of figures, and what draws each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from gecbench.reports.grid import columns_of
from gecbench.reports.plots import points, style
from gecbench.reports.plots.style import (
    PALETTE,
    SIZE,
    SMALL,
    Given,
    Look,
    categories,
    columns_under,
    name_axes,
    number,
    raise_floor,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from gecbench.reports.plots.style import Entries
    from gecbench.reports.report import Figure, Kind, Series


# Grouped bars over categories; where they would be too many, a dot for each in its row.


_STANDING = 42
"""More bars than these lie, so that each has room."""

_BARS = 90
"""More than these become dots."""

_LEAST = 1.4
"""Inches of height."""

_BAR_SHARE = 0.78
"""Of a group in the room of its category."""


def bars_height(figure: Figure, look: Look) -> float:
    """Return the height in inches without the legend."""
    names = style.categories(figure, look)
    if _dotted(figure, names):
        return max(style.row_height(names, 0.27) * len(names) + 0.9, _LEAST)
    if _standing(figure, names):
        return 3.5
    row = style.row_height(names, 0.14 * len(figure.series) + 0.1)
    return max(row * len(names) + 0.9, _LEAST)


def draw_bars(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw bars from zero, standing where the names below them find room, else lying."""
    names = style.categories(figure, look)
    if _dotted(figure, names):
        return _dots(axes, figure, look, names)
    standing = _standing(figure, names)
    style.name_axes(axes, figure, look, values="y" if standing else "x")
    (style.columns_under if standing else style.rows_of)(axes, names)
    width = _BAR_SHARE / len(figure.series)
    entries: list[tuple[str, Artist | BarContainer]] = []
    for at, series in enumerate(figure.series):
        shift = (at - (len(figure.series) - 1) / 2) * width
        places = [names.index(look.said(x)) + shift for x in series.x]
        values = [0.0 if y is None else y for y in series.y]
        given: Given = {"color": look.series_colour(at), "linewidth": 0}
        if standing:
            drawn = axes.bar(places, values, width * 0.92, **given)
        else:
            drawn = axes.barh(places, values, width * 0.92, **given)
        entries.append((look.said(series.name), drawn))
        draw = axes.vlines if standing else axes.hlines
        draw(*style.whiskers(places, series), color=look.colour("ink"), linewidth=0.9)
    (axes.axhline if standing else axes.axvline)(0, color=look.colour("muted"), linewidth=0.8)
    style.raise_floor(axes, figure, values="y" if standing else "x", floor=0)
    if len(figure.series) == 1:
        _numbers(axes, figure.series[0], names, look, standing=standing)
    return entries


def _dotted(figure: Figure, names: Sequence[str]) -> bool:
    count = len(figure.series)
    return count > 1 and (count > PALETTE or count * len(names) > _BARS)


def _standing(figure: Figure, names: Sequence[str]) -> bool:
    return len(figure.series) * len(names) <= _STANDING and style.columns_fit(names)


def _dots(axes: Axes, figure: Figure, look: Look, names: Sequence[str]) -> Entries:
    style.name_axes(axes, figure, look, values="x")
    style.rows_of(axes, names)
    for row in range(len(names)):
        axes.axhline(row, color=look.colour("line"), linewidth=0.6, zorder=0.5)
    entries = []
    for at, series in enumerate(figure.series):
        kept = [
            (y, names.index(look.said(x)))
            for x, y in zip(series.x, series.y, strict=True)
            if y is not None
        ]
        (drawn,) = axes.plot(
            [y for y, _ in kept], [row for _, row in kept], linestyle="none", **look.marker(at)
        )
        entries.append((look.said(series.name), drawn))
    style.raise_floor(axes, figure, values="x", floor=-0.02)  # half a marker
    return entries


def _numbers(
    axes: Axes, series: Series, names: Sequence[str], look: Look, *, standing: bool
) -> None:
    """Write the value at the end of each bar, outside, beyond its whisker."""
    margins: Given = {"y" if standing else "x": 0.12}
    axes.margins(**margins)
    highs = series.high or series.y
    for x, y, high in zip(series.x, series.y, highs, strict=True):
        if y is None:
            continue
        place = names.index(look.said(x))
        end = y if high is None or y < 0 else max(y, high)
        away = -4 if y < 0 else 4
        axes.annotate(
            number(y),
            (place, end) if standing else (end, place),
            xytext=(0, away) if standing else (away, 0),
            textcoords="offset points",
            size=SMALL,
            color=look.colour("ink"),
            ha="center" if standing else ("right" if y < 0 else "left"),
            va=("top" if y < 0 else "bottom") if standing else "center_baseline",
        )


# Intervals: a dot with its whiskers in the row of each category.


_SHARE = 0.7
"""Of the row that the series of a category take."""


def intervals_height(figure: Figure, look: Look) -> float:
    """Return the height in inches without the legend."""
    names = style.categories(figure, look)
    row = style.row_height(names, 0.1 + 0.15 * len(figure.series))
    return max(row * len(names) + 0.9, 1.4)


def draw_intervals(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the intervals, series below one another in each row."""
    names = style.categories(figure, look)
    style.name_axes(axes, figure, look, values="x")
    style.rows_of(axes, names)
    axes.margins(x=0.06)
    entries = []
    for at, series in enumerate(figure.series):
        shift = (at - (len(figure.series) - 1) / 2) * _SHARE / len(figure.series)
        rows = [names.index(look.said(x)) + shift for x in series.x]
        axes.hlines(*style.whiskers(rows, series), color=look.series_colour(at), linewidth=1.6)
        kept = [(y, row) for y, row in zip(series.y, rows, strict=True) if y is not None]
        (drawn,) = axes.plot(
            [y for y, _ in kept], [row for _, row in kept], linestyle="none", **look.marker(at)
        )
        entries.append((look.said(series.name), drawn))
    low, high = axes.get_xlim()
    if low < 0 < high:
        axes.axvline(0, color=look.colour("muted"), linewidth=0.8, zorder=0.8)
    return entries


# Lines over numbers, or over categories in their order.


_MARKERS = 24
"""At most so many markers on a line; more would hide it."""


def lines_height(figure: Figure, look: Look) -> float:
    """Return the height in inches without the legend; all have the same."""
    del figure, look
    return 3.7


def draw_lines(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the lines; the legend has them as they end at the right, from above."""
    name_axes(axes, figure, look, values="y")
    numeric = all(isinstance(x, int | float) for series in figure.series for x in series.x)
    names = [] if numeric else categories(figure, look)
    entries = []
    for at, series in enumerate(figure.series):
        places = [_place(x, names, look) for x in series.x]
        values = [float("nan") if y is None else y for y in series.y]
        (line,) = axes.plot(
            places,
            values,
            markevery=max(1, -(-len(places) // _MARKERS)),
            **look.line(at),
            **look.marker(at),
        )
        if series.low and series.high:
            low, high = (
                [float("nan") if end is None else end for end in ends]
                for ends in (series.low, series.high)
            )
            axes.fill_between(
                places, low, high, color=look.series_colour(at), alpha=0.13, linewidth=0
            )
        entries.append((_last(series), look.said(series.name), line))
    raise_floor(axes, figure, values="y", floor=-0.04)  # half a marker
    if not numeric:
        columns_under(axes, names)
    elif len(alone := {x for series in figure.series for x in series.x}) == 1:
        axes.set_xticks([float(x) for x in alone])  # type: ignore[arg-type]
    elif all(float(x).is_integer() for series in figure.series for x in series.x):  # type: ignore[arg-type]
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
    return [(name, line) for _, name, line in sorted(entries, key=lambda entry: -entry[0])]


def _place(x: object, names: list[str], look: Look) -> float:
    return names.index(look.said(x)) if names else float(x)  # type: ignore[arg-type]


def _last(series: Series) -> float:
    return next((y for y in reversed(series.y) if y is not None), float("-inf"))


# A matrix: a number in each cell, on a ground that is the deeper the larger it is.
#
# The ground is a colour of the theme that lets the paper through, so that one picture serves both
# themes, and never so deep that the number on it, in the colour of text, falls below 4.5:1.


FAINTEST, DEEPEST = 0.06, 0.52
"""Opacity of the ground of the smallest and of the largest value."""

ABOVE, BELOW = "series-1", "series-2"
"""Grounds of values above and below zero."""

_NAME = 16


def matrix_height(figure: Figure, look: Look) -> float:
    """Return the height in inches."""
    names = style.categories(figure, look)
    turned = 0 if style.columns_fit(names) else 0.055 * min(_NAME, max(map(columns_of, names)))
    return 0.34 * len(figure.series) + 0.75 + turned


def draw_matrix(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the cells; a cell without a value stays empty."""
    names = style.categories(figure, look)
    style.name_axes(axes, figure, look, values="y")
    axes.grid(visible=False)
    values = [y for series in figure.series for y in series.y if y is not None]
    size = _letters(len(names))
    for row, series in enumerate(figure.series):
        labels = series.labels or tuple("" if y is None else _shown(y, values) for y in series.y)
        for x, y, label in zip(series.x, series.y, labels, strict=True):
            column = names.index(look.said(x))
            if y is not None:
                axes.add_patch(
                    Rectangle(
                        (column - 0.47, row - 0.46),
                        0.94,
                        0.92,
                        facecolor=look.colour(BELOW if y < 0 else ABOVE),
                        alpha=opacity(y, values),
                        linewidth=0,
                        in_layout=False,  # inside the frame anyway, and there may be hundreds
                    )
                )
            axes.text(
                column,
                row,
                look.said(label),
                size=size,
                ha="center",
                va="center_baseline",
                in_layout=False,
            )
    _names(axes, [look.said(series.name) for series in figure.series], names)
    return ()


def opacity(value: float, values: Sequence[float]) -> float:
    """Return how far a value shows: by its size from zero, or among values that are all far off.

    Values up to 1, as correlations and p-values, are held against 1.
    """
    sizes = [abs(each) for each in values]
    most, least = max(1.0, *sizes), min(sizes)
    mixed = min(values) < 0 < max(values)
    base = 0.0 if mixed or most == 1 or least < most / 2 else least
    share = 0.5 if most == base else (abs(value) - base) / (most - base)
    return FAINTEST + share * (DEEPEST - FAINTEST)


def _shown(value: float, values: Sequence[float]) -> str:
    """Return a number with as many decimals as its neighbours; what is not zero is not shown so."""
    if all(float(each).is_integer() for each in values):
        return str(int(value)).replace("-", "−")
    digits = 1 if max(map(abs, values)) >= 10 else 2
    text = f"{value:.{digits}f}".replace("-", "−")
    if value and not float(f"{value:.{digits}f}"):
        return f"<{10**-digits:g}" if value > 0 else f">−{10**-digits:g}"
    return text


def _letters(columns: int) -> float:
    """Return the size of the numbers: smaller where the columns are many."""
    return SIZE if columns <= 9 else max(5.5, SIZE * 9.5 / columns)


def _names(axes: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    style.rows_of(axes, rows)
    style.columns_under(axes, columns)
    axes.spines["bottom"].set_visible(False)
    if not style.columns_fit(columns):
        short = shortened(columns, _NAME, 1)
        axes.set_xticks(range(len(columns)), short, rotation=40, ha="right", rotation_mode="anchor")


@dataclass(frozen=True, slots=True)
class Drawn:
    """How a kind is drawn.

    Args:
        height: Inches that it needs, but for the legend.
        draw: Puts everything into the axes and returns what the legend says.
        finish: Adds what can only be placed after the layout is fixed; says whether all of it
            found room.
        named: Whether what `finish` adds says all that the legend does.
    """

    height: Callable[[Figure, Look], float]
    draw: Callable[[Axes, Figure, Look], Entries]
    finish: Callable[[Axes, Figure, Look], bool] = lambda *_: True
    named: Callable[[Figure, Look], bool] = lambda *_: False


KINDS: Mapping[Kind, Drawn] = {
    "lines": Drawn(lines_height, draw_lines),
    "bars": Drawn(bars_height, draw_bars),
    "points": Drawn(points.height, points.draw, points.finish, points.all_named),
    "intervals": Drawn(intervals_height, draw_intervals),
    "matrix": Drawn(matrix_height, draw_matrix),
}
