"""Charts of the report page: lists of bars in HTML, which fit a phone and lead to the sentences.

A script of the page shows at most five systems in them, so that what belongs to a system says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from gecbench.reports.report import Category, Figure, Filters, Series, Words

if TYPE_CHECKING:
    from markupsafe import Markup

Text = str | Words

_FIRST = 12
"""Groups with a size that are open, those with most edits or sentences; others behind a click."""
_WIDTH = 200
"""Of the picture of a bar, which is as wide as its place."""


def bar_picture(value: float, low: float | None, high: float | None, ends: Ends) -> Markup:
    """Draw a bar from zero to a value, and its interval over the end of it."""
    from markupsafe import Markup

    start, end = sorted((0.0, value))
    known = [0.0, value, *(number for number in (low, high) if number is not None)]
    rect = f'<rect x="{ends.place(start)}" y="1" width="{ends.width(start, end)}" height="10"/>'
    path = ""
    if low is not None and high is not None:
        left, right = ends.place(low), ends.place(high)
        path = f'<path d="M{left} 1V11M{left} 6H{right}M{right} 1V11"/>'
    zero = ends.place(0.0)
    axis = f'<path class="zero" d="M{zero} 0V12"/>' if ends.least < 0 else ""
    return Markup(  # numbers alone
        f'<svg class="interval" viewBox="0 0 {_WIDTH} 12" preserveAspectRatio="none" '
        f'data-ends="{ends.place(min(known))} {ends.place(max(known))}" '
        f'aria-hidden="true">{rect}{path}{axis}</svg>'
    )


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of a scale that has zero in it, and how many decimals its numbers are shown with."""

    least: float
    most: float
    digits: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Ends:
        """Take the least and the greatest of some values and zero."""
        least, most = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
        size = max(-least, most)
        whole = all(float(value).is_integer() for value in values)
        return cls(least, most, 0 if whole else 1 if size >= 10 else 2)

    def text(self, value: float) -> str:
        """A number as it is shown."""
        return f"{value:.{self.digits}f}".replace("-", "−")

    def place(self, value: float) -> str:
        """Where a value is on the picture of a bar."""
        return self.width(self.least, value)

    def width(self, start: float, end: float) -> str:
        """How far two values are apart on it."""
        return f"{_WIDTH * (end - start) / (self.most - self.least or 1.0):.2f}"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a list.

    Args:
        name: What it is of.
        value: The number at its end.
        interval: Its interval as text; "" for none.
        picture: The bar.
        systems: Places of the systems that it is of, with blanks.
        link: Address of the sentences that it is of; "" for none.
        note: What its colour would say; None for nothing.
        category: What is known of its category; None for nothing.
    """

    name: Text
    value: str
    interval: str
    picture: Markup
    systems: str
    link: str
    note: Text | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A list of bars.

    Args:
        title: What it is of; None where it is the whole chart.
        words: The title in words, where it is a label.
        size: How many edits or sentences it has; None where that is not known.
        systems: As in `Bar`.
    """

    title: Text | None
    words: Words | None = None
    size: int | None = None
    systems: str = ""
    bars: list[Bar] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a matrix; depth is from 0 to 10, its kind above or below zero."""

    text: str
    kind: str
    depth: int
    systems: str
    link: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure as HTML.

    Args:
        groups: Its lists of bars.
        rest: Those that are behind a click.
        matrix: The rows of a matrix, with their names and systems; () for none.
        columns: Names of its columns, with their systems.
    """

    groups: list[Group]
    rest: list[Group]
    matrix: list[tuple[Text, str, list[Cell]]]
    columns: list[tuple[Text, str]]


class Charts:
    """Makes charts of the figures of a page with some systems."""

    def __init__(self, systems: Sequence[str]) -> None:
        self._places = {name: (at,) for at, name in enumerate(systems)}
        self._pairs = {
            f"{system} − {other}": (first, second)
            for first, system in enumerate(systems)
            for second, other in enumerate(systems)
        }
        self._systems = systems

    def chart(self, figure: Figure) -> Chart:
        """Lay a figure out."""
        groups = [group for group in self._groups(figure) if group.bars]
        rest: list[Group] = []
        if figure.categories and len(groups) > _FIRST:
            order = sorted(groups, key=lambda group: -(group.size or 0))
            groups, rest = order[:_FIRST], order[_FIRST:]
        if figure.kind == "points":
            groups.sort(key=lambda group: int(group.systems) if group.systems.isdigit() else -1)
        if figure.kind != "matrix":
            return Chart(groups, rest, [], [])
        columns = [(x, self._of(x)) for x in _categories(figure) if not isinstance(x, float)]
        return Chart(groups, rest, [*self._matrix(figure)], columns)

    def _groups(self, figure: Figure) -> Iterator[Group]:
        known = [y for s in figure.series for y in (*s.y, *s.low, *s.high) if y is not None]
        ends = Ends.of(known)
        if figure.kind == "points":
            yield from self._points(figure)
        elif figure.kind in ("lines", "matrix"):
            for series in sorted(figure.series, key=self._rank):
                group = Group(series.name, systems=self._of(series.name))
                for at, x in enumerate(series.x):
                    group.bars.extend(
                        self._bars(series, at, _text(x), ends, self._of(series.name, x))
                    )
                yield group
        elif _are_apart(figure):
            whole = Group(None)
            facts = dict(zip(_categories(figure), figure.categories, strict=False))
            for series in figure.series:
                note = series.name if len(figure.series) > 1 else None
                for at, x in enumerate(series.x):
                    filters = self._filters(facts[x], series.name) if x in facts else {}
                    systems = self._of(series.name, x)
                    bars = self._bars(series, at, _text(x), ends, systems, filters)
                    whole.bars.extend(
                        replace(bar, note=note, category=facts.get(x)) for bar in bars
                    )
            yield whole
        else:
            yield from self._by_category(figure, ends)

    def _by_category(self, figure: Figure, ends: Ends) -> Iterator[Group]:
        """Yield a group for each category, with a bar for each series."""
        facts = figure.categories
        for at, x in enumerate(_categories(figure)):
            group = Group(_text(x), systems=self._of(x))
            if facts:
                group = Group(facts[at].name, facts[at].words, facts[at].size)
            for series in sorted(figure.series, key=self._rank):
                if x not in series.x:
                    continue
                filters = self._filters(facts[at], series.name) if facts else {}
                systems = self._of(series.name)
                place = series.x.index(x)
                group.bars.extend(self._bars(series, place, series.name, ends, systems, filters))
            yield group

    def _points(self, figure: Figure) -> Iterator[Group]:
        """Yield a group for each point, with a bar for each of its numbers."""
        numbers = [n for s in figure.series for n in (*s.x, *s.y) if isinstance(n, float | int)]
        ends = Ends.of(numbers)
        for series in figure.series:
            for at, label in enumerate(series.labels or (series.name,) * len(series.x)):
                name = series.name if len(figure.series) > 1 and series.labels else None
                title = _join(name, label) if name else label
                x = Series(figure.x_label, ("",), (series.x[at],))  # type: ignore[arg-type]
                y = Series(figure.y_label, ("",), (series.y[at],))
                group = Group(title, systems=self._of(label))
                for values in (y, x):
                    group.bars.extend(self._bars(values, 0, values.name, ends, ""))
                yield group

    def _matrix(self, figure: Figure) -> Iterator[tuple[Text, str, list[Cell]]]:
        from gecbench.reports.plots.charts import cell_text, opacity

        values = [y for series in figure.series for y in series.y if y is not None]
        for series in figure.series:
            cells = []
            for at, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
                systems = self._of(series.name, x)
                if y is None:
                    cells.append(Cell("", "above", 0, self._of(x), ""))
                    continue
                text = series.labels[at] if series.labels else cell_text(y, values)
                kind, depth = "below" if y < 0 else "above", round(20 * opacity(y, values))
                cells.append(Cell(text, kind, depth, self._of(x), self._link({}, systems)))
            yield series.name, self._of(series.name), cells

    def _bars(
        self,
        series: Series,
        at: int,
        name: Text,
        ends: Ends,
        systems: str,
        filters: Filters | None = None,
    ) -> Iterator[Bar]:
        """Yield the bar of a value; none where there is nothing to show."""
        value = series.y[at]
        if value is None:
            return
        low = series.low[at] if series.low else None
        high = series.high[at] if series.high else None
        interval = (
            ""
            if low is None or high is None or low == high
            else f"{ends.text(low)} – {ends.text(high)}"
        )
        text = series.labels[at] if series.labels else ends.text(value)
        picture = bar_picture(value, low, high, ends)
        yield Bar(name, text, interval, picture, systems, self._link(filters or {}, systems))

    def _filters(self, category: Category, name: Text) -> Filters:
        """The sentences that a series has its value in a category from."""
        filters = dict(category.filters)
        if isinstance(name, str) and name in self._places:
            filters["system"] = name
            if "type" in filters or filters.get("group", "").startswith("position:"):
                filters["outcome"] = "edits"
        return filters

    def _rank(self, series: Series) -> int:
        """Where a series stands: systems the best first, what is no system before them."""
        (place,) = self._places.get(str(series.name), (-1,))
        return place

    def _of(self, *texts: object) -> str:
        """The places of the systems that texts name: one, or two that are compared."""
        places: list[int] = []
        for text in texts:
            if isinstance(text, str):
                places += self._places.get(text, ()) or self._pairs.get(text, ())
        return " ".join(map(str, dict.fromkeys(places)))

    def _link(self, filters: Filters, systems: str) -> str:
        if not filters and systems.count(" ") == 1:  # the sentences where two systems differ
            first, second = map(int, systems.split())
            filters = {"a": self._systems[first], "b": self._systems[second]}
        return link(filters)


def link(filters: Filters) -> str:
    """The address of the sentences that filters leave; "" without any."""
    return f"#{urlencode(filters)}" if filters else ""


def _text(x: float | Text) -> Text:
    return x if isinstance(x, str | Words) else f"{x:g}"


def _join(first: Text, second: Text) -> Words:
    texts = [text if isinstance(text, Words) else Words(text, text) for text in (first, second)]
    return Words(" ".join(text.en for text in texts), " ".join(text.zh for text in texts))


def _categories(figure: Figure) -> list[float | Text]:
    """The x of all series, in the order in which they come first."""
    return list(dict.fromkeys(x for series in figure.series for x in series.x))


def _are_apart(figure: Figure) -> bool:
    """Say whether no two series have a category in common: then they are one list."""
    every = [x for series in figure.series for x in series.x]
    return len(every) == len(set(every))
