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
    "lines": Drawn(lines.height, lines.draw),
    "bars": Drawn(bars.height, bars.draw),
    "points": Drawn(points.height, points.draw, points.finish, points.all_named),
    "intervals": Drawn(intervals.height, intervals.draw),
    "matrix": Drawn(matrix.height, matrix.draw),
}
