"""gecbench score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    from gecbench.api.options import Options
    from gecbench.scoring.results import ScoreReport

_AND = "+"
_OF_SCHEMES = (
    *("scheme_name", "strategy", "simplify"),
    *("spacy_model", "merging", "levenshtein", "parse_cache"),
)
_RESAMPLES = 1000


class _Given(CorpusGiven, SchemeGiven):
    """The options of the command, by the names of their parameters."""

    metric: str | None
    settings: tuple[str, ...]
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
    segmenter: str | None
    normalise: str | None
    ci: bool
    resamples: int
    seed: int
    system_format: str | None
    output: str
    per_sentence: Path | None


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM...")
@corpus_options
@scheme_options
@click.option("--metric", help="Metrics, with commas; else the language's span metric.")
@click.option(
    "--set",
    "settings",
    metavar="METRIC.OPTION=VALUE",
    multiple=True,
    help="An option of one metric, as gleu.unit=character; repeatable.",
)
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
@click.option("--ci", is_flag=True, help="Add 95% bootstrap intervals.")
@click.option(
    "--resamples", type=int, default=_RESAMPLES, show_default=True, help="Resamples of --ci."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of --ci.")
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
    help="Only edits of up to one token, or only longer ones.",
)
@click.option("--exclude", metavar="TYPES", help="Leave out edits of these types, with commas.")
@click.option(
    "--segmenter", metavar="NAME", help="How texts become words for MaxMatch; see docs/texts.md."
)
@click.option(
    "--normalise", metavar="NAMES", help="Changes of all texts first, with commas: t2s, nfkc, ..."
)
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
@click.option("--per-sentence", type=FILE, help="Write what is known of each sentence, as JSONL.")
def score(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Score systems on a corpus with references, or on several corpora.

    CORPUS is in any format (MuCGEC's TSV, M2, JSONL, or text lines with --reference). A SYSTEM
    is a file with its outputs: text lines, TSV, M2 or JSONL; NAME=FILE gives it a name. After a
    "+" comes another corpus with its systems.

    \b
    gecbench score dev.tsv mine.txt theirs=output.tsv
    gecbench score conll14.m2 t5.txt gector.txt --metric errant,m2,gleu --ci
    gecbench score dev.jsonl t5=dev.txt + test.jsonl t5=test.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.reports.scores import render, render_sentences

    groups = list(_groups([corpus, *systems]))
    if [str(_named(path)[1]) for group in groups for path in group].count("-") > 1:
        raise UsageError("standard input can be read once only; '-' stands twice")
    if len(groups) > 1 and (given["references"] or given["meta"]):
        raise UsageError("--reference and --meta belong to one corpus; here are several")
    options = _options(given)
    _check_scheme_is_used(options)
    names: dict[str, int] = {}
    reports = [_scored(group, given, options, names) for group in groups]
    if given["per_sentence"]:
        write_text(given["per_sentence"], render_sentences(reports))
    tier = given["tier"]
    write_text(Path("-"), render(reports, given["output"], tier=int(tier) if tier else None))


def _check_scheme_is_used(options: Options) -> None:
    """Refuse options of schemes on the command line where no metric of the run needs edits."""
    from gecbench.core.registry import resolve
    from gecbench.metrics import METRICS

    kinds = [resolve("metric", name, METRICS) for name in options.metrics]
    if not kinds or any(getattr(kind, "needs", None) != "texts" for kind in kinds):
        return
    asked = click.get_current_context().get_parameter_source
    for option in _OF_SCHEMES:
        if asked(option) is click.core.ParameterSource.COMMANDLINE:
            name = {"scheme_name": "scheme", "levenshtein": "lev"}.get(option, option)
            raise UsageError(
                f"no metric of {', '.join(options.metrics)} needs edits; "
                f"leave --{name.replace('_', '-')} out"
            )


def _groups(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield each corpus with its systems."""
    group: list[Path] = []
    for path in [*paths, Path(_AND)]:
        if str(path) != _AND:
            group.append(path)
            continue
        if len(group) < 2:
            raise UsageError(f"between two {_AND} stand a corpus and at least one system")
        yield group
        group = []


def _scored(
    group: Sequence[Path], given: _Given, options: Options, names: dict[str, int]
) -> ScoreReport:
    """Return the scores on a corpus; one of a name that was there before is numbered."""
    from gecbench.api.files import load_system
    from gecbench.api.score import score as run

    loaded = load_corpus(group[0], given)
    names[loaded.name] = names.get(loaded.name, 0) + 1
    if names[loaded.name] > 1:
        loaded = replace(loaded, name=f"{loaded.name} ({names[loaded.name]})")
    outputs = []
    for path in group[1:]:
        name, file = _named(path)
        outputs.append(load_system(file, loaded, name=name, format=given["system_format"]))
    options = replace(options, part=_part(given["span"], len(loaded.samples)))
    maker = scheme_maker(loaded, given, types=_needs_types(given))
    scheme = maker() if _anew(given) else maker
    return run(loaded, outputs, scheme=scheme, options=options, watch=watch)


def _anew(given: _Given) -> bool:
    """Return whether all edits are to be found by the scheme, given ones too."""
    ways = (given["scheme_name"], given["strategy"], given["merging"])
    return any(ways) or given["simplify"] is not None or given["levenshtein"] is not None


def _needs_types(given: _Given) -> bool:
    """Return whether the types of edits are shown or compared."""
    return bool(
        given["tier"]
        or given["output"] == "json"
        or given["per_sentence"]
        or given["exclude"]
        or given["level"] == "correction-type"
    )


def _options(given: _Given) -> Options:
    from gecbench.api.options import Options

    settings: dict[str, str] = {}
    for name, value in map(_setting, given["settings"]):
        if name in settings:
            raise UsageError(f"--set {name} is given twice; give it once")
        settings[name] = value
    asked = click.get_current_context().get_parameter_source
    for option in ("resamples", "seed"):
        if asked(option) is click.core.ParameterSource.COMMANDLINE and not given["ci"]:
            raise UsageError(f"--{option} is of --ci; add it, or leave --{option} out")
    return Options(
        metrics=_names(given["metric"]),
        level=given["level"],
        beta=given["beta"],
        choice=given["choice"],
        size=given["size"],
        exclude=_names(given["exclude"]),
        max_references=given["max_references"],
        references_exactly=given["references_exactly"],
        by=given["by"],
        settings=settings,
        segmenter=given["segmenter"],
        normalise=_names(given["normalise"]),
        resamples=given["resamples"] if given["ci"] else 0,
        seed=given["seed"],
        per_sentence=given["per_sentence"] is not None,
    )


def _names(text: str | None) -> tuple[str, ...]:
    return () if text is None else tuple(map(str.strip, text.split(",")))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text!r} must be METRIC.OPTION=VALUE, as gleu.unit=character")
    metric, dot, option = name.strip().partition(".")
    return f"{metric}{dot}{option.replace('-', '_')}", value.strip()


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
