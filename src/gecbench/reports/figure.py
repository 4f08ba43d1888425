"""What a figure shows: its data and its words; drawing is the business of `reports.plots`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gecbench.reports.grid import as_csv
from gecbench.reports.words import Words

Kind = Literal["lines", "bars", "points", "intervals", "matrix"]
"""lines: y over numeric x, with markers; bars: grouped, over categories; points: a scatter with
a label at each point; intervals: one dot with its whiskers for each category, horizontal;
matrix: a coloured cell with its number for each pair of categories, each series a row."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line, one group of bars, one cloud of points, or one row of a matrix.

    Args:
        name: What the legend calls it.
        x: Numbers, or categories in the order in which they are shown.
        y: As many numbers; None where there is nothing to show.
        low: Lower ends of intervals, as many; () for none.
        high: Upper ends.
        labels: What stands at each point; () for none.
    """

    name: str | Words
    x: tuple[float | str | Words, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot that is not drawn yet.

    Args:
        name: Of its files and anchor: lower-case letters, digits and hyphens; unique among the
            figures of one analysis, and begins with the name of the analysis.
        kind: See `Kind`.
        title: One line.
        alt: What it shows, for those who cannot see it: the numbers that matter, in words.
        x_label: What the x of the series are, with their unit, on whichever axis they stand: in
            intervals the categories at the left, in a matrix the columns.
        y_label: What the y of the series are, likewise; in a matrix the rows.
        series: What is drawn.
        iso_f: Beta of the iso-F lines behind points whose axes are recall and precision in
            percent; None for no such lines.
    """

    name: str
    kind: Kind
    title: Words
    alt: Words
    x_label: Words
    y_label: Words
    series: tuple[Series, ...]
    iso_f: float | None = None


def figure_csv(figure: Figure) -> str:
    """Return the data of a figure as CSV, unrounded, a row for each point."""
    rows = []
    for series in figure.series:
        name = series.name.en if isinstance(series.name, Words) else series.name
        for at, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
            ends = [ends[at] if ends else "" for ends in (series.low, series.high)]
            label = series.labels[at] if series.labels else ""
            x = x.en if isinstance(x, Words) else x
            rows.append((name, x, "" if y is None else y, *_blank(ends), label))
    return as_csv(("series", "x", "y", "low", "high", "label"), rows)


def _blank(values: list[float | str | None]) -> list[float | str]:
    return ["" if value is None else value for value in values]
