"""What an experiment came to: numbers over several runs, beside those of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Literal

Shape = Literal["percent", "number", "count"]
"""percent: a ratio here, 100 times it in papers; numbers and counts are alike on both sides."""

NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Mean:
    """A number over several runs.

    Args:
        values: Of each run that has one, in the order of the seeds.
    """

    values: tuple[float, ...]

    @property
    def mean(self) -> float | None:
        """None without a value."""
        return fmean(self.values) if self.values else None

    @property
    def sd(self) -> float | None:
        """The standard deviation of a sample; None below two values."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True, slots=True)
class Head:
    """What a column of numbers is called and how it is shown."""

    name: str
    shape: Shape
    digits: int


@dataclass(frozen=True, slots=True)
class RowFound:
    """A row of a table.

    Args:
        name: As it is shown.
        status: "" where something was run; else NOT_RUN or what the recipe says.
        runs: How many of the runs of its own step are done.
        of: How many there are.
        cells: A number for each column; None where its step was not run at all.
        paper: The paper's, as printed; () for none.
    """

    name: str
    status: str
    runs: int
    of: int
    cells: tuple[Mean | None, ...]
    paper: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class TableFound:
    """A table with what was found."""

    name: str
    title: str
    zh: str
    heads: tuple[Head, ...]
    rows: tuple[RowFound, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PointFound:
    """A point of a line: what it stands for, and where it lies, over the runs."""

    label: str
    x: float
    y: Mean


@dataclass(frozen=True, slots=True)
class LineFound:
    """A line of a figure; one of which nothing was run has no points."""

    name: str
    zh: str
    shape: Shape
    points: tuple[PointFound, ...]


@dataclass(frozen=True, slots=True)
class FigureFound:
    """A figure with the points of its lines."""

    name: str
    title: str
    zh: str
    x_label: str
    x_zh: str
    y_label: str
    y_zh: str
    lines: tuple[LineFound, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A system's number, the curve's at as many edits, and their difference, run by run."""

    system: Mean
    curve: Mean
    difference: Mean


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A system beside the curve of KEEP biases, at as many edits.

    Args:
        name: Of the system.
        edits: That it makes.
        outside: Runs that make more or fewer edits than any point of the curve.
        pairs: For each column.
    """

    name: str
    edits: Mean
    outside: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class ComparisonFound:
    """A comparison at equal numbers of edits."""

    name: str
    title: str
    zh: str
    heads: tuple[Head, ...]
    rows: tuple[ComparedRow, ...]


@dataclass(frozen=True, slots=True)
class ExperimentFound:
    """All that an experiment came to.

    Args:
        name: Of the experiment.
        about: What it shows.
        paper: Whose figures stand beside.
        small: Whether all of it is of tiny models, and means nothing.
        parameters: Sizes, seeds and sweeps.
        inputs: Where each input lay.
        done: Commands that were run, by the names of their tasks.
        tasks: How many tasks there are.
        tables: In the recipe's order, and so the others.
        figures: Plots.
        comparisons: At equal numbers of edits.
        notes: What the reader should know.
    """

    name: str
    about: str
    paper: str
    small: bool
    parameters: Mapping[str, Any]
    inputs: Mapping[str, str]
    done: Mapping[str, str]
    tasks: int
    tables: tuple[TableFound, ...]
    figures: tuple[FigureFound, ...]
    comparisons: tuple[ComparisonFound, ...]
    notes: tuple[str, ...]
