"""gecbench score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import click

from gecbench.cli.options import (
    FILE,
    CorpusGiven,
    SchemeGiven,
    corpus_options,
    load_corpus,
    scheme_maker,
    scheme_options,
    watch,
)
from gecbench.core.errors import UsageError
from gecbench.core.files import write_text
from gecbench.scoring.choose import CHOICES, Choice
from gecbench.scoring.pairing import LEVELS, Level

if TYPE_CHECKING:
    from gecbench.api.score import Options


class _Given(CorpusGiven, SchemeGiven):
    """The options of the command, by the names of their parameters."""

    metric: str
    level: Level
    beta: float
    choice: Choice
    max_references: int | None
    references_exactly: int | None
    by: str | None
    tier: str | None
    size: Literal["any", "single", "multi"]
    exclude: str | None
    span: str | None
    system_format: str | None
    output: str
    per_sentence: Path | None


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM...")
@corpus_options
@scheme_options
@click.option("--metric", default="cherrant", show_default=True, help="Metrics, with commas.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="correction",
    show_default=True,
    help="What has to agree for an edit to count as found.",
)
@click.option("--beta", type=float, default=0.5, show_default=True, help="Weight of recall in F.")
@click.option(
    "--choice",
    type=click.Choice(CHOICES),
    default="corpus-greedy",
    show_default=True,
    help="How a sentence's reference is chosen: as the official scripts, or independent of order.",
)
@click.option("--max-references", type=int, help="Use only the first K references.")
@click.option("--references-exactly", type=int, help="Score sentences with just K references.")
@click.option("--by", metavar="FIELD", help="Score each value of a metadata field apart, too.")
@click.option(
    "--by-type",
    "tier",
    type=click.Choice(["1", "2", "3"]),
    help="Show counts by type: operation (1), category (2), whole label (3).",
)
@click.option(
    "--edits",
    "size",
    type=click.Choice(["any", "single", "multi"]),
    default="any",
    show_default=True,
    help="Only edits of up to one source token, or only longer ones.",
)
@click.option("--exclude", metavar="TYPES", help="Leave out edits of these types, with commas.")
@click.option(
    "--system-from", "system_format", metavar="FORMAT", help="Format of the systems' files."
)
@click.option("--range", "span", metavar="A:B", help="Score sentences A+1 to B of the corpus.")
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "csv", "latex"]),
    default="text",
    show_default=True,
    help="How results are printed.",
)
@click.option("--per-sentence", type=FILE, help="Write each sentence's counts as JSON lines.")
def score(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Score systems on a corpus with references.

    CORPUS is in any format (MuCGEC's TSV, M2, JSONL, or text lines with --reference). A SYSTEM
    is a file with its outputs: text lines, TSV, M2 or JSONL; NAME=FILE gives it a name.

    \b
    gecbench score dev.tsv mine.txt theirs=output.tsv
    gecbench score dev.jsonl mine.txt --level detection-token --by origin
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load_system
    from gecbench.api.score import score as run
    from gecbench.reports.scores import render, render_sentences

    if [str(_named(path)[1]) for path in (corpus, *systems)].count("-") > 1:
        raise UsageError("standard input can be read once only; '-' stands twice")
    options = _options(given)
    loaded = load_corpus(corpus, given)
    outputs = []
    for path in systems:
        name, file = _named(path)
        outputs.append(load_system(file, loaded, name=name, format=given["system_format"]))
    options = replace(options, part=_part(given["span"], len(loaded.samples)))
    maker = scheme_maker(loaded, given)
    asked = any(
        value is not None for value in (given["scheme_name"], given["strategy"], given["simplify"])
    )
    scheme = maker() if asked else maker
    report = run(loaded, outputs, scheme=scheme, options=options, watch=watch)
    if given["per_sentence"]:
        write_text(given["per_sentence"], render_sentences(report))
    tier = given["tier"]
    write_text(Path("-"), render(report, given["output"], tier=int(tier) if tier else None))


def _options(given: _Given) -> Options:
    from gecbench.api.score import Options

    exclude = given["exclude"]
    return Options(
        metrics=tuple(name.strip() for name in given["metric"].split(",")),
        level=given["level"],
        beta=given["beta"],
        choice=given["choice"],
        size=given["size"],
        exclude=() if exclude is None else tuple(map(str.strip, exclude.split(","))),
        max_references=given["max_references"],
        references_exactly=given["references_exactly"],
        by=given["by"],
    )


def _named(path: Path) -> tuple[str | None, Path]:
    """Divide NAME=FILE, unless there is a file of that very name."""
    name, equals, file = str(path).partition("=")
    if equals and name and not path.exists():
        return name, Path(file)
    return None, path


def _part(span: str | None, total: int) -> tuple[int, int] | None:
    """Return the places that A:B means; either may be left out."""
    if span is None:
        return None
    start, colon, end = span.partition(":")
    if not colon or not ((start or "0") + (end or "0")).isdecimal():
        raise UsageError(f"range {span!r} must be A:B, as 0:500 or 500:, for sentences A+1 to B")
    return int(start or 0), int(end or total)
