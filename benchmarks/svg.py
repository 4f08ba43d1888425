"""A plot with two logarithmic axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 760, 480
LEFT, RIGHT, TOP, BOTTOM = 80, 230, 40, 60
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, which people with any colour vision tell apart."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis.

    Args:
        title: What it shows.
        low: Logarithm of its start, to the base 10.
        high: Of its end.
        label: Text at a power of ten.
    """

    title: str
    low: float
    high: float
    label: Callable[[float], str]

    @property
    def powers(self) -> range:
        """The logarithms of the powers of ten on it."""
        return range(math.ceil(self.low), math.floor(self.high) + 1)

    def place(self, value: float, start: float, length: float) -> float:
        """Return where a value lies on a line of that start and length."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return start + share * length


def axis(title: str, values: Sequence[float], label: Callable[[float], str]) -> Axis:
    """Return the axis that holds all values and begins at a power of ten."""
    low, high = math.log10(min(values)), math.log10(max(values))
    return Axis(title, math.floor(low), high + 0.05, label)


def plot(
    title: str, x: Axis, y: Axis, series: Mapping[str, Points], guides: Mapping[str, Points]
) -> str:
    """Return the SVG.

    Args:
        title: Stands above.
        x: Horizontal.
        y: Vertical.
        series: Drawn with points, by name.
        guides: Drawn dashed and grey.
    """
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{title}</text>',
        *_grid(x, y),
    ]
    for number, (name, points) in enumerate(guides.items()):
        lines += _line(name, points, x, y, "#888888", len(series) + number, dashed=True)
    for number, (name, points) in enumerate(series.items()):
        lines += _line(name, points, x, y, COLOURS[number % len(COLOURS)], number, dashed=False)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _across(x: Axis, value: float) -> float:
    return round(x.place(value, LEFT, WIDTH - LEFT - RIGHT), 1)


def _up(y: Axis, value: float) -> float:
    return round(y.place(value, HEIGHT - BOTTOM, TOP + BOTTOM - HEIGHT), 1)


def _grid(x: Axis, y: Axis) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    lines = []
    for power in x.powers:
        at = _across(x, 10**power)
        label = x.label(10**power)
        lines.append(f'<path d="M{at} {TOP}V{bottom}" stroke="#dddddd"/>')
        lines.append(f'<text x="{at}" y="{bottom + 20}" text-anchor="middle">{label}</text>')
    for power in y.powers:
        at = _up(y, 10**power)
        label = y.label(10**power)
        lines.append(f'<path d="M{LEFT} {at}H{right}" stroke="#dddddd"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{at + 5}" text-anchor="end">{label}</text>')
    lines.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#888888"/>')
    middle, height = (LEFT + right) / 2, (TOP + bottom) / 2
    lines.append(f'<text x="{middle}" y="{HEIGHT - 16}" text-anchor="middle">{x.title}</text>')
    lines.append(
        f'<text transform="translate(22 {height}) rotate(-90)" text-anchor="middle">{y.title}'
        "</text>"
    )
    return lines


def _line(
    name: str, points: Points, x: Axis, y: Axis, colour: str, number: int, *, dashed: bool
) -> list[str]:
    """Return one series with its entry in the legend."""
    places = [(_across(x, at), _up(y, value)) for at, value in points]
    path = "L".join(f"{across} {up}" for across, up in places)
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    start, height = WIDTH - RIGHT + 16, TOP + 12 + 22 * number
    lines = [
        f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>',
        f'<path d="M{start} {height}h26" stroke="{colour}" stroke-width="1.8"{dash}/>',
        f'<text x="{start + 32}" y="{height + 4}">{name}</text>',
    ]
    dots = [] if dashed else places
    lines += [f'<circle cx="{across}" cy="{up}" r="3" fill="{colour}"/>' for across, up in dots]
    return lines
