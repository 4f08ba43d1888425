"""`gecbench data prepare`: training data from corpora by a recipe, with every count."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import click

from gecbench.cli.options import FILE, say
from gecbench.core.errors import UsageError


class _Given(TypedDict):
    """The options of the command, by the names of their parameters."""

    output: Path
    dev_output: Path | None
    target_format: str
    corpora: tuple[str, ...]
    references: tuple[str, ...]
    formats: tuple[str, ...]
    weights: tuple[str, ...]
    limits: tuple[str, ...]
    columns: tuple[str, ...]
    filters: tuple[Path, ...]
    dev: str | None
    seed: str | None
    settings: tuple[str, ...]


@click.command()
@click.argument("recipe", default="")
@click.option("-o", "--output", type=FILE, required=True, help="File for the pairs.")
@click.option(
    "--to",
    "target_format",
    metavar="FORMAT",
    default="jsonl",
    show_default=True,
    help="jsonl, mucgec or pairs (source TAB target).",
)
@click.option(
    "--corpus", "corpora", metavar="NAME=FILE", multiple=True, help="A corpus; repeatable."
)
@click.option(
    "--reference",
    "references",
    metavar="NAME=FILE",
    multiple=True,
    help="Parallel text with corrections of this corpus; repeatable.",
)
@click.option(
    "--from",
    "formats",
    metavar="NAME=FORMAT",
    multiple=True,
    help="Format of this corpus, else found out; pairs is source TAB target.",
)
@click.option(
    "--columns",
    metavar="NAME=S,T",
    multiple=True,
    help="Columns of source and first target of these pairs, instead of 1,2.",
)
@click.option(
    "--weight",
    "weights",
    metavar="NAME=N",
    multiple=True,
    help="Write each pair of this corpus so often.",
)
@click.option(
    "--limit",
    "limits",
    metavar="NAME=N",
    multiple=True,
    help="Read so many sentences of this corpus.",
)
@click.option(
    "--filter",
    "filters",
    type=FILE,
    multiple=True,
    help="An evaluation set whose sentences must not be trained on; repeatable.",
)
@click.option("--dev", metavar="N", help="Put so many sentences aside.")
@click.option("--dev-output", type=FILE, help="File for these, instead of OUTPUT with .dev.")
@click.option("--seed", metavar="N", help="Of all that is chosen and shuffled.")
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Another key of the recipe, as too_long=split; repeatable.",
)
def prepare(recipe: str, **given: Unpack[_Given]) -> None:
    """Make training data from corpora, and say what was dropped and why.

    RECIPE is the name of a packaged recipe (mucgec, mucgec-hsk, clang8, fcgec) or a TOML file;
    without it, all pairs that have an error are taken. OUTPUT.manifest.json tells where the
    pairs come from; the same inputs, recipe and seed give the same bytes.

    \b
    gecbench data prepare mucgec --corpus lang8=lang8.src --reference lang8=lang8.tgt \\
      --corpus hsk=hsk.tsv --filter filter_sentences.txt --dev 5000 -o train.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.prepare import prepare as run
    from gecbench.reports.prepared import counts_of

    short = {"dev": given["dev"], "seed": given["seed"]}
    settings = _parted("--set", "KEY=VALUE", given["settings"])
    given_twice = [key for key, value in short.items() if value is not None and key in settings]
    if given_twice:
        raise UsageError(f"--{given_twice[0]} and --set say {given_twice[0]}; say one of them")
    settings |= {key: value for key, value in short.items() if value is not None}
    manifest = run(
        recipe,
        output=given["output"],
        corpora=_corpora(given),
        filters=given["filters"],
        settings=settings,
        dev_output=given["dev_output"],
        format=given["target_format"],
        progress=_show,
    )
    if sys.stderr.isatty():
        click.echo("\033[K", nl=False, err=True)  # what _show left
    for line in counts_of(manifest):
        say(line)


def _parted(option: str, shape: str, values: Sequence[str]) -> dict[str, str]:
    """Return what stands before and behind the equals signs."""
    found: dict[str, str] = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name or not rest:
            raise UsageError(f"{option} {value!r} is not {shape}; write it so")
        if name in found:
            raise UsageError(f"{option} names {name!r} twice; say one of them")
        found[name] = rest
    return found


def _corpora(given: _Given) -> Mapping[str, Mapping[str, object]]:
    """Return what the options say of each corpus, by names of `Ingredient`."""
    made: dict[str, dict[str, object]] = {}
    for option, shape, field, values in (
        ("--corpus", "NAME=FILE", "path", given["corpora"]),
        ("--from", "NAME=FORMAT", "format", given["formats"]),
        ("--weight", "NAME=N", "weight", given["weights"]),
        ("--limit", "NAME=N", "limit", given["limits"]),
        ("--columns", "NAME=S,T", "columns", given["columns"]),
    ):
        for name, value in _parted(option, shape, values).items():
            told = value.split(",") if field == "columns" else value
            made.setdefault(name, {})[field] = told
    references: dict[str, list[str]] = {}
    for value in given["references"]:  # these may name a corpus several times
        ((name, path),) = _parted("--reference", "NAME=FILE", [value]).items()
        references.setdefault(name, []).append(path)
    for name, paths in references.items():
        made.setdefault(name, {})["references"] = paths
    return made


def _show(name: str, count: int) -> None:
    """Rewrite one line of a terminal; a log file is spared."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{name}: {count} sentences read\r", nl=False, err=True)
