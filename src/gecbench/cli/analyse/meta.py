"""gecbench analyse meta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from gecbench.cli.options import FILE, corpus_options, scheme_options
from gecbench.cli.scoring import (
    ScoringGiven,
    check_only,
    judged,
    listed,
    named,
    options_of,
    scoring_options,
)
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options
from gecbench.core.errors import UsageError

if TYPE_CHECKING:
    from gecbench.analysis.meta import MetaEvaluation, SystemSet
    from gecbench.api.meta import Layout, People


class _Given(ScoringGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    human: tuple[Path, ...]
    human_systems: str | None
    judgments: tuple[Path, ...]
    scores: Path | None
    sentence_scores: Path | None
    lower: str | None
    system_sets: tuple[str, ...]
    windows: str
    window_set: str | None


_OWN = {"human", "human_systems", "judgments", "system_sets", "windows", "window_set"}


@click.command()
@click.argument("corpus", type=FILE, required=False)
@click.argument("systems", type=FILE, nargs=-1, metavar="SYSTEM...")
@corpus_options
@scheme_options
@scoring_options
@click.option(
    "--human",
    type=FILE,
    multiple=True,
    metavar="[NAME=]FILE",
    help="People's scores of systems: a table, or numbers as SEEDA's; repeatable.",
)
@click.option(
    "--human-systems", metavar="NAMES", help="Systems of numbers without names, with commas."
)
@click.option(
    "--judgments",
    type=FILE,
    multiple=True,
    metavar="[NAME=]FILE",
    help="People's rankings of sentences: SEEDA's XML or a table; repeatable.",
)
@click.option("--scores", type=FILE, help="Metrics' scores of systems, a table, instead of CORPUS.")
@click.option(
    "--sentence-scores", type=FILE, help="Metrics' scores of sentences, a table, likewise."
)
@click.option("--lower", metavar="NAMES", help="Metrics of tables of which lower is better.")
@click.option(
    "--system-set",
    "system_sets",
    multiple=True,
    metavar="NAME=SYSTEMS",
    help="Systems with commas; or those to leave out, each with a minus: base=-INPUT,-REF-F.",
)
@click.option(
    "--windows",
    default="4-8",
    show_default=True,
    metavar="SIZES",
    help="Sizes of windows of systems, as 4-8 or 4,6; none for none.",
)
@click.option("--window-set", metavar="NAME", help="Set of the windows; the first one without.")
@show_options
def meta(corpus: Path | None, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Say how far metrics agree with human judgements, of systems and of sentences.

    Systems are called what people's files call them: NAME=FILE. Scores are made here, or read
    from tables.

    \b
    gecbench analyse meta conll14.m2 *.txt --metric m2,gleu --human TS_edit.txt --judgments j.xml
    gecbench analyse meta --scores metrics.tsv --human people.tsv --lower length
    gecbench analyse meta --sentence-scores sentences.tsv --judgments rankings.tsv
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.meta import Layout, read_people
    from gecbench.reports.meta import exhibit

    check_shown(given)
    layout = Layout(
        sets=tuple(map(_set, given["system_sets"])),
        sizes=_sizes(given["windows"]),
        window_set=given["window_set"],
    )
    people = read_people(
        _files(given["human"]), _files(given["judgments"]), listed(given["human_systems"])
    )
    _check_use(given)
    show(exhibit(_found(corpus, systems, given, people, layout)), given)


def _found(
    corpus: Path | None,
    systems: Sequence[Path],
    given: _Given,
    people: People,
    layout: Layout,
) -> MetaEvaluation:
    from gecbench.api.meta import of_judged, of_tables

    tables = {"scores", "sentence_scores", "lower"}
    if given["scores"] is not None or given["sentence_scores"] is not None:
        check_only({*_OWN, *tables, *ShowGiven.__annotations__}, "tables have the scores already")
        return of_tables(
            given["scores"], given["sentence_scores"], people, layout, listed(given["lower"])
        )
    if corpus is None or not systems:
        raise UsageError(
            "name a corpus and systems, or tables by --scores FILE and --sentence-scores FILE"
        )
    if given["lower"]:
        raise UsageError("--lower is of tables; metrics say themselves which way is better")
    return of_judged(judged(corpus, systems, given, options_of(given)), people, layout)


def _check_use(given: _Given) -> None:
    """Refuse options about people's scores of systems where there are none."""
    asked = click.get_current_context().get_parameter_source
    for option in () if given["human"] else ("human_systems", "windows", "window_set"):
        if asked(option) is click.core.ParameterSource.COMMANDLINE:
            name = option.replace("_", "-")
            raise UsageError(
                f"--{name} is of people's scores of systems; name them by --human, or leave it out"
            )
    if given["window_set"] is not None and given["windows"] == "none":
        raise UsageError("--window-set is of --windows, which is none; leave one of them out")


def _files(paths: Sequence[Path]) -> Mapping[str, Path] | Sequence[Path]:
    """Return files by name if each has one, else in their order.

    Raises:
        UsageError: Some have a name and some not, or two have the same.
    """
    pairs = [named(path) for path in paths]
    names = [name for name, _ in pairs if name is not None]
    if not names:
        return [path for _, path in pairs]
    if len(names) < len(pairs):
        raise UsageError(
            "name all of these files, NAME=FILE, or none: " + ", ".join(map(str, paths))
        )
    if len(set(names)) < len(names):
        raise UsageError(f"two files have one name among {', '.join(names)}")
    return {name: path for name, path in pairs if name is not None}


def _set(text: str) -> SystemSet:
    from gecbench.analysis.meta import SystemSet

    name, equals, rest = text.partition("=")
    members = listed(rest) if rest else ()
    without = tuple(one.removeprefix("-") for one in members if one.startswith("-"))
    only = tuple(one for one in members if not one.startswith("-"))
    if not equals or not name.strip() or (without and only) or "" in (*only, *without):
        raise UsageError(
            f"--system-set {text!r} must be NAME=SYSTEM,SYSTEM,... or NAME=-SYSTEM,... for all but "
            "these, or NAME= for all"
        )
    return SystemSet(name.strip(), only, without)


def _sizes(text: str) -> tuple[int, ...]:
    if text == "none":
        return ()
    first, dash, last = text.partition("-")
    parts = [first, last] if dash else text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--windows {text!r} must be as 4-8, 4,6 or none")
    if any(len(part.strip().lstrip("0")) > 3 for part in parts):
        raise UsageError("--windows has a size above 999; no window has so many systems")
    numbers = [int(part) for part in parts]
    if dash and numbers[0] > numbers[1]:
        raise UsageError(f"--windows {text!r} goes from the smaller to the greater size")
    return tuple(range(numbers[0], numbers[1] + 1)) if dash else tuple(dict.fromkeys(numbers))
