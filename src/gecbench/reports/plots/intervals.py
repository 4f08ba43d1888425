"""Intervals: a dot with its whiskers in the row of each category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gecbench.reports.plots import frames
from gecbench.reports.plots.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gecbench.reports.figure import Figure
    from gecbench.reports.plots.legend import Entries

_SHARE = 0.7
"""Of the row that the series of a category take."""


def height(figure: Figure, look: Look) -> float:
    """Return the height in inches without the legend."""
    names = frames.categories(figure, look)
    row = frames.row_height(names, 0.1 + 0.15 * len(figure.series))
    return max(row * len(names) + 0.9, 1.4)


def draw(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the intervals, series below one another in each row."""
    names = frames.categories(figure, look)
    frames.name_axes(axes, figure, look, values="x")
    frames.rows_of(axes, names)
    axes.margins(x=0.06)
    entries = []
    for at, series in enumerate(figure.series):
        shift = (at - (len(figure.series) - 1) / 2) * _SHARE / len(figure.series)
        rows = [names.index(look.said(x)) + shift for x in series.x]
        axes.hlines(*frames.whiskers(rows, series), color=look.series_colour(at), linewidth=1.6)
        kept = [(y, row) for y, row in zip(series.y, rows, strict=True) if y is not None]
        (drawn,) = axes.plot(
            [y for y, _ in kept], [row for _, row in kept], linestyle="none", **look.marker(at)
        )
        entries.append((look.said(series.name), drawn))
    low, high = axes.get_xlim()
    if low < 0 < high:
        axes.axvline(0, color=look.colour("muted"), linewidth=0.8, zorder=0.8)
    return entries
