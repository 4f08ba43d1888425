"""gecbench analyse references."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from gecbench.analysis.curves import Taking
from gecbench.cli.options import FILE, corpus_options, scheme_options, watch
from gecbench.cli.scoring import (
    ScoringGiven,
    asked_for,
    check_scheme_is_used,
    loaded_for,
    options_of,
    scoring_options,
)
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options
from gecbench.core.errors import UsageError


class _Given(ScoringGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    by: str | None
    taking: Taking
    at_least: int
    up_to: int | None
    subsets: int
    seed: int


_OF_CURVES = (
    *("taking", "at_least", "up_to", "subsets", "seed", "system_format"),
    *("level", "beta", "choice", "size", "exclude", "settings", "segmenter"),
)
_OF_DRAWS = ("subsets", "seed")


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, metavar="[SYSTEM]...")
@corpus_options
@scheme_options
@scoring_options
@click.option("--by", metavar="FIELD", help="Statistics of each value of a metadata field, too.")
@click.option(
    "--take",
    "taking",
    type=click.Choice(["subsets", "first"]),
    default="subsets",
    show_default=True,
    help="With which k references systems are scored: all subsets, or the first k.",
)
@click.option(
    "--at-least",
    type=int,
    default=1,
    show_default=True,
    metavar="K",
    help="Score only sentences with at least K references.",
)
@click.option("--up-to", type=int, metavar="K", help="Greatest k; else the most a sentence has.")
@click.option(
    "--subsets",
    type=int,
    default=20,
    show_default=True,
    help="Of more subsets of one size, so many are drawn by lot.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draws.")
@show_options
def references(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Count references and edits; with systems, score them with fewer references.

    \b
    gecbench analyse references dev.tsv
    gecbench analyse references dev.tsv mine.txt theirs=output.tsv --at-least 3
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.references import references as run
    from gecbench.reports.references import exhibit

    check_shown(given)
    _check_curves(systems, given["taking"])
    options = options_of(given)
    check_scheme_is_used(options)
    types = bool(given["exclude"]) or given["level"] == "correction-type"
    loaded, outputs, scheme, options = loaded_for(corpus, systems, given, options, types=types)
    found = run(
        loaded,
        outputs,
        by=given["by"],
        taking=given["taking"],
        at_least=given["at_least"],
        up_to=given["up_to"],
        most=given["subsets"],
        seed=given["seed"],
        scheme=scheme,
        options=options,
        watch=watch,
    )
    show(exhibit(found), given)


def _check_curves(systems: tuple[Path, ...], taking: Taking) -> None:
    """Refuse options of what is not made."""
    for option in () if systems else asked_for(*_OF_CURVES):
        raise UsageError(f"{option} is about scores; name a system, or leave it out")
    for option in asked_for(*_OF_DRAWS) if taking == "first" else ():
        raise UsageError(
            f"{option} is about drawing subsets, --take first draws none; leave it out"
        )
