"""Lines over numbers, or over categories in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from gecbench.reports.plots.frames import categories, columns_under, name_axes, raise_floor
from gecbench.reports.plots.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gecbench.reports.figure import Figure, Series
    from gecbench.reports.plots.legend import Entries

_MARKERS = 24
"""At most so many markers on a line; more would hide it."""


def height(figure: Figure, look: Look) -> float:
    """Return the height in inches without the legend; all have the same."""
    del figure, look
    return 3.7


def draw(axes: Axes, figure: Figure, look: Look) -> Entries:
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
