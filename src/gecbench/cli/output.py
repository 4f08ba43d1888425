"""How results are written: to the terminal or a file, in several formats, with their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from gecbench.cli.options import say
from gecbench.core.errors import UsageError, printed_path
from gecbench.core.files import STDIO, encode_text, is_parquet, write_files, write_text
from gecbench.core.options import Option, check_choice
from gecbench.reports import PageLanguage, ReportFormat
from gecbench.reports.plots import FILE_FORMATS, require_matplotlib, write_figures

if TYPE_CHECKING:
    from gecbench.reports.report import Figure, Grid, Report

Name = TypeVar("Name")

ENDINGS: Mapping[str, ReportFormat] = {
    ".json": "json",
    ".csv": "csv",
    ".tex": "latex",
    ".md": "markdown",
}
"""Formats of results by the ending of the file."""

CORPUS_ENDINGS: Mapping[str, str] = {
    ".m2": "m2",
    ".jsonl": "jsonl",
    ".parquet": "jsonl",
    ".tsv": "mucgec",
}
"""Formats of corpora, likewise."""

_OTHER_ENDINGS = frozenset(
    f".{ending}"
    for ending in (
        *("html", "htm", "xml", "yaml", "yml", "toml", "rst", "rtf", "pdf", "ps", "eps", "svg"),
        *("png", "jpg", "jpeg", "gif", "xlsx", "xls", "ods", "docx", "doc", "odt", "pptx", "zip"),
        *("gz", "bz2", "xz", "ipynb", "db", "sqlite"),
    )
)
"""Of what somebody may hope for; a file of another ending may hold anything."""

_NAMED = 20
"""More files than that are counted instead of named."""

OutputFile = Annotated[
    Path, Option("--output", "File, instead of the terminal.", short="-o", writes=("",))
]
NewFolder = Annotated[Path, Option("--output", "The new folder.", short="-o")]
Overwrite = Annotated[bool, Option("--overwrite", "Replace an existing file.")]
OutputFormat = Annotated[
    ReportFormat | None,
    Option(
        "--format",
        "How results are written.",
        show_default="text, or by the ending of --output: .json, .csv, .tex, .md",
    ),
]


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """Where figures are written, and how."""

    folder: Annotated[
        Path | None,
        Option(
            "--figures", "Write the figures, and their data as CSV.", metavar="FOLDER", makes=True
        ),
    ] = None
    formats: Annotated[
        tuple[str, ...],
        Option(
            "--figure-format",
            "svg, pdf, png; several with commas.",
            metavar="FORMATS",
            commas=True,
            complete=FILE_FORMATS,
            needs=("--figures",),
        ),
    ] = ("svg",)

    def __post_init__(self) -> None:
        """Refuse formats that do not exist, and figures that nothing here can draw."""
        for name in self.formats:
            check_choice("figure-format", name, FILE_FORMATS)
        if self.folder is not None:
            require_matplotlib()


@dataclass(frozen=True, slots=True)
class Output:
    """Where and how an analysis is written."""

    path: OutputFile = Path(STDIO)
    chosen_format: OutputFormat = None
    table: Annotated[
        str | None,
        Option("--table", "Show one table only; CSV holds one, else the first.", metavar="NAME"),
    ] = None
    figures: FigureOptions = FigureOptions()
    language: Annotated[
        PageLanguage,
        Option(
            "--language",
            "Language of figures and pages.",
            needs=("--figures", "--heat-map"),
        ),
    ] = "en"

    def __post_init__(self) -> None:
        """Refuse a table of JSON, and the ending of a format that is not written."""
        if self.format == "json" and self.table:
            raise UsageError("--table is of text, CSV, LaTeX and Markdown; JSON holds everything")

    @property
    def format(self) -> ReportFormat:
        """The format of --format, else by the ending of the file."""
        if self.chosen_format is not None:
            return self.chosen_format
        return format_by_ending(self.path, ENDINGS, "text")


@dataclass(frozen=True, slots=True)
class ListOutput:
    """Where and how a list is written."""

    path: OutputFile = Path(STDIO)
    chosen_format: OutputFormat = None

    def __post_init__(self) -> None:
        """Refuse the ending of a format that is not written, before anything is looked up."""
        _ = self.format

    @property
    def format(self) -> ReportFormat:
        """The format of --format, else by the ending of the file."""
        if self.chosen_format is not None:
            return self.chosen_format
        return format_by_ending(self.path, ENDINGS, "text")


def format_by_ending(path: Path, endings: Mapping[str, Name], default: Name) -> Name:
    """The format that the ending of a file means.

    Args:
        path: The file that will be written.
        endings: What the command can write, by ending.
        default: For a file of no ending, or of one that means nothing.

    Raises:
        UsageError: The ending means a format that the command cannot write.
    """
    ending = path.suffix.lower()
    if ending == ".gz" and not {*endings.values()}.isdisjoint(CORPUS_ENDINGS.values()):
        ending = path.with_suffix("").suffix.lower()
    if ending not in endings and ending in {*ENDINGS, *CORPUS_ENDINGS, *_OTHER_ENDINGS}:
        *most, last = endings
        raise UsageError(
            f"{path}: this command cannot write {ending}; choose a name that ends in "
            + " or ".join(filter(None, (", ".join(most), last)))
            + (", or choose the format by its option" if len({*endings.values()}) > 1 else "")
        )
    return endings.get(ending, default)


def check_parquet(path: Path, format: str) -> None:
    """Refuse Parquet in a format that it cannot hold, before long work is done for it.

    Raises:
        UsageError: It is not jsonl; or pyarrow is not installed.
    """
    if not is_parquet(path):
        return
    if format != "jsonl":
        raise UsageError(
            f"{printed_path(path)}: Parquet holds jsonl, not {format}; choose that format, or "
            "another ending"
        )
    from gecbench.core.parquet import require_pyarrow

    require_pyarrow()


def show(report: Report, output: Output, more: Mapping[Path, str] | None = None) -> None:
    """Write what an analysis shows where the options say, and its figures.

    CSV is one table of bare values; notes and signatures go to standard error beside it.

    Args:
        report: What to show.
        output: Where and how.
        more: Further files with their content, which are written together with the results or
            not at all; "-" is standard output.
    """
    from gecbench.reports.report import render

    text = render(report, output.format, table=output.table)
    write_plots(report.figures, output.figures, output.language)
    if output.format == "csv":
        _say_beside_csv(report, output.table)
    write_results({**(more or {}), output.path: text})


def show_list(
    output: ListOutput,
    grid: Grid,
    data: Mapping[str, object],
    *,
    notes: str = "",
    text: str | None = None,
) -> None:
    """Write a list where the options say.

    Args:
        output: Where and how.
        grid: The list as a table.
        data: The list in JSON, beside the number of its schema.
        notes: Lines below the table, but not in CSV.
        text: The list in text, where that is not the table.
    """
    from gecbench.reports.report import as_csv, as_latex, as_markdown, as_text

    form = output.format
    if form == "json":
        import json

        content = json.dumps({"schema": 1, **data}, ensure_ascii=False, indent=2) + "\n"
    elif form == "csv":
        content = as_csv(grid.header, grid.rows)
    elif form == "latex":
        content = as_latex(grid, notes)
    elif form == "markdown":
        content = f"{as_markdown(grid)}\n{notes}" if notes else as_markdown(grid)
    else:
        content = as_text(grid) + notes if text is None else text
    write_text(output.path, content)


def write_results(contents: Mapping[Path, str]) -> None:
    """Write files, all of them or none, and then what goes to standard output."""
    files = [path for path in contents if str(path) != STDIO]
    if files:
        write_files({path: encode_text(path, contents[path]) for path in files})
    for path in contents.keys() - files:
        write_text(path, contents[path])


def write_plots(figures: Sequence[Figure], options: FigureOptions, language: PageLanguage) -> None:
    """Write figures if a folder is named for them, and say which."""
    if options.folder is None:
        return
    paths = write_figures(figures, options.folder, formats=options.formats, language=language)
    names = ", ".join(path.name for path in paths) or "no figures"
    say(f"{options.folder}: {names if len(paths) <= _NAMED else f'{len(paths)} files'}")


def _say_beside_csv(report: Report, table: str | None) -> None:
    others = [other.name for other in report.tables[1:]]
    if table is None and others:
        say(f"note: only the first table was written; --table writes another: {', '.join(others)}")
    for note in report.notes:
        say(f"note: {note}")
    for signature in report.signatures:
        say(f"signature: {signature}")
