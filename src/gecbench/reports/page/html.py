"""Writes a report page as one HTML file that needs no other and opens offline."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gecbench import __version__
from gecbench.core.errors import MissingExtraError
from gecbench.core.score import WarningNote
from gecbench.reports import plots
from gecbench.reports.page.sentences import compressed
from gecbench.reports.page.words import WORDS
from gecbench.reports.report import (
    Column,
    Figure,
    Language,
    Report,
    Table,
    Value,
    Words,
    figure_csv,
    plain,
    table_csv,
    table_latex,
)
from gecbench.reports.theme import properties

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup


# What stands on a report page, before it is written as HTML.


Fact = tuple[Words, str | Words]


@dataclass(frozen=True, slots=True)
class Page:
    """A report.

    Args:
        title: In whatever language its author writes.
        facts: What the corpus is and where it comes from: names and values.
        reports: The analyses, in the order of reading.
        sentences: As `packing.packed_sentences` gives them.
        edits: Whether edits were compared, so that there are marks to explain.
        example: A word of the corpus's language, to show the marks on.
    """

    title: str
    facts: tuple[Fact, ...]
    reports: tuple[Report, ...]
    sentences: Mapping[str, object] = field(default_factory=dict)
    edits: bool = True
    example: str = "word"

    @property
    def doubts(self) -> tuple[str, ...]:
        """What makes numbers on it doubtful, once each."""
        notes = (note for one in self.reports for note in one.notes)
        return tuple(dict.fromkeys(note for note in notes if isinstance(note, WarningNote)))


# What each part of the page is called in its contents, and what question it answers.


SHORT: Mapping[str, Words] = {
    "scores": Words("Scores", "总分"),
    "compare": Words("Significance", "显著性"),
    "breakdown": Words("Breakdown", "细分"),
    "references": Words("References", "参考答案"),
    "difficulty": Words("Difficulty", "难度"),
    "robustness": Words("Robustness", "稳健性"),
}
"""By name of the analysis."""

LEADS: Mapping[str, Words] = {
    "scores": Words(
        "How good is each system, and how sure is that?", "每个系统有多好？这个结论有多可靠？"
    ),
    "compare": Words(
        "Which differences are more than the luck of which sentences were taken?",
        "哪些差异不只是抽样的运气？",
    ),
    "breakdown": Words(
        "What is each system good at: types of edits, lengths, positions?",
        "每个系统擅长什么：错误类型、句子长度、句中位置？",
    ),
    "references": Words(
        "What would the scores be if sentences had fewer references?",
        "如果每句的参考答案更少，得分会怎样？",
    ),
    "difficulty": Words(
        "Who corrects the errors that others leave? An error is difficult if few systems "
        "correct it.",
        "谁改对了别人改不了的错误？能改对的系统越少，错误越难。",
    ),
    "robustness": Words(
        "Do corrections stay the same when the words around them change?",
        "上下文变化时，修改是否保持不变？",
    ),
}

OPEN: Mapping[str, int] = {"scores": 9, "breakdown": 0}
"""How many tables are open, the others behind a click; one where nothing is said here."""


_STYLES = ("base", "page", "tables", "explorer", "versions", "print")
_SCRIPTS = (
    *("dom", "words", "theme", "unpack", "downloads", "tables", "data", "link", "filter"),
    *(
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
"""In this order they are joined: later files use what earlier ones define."""

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
_BROAD = {"matrix": 8, "lines": 24, "intervals": 21, "bars": 21}
"""From this many places on a figure takes the whole width, by kind; others never do."""
_LONG = 240
"""Longer descriptions of figures are behind a click."""


@dataclass(frozen=True, slots=True)
class _Cell:
    shown: str | Words
    value: str | int | float
    word: bool
    best: bool


@dataclass(frozen=True, slots=True)
class _Table:
    table: Table
    anchor: str
    rows: list[list[_Cell]]
    files: tuple[str, str]


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
    lead: Words | None
    open: list[_Table]
    shut: list[_Table]
    figures: list[_Figure]

    @property
    def tables(self) -> list[_Table]:
        return self.open + self.shut

    @property
    def doubts(self) -> list[str]:
        return [note for note in self.report.notes if isinstance(note, WarningNote)]

    @property
    def notes(self) -> list[str]:
        return [note for note in self.report.notes if not isinstance(note, WarningNote)]


def html(page: Page, language: Language = "en") -> str:
    """Return the page as HTML.

    Args:
        page: What stands on it.
        language: Of the interface when the page is opened; a switch in it changes that.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
    """
    template = _template()
    style, script = stylesheet(), "\n".join(_read(f"js/{name}.js") for name in _SCRIPTS)
    sections = [_section(one, number) for number, one in _numbered(page.reports)]
    contents = {"files": _files(sections), "sentences": page.sentences}
    return template.render(
        page=page,
        language=language,
        version=__version__,
        policy=policy(style, script),
        style=_safe(style),
        script=_safe(script),
        words=WORDS,
        interface=_safe(_interface()),
        packed=_safe(compressed(contents)),
        sections=sections,
        outcomes=_OUTCOMES,
        shortcuts=_SHORTCUTS,
    )


def stylesheet() -> str:
    """Return all styles of the page, with the colours of both themes."""
    light, dark = properties("light"), properties("dark")
    dark = f"color-scheme: dark;\n{dark}"
    themes = (
        f":root {{\n{light}\n}}\n"
        f'@media screen and (prefers-color-scheme: dark) {{\n:root:not([data-theme="light"]) {{\n'
        f"{dark}\n}}\n}}\n"
        f'@media screen {{\n:root[data-theme="dark"] {{\n{dark}\n}}\n}}\n'
    )
    return "\n".join(_read(f"css/{name}.css") for name in _STYLES) + "\n" + themes


def policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy that allows these two and nothing else, no host at all."""
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _read(name: str) -> str:
    return files("gecbench.reports.page").joinpath(name).read_text("utf-8")


def check_extras() -> None:
    """Refuse to begin where what a page needs is not installed.

    Raises:
        MissingExtraError: Names what is missing.
    """
    for name, what in (("jinja2", "writes the page"), ("matplotlib", "draws figures")):
        if find_spec(name) is None:
            raise MissingExtraError(f"{name}, which {what},", "report")


def _template() -> Template:
    check_extras()
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False)
    return made.from_string(_read("html/page.html"))


def _safe(text: str) -> Markup:
    """Return a text of our own making that needs no escaping where it stands."""
    from markupsafe import Markup

    return Markup(text)


def _interface() -> str:
    """Return the words as JSON that no tag can end."""
    table = {key: {"en": words.en, "zh": words.zh} for key, words in WORDS.items()}
    return json.dumps(table, ensure_ascii=False).replace("<", "\\u003c")


def _numbered(reports: tuple[Report, ...]) -> Iterator[tuple[str, Report]]:
    """Yield reports with their anchors: a second one of a name is numbered."""
    seen: dict[str, int] = {}
    for one in reports:
        seen[one.name] = seen.get(one.name, 0) + 1
        yield one.name if seen[one.name] == 1 else f"{one.name}-{seen[one.name]}", one


def _section(report: Report, anchor: str) -> _Section:
    tables = [_table(table, anchor) for table in report.tables if table.rows]
    shown = OPEN.get(report.name, 1)
    return _Section(
        report,
        anchor,
        SHORT.get(report.name, report.title),
        LEADS.get(report.name),
        tables[:shown],
        tables[shown:],
        [_figure(figure) for figure in report.figures],
    )


def _table(table: Table, section: str) -> _Table:
    name = table.name if table.name.startswith(section) else f"{section}-{table.name}"
    rows = [
        [
            _cell(column, value, best=(at, place) in table.marks)
            for place, (column, value) in enumerate(zip(table.columns, row, strict=True))
        ]
        for at, row in enumerate(table.rows)
    ]
    return _Table(table, f"table-{name}", rows, (f"{name}.csv", f"{name}.tex"))


def _cell(column: Column, value: Value, *, best: bool) -> _Cell:
    shown = value if isinstance(value, Words) else column.shown(value)
    return _Cell(shown, plain(value), column.kind == "word", best)


def _figure(figure: Figure) -> _Figure:
    most = max((len(series.x) for series in figure.series), default=0)
    broad = most >= _BROAD.get(figure.kind, most + 1)
    drawn = (_safe(plots.svg(figure, "en")), _safe(plots.svg(figure, "zh")))
    return _Figure(figure, f"{figure.name}.csv", broad, len(figure.alt.en) > _LONG, *drawn)


def _files(sections: list[_Section]) -> Mapping[str, str]:
    """Return what can be downloaded, by name."""
    found: dict[str, Any] = {}
    for section in sections:
        note = "\n".join([*section.report.notes, *section.report.signatures])
        for table in section.tables:
            csv, tex = table.files
            found |= {csv: table_csv(table.table), tex: table_latex(table.table, note)}
        found |= {one.file: figure_csv(one.figure) for one in section.figures}
    return found
