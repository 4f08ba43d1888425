"""The report page: one HTML file with everything, that needs no other and opens offline."""

from __future__ import annotations

import base64
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from gecbench import __version__
from gecbench.core.errors import MissingExtraError
from gecbench.core.sample import ShortRepr
from gecbench.reports import PageLanguage, plots
from gecbench.reports.page.charts import Chart, Charts, Ends, bar_picture, link
from gecbench.reports.page.sentences import compress
from gecbench.reports.plots import properties
from gecbench.reports.report import (
    Figure,
    Report,
    Table,
    Words,
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
    types = {f"type:{label}": type_words(label) for label in sorted(_types(page.sentences))}
    texts = {**words, **{key: text for key, text in types.items() if text}}
    both = {key: {"en": text.en, "zh": text.zh} for key, text in texts.items()}
    sections = list(_sections(page.reports, Charts(page.systems)))
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


def _types(sentences: Mapping[str, object]) -> Set[str]:
    """The types of edits, their operations and their categories."""
    types = sentences.get("types", ())
    labels = types if isinstance(types, list | tuple) else ()
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
