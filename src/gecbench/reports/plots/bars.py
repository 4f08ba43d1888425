"""Grouped bars over categories; where they would be too many, a dot for each in its row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gecbench.reports.plots import frames
from gecbench.reports.plots.look import PALETTE, SMALL, Given, Look, number

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from gecbench.reports.figure import Figure, Series
    from gecbench.reports.plots.legend import Entries

_STANDING = 42
"""More bars than these lie, so that each has room."""

_BARS = 90
"""More than these become dots."""

_LEAST = 1.4
"""Inches of height."""

_SHARE = 0.78
"""Of a group in the room of its category."""


def height(figure: Figure, look: Look) -> float:
    """Return the height in inches without the legend."""
    names = frames.categories(figure, look)
    if _dotted(figure, names):
        return max(frames.row_height(names, 0.27) * len(names) + 0.9, _LEAST)
    if _standing(figure, names):
        return 3.5
    row = frames.row_height(names, 0.14 * len(figure.series) + 0.1)
    return max(row * len(names) + 0.9, _LEAST)


def draw(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw bars from zero, standing where the names below them find room, else lying."""
    names = frames.categories(figure, look)
    if _dotted(figure, names):
        return _dots(axes, figure, look, names)
    standing = _standing(figure, names)
    frames.name_axes(axes, figure, look, values="y" if standing else "x")
    (frames.columns_under if standing else frames.rows_of)(axes, names)
    width = _SHARE / len(figure.series)
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
        draw(*frames.whiskers(places, series), color=look.colour("ink"), linewidth=0.9)
    (axes.axhline if standing else axes.axvline)(0, color=look.colour("muted"), linewidth=0.8)
    frames.raise_floor(axes, figure, values="y" if standing else "x", floor=0)
    if len(figure.series) == 1:
        _numbers(axes, figure.series[0], names, look, standing=standing)
    return entries


def _dotted(figure: Figure, names: Sequence[str]) -> bool:
    count = len(figure.series)
    return count > 1 and (count > PALETTE or count * len(names) > _BARS)


def _standing(figure: Figure, names: Sequence[str]) -> bool:
    return len(figure.series) * len(names) <= _STANDING and frames.columns_fit(names)


def _dots(axes: Axes, figure: Figure, look: Look, names: Sequence[str]) -> Entries:
    frames.name_axes(axes, figure, look, values="x")
    frames.rows_of(axes, names)
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
    frames.raise_floor(axes, figure, values="x", floor=-0.02)  # half a marker
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
