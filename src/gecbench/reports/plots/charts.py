"""The kinds of figures, and what draws each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from gecbench.core.frames import columns_of
from gecbench.reports.plots import style
from gecbench.reports.plots.style import (
    PALETTE,
    SIZE,
    SMALL,
    Keywords,
    Look,
    categories,
    name_axes,
    name_columns,
    number,
    raise_floor,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure as Drawing

    from gecbench.reports.plots.style import Entries
    from gecbench.reports.report import Figure, FigureKind, Series


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
    """The height in inches without the legend."""
    names = style.categories(figure, look)
    if _are_dots(figure, names):
        return max(style.row_height(names, 0.27, look) * len(names) + 0.9, _LEAST)
    if _standing(figure, names, look):
        return 3.5
    row = style.row_height(names, 0.14 * len(figure.series) + 0.1, look)
    return max(row * len(names) + 0.9, _LEAST)


def draw_bars(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw bars from zero, standing where the names below them find room, else lying."""
    names = style.categories(figure, look)
    if _are_dots(figure, names):
        return _dots(axes, figure, look, names)
    standing = _standing(figure, names, look)
    style.name_axes(axes, figure, look, values="y" if standing else "x")
    (style.name_columns if standing else style.name_rows)(axes, names, look)
    width = _BAR_SHARE / len(figure.series)
    entries: list[tuple[str, Artist | BarContainer]] = []
    for index, series in enumerate(figure.series):
        shift = (index - (len(figure.series) - 1) / 2) * width
        places = [names.index(look.text(x)) + shift for x in series.x]
        values = [0.0 if y is None else y for y in series.y]
        options: Keywords = {"color": look.series_colour(index), "linewidth": 0}
        if standing:
            bars = axes.bar(places, values, width * 0.92, **options)
        else:
            bars = axes.barh(places, values, width * 0.92, **options)
        entries.append((look.text(series.name), bars))
        draw = axes.vlines if standing else axes.hlines
        draw(*style.whiskers(places, series), color=look.colour("ink"), linewidth=0.9)
    (axes.axhline if standing else axes.axvline)(0, color=look.colour("muted"), linewidth=0.8)
    style.raise_floor(axes, figure, values="y" if standing else "x", floor=0)
    if len(figure.series) == 1:
        _numbers(axes, figure.series[0], names, look, standing=standing)
    return entries


def _are_dots(figure: Figure, names: Sequence[str]) -> bool:
    count = len(figure.series)
    return count > 1 and (count > PALETTE or count * len(names) > _BARS)


def _standing(figure: Figure, names: Sequence[str], look: Look) -> bool:
    few = len(figure.series) * len(names) <= look.share(_STANDING)
    return few and style.columns_fit(names, look)


def _dots(axes: Axes, figure: Figure, look: Look, names: Sequence[str]) -> Entries:
    style.name_axes(axes, figure, look, values="x")
    style.name_rows(axes, names, look)
    for row in range(len(names)):
        axes.axhline(row, color=look.colour("line"), linewidth=0.6, zorder=0.5)
    entries = []
    for index, series in enumerate(figure.series):
        rows = [names.index(look.text(x)) for x in series.x]
        entries.append((look.text(series.name), _markers(axes, series.y, rows, look.marker(index))))
    style.raise_floor(axes, figure, values="x", floor=-0.02)  # half a marker
    return entries


def _markers(
    axes: Axes, x: Sequence[float | None], y: Sequence[float | None], look: Keywords
) -> Artist:
    """Draw a marker at each point that has both numbers."""
    points = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    (line,) = axes.plot([a for a, _ in points], [b for _, b in points], linestyle="none", **look)
    return line


def _numbers(
    axes: Axes, series: Series, names: Sequence[str], look: Look, *, standing: bool
) -> None:
    """Write the value at the end of each bar, outside, beyond its whisker."""
    margins: Keywords = {"y" if standing else "x": 0.12}
    axes.margins(**margins)
    highs = series.high or series.y
    for x, y, high in zip(series.x, series.y, highs, strict=True):
        if y is None:
            continue
        place = names.index(look.text(x))
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
    """The height in inches without the legend."""
    names = style.categories(figure, look)
    row = style.row_height(names, 0.1 + 0.15 * len(figure.series), look)
    return max(row * len(names) + 0.9, 1.4)


def draw_intervals(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the intervals, series below one another in each row."""
    names = style.categories(figure, look)
    style.name_axes(axes, figure, look, values="x")
    style.name_rows(axes, names, look)
    axes.margins(x=0.06)
    entries = []
    for index, series in enumerate(figure.series):
        shift = (index - (len(figure.series) - 1) / 2) * _SHARE / len(figure.series)
        rows = [names.index(look.text(x)) + shift for x in series.x]
        axes.hlines(*style.whiskers(rows, series), color=look.series_colour(index), linewidth=1.6)
        entries.append((look.text(series.name), _markers(axes, series.y, rows, look.marker(index))))
    low, high = axes.get_xlim()
    if low < 0 < high:
        axes.axvline(0, color=look.colour("muted"), linewidth=0.8, zorder=0.8)
    return entries


# Lines over numbers, or over categories in their order.


_MARKERS = 24
"""At most so many markers on a line; more would hide it."""


def draw_lines(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the lines; the legend has them as they end at the right, from above."""
    name_axes(axes, figure, look, values="y")
    numeric = all(isinstance(x, int | float) for series in figure.series for x in series.x)
    names = [] if numeric else categories(figure, look)
    entries = []
    for index, series in enumerate(figure.series):
        places = [_place(x, names, look) for x in series.x]
        values = [float("nan") if y is None else y for y in series.y]
        (line,) = axes.plot(
            places,
            values,
            markevery=max(1, -(-len(places) // _MARKERS)),
            **look.line(index),
            **look.marker(index),
        )
        if series.low and series.high:
            low, high = (
                [float("nan") if end is None else end for end in numbers]
                for numbers in (series.low, series.high)
            )
            axes.fill_between(
                places, low, high, color=look.series_colour(index), alpha=0.13, linewidth=0
            )
        last = next((y for y in reversed(series.y) if y is not None), float("-inf"))
        entries.append((last, look.text(series.name), line))
    raise_floor(axes, figure, values="y", floor=-0.04)  # half a marker
    if not numeric:
        name_columns(axes, names, look)
    elif len(alone := {x for series in figure.series for x in series.x}) == 1:
        axes.set_xticks([float(x) for x in alone])  # type: ignore[arg-type]
    elif all(float(x).is_integer() for series in figure.series for x in series.x):  # type: ignore[arg-type]
        axes.xaxis.set_major_locator(MaxNLocator(nbins=look.share(10), integer=True))
    return [(name, line) for _, name, line in sorted(entries, key=lambda entry: -entry[0])]


def _place(x: object, names: list[str], look: Look) -> float:
    return names.index(look.text(x)) if names else float(x)  # type: ignore[arg-type]


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
    """The height in inches."""
    names = style.categories(figure, look)
    turned = (
        0 if style.columns_fit(names, look) else 0.055 * min(_NAME, max(map(columns_of, names)))
    )
    return 0.34 * len(figure.series) + 0.75 + turned


def draw_matrix(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the cells; a cell without a value stays empty."""
    names = style.categories(figure, look)
    style.name_axes(axes, figure, look, values="y")
    axes.grid(visible=False)
    values = [y for series in figure.series for y in series.y if y is not None]
    # Numbers are smaller where the columns are many.
    size = SIZE if len(names) <= 9 else max(5.5, SIZE * 9.5 / len(names))
    for row, series in enumerate(figure.series):
        labels = series.labels or tuple("" if y is None else cell_text(y, values) for y in series.y)
        for x, y, label in zip(series.x, series.y, labels, strict=True):
            column = names.index(look.text(x))
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
                look.text(label),
                size=size,
                ha="center",
                va="center_baseline",
                in_layout=False,
            )
    _names(axes, [look.text(series.name) for series in figure.series], names, look)
    return ()


def opacity(value: float, values: Sequence[float]) -> float:
    """How far a value shows: by its size from zero, or among values that are all far off.

    Values up to 1, as correlations and p-values, are held against 1.
    """
    sizes = [abs(y) for y in values]
    most, least = max(1.0, *sizes), min(sizes)
    mixed = min(values) < 0 < max(values)
    base = 0.0 if mixed or most == 1 or least < most / 2 else least
    share = 0.5 if most == base else (abs(value) - base) / (most - base)
    return FAINTEST + share * (DEEPEST - FAINTEST)


def cell_text(value: float, values: Sequence[float]) -> str:
    """A number with as many decimals as its neighbours; what is not zero is not shown so."""
    if all(float(y).is_integer() for y in values):
        return str(int(value)).replace("-", "−")
    digits = 1 if max(map(abs, values)) >= 10 else 2
    text = f"{value:.{digits}f}".replace("-", "−")
    if value and not float(f"{value:.{digits}f}"):
        return f"<{10**-digits:g}" if value > 0 else f">−{10**-digits:g}"
    return text


def _names(axes: Axes, rows: Sequence[str], columns: Sequence[str], look: Look) -> None:
    style.name_rows(axes, rows, look)
    style.name_columns(axes, columns, look)
    axes.spines["bottom"].set_visible(False)
    if not style.columns_fit(columns, look):
        short = shorten(columns, _NAME, 1)
        axes.set_xticks(range(len(columns)), short, rotation=40, ha="right", rotation_mode="anchor")


# Points, each with its name beside it, before lines of equal F where the axes are P and R.

# Finds places for the labels of points where they cover neither points nor one another.
#
# Libraries for this push labels apart by random steps and out of the frame; a figure has to come
# out the same each time, with as many of its names as find room, and has a few dozen labels at
# most.


Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle, y upwards, in points."""

    left: float
    low: float
    right: float
    high: float


_RINGS = (6.0, 11.0, 18.0, 27.0, 38.0, 52.0)
"""How far from its point a label may stand."""

_ANGLES = (0, 180, 90, 270, 45, 315, 135, 225, 22, 338, 158, 202, 68, 112, 248, 292)
"""In degrees, in the order of preference: right, left, above, below, then slanting."""

_LABEL_MARK = 4.0
"""Half the side of the square that a marker takes."""


def spread(
    points: Sequence[Point], sizes: Sequence[Point], room: Box, *, full: bool
) -> list[Box | None]:
    """Find a box for the label of each point, None for those that find no room.

    Each takes the first place that covers no marker and no other label and does not leave the
    room; those in a crowd choose first.

    Args:
        points: Centres of the markers.
        sizes: Width and height of the labels; a width of 0 is no label.
        room: Where labels may stand.
        full: Labels may stand far away from their points; else close to them or nowhere.
    """
    marks = [
        Box(x - _LABEL_MARK, y - _LABEL_MARK, x + _LABEL_MARK, y + _LABEL_MARK) for x, y in points
    ]
    rings = _RINGS if full else _RINGS[:1]
    boxes: list[Box | None] = [None] * len(points)
    for index in sorted(
        range(len(points)), key=lambda index: _closest(points, index) if full else index
    ):
        if not sizes[index][0]:
            continue
        obstacles = (*marks, *(box for box in boxes if box))
        places = (
            _beside(points[index], sizes[index], distance, angle)
            for distance in rings
            for angle in _ANGLES
        )
        boxes[index] = next(
            (
                box
                for box in places
                if _inside(box, room) and not any(_overlap(box, other) for other in obstacles)
            ),
            None,
        )
    return boxes


def _closest(points: Sequence[Point], index: int) -> float:
    """How near the next point is; the most crowded choose first."""
    apart = [math.dist(points[index], other) for i, other in enumerate(points) if i != index]
    return min(apart, default=0.0)


def _beside(point: Point, size: Point, distance: float, angle: int) -> Box:
    """The box whose nearest side or corner is at a distance from its point."""
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    width, height = size
    x = point[0] + across * distance + _push(across) * width / 2
    y = point[1] + up * distance + _push(up) * height / 2
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _push(part: float) -> float:
    return 0.0 if abs(part) < 0.1 else math.copysign(min(1.0, abs(part) * 1.5), part)


def _overlap(box: Box, other: Box) -> bool:
    """Say whether two boxes overlap or nearly touch."""
    across = min(box.right, other.right) - max(box.left, other.left)
    up = min(box.high, other.high) - max(box.low, other.low)
    return across > -1.5 and up > -0.5


def _inside(box: Box, room: Box) -> bool:
    return (
        box.left >= room.left
        and box.right <= room.right
        and box.low >= room.low
        and box.high <= room.high
    )


_MARK = 5.6
_MANY = 40
"""With more labels than these, only those with room close to their points are written."""

_SHAPES = ((22, 2), (22, 1), (14, 1), (9, 1))
"""Columns and lines of labels; smaller ones are for figures where larger ones find no room."""

_LEADING = 1.1
_LINES = 7
"""At most so many lines of equal F."""


POINT = "point "
"""Begins the id of what belongs to a point with a label, which stands behind it."""


def draw_points(axes: Axes, figure: Figure, look: Look) -> Entries:
    """Draw the points, and behind them the lines of equal F."""
    style.name_axes(axes, figure, look, values="y")
    axes.grid(visible=figure.iso_f is None, axis="both")
    entries = []
    for index, series in enumerate(figure.series):
        places = [float(x) for x in series.x]  # type: ignore[arg-type]
        axes.vlines(*style.whiskers(places, series), color=look.series_colour(index), linewidth=1)
        marker = look.marker(index, _MARK)
        if series.labels:
            for x, y, label in zip(places, series.y, series.labels, strict=True):
                markers = _markers(axes, [x], [y], marker)
                markers.set_gid(POINT + look.text(label))
        else:
            markers = _markers(axes, places, series.y, marker)
        entries.append((look.text(series.name), markers))
    axes.margins(0.1)
    if all(float(x).is_integer() for series in figure.series for x in series.x):  # type: ignore[arg-type]
        axes.xaxis.set_major_locator(
            MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
        )
    if figure.iso_f is not None:
        _equal_f(axes, figure.iso_f, look)
    return entries


def name_points(axes: Axes, figure: Figure, look: Look) -> bool:
    """Write what stands at each point where it covers nothing; say whether all found room."""
    points, names = _labels(axes, figure, look)
    frame = axes.get_window_extent(_renderer(axes))
    room = Box(frame.x0, frame.y0, frame.x1, frame.y1)
    full = len(points) <= _MANY
    attempts = []
    for columns, lines in _SHAPES if full else _SHAPES[:1]:
        texts = shorten(names, columns, lines)
        boxes = spread(points, _sizes(axes, texts), room, full=full)
        left_off = sum(bool(text) and box is None for text, box in zip(texts, boxes, strict=True))
        attempts.append((left_off, texts, boxes))
        if not left_off:
            break
    left_off, texts, boxes = min(attempts, key=lambda attempt: attempt[0])
    for point, name, text, box in zip(points, names, texts, boxes, strict=True):
        if box is not None:
            _label(axes, point, name, text, box, look)
    return not left_off


def _labels(axes: Axes, figure: Figure, look: Look) -> tuple[list[Point], list[str]]:
    """Where the points are on paper, and what stands at each."""
    points: list[Point] = []
    names = []
    for series in figure.series:
        labels = series.labels or ((series.name,) if _series_are_points(figure) else ())
        for index, y in enumerate(series.y):
            if y is not None:
                x, up = axes.transData.transform((float(series.x[index]), y)).tolist()  # type: ignore[arg-type]
                points.append((x, up))
                names.append(look.text(labels[index]) if labels else "")
    return points, names


def _sizes(axes: Axes, texts: Sequence[str]) -> list[Point]:
    """Widths and heights of labels on paper."""
    drawing = cast("Drawing", axes.get_figure(root=True))
    labels = [drawing.text(0, 0, text, size=SMALL, linespacing=_LEADING) for text in texts]
    boxes = [label.get_window_extent(_renderer(axes)) for label in labels]
    for label in labels:
        label.remove()
    return [(box.width, box.height) for box in boxes]


def _renderer(axes: Axes) -> RendererBase:
    drawing = cast("Drawing", axes.get_figure(root=True))
    return drawing.canvas.get_renderer()  # type: ignore[attr-defined, no-any-return]


def _label(
    axes: Axes, point: tuple[float, float], name: str, text: str, box: Box, look: Look
) -> None:
    """Write a label in its box, with a line to its point where it is far away."""
    x, y = axes.transData.inverted().transform(point)
    near_x = min(max(point[0], box.left), box.right)
    near_y = min(max(point[1], box.low), box.high)
    far = math.dist(point, (near_x, near_y)) > 9
    annotation = axes.annotate(
        text,
        (x, y),
        xytext=((box.left + box.right) / 2 - point[0], (box.low + box.high) / 2 - point[1]),
        textcoords="offset points",
        size=SMALL,
        color=look.colour("ink"),
        ha="center",
        va="center",
        linespacing=_LEADING,
        annotation_clip=False,
        arrowprops={
            "arrowstyle": "-",
            "color": look.colour("muted"),
            "linewidth": 0.6,
            "shrinkA": 0,
            "shrinkB": 4,
        }
        if far
        else None,
    )
    annotation.set_gid(POINT + name)
    if annotation.arrow_patch:
        annotation.arrow_patch.set_gid(POINT + name)


def _series_are_points(figure: Figure) -> bool:
    """Say whether each series is one point without a label: its name then stands there."""
    return len(figure.series) > 1 and all(
        len(series.x) == 1 and not series.labels for series in figure.series
    )


def all_named(figure: Figure, look: Look) -> bool:
    """Say whether the labels say all that a legend would."""
    return _series_are_points(figure) or all(
        set(series.labels) == {look.text(series.name)} for series in figure.series
    )


def _equal_f(axes: Axes, beta: float, look: Look) -> None:
    """Draw where F has the same value, with the value at the end of each line.

    F = (1 + b) P R / (b P + R) with b = beta squared, so P = F R / ((1 + b) R - b F).
    """
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    left, low = max(left, 0.0), max(low, 0.0)
    right, high = min(right, 100.0), min(high, 100.0)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    square = beta * beta
    for level in _levels(_f(left, low, square), _f(right, high, square)):
        recalls = [left + (right - left) * step / 160 for step in range(161)]
        curve = [
            (recall, level * recall / below)
            for recall in recalls
            if (below := (1 + square) * recall - square * level) > 0
            and low <= level * recall / below <= high
        ]
        if len(curve) > 1:
            _equal(axes, curve, f"{level:g}", look, at_edge=curve[-1][0] == recalls[-1])
    axes.annotate(f"F{beta:g}", (1, 1), xycoords="axes fraction", xytext=(4, 10), **_small(look))


def _equal(
    axes: Axes, curve: Sequence[tuple[float, float]], name: str, look: Look, *, at_edge: bool
) -> None:
    """Draw one line of equal F with its value at its end, beside the frame or above the axis."""
    axes.plot(
        [recall for recall, _ in curve],
        [precision for _, precision in curve],
        color=look.colour("muted"),
        linewidth=0.6,
        linestyle=(0, (3, 2)),
        zorder=0.5,
    )
    place = "center_baseline" if at_edge else "bottom"
    axes.annotate(name, curve[-1], xytext=(4, 0 if at_edge else 3), va=place, **_small(look))


def _small(look: Look) -> Keywords:
    return {
        "textcoords": "offset points",
        "size": SMALL,
        "color": look.colour("muted"),
        "annotation_clip": False,
    }


def _f(recall: float, precision: float, square: float) -> float:
    below = square * precision + recall
    return (1 + square) * precision * recall / below if below else 0.0


def _levels(low: float, high: float) -> list[float]:
    """Round values between two, at most `_LINES`."""
    steps = (0.5, 1, 2, 5, 10, 20)
    step = next((size for size in steps if (high - low) / size <= _LINES), steps[-1])
    first = math.floor(low / step) + 1
    return [step * index for index in range(first, math.ceil(high / step))]


# All kinds.


@dataclass(frozen=True, slots=True)
class Chart:
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


KINDS: Mapping[FigureKind, Chart] = {
    "lines": Chart(lambda *_: 3.7, draw_lines),
    "bars": Chart(bars_height, draw_bars),
    "points": Chart(lambda *_: 4.3, draw_points, name_points, all_named),
    "intervals": Chart(intervals_height, draw_intervals),
    "matrix": Chart(matrix_height, draw_matrix),
}
