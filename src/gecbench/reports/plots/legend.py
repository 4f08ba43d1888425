"""Where the legend stands: above the axes if it is short, at the right if it is long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from gecbench.reports.grid import columns_of
from gecbench.reports.plots.names import shortened

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure as Drawing

Entries = Sequence[tuple[str, "Artist | BarContainer"]]
"""Names with what stands for them."""

_ROW = 76
"""Columns of letters above the axes; the mark of an entry takes about six."""

_MARK = 6
_NAME = 22
_GAP = 8
_EDGE = 0.006
_AIR = 4
"""Above and below a legend at the right, together."""


def place(drawing: Drawing, entries: Entries, *, above: float) -> tuple[float, float]:
    """Put a legend where it leaves the most room; none for a single series.

    Args:
        drawing: What it belongs to; it grows where the legend at the right would be cut off.
        entries: In the order of reading.
        above: How high the title is, in inches.

    Returns:
        Where the room for the axes ends at the right and above, as shares.
    """
    wide, high = (side * drawing.dpi for side in drawing.get_size_inches())
    title = above * drawing.dpi
    if len(entries) < 2:
        return 1.0, 1 - title / high
    names = shortened([name for name, _ in entries], _NAME, 2)
    width = sum(columns_of(name) + _MARK for name in names)
    one_row = width <= _ROW and not any("\n" in name for name in names)
    legend = drawing.legend(
        [cast("Artist", handle) for _, handle in entries],
        names,
        loc="upper left" if one_row else "upper right",
        borderpad=0,
        ncols=len(names) if one_row else 1,
        columnspacing=1.6,
    )
    legend.set_in_layout(False)
    box = legend.get_window_extent(drawing.canvas.get_renderer())  # type: ignore[attr-defined]
    if not one_row:
        high = max(high, box.height + _AIR + title)
        drawing.set_size_inches(wide / drawing.dpi, high / drawing.dpi)
    top = 1 - title / high
    legend.set_bbox_to_anchor((_EDGE if one_row else 1 - _EDGE, top))
    if one_row:
        return 1.0, top - (box.height + _GAP) / high
    return 1 - (box.width + _GAP) / wide, top
