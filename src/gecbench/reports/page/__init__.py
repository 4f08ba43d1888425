"""The report page: one HTML file with everything, that needs no other and opens offline."""

from __future__ import annotations

import base64
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

from gecbench import __version__
from gecbench.core.errors import MissingExtraError
from gecbench.core.sample import ShortRepr
from gecbench.reports import PageLanguage, plots
from gecbench.reports.page.sentences import compress
from gecbench.reports.plots import properties
from gecbench.reports.report import (
    Category,
    Figure,
    Filters,
    Report,
    Series,
    Table,
    Words,
    are_errant_types,
    figure_csv,
    message_words,
    plain,
    table_csv,
    table_latex,
    type_words,
)

if TYPE_CHECKING:
    from markupsafe import Markup


Fact = tuple[Words, str | Words]


@dataclass(frozen=True, slots=True, repr=False)
class Page(ShortRepr):
    """A report page.

    Args:
        title: In whatever language its author writes.
        facts: What the corpus is and where it comes from: names and values.
        reports: Of the analyses, in the order of reading.
        sentences: As `sentences.pack_sentences` gives them.
        headlines: Who leads, a sentence for each metric.
        edits: Whether edits were compared, so that there are marks to explain.
        example: A word of the corpus's language, to show the marks on.
        systems: Names, in the order in which charts show the first of them; () shows all.
    """

    title: str
    facts: tuple[Fact, ...]
    reports: tuple[Report, ...]
    sentences: Mapping[str, object] = field(default_factory=dict)
    headlines: tuple[Words, ...] = ()
    edits: bool = True
    example: str = "word"
    systems: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all parts, once each."""
        return tuple(dict.fromkeys(note for report in self.reports for note in report.warnings))


# What all pages are made of: words, styles, scripts and a template.


@cache
def interface_words(
    part: Literal["page", "short", "question", "heatmap"],
) -> Mapping[str, Words]:
    """The words of one part of words.toml, by key."""
    table = tomllib.loads(_read("words.toml"))[part]
    return {key: Words(*texts) for key, texts in table.items()}


def render_page(
    template: str, *, styles: Sequence[str], scripts: Sequence[str], **context: object
) -> str:
    """Render a template of this folder with its styles and scripts inside.

    Args:
        template: Its file.
        styles: Files; the colours of both themes are added.
        scripts: Files, joined in this order: later ones use what earlier ones define.
        context: What else the template asks for.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    _require_jinja()
    from jinja2 import Environment, StrictUndefined

    style = "\n".join(map(_read, styles)) + "\n" + _theme_rules()
    script = "\n".join(map(_read, scripts))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False)
    return environment.from_string(_read(template)).render(
        version=__version__,
        policy=_policy(style, script),
        style=mark_safe(style),
        script=mark_safe(script),
        **context,
    )


def _read(name: str) -> str:
    return files("gecbench.reports.page").joinpath(name).read_text("utf-8")


def _theme_rules() -> str:
    light = f"color-scheme: light;\n{properties('light')}"
    dark = f"color-scheme: dark;\n{properties('dark')}"
    return (
        f":root {{\n{light}\n}}\n"
        f'@media screen and (prefers-color-scheme: dark) {{\n:root:not([data-theme="light"]) {{\n'
        f"{dark}\n}}\n}}\n"
        f'@media screen {{\n:root[data-theme="dark"] {{\n{dark}\n}}\n}}\n'
    )


def _policy(style: str, script: str) -> str:
    """A Content-Security-Policy that allows these two and nothing else, no host at all."""
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def mark_safe(text: str) -> Markup:
    """Mark a text of our own making as one that needs no escaping where it stands."""
    from markupsafe import Markup

    return Markup(text)


def json_in_page(value: object) -> Markup:
    """Write JSON that no tag inside it can end."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return mark_safe(text.replace("<", "\\u003c"))


def check_extras() -> None:
    """Refuse to begin where what a report page needs is not installed.

    Raises:
        MissingExtraError: Names what is missing.
    """
    _require_jinja()
    plots.require_matplotlib()


def _require_jinja() -> None:
    if find_spec("jinja2") is None:
        raise MissingExtraError("jinja2, which writes the page,", "report")


# The report page.


_STYLES = ("base", "page", "tables", "charts", "explorer", "versions", "print")
_SCRIPTS = (
    *("dom", "words", "theme", "unpack", "downloads", "tables", "choice", "charts", "data"),
    *("link", "filter", "export", "list", "edits", "hint", "aligned", "detail", "controls"),
    *("explorer", "keys", "paper", "main"),
)
_OUTCOMES = (
    *(("●", "right"), ("◐", "partly"), ("○", "onlyMissed"), ("✕", "onlyFalse"), ("·", "unjudged")),
)
_SHORTCUTS = (
    (("j", "k"), "key-jk"),
    (("↓", "↑"), "key-arrows"),
    (("/",), "key-slash"),
    (("v",), "key-v"),
    (("Tab",), "key-tab"),
    (("Esc",), "key-escape"),
    (("?",), "key-help"),
)
_OPEN: Mapping[str, int] = {"scores": 9, "breakdown": 0}
"""How many tables of an analysis are open, the others behind a click; elsewhere one."""
_ALWAYS_OPEN = "false-edits"
"""A short table that no figure shows."""
_LONG = 240
"""Longer descriptions of figures are behind a click."""


def render_html(page: Page, language: PageLanguage = "en") -> str:
    """Write the page as HTML.

    Args:
        page: What stands on it.
        language: Of the interface when the page is opened; a switch in it changes that.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
    """
    check_extras()
    words = interface_words("page")
    labels = _labels(page.sentences)
    errant = are_errant_types(labels)
    types = {f"type:{part}": type_words(part, errant=errant) for part in sorted(_parts(labels))}
    texts = {**words, **{key: text for key, text in types.items() if text}}
    both = {key: {"en": text.en, "zh": text.zh} for key, text in texts.items()}
    sections = list(_sections(page.reports, Charts(page.systems, edits=page.edits)))
    return render_page(
        "html/page.html",
        styles=[f"css/{name}.css" for name in _STYLES],
        scripts=[f"js/{name}.js" for name in _SCRIPTS],
        page=page,
        language=language,
        words=words,
        interface=json_in_page(both),
        packed=compress({"files": _files(sections), "sentences": page.sentences}),
        sections=sections,
        outcomes=_OUTCOMES,
        shortcuts=_SHORTCUTS,
        plain=plain,
        link=link,
        message_words=message_words,
    )


def _labels(sentences: Mapping[str, object]) -> Sequence[str]:
    """The types of edits."""
    types = sentences.get("types", ())
    return types if isinstance(types, list | tuple) else ()


def _parts(labels: Sequence[str]) -> Set[str]:
    """Types of edits, their operations and their categories."""
    parts = [label.partition(":") for label in labels]
    return {*labels, *(part for operation, _, category in parts for part in (operation, category))}


@dataclass(frozen=True, slots=True)
class _Table:
    table: Table
    anchor: str
    files: tuple[str, str]
    bars: list[Markup]


@dataclass(frozen=True, slots=True)
class _Figure:
    figure: Figure
    file: str
    chart: Chart
    long: bool
    en: Markup
    zh: Markup


@dataclass(frozen=True, slots=True)
class _Section:
    report: Report
    anchor: str
    short: Words
    question: Words | None
    open: list[_Table]
    shut: list[_Table]
    figures: list[_Figure]
    notes: list[str]
    warnings: list[str]


def _anchors(reports: Sequence[Report]) -> Iterator[tuple[str, Report]]:
    """Yield reports with their anchors: a second one of a name is numbered."""
    seen: Counter[str] = Counter()
    for report in reports:
        seen[report.name] += 1
        number = seen[report.name]
        yield report.name if number == 1 else f"{report.name}-{number}", report


def _sections(reports: Sequence[Report], charts: Charts) -> Iterator[_Section]:
    """Yield the parts; a warning that concerns several stands in the first of them alone."""
    seen: set[str] = set()
    for anchor, report in _anchors(reports):
        warnings = [note for note in report.warnings if note not in seen]
        seen.update(warnings)
        notes = [note for note in report.notes if note not in seen]
        yield _section(report, anchor, warnings, notes, charts)


def _section(
    report: Report, anchor: str, warnings: list[str], notes: list[str], charts: Charts
) -> _Section:
    # A table that shows intervals as bars says all that a figure of them would.
    tables = [_table(table, anchor) for table in report.tables if table.rows]
    number = max(_OPEN.get(report.name, 1), sum(item.table.name == _ALWAYS_OPEN for item in tables))
    return _Section(
        report,
        anchor,
        interface_words("short").get(report.name, report.title),
        interface_words("question").get(report.name),
        tables[:number],
        tables[number:],
        [
            _figure(figure, {file for item in tables for file in item.files}, charts)
            for figure in report.figures
            if figure.kind != "intervals" or not any(item.bars for item in tables)
        ],
        notes,
        warnings,
    )


def _table(table: Table, section: str) -> _Table:
    name = table.name if table.name.startswith(section) else f"{section}-{table.name}"
    return _Table(table, f"table-{name}", (f"{name}.csv", f"{name}.tex"), _bars(table))


def _bars(table: Table) -> list[Markup]:
    """Draw a bar for each row from zero to its value, and its interval over the end of it."""
    at = table.interval_at
    if at is None:
        return []
    rows = [[float(plain(value) or 0) for value in row[at : at + 3]] for row in table.rows]
    ends = Ends.of([end for row in rows for end in row])
    return [bar_picture(value, low, high, ends) for value, low, high in rows]


def _figure(figure: Figure, taken: Set[str], charts: Charts) -> _Figure:
    pictures = (mark_safe(""), mark_safe(""))
    if figure.kind == "points":
        pictures = (mark_safe(plots.svg(figure, "en")), mark_safe(plots.svg(figure, "zh")))
    file = f"{figure.name}.csv"
    if file in taken:  # by a table of the same name, as each breakdown has one
        file = f"{figure.name}-figure.csv"
    return _Figure(figure, file, charts.chart(figure), len(figure.alt.en) > _LONG, *pictures)


def _files(sections: Sequence[_Section]) -> Mapping[str, str]:
    """What can be downloaded, by name."""
    contents: dict[str, str] = {}
    for section in sections:
        note = "\n".join([*section.report.notes, *section.report.signatures])
        for item in (*section.open, *section.shut):
            csv, tex = item.files
            contents |= {csv: table_csv(item.table), tex: table_latex(item.table, note)}
        contents |= {item.file: figure_csv(item.figure) for item in section.figures}
    return contents


# Charts: lists of bars in HTML, which fit a phone and lead to the sentences. A script of the page
# shows at most five systems in them, so that what belongs to a system says so.


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

    def __init__(self, systems: Sequence[str], *, edits: bool = True) -> None:
        self._places = {name: (at,) for at, name in enumerate(systems)}
        self._pairs = {
            f"{system} − {other}": (first, second)
            for first, system in enumerate(systems)
            for second, other in enumerate(systems)
        }
        self._systems = systems
        self._edits = edits

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
                systems = self._of(series.name, x)
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
                    group.bars.extend(self._bars(values, 0, values.name, ends, group.systems))
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
        elif not filters and systems.isdigit():  # those that a score is made of
            filters = {"system": self._systems[int(systems)]}
            filters |= {"outcome": "edits"} if self._edits else {}
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
