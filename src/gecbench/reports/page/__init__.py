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
from gecbench.reports import PageLanguage, plots
from gecbench.reports.edit_types import type_words
from gecbench.reports.page.sentences import compress
from gecbench.reports.plots import properties
from gecbench.reports.report import (
    Figure,
    Report,
    Table,
    Words,
    figure_csv,
    plain,
    table_csv,
    table_latex,
)

if TYPE_CHECKING:
    from markupsafe import Markup


Fact = tuple[Words, str | Words]


@dataclass(frozen=True, slots=True)
class Page:
    """A report page.

    Args:
        title: In whatever language its author writes.
        facts: What the corpus is and where it comes from: names and values.
        reports: Of the analyses, in the order of reading.
        sentences: As `sentences.pack_sentences` gives them.
        headlines: Who leads, a sentence for each metric.
        edits: Whether edits were compared, so that there are marks to explain.
        example: A word of the corpus's language, to show the marks on.
    """

    title: str
    facts: tuple[Fact, ...]
    reports: tuple[Report, ...]
    sentences: Mapping[str, object] = field(default_factory=dict)
    headlines: tuple[Words, ...] = ()
    edits: bool = True
    example: str = "word"

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


_STYLES = ("base", "page", "tables", "explorer", "versions", "print")
_SCRIPTS = (
    *("dom", "words", "theme", "unpack", "downloads", "tables", "data", "link", "filter"),
    *(
        "export",
        "list",
        "edits",
        "hint",
        "aligned",
        "detail",
        "controls",
        "explorer",
        "keys",
        "paper",
        "main",
    ),
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
_BROAD = {"matrix": 8, "lines": 24, "intervals": 21, "bars": 21}
"""From this many places on a figure takes the whole width, by kind; others never do."""
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
    types = {f"type:{label}": type_words(str(label)) for label in _types(page.sentences)}
    texts = {**words, **{key: text for key, text in types.items() if text}}
    both = {key: {"en": text.en, "zh": text.zh} for key, text in texts.items()}
    sections = list(_sections(page.reports))
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
    )


def _types(sentences: Mapping[str, object]) -> Sequence[object]:
    types = sentences.get("types", ())
    return types if isinstance(types, list | tuple) else ()


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
    broad: bool
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


def _sections(reports: Sequence[Report]) -> Iterator[_Section]:
    """Yield the parts; a warning that concerns several stands in the first of them alone."""
    seen: set[str] = set()
    for anchor, report in _anchors(reports):
        warnings = [note for note in report.warnings if note not in seen]
        seen.update(warnings)
        yield _section(report, anchor, warnings, [n for n in report.notes if n not in seen])


def _section(report: Report, anchor: str, warnings: list[str], notes: list[str]) -> _Section:
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
            _figure(figure, {file for item in tables for file in item.files})
            for figure in report.figures
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
    least = min(0.0, *(low for _, low, _ in rows))
    span = max(0.0, *(high for _, _, high in rows)) - least or 1.0

    def place(value: float) -> str:
        return f"{200 * (value - least) / span:.1f}"

    bars = []
    for value, low, high in rows:
        start, end = sorted((0.0, value))
        width = f"{200 * (end - start) / span:.1f}"
        whisker = f"M{place(low)} 1V11M{place(low)} 6H{place(high)}M{place(high)} 1V11"
        bars.append(
            mark_safe(
                '<svg class="interval" viewBox="0 0 200 12" preserveAspectRatio="none" '
                f'aria-hidden="true"><rect x="{place(start)}" y="1" width="{width}" height="10"/>'
                f'<path d="{whisker}"/></svg>'
            )
        )
    return bars


def _figure(figure: Figure, taken: Set[str]) -> _Figure:
    most = max((len(series.x) for series in figure.series), default=0)
    broad = most >= _BROAD.get(figure.kind, most + 1)
    pictures = (mark_safe(plots.svg(figure, "en")), mark_safe(plots.svg(figure, "zh")))
    file = f"{figure.name}.csv"
    if file in taken:  # by a table of the same name, as each breakdown has one
        file = f"{figure.name}-figure.csv"
    return _Figure(figure, file, broad, len(figure.alt.en) > _LONG, *pictures)


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
