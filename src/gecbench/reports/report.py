"""What an analysis shows: tables, figures, the data behind them, and what to know about them.

One way to the terminal, to files and to the report page for all analyses: each has a module here
that turns its result into a `Report`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from gecbench.core.errors import Message, UsageError
from gecbench.core.frames import columns_of
from gecbench.core.score import Counts, WarningNote
from gecbench.reports import PageLanguage, ReportFormat

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Item = TypeVar("Item")

# What readers see, in the languages of the reports.


LANGUAGES: tuple[PageLanguage, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Words:
    """One text in English and in Chinese.

    >>> Words("references", "参考答案").in_("zh")
    '参考答案'
    """

    en: str
    zh: str

    def in_(self, language: PageLanguage) -> str:
        """The text in a language."""
        return self.zh if language == "zh" else self.en


@cache
def _chinese() -> Mapping[str, str]:
    """The Chinese of each text; the file has them by the module that says them first."""
    groups = json.loads(Path(__file__).with_name("chinese.json").read_text("utf-8"))
    return {english: chinese for group in groups.values() for english, chinese in group.items()}


def translate(english: str, /, **values: object) -> Words:
    """Put values into a text, in English and in the Chinese of `chinese.json`.

    Args:
        english: With {names} for values. What stands before a bar is not shown: it tells texts
            apart that are one in English and two in Chinese.
        values: By name; those that are `Words` are put in as they are in each language.

    Raises:
        KeyError: The text has no Chinese.

    >>> translate("{metric} by {kind}", metric="F", kind=translate("length")).zh
    'F，按句长'
    """
    en = {name: value.en if isinstance(value, Words) else value for name, value in values.items()}
    zh = {name: value.zh if isinstance(value, Words) else value for name, value in values.items()}
    template = english.rpartition("|")[2]
    return Words(template.format_map(en), _chinese()[english].format_map(zh))


def message_words(message: str) -> Words | None:
    """A message in both languages; None where `chinese.json` has not its template."""
    if not isinstance(message, Message) or message.template not in _chinese():
        return None
    values = {
        name: (message_words(value) or value) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    if not values:  # its braces stand for themselves
        return Words(str(message), _chinese()[message.template])
    return translate(message.template, **values)


YES = Words("yes", "是")
NO = Words("no", "否")


def text_in(text: str | Words, language: PageLanguage) -> str:
    """A text in a language; names of systems and the like are the same in all."""
    return text.in_(language) if isinstance(text, Words) else text


def join_texts(parts: Iterable[str | Words], separator: Literal[", ", "; ", " "] = ", ") -> Words:
    """Join texts; commas and semicolons are full-width in Chinese, sentences without a blank.

    >>> join_texts([Words("one", "一"), "two"]).zh
    '一，two'
    """
    texts = [part if isinstance(part, Words) else Words(part, part) for part in parts]
    zh = {", ": "，", "; ": "；", " ": ""}[separator]
    return Words(separator.join(t.en for t in texts), zh.join(t.zh for t in texts))


def percent(value: float | None) -> float | None:
    """Convert a share to percent, as figures have it; None where there is none."""
    return None if value is None else 100 * value


# A grid of cells as aligned text, CSV, LaTeX or Markdown.


_LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\~{}", "^": r"\^{}"}
    | {"<": "$<$", ">": "$>$"}
)


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells under a header.

    Args:
        header: Names of the columns.
        rows: As many cells as the header has.
        words: How many columns at the left hold words; the others hold numbers.
        marks: Rows and columns of the cells that are the best of their kind.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int
    marks: frozenset[tuple[int, int]] = frozenset()


def as_text(grid: Grid) -> str:
    """Write aligned columns, words to the left and numbers to the right; the best with a star."""
    star_columns = {column for _, column in grid.marks}
    body = [
        tuple(
            cell + ("*" if (index, column) in grid.marks else " " * (column in star_columns))
            for column, cell in enumerate(row)
        )
        for index, row in enumerate(grid.rows)
    ]
    names = tuple(name + " " * (column in star_columns) for column, name in enumerate(grid.header))
    table = (names, *body)
    widths = [max(columns_of(row[index]) for row in table) for index in range(len(grid.header))]
    lines = []
    for row in table:
        cells = []
        for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - columns_of(cell))
            cells.append(cell + space if index < grid.words else space + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def as_latex(grid: Grid, note: str) -> str:
    """Write a tabular for booktabs, the best in bold, with a comment that holds the signature."""
    columns = "l" * grid.words + "r" * (len(grid.header) - grid.words)
    header, *rows = _rows_of(grid, lambda cell: cell.translate(_LATEX), r"\textbf{{{}}}")
    lines = [f"% {line}" for line in note.splitlines()]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [" & ".join(header) + r" \\", r"\midrule"]
    lines += [" & ".join(cells) + r" \\" for cells in rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def as_markdown(grid: Grid) -> str:
    """Write a Markdown table, the best in bold."""
    header, *rows = _rows_of(grid, lambda cell: cell.replace("|", "\\|"), "**{}**")
    rules = ["---" if index < grid.words else "---:" for index in range(len(header))]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, rules, *rows))


def _rows_of(grid: Grid, escape: Callable[[str], str], best: str) -> list[list[str]]:
    """The cells of the header and all rows, escaped, and the best as a pattern has them."""
    return [
        [
            best.format(escape(cell)) if (index, column) in grid.marks else escape(cell)
            for column, cell in enumerate(row)
        ]
        for index, row in enumerate((grid.header, *grid.rows), -1)
    ]


def as_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write comma-separated values with a header, quoted where needed, lines ended by LF."""
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


# What a figure shows: its data and its words; drawing is the business of `reports.plots`.


FigureKind = Literal["lines", "bars", "points", "intervals", "matrix"]
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

    @classmethod
    def of_shares(
        cls,
        name: str | Words,
        x: Iterable[float | str | Words],
        y: Iterable[float | None],
        low: Iterable[float | None] = (),
        high: Iterable[float | None] = (),
        labels: Iterable[str] = (),
    ) -> Series:
        """Make a series in percent of shares in [0, 1]."""
        y, low, high = (tuple(map(percent, shares)) for shares in (y, low, high))
        return cls(name, tuple(x), y, low, high, tuple(labels))


Filters = Mapping[str, str]
"""What the report page shows of its sentences: the fields of its filters by name."""


@dataclass(frozen=True, slots=True)
class Category:
    """What the report page knows of a category of a figure.

    Args:
        name: What it is called.
        words: What that means, where it is a label; None for nothing.
        size: How many edits or sentences it has.
        filters: The sentences that it is of.
    """

    name: Words
    words: Words | None
    size: int
    filters: Filters


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot that is not drawn yet.

    Args:
        name: Of its files and anchor: lower-case letters, digits and hyphens; unique among the
            figures of one analysis, and begins with the name of the analysis.
        kind: See `FigureKind`.
        title: One line.
        alt: What it shows, for those who cannot see it: the numbers that matter, in words.
        x_label: What the x of the series are, with their unit, on whichever axis they stand: in
            intervals the categories at the left, in a matrix the columns.
        y_label: What the y of the series are, likewise; in a matrix the rows.
        series: What is drawn.
        iso_f: Beta of the iso-F lines behind points whose axes are recall and precision in
            percent; None for no such lines.
        categories: Of the x of all series, which are the same, in their order; () where nothing
            more is known.
    """

    name: str
    kind: FigureKind
    title: Words
    alt: Words
    x_label: Words
    y_label: Words
    series: tuple[Series, ...]
    iso_f: float | None = None
    categories: tuple[Category, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        kind: FigureKind,
        *,
        title: str | Words,
        alt: str | Words,
        x: str | Words,
        y: str | Words,
        series: Iterable[Series],
        iso_f: float | None = None,
        **values: object,
    ) -> Figure:
        """Make a figure whose texts are in `chinese.json`, as `translate` reads them.

        Args:
            name: As `Figure` says, and so are the others.
            kind: See there.
            title: See there.
            alt: See there.
            x: See `x_label` there.
            y: See `y_label` there.
            series: See there.
            iso_f: See there.
            values: For the places of all four texts.
        """

        def words(text: str | Words) -> Words:
            return translate(text, **values) if isinstance(text, str) else text

        return cls(name, kind, words(title), words(alt), words(x), words(y), tuple(series), iso_f)


def figure_csv(figure: Figure) -> str:
    """Write the data of a figure as CSV, unrounded, a row for each point."""
    rows: list[Sequence[object]] = []
    for series in figure.series:
        none = (None,) * len(series.x)
        ends, labels = (series.low or none, series.high or none), series.labels or none
        for values in zip(series.x, series.y, *ends, labels, strict=True):
            rows.append([plain(value) for value in (series.name, *values)])
    return as_csv(("series", "x", "y", "low", "high", "label"), rows)


REPORT_SCHEMA = 1
"""Version of the JSON that analyses print; scripts depend on it."""

Value = str | Words | int | float | None
"""Words are shown in the reader's language; in files, and for whoever sorts, in English."""

ColumnKind = Literal["word", "count", "percent", "number", "p"]
"""How values are shown: words and counts as they are, percent as 100 times the value, numbers and
p-values as they are, rounded."""

_ABSENT = "-"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Args:
        name: Its head.
        kind: See `ColumnKind`.
        digits: Decimals of percent, numbers and p-values.
        zh: Its head in Chinese; None where it is the same.
        key: Its name in CSV, which stays when the head is worded better; None where it is the head.
    """

    name: str
    kind: ColumnKind = "word"
    digits: int = 2
    zh: str | None = None
    key: str | None = None

    @classmethod
    def of(
        cls,
        head: str,
        kind: ColumnKind = "word",
        digits: int = 2,
        /,
        *,
        key: str | None = None,
        **values: object,
    ) -> Column:
        """Make a column whose head is in `chinese.json`, as `translate` reads it."""
        words = translate(head, **values)
        return cls(words.en, kind, digits, words.zh, key)

    def format(self, value: Value) -> str:
        """Write a value as a reader sees it."""
        if value is None:
            return _ABSENT
        if isinstance(value, Words):
            return value.en
        if isinstance(value, str) or self.kind in ("word", "count"):
            return str(value)
        if self.kind == "p":
            smallest = 10**-self.digits
            return (
                f"<{smallest:.{self.digits}f}" if value < smallest else f"{value:.{self.digits}f}"
            )
        return f"{100 * value if self.kind == 'percent' else value:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under columns.

    Args:
        name: For CSV and anchors: lower-case letters, digits and hyphens; unique in its report.
        title: One line; empty for a table without a heading.
        columns: The columns of words first.
        rows: Values, not rounded, as many as columns; None where there is none.
        marks: Rows and columns of the cells that are the best of their kind.
        remarks: What the page adds to a cell of words, by row and column.
        interval_at: A column of values with the ends of their intervals in the two columns behind
            it, which the page draws as bars; None for none.
        filters: The sentences that a cell is of, by row and column; the page links to them.
        ranges: Columns of lower ends of 95% intervals, whose upper ends stand in the column behind;
            in text they are one column.
    """

    name: str
    title: Words
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    marks: frozenset[tuple[int, int]] = frozenset()
    remarks: Mapping[tuple[int, int], Words] = field(default_factory=dict)
    interval_at: int | None = None
    filters: Mapping[tuple[int, int], Filters] = field(default_factory=dict)
    ranges: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        title: Words,
        items: Iterable[Item],
        *columns: tuple[Column, Callable[[Item], Value]],
    ) -> Table:
        """Make a table with a row for each item; a column comes with what gives its value."""
        rows = tuple(tuple(value(item) for _, value in columns) for item in items)
        return cls(name, title, tuple(column for column, _ in columns), rows)

    @property
    def grid(self) -> Grid:
        """The cells as a reader sees them."""
        header = [column.name for column in self.columns]
        rows = [
            [column.format(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]
        for at in sorted(self.ranges, reverse=True):
            header[at : at + 2] = ["95%"]
            for row in rows:
                row[at : at + 2] = [_ABSENT if row[at] == _ABSENT else f"{row[at]}-{row[at + 1]}"]
        words = sum(column.kind == "word" for column in self.columns)
        marks = frozenset(
            (row, column - sum(at < column for at in self.ranges)) for row, column in self.marks
        )
        return Grid(tuple(header), tuple(map(tuple, rows)), words, marks)


@dataclass(frozen=True, slots=True)
class Report:
    """What one analysis shows, or a run of scoring.

    Args:
        name: Of the analysis, as "robustness".
        title: One line; empty where nothing stands above the tables.
        corpus: Name of what was analysed.
        tables: The main one first.
        figures: In the order of reading.
        data: What `--format json` prints, beside name, corpus, notes and signatures: results,
            unrounded, which msgspec turns into JSON.
        notes: What the reader should know, a sentence each; a `WarningNote` is shown first.
        signatures: How the numbers were made.
        summary: Lines that the terminal shows below the tables in place of titles, signatures and
            all notes but warnings, where a report may be of several corpora.
    """

    name: str
    title: Words
    corpus: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes that are shown first."""
        return tuple(note for note in self.notes if isinstance(note, WarningNote))


COUNT_COLUMNS = (
    Column("TP", "count"),
    Column("FP", "count"),
    Column("FN", "count"),
    Column("P", "percent"),
    Column("R", "percent"),
)


def count_cells(counts: Counts | None) -> tuple[Value, ...]:
    """The cells of `COUNT_COLUMNS`, empty where nothing was counted."""
    if counts is None:
        return (None,) * len(COUNT_COLUMNS)
    return (counts.tp, counts.fp, counts.fn, counts.precision, counts.recall)


def data_of(result: DataclassInstance | None, *without: str) -> dict[str, object]:
    """The fields of a result as `Report.data` has them, without those that every report prints.

    Args:
        result: None, as counts where nothing is counted, has no fields.
        without: More fields that are left out.
    """
    names = [field.name for field in fields(result)] if result else []
    left_out = {"corpus", "notes", "signatures", *without}
    return {name: getattr(result, name) for name in names if name not in left_out}


def render(report: Report, output: ReportFormat, *, table: str | None = None) -> str:
    """Write a report as text, JSON, CSV, LaTeX or Markdown.

    Args:
        report: What to show.
        output: The format.
        table: Name of the only table to show; None means all of them, in CSV the first.

    Raises:
        UsageError: There is no such table.
    """
    if output == "json":
        head = {
            "schema": REPORT_SCHEMA,
            "analysis": report.name,
            "corpus": report.corpus,
            "notes": report.notes,
            "signatures": report.signatures,
        }
        return as_json({**head, **report.data})
    by_name = {item.name: item for item in report.tables}
    if table is not None and table not in by_name:
        raise UsageError(
            f"{report.name} has no table {table!r} here; it has: {', '.join(by_name) or 'none'}"
        )
    tables = report.tables if table is None else (by_name[table],)
    if output == "csv":
        return table_csv(tables[0])
    if report.summary:
        tables = tuple(replace(item, title=Words("", "")) for item in tables)
    if output == "markdown":
        return _markdown(report, tables)
    notes = [f"note: {note}" for note in (report.warnings if report.summary else report.notes)]
    signatures = [f"signature: {signature}" for signature in report.signatures]
    if output == "latex":
        comment = "\n".join([*notes, *(report.summary or signatures)])
        return "\n".join(table_latex(item, comment) for item in tables)
    above, below = (notes, report.summary) if report.summary else ((), (*notes, *signatures))
    parts = ["".join(f"{line}\n" for line in above)]
    for item in tables:
        heading = f"{item.title.en}\n" if item.title.en else ""
        parts.append(heading + as_text(item.grid) if item.rows else "")
    parts.append("".join(f"{line}\n" for line in below))
    return "\n".join(part for part in parts if part)


def table_csv(table: Table) -> str:
    """Write a table as CSV, values not rounded."""
    rows = [tuple(map(plain, row)) for row in table.rows]
    return as_csv(tuple(column.key or column.name for column in table.columns), rows)


def plain(value: Value) -> str | int | float:
    """Write a value as files have it: nothing where there is none, and words in English."""
    if value is None:
        return ""
    return value.en if isinstance(value, Words) else value


def table_latex(table: Table, note: str) -> str:
    """Write a table as LaTeX with booktabs, under a comment."""
    return as_latex(table.grid, f"{table.title.en}\n{note}" if table.title.en else note)


def _markdown(report: Report, tables: Sequence[Table]) -> str:
    if report.summary:
        heads = []
        items = [*(f"note: {note}" for note in report.warnings), *report.summary]
    else:
        warnings = [f"**{warning}**" for warning in report.warnings]
        heads = [f"# {report.title.en}", report.corpus, *warnings]
        items = [note for note in report.notes if note not in report.warnings]
        items += [f"`{signature}`" for signature in report.signatures]
    sections = [
        (f"## {table.title.en}\n\n" if table.title.en else "") + as_markdown(table.grid).rstrip()
        for table in tables
        if table.rows
    ]
    parts = (*heads, *sections, "\n".join(f"- {item}" for item in items))
    return "\n\n".join(part for part in parts if part) + "\n"


def as_json(values: object) -> str:
    """Write values as JSON, results as objects of their fields."""
    from msgspec import to_builtins

    plain = to_builtins(values, str_keys=True, enc_hook=_plain_text)
    return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain_text(value: object) -> str:
    """Turn what is a kind of `str`, as a `WarningNote`, into one, which msgspec asks for."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError(f"no JSON of {type(value).__name__}")


# The types of edits in words: the labels of ERRANT, as "M:DET", and of the other schemes.


_OPERATIONS: Mapping[str, Words] = {
    "M": Words("missing", "缺失"),
    "R": Words("redundant", "冗余"),
    "S": Words("substituted", "替换"),
    "W": Words("word order", "词序"),
    "UNK": Words("detected, not corrected", "仅标出，未改正"),
    "Um": Words("detected, not corrected", "仅标出，未改正"),
}
_ERRANT_OPERATIONS: Mapping[str, Words] = {
    "M": _OPERATIONS["M"],
    "R": Words("wrong", "替换"),
    "U": Words("unnecessary", "多余"),
    "UNK": _OPERATIONS["UNK"],
    "Um": _OPERATIONS["Um"],
}
_HALVES: Mapping[str, Words] = {
    "W:R": Words("word order: moved from here", "词序：从这里移走"),
    "W:M": Words("word order: moved to here", "词序：移到这里"),
}
"""The two edits that zh-char makes of one of word order."""
NO_CATEGORY = "-"
"""Stands for the category of an edit whose label is an operation alone, as of most of zh-char."""

_CATEGORIES: Mapping[str, Words] = {
    NO_CATEGORY: Words("no category", "无类别"),
    "ADJ": Words("adjective", "形容词"),
    "ADJ:FORM": Words("form of adjective", "形容词形式"),
    "ADV": Words("adverb", "副词"),
    "AUX": Words("auxiliary", "助动词或助词"),
    "CONJ": Words("conjunction", "连词"),
    "CONTR": Words("contraction", "缩写"),
    "DET": Words("determiner", "限定词"),
    "INTJ": Words("interjection", "叹词"),
    "MORPH": Words("word form", "词形"),
    "NOUN": Words("noun", "名词"),
    "NOUN:INFL": Words("noun inflection", "名词屈折"),
    "NOUN:NUM": Words("noun number", "名词单复数"),
    "NOUN:POSS": Words("noun possessive", "名词所有格"),
    "NUM": Words("numeral", "数词"),
    "ORTH": Words("capitals or spaces", "大小写或空格"),
    "OTHER": Words("other", "其他"),
    "PART": Words("particle", "小品词"),
    "PREP": Words("preposition", "介词"),
    "PRON": Words("pronoun", "代词"),
    "PUNCT": Words("punctuation", "标点"),
    "QUAN": Words("measure word", "量词"),
    "SPELL": Words("spelling", "拼写"),
    "VERB": Words("verb", "动词"),
    "VERB:FORM": Words("verb form", "动词形式"),
    "VERB:INFL": Words("verb inflection", "动词屈折"),
    "VERB:SVA": Words("subject-verb agreement", "主谓一致"),
    "VERB:TENSE": Words("verb tense", "动词时态"),
    "WO": Words("word order", "词序"),
}


def are_errant_types(labels: Iterable[str]) -> bool:
    """Say whether types are ERRANT's, where R is a replacement; elsewhere it is redundant.

    ERRANT's have categories and no S and no W, which all other schemes have.

    Args:
        labels: All types of a corpus; operations alone are enough if U is among them.

    >>> are_errant_types(["M:DET", "R:NOUN"]), are_errant_types(["M", "R", "S"])
    (True, False)
    """
    types = set(labels)
    operations = {label.partition(":")[0] for label in types}
    return not operations & {"S", "W"} and ("U" in operations or any(":" in t for t in types))


def type_words(label: str, *, errant: bool) -> Words | None:
    """A type of edits, its operation or its category in words; None for labels of others.

    Args:
        label: The type, or a part of it.
        errant: Whether it is one of ERRANT's, as `are_errant_types` says.

    >>> type_words("M:DET", errant=True)
    Words(en='missing determiner', zh='缺失：限定词')
    >>> type_words("R", errant=True).zh, type_words("R", errant=False).zh
    ('替换', '冗余')
    """
    operations = _ERRANT_OPERATIONS if errant else _OPERATIONS
    if label in _HALVES:
        return _HALVES[label]
    if label in operations:
        return operations[label]
    if label in _CATEGORIES:
        return _CATEGORIES[label]
    operation, _, category = label.partition(":")
    if operation not in operations or category not in _CATEGORIES:
        return None
    action, part = operations[operation], _CATEGORIES[category]
    separator = ": " if category == "OTHER" else " "
    return Words(f"{action.en}{separator}{part.en}", f"{action.zh}：{part.zh}")
