"""The kinds of figures, and what draws each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gecbench.reports.plots import bars, intervals, lines, matrix, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gecbench.reports.figure import Figure, Kind
    from gecbench.reports.plots.legend import Entries
    from gecbench.reports.plots.look import Look


@dataclass(frozen=True, slots=True)
class Drawn:
    """How a kind is drawn.

    Args:
        height: Inches that it needs.
        draw: Puts everything into the axes and returns what the legend says.
        finish: Adds what can only be placed after the layout is fixed.
    """

    height: Callable[[Figure, Look], float]
    draw: Callable[[Axes, Figure, Look], Entries]
    finish: Callable[[Axes, Figure, Look], None] = lambda *_: None


KINDS: Mapping[Kind, Drawn] = {
    "lines": Drawn(lines.height, lines.draw),
    "bars": Drawn(bars.height, bars.draw),
    "points": Drawn(points.height, points.draw, points.finish),
    "intervals": Drawn(intervals.height, intervals.draw),
    "matrix": Drawn(matrix.height, matrix.draw),
}
