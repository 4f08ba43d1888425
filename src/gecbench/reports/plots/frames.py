"""The axes of all kinds of figures: what they are called, their grid, and their categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from matplotlib.ticker import MaxNLocator

from gecbench.reports.grid import columns_of
from gecbench.reports.plots.look import Look, wrapped
from gecbench.reports.plots.names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gecbench.reports.figure import Figure, Series

_LABEL = 70
_ROW_NAME = 24


def name_axes(axes: Axes, figure: Figure, look: Look, *, values: Literal["x", "y"]) -> None:
    """Write what the axes are: the lower one below, the left one level, above its end.

    Args:
        axes: Where.
        figure: Whose labels.
        look: Their language.
        values: Which axis shows the y of the series.
    """
    of_x, of_y = (wrapped(look.said(label), _LABEL) for label in (figure.x_label, figure.y_label))
    below, left = (of_y, of_x) if values == "x" else (of_x, of_y)
    axes.set_xlabel(below)
    axes.set_title(left, loc="left")
    axes.grid(visible=True, axis=values)
    axis = axes.xaxis if values == "x" else axes.yaxis
    whole = all(y is None or float(y).is_integer() for one in figure.series for y in one.y)
    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=whole))


def categories(figure: Figure, look: Look) -> list[str]:
    """Return the categories of all series, in the order in which they come first."""
    return list(dict.fromkeys(look.said(x) for series in figure.series for x in series.x))


def rows_of(axes: Axes, names: Sequence[str]) -> None:
    """Let the left axis have a row for each category, the first at the top."""
    axes.set_yticks(range(len(names)), shortened(names, _ROW_NAME, 2))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.spines["left"].set_visible(False)


def row_height(names: Sequence[str], least: float) -> float:
    """Return the inches that a row needs for its name."""
    two = any("\n" in name for name in shortened(names, _ROW_NAME, 2))
    return max(least, 0.36 if two else 0.22)


def columns_fit(names: Sequence[str]) -> bool:
    """Say whether names of categories find room side by side below the axes."""
    room = 84 // max(1, len(names)) - 1
    lines = [wrapped(name, max(room, 1), 9).split("\n") for name in names]
    words = [word for name in names for word in name.split() if name.isascii()]
    return all(len(each) <= 3 for each in lines) and all(columns_of(w) <= room for w in words)


def columns_under(axes: Axes, names: Sequence[str]) -> None:
    """Let the lower axis have a column for each category."""
    room = max(1, 84 // max(1, len(names)) - 1)
    axes.set_xticks(range(len(names)), shortened(names, room, 3))
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(names) - 0.5)


def raise_floor(axes: Axes, figure: Figure, *, values: Literal["x", "y"], floor: float) -> None:
    """Keep an axis whose values are all 0 from going as far below as above; scores do not.

    Args:
        axes: Where.
        figure: Whose values; if any is not 0, nothing changes.
        values: Which axis shows them.
        floor: Where the axis begins, if it ends at 1.
    """
    numbers = [n for one in figure.series for n in (*one.y, *one.low, *one.high) if n is not None]
    if not any(numbers):
        (axes.set_xlim if values == "x" else axes.set_ylim)(floor, 1)


def whiskers(
    places: Sequence[float], series: Series
) -> tuple[list[float], list[float], list[float]]:
    """Return places, lower and upper ends of intervals; a value may lie outside of its own."""
    kept = [
        (place, low, high)
        for place, low, high in zip(places, series.low, series.high, strict=bool(series.low))
        if low is not None and high is not None
    ]
    return tuple([row[at] for row in kept] for at in range(3))  # type: ignore[return-value]
