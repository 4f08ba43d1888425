"""How systems are scored: what the commands that score have in common."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from gecbench.cli.options import (
    CorpusGiven,
    SchemeGiven,
    load_corpus,
    scheme_maker,
    watch,
)
from gecbench.core.errors import UsageError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.scoring.choose import CHOICES, Choice
from gecbench.scoring.pairing import LEVELS, Level

if TYPE_CHECKING:
    from gecbench.api.options import Options
    from gecbench.scoring.judged import Judged

AND = "+"
"""Stands between two corpora with their systems."""

Command = TypeVar("Command", bound=Callable[..., object])

_OF_SCHEMES = (
    *("scheme_name", "strategy", "simplify"),
    *("spacy_model", "merging", "levenshtein", "parse_cache"),
)


class LoadingGiven(CorpusGiven, SchemeGiven):
    """What `loading_options` adds, with the options of corpora and schemes."""

    span: str | None
    normalise: str | None
    system_format: str | None


class ScoringGiven(LoadingGiven):
    """What `scoring_options` adds, with the options of corpora and schemes."""

    metric: str | None
    settings: tuple[str, ...]
    level: Level
    beta: float
    choice: Choice
    max_references: int | None
    references_exactly: int | None
    size: Literal["any", "single", "multi"]
    exclude: str | None
    segmenter: str | None


_LOADING_OPTIONS = (
    click.option("--range", "span", metavar="A:B", help="Score sentences A+1 to B of the corpus."),
    click.option(
        "--system-from", "system_format", metavar="FORMAT", help="Format of the systems' files."
    ),
    click.option(
        "--normalise",
        metavar="NAMES",
        help="Changes of all texts first, with commas: t2s, nfkc, ...",
    ),
)

_OPTIONS = (
    *_LOADING_OPTIONS,
    click.option(
        "--segmenter",
        metavar="NAME",
        help="How texts become words for MaxMatch; see docs/texts.md.",
    ),
    click.option("--exclude", metavar="TYPES", help="Leave out edits of these types, with commas."),
    click.option(
        "--edits",
        "size",
        type=click.Choice(["any", "single", "multi"]),
        default="any",
        show_default=True,
        help="Only edits of up to one token, or only longer ones.",
    ),
    click.option("--references-exactly", type=int, help="Score sentences with just K references."),
    click.option("--max-references", type=int, help="Use only the first K references."),
    click.option(
        "--choice",
        type=click.Choice(CHOICES),
        default="corpus-greedy",
        show_default=True,
        help="How a sentence's reference is chosen: as the official scripts, or free of order.",
    ),
    click.option(
        "--beta", type=float, default=0.5, show_default=True, help="Weight of recall in F."
    ),
    click.option(
        "--level",
        type=click.Choice(LEVELS),
        default="correction",
        show_default=True,
        help="What has to agree for an edit to count as found.",
    ),
    click.option(
        "--set",
        "settings",
        metavar="METRIC.OPTION=VALUE",
        multiple=True,
        help="An option of one metric, as gleu.unit=character; repeatable.",
    ),
    click.option("--metric", help="Metrics, with commas; else the language's span metric."),
)


def loading_options(command: Command) -> Command:
    """Add the options that say how systems are read, and which sentences take part."""
    for option in _LOADING_OPTIONS:
        command = option(command)
    return command


def scoring_options(command: Command) -> Command:
    """Add the options that say by which metrics, and how, systems are scored."""
    for option in _OPTIONS:
        command = option(command)
    return command


def options_of(given: ScoringGiven, **more: object) -> Options:
    """Return how to score; `more` are further fields of `Options`."""
    from gecbench.api.options import Options

    settings: dict[str, str] = {}
    for name, value in map(_setting, given["settings"]):
        if name in settings:
            raise UsageError(f"--set {name} is given twice; give it once")
        settings[name] = value
    made = Options(
        metrics=listed(given["metric"]),
        level=given["level"],
        beta=given["beta"],
        choice=given["choice"],
        size=given["size"],
        exclude=listed(given["exclude"]),
        max_references=given["max_references"],
        references_exactly=given["references_exactly"],
        settings=settings,
        segmenter=given["segmenter"],
        normalise=listed(given["normalise"]),
    )
    fields: Mapping[str, object] = more
    return replace(made, **fields) if fields else made  # type: ignore[arg-type]


def judged(corpus: Path, systems: Sequence[Path], given: ScoringGiven, options: Options) -> Judged:
    """Return systems judged on a corpus, for commands that analyse what metrics say."""
    from gecbench.api.judge import judge

    check_standard_input([corpus, *systems])
    check_scheme_is_used(options)
    loaded, outputs, scheme, options = loaded_for(corpus, systems, given, options)
    return judge(loaded, outputs, scheme=scheme, options=options, watch=watch)


def loaded_for(
    corpus: Path,
    systems: Sequence[Path],
    given: LoadingGiven,
    options: Options,
    *,
    types: bool = True,
) -> tuple[Corpus, list[SystemOutput], Scheme | Callable[[], Scheme], Options]:
    """Return a corpus, its systems, the scheme if edits are found anew, else how to get it.

    With them come the options for this corpus, on which the range depends.
    """
    loaded = load_corpus(corpus, given)
    outputs = load_systems(systems, loaded, given)
    maker = scheme_maker(loaded, given, types=types)
    options = replace(options, part=part(given["span"], len(loaded.samples)))
    return loaded, outputs, maker() if _anew(given) else maker, options


def load_systems(paths: Sequence[Path], corpus: Corpus, given: LoadingGiven) -> list[SystemOutput]:
    """Return the outputs in files that NAME=FILE may name."""
    from gecbench.api.files import load_system

    outputs = []
    for path in paths:
        name, file = named(path)
        outputs.append(load_system(file, corpus, name=name, format=given["system_format"]))
    return outputs


def groups(paths: Sequence[Path], *, least: int = 1, other: str = "") -> Iterator[list[Path]]:
    """Yield each corpus with its systems; a "+" divides them.

    Args:
        paths: Arguments of the command line.
        least: How many systems each corpus needs.
        other: Another way to give systems, for people, as "or by --option".

    Raises:
        UsageError: Something is missing beside a "+".
    """
    group: list[Path] = []
    for path in [*paths, Path(AND)]:
        if str(path) != AND:
            group.append(path)
            continue
        if len(group) < 1 + least and AND not in map(str, paths):
            ways = f", {other}" if other else ""
            raise UsageError(f"no system is given; name the file of one after the corpus{ways}")
        if len(group) < 1 + least:
            raise UsageError(f"between two {AND} stand a corpus and at least one system")
        yield group
        group = []


def named_apart(corpus: Corpus, names: dict[str, int]) -> Corpus:
    """Return a corpus, numbered if there was one of its name before; count it."""
    names[corpus.name] = names.get(corpus.name, 0) + 1
    if names[corpus.name] > 1:
        return replace(corpus, name=f"{corpus.name} ({names[corpus.name]})")
    return corpus


def check_standard_input(paths: Sequence[Path]) -> None:
    """Refuse files of which two are standard input."""
    if [str(named(path)[1]) for path in paths].count("-") > 1:
        raise UsageError("standard input can be read once only; '-' stands twice")


def check_scheme_is_used(options: Options) -> None:
    """Refuse options of schemes on the command line where no metric of the run needs edits."""
    from gecbench.core.registry import resolve
    from gecbench.metrics import METRICS

    kinds = [resolve("metric", name, METRICS) for name in options.metrics]
    if kinds and all(getattr(kind, "needs", None) == "texts" for kind in kinds):
        check_no_scheme(f"no metric of {', '.join(options.metrics)} needs edits")


def check_no_scheme(why: str) -> None:
    """Refuse options of schemes on the command line, for they would make no difference."""
    for option in asked_for(*_OF_SCHEMES):
        raise UsageError(f"{why}; leave {option} out")


def asked_for(*names: str) -> Iterator[str]:
    """Yield which options, by the names of their parameters, stand on the command line."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        by_hand = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if name in names and by_hand:
            yield parameter.opts[0]


def check_only(allowed: Container[str], why: str) -> None:
    """Refuse what stands on the command line and would make no difference.

    Args:
        allowed: Names of the parameters that do.
        why: Why the others do not.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        asked = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if asked and context.params[name] not in (None, ()) and name not in allowed:
            shown = parameter.opts[0] if isinstance(parameter, click.Option) else name.upper()
            raise UsageError(f"{why}; leave {shown} out")


def _anew(given: LoadingGiven) -> bool:
    """Return whether all edits are to be found by the scheme, given ones too."""
    ways = (given["scheme_name"], given["strategy"], given["merging"])
    return any(ways) or given["simplify"] is not None or given["levenshtein"] is not None


def listed(text: str | None) -> tuple[str, ...]:
    """Return the words of a text that commas divide."""
    return () if text is None else tuple(map(str.strip, text.split(",")))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text!r} must be METRIC.OPTION=VALUE, as gleu.unit=character")
    metric, dot, option = name.strip().partition(".")
    return f"{metric}{dot}{option.replace('-', '_')}", value.strip()


def named(path: Path) -> tuple[str | None, Path]:
    """Divide NAME=FILE, unless there is a file of that very name."""
    name, equals, file = str(path).partition("=")
    if equals and name and not path.exists():
        return name, Path(file)
    return None, path


def part(span: str | None, total: int) -> tuple[int, int] | None:
    """Return the places that A:B means; either may be left out."""
    if span is None:
        return None
    start, colon, end = span.partition(":")
    if not colon or not ((start or "0") + (end or "0")).isdecimal():
        raise UsageError(f"range {span!r} must be A:B, as 0:500 or 500:, for sentences A+1 to B")
    return int(start or 0), int(end or total)
