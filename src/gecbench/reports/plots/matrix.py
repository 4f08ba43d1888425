"""A matrix: a number in each cell, on a ground that is the deeper the larger it is.

The ground is a colour of the theme that lets the paper through, so that one picture serves both
themes, and never so deep that the number on it, in the colour of text, falls below 4.5:1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.patches import Rectangle

from gecbench.reports.grid import columns_of
from gecbench.reports.plots import frames
from gecbench.reports.plots.look import SIZE, Look
from gecbench.reports.plots.names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gecbench.reports.figure import Figure
    from gecbench.reports.plots.legend import Entries

FAINTEST, DEEPEST = 0.06, 0.52
"""Opacity of the ground of the smallest and of the largest value."""

ABOVE, BELOW = "series-1", "series-2"
"""Grounds of values above and below zero."""

_NAME = 16


def height(figure: Figure, look: Look) -> float:
    """Return the height in inches."""
    names = frames.categories(figure, look)
    turned = 0 if frames.columns_fit(names) else 0.055 * min(_NAME, max(map(columns_of, names)))
    return 0.34 * len(figure.series) + 0.75 + turned


def draw(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the cells; a cell without a value stays empty."""
    names = frames.categories(figure, look)
    frames.name_axes(axes, figure, look, values="y")
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
    frames.rows_of(axes, rows)
    frames.columns_under(axes, columns)
    axes.spines["bottom"].set_visible(False)
    if not frames.columns_fit(columns):
        short = shortened(columns, _NAME, 1)
        axes.set_xticks(range(len(columns)), short, rotation=40, ha="right", rotation_mode="anchor")
