"""gecbench analyse breakdown."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from gecbench.cli.options import FILE, corpus_options, scheme_options
from gecbench.cli.scoring import ScoringGiven, judged, listed, options_of, scoring_options
from gecbench.cli.showing import ShowGiven, show, show_options
from gecbench.core.errors import UsageError


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

    wanted = Wanted(
        by=listed(given["by"]),
        length_ends=_ends(given["length_bins"]),
        between=listed(given["between"]),
        least=given["least"],
        most=given["most"],
    )
    found = dissect(judged(corpus, systems, given, options_of(given)), wanted)
    show(exhibit(found, counts=given["counts"]), given)


def _ends(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(map(int, listed(text)))
    except ValueError:
        raise UsageError(
            f"--length-bins {text!r} must be whole numbers with commas, as 10,20,30"
        ) from None
