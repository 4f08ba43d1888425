"""gecbench analyse breakdown."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import click

from gecbench.cli.options import FILE, corpus_options, scheme_options
from gecbench.cli.scoring import (
    ScoringGiven,
    asked_for,
    judged,
    listed,
    options_of,
    scoring_options,
)
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options
from gecbench.core.errors import UsageError

_OF_TWO = ("between", "least", "most")


class _Given(ScoringGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    by: str | None
    length_bins: str | None
    between: str | None
    least: int
    most: int
    counts: bool


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM...")
@corpus_options
@scheme_options
@scoring_options
@click.option(
    "--by",
    metavar="KINDS",
    help="type-1, type-2, type-3, position, length, errors, state, field:NAME; "
    "several with commas. Without, all that say something.",
)
@click.option(
    "--length-bins", metavar="N,N,...", help="Greatest length of each bin but the last, as 10,20."
)
@click.option(
    "--between", metavar="A,B", help="The two systems to set against each other; else the best two."
)
@click.option(
    "--least",
    type=int,
    default=10,
    show_default=True,
    help="Smaller groups are left out where two systems are set against each other.",
)
@click.option(
    "--sentences",
    "most",
    type=int,
    default=5,
    show_default=True,
    help="How many sentences that decide the difference are shown; 0 for none.",
)
@click.option("--counts", is_flag=True, help="Add a table of the counts of every group and system.")
@show_options
def breakdown(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Score systems by type, position, length, number of errors, and origin.

    With two systems or more: in which groups the best two differ most, and which sentences
    decide their difference.

    \b
    gecbench analyse breakdown dev.tsv mine.txt theirs=output.tsv
    gecbench analyse breakdown dev.jsonl a.txt b.txt --by length,field:origin --metric cherrant
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.dissection import Wanted, dissect
    from gecbench.reports.breakdown import exhibit

    check_shown(given)
    wanted = Wanted(
        by=listed(given["by"]),
        length_ends=_ends(given["length_bins"]),
        least=given["least"],
        most=given["most"],
    )
    for option in asked_for(*_OF_TWO) if len(systems) == 1 else ():
        raise UsageError(f"{option} is about two systems; name another, or leave it out")
    run = judged(corpus, systems, given, options_of(given))
    found = dissect(run, replace(wanted, between=_pair(given["between"], run.systems)))
    show(exhibit(found, counts=given["counts"]), given)


def _pair(text: str | None, names: Container[str]) -> tuple[str, ...]:
    """Return the two names that A,B means; names may have commas themselves.

    Raises:
        UsageError: It means two pairs.
    """
    words = (text or "").split(",")
    splits = [(",".join(words[:n]), ",".join(words[n:])) for n in range(1, len(words))]
    pairs = [(one.strip(), two.strip()) for one, two in splits]
    found = [pair for pair in pairs if pair[0] in names and pair[1] in names]
    if len(found) > 1:
        raise UsageError(
            f"--between {text!r} may be {' or '.join(' and '.join(map(repr, p)) for p in found)}; "
            "name a system anew: NAME=FILE"
        )
    return found[0] if found else listed(text)


def _ends(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(map(int, listed(text)))
    except ValueError:
        raise UsageError(
            f"--length-bins {text!r} must be whole numbers with commas, as 10,20,30"
        ) from None
