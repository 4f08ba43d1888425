"""gecbench analyse correlation."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from gecbench.cli.options import FILE, corpus_options, scheme_options
from gecbench.cli.scoring import (
    ScoringGiven,
    check_only,
    judged,
    listed,
    options_of,
    scoring_options,
)
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options
from gecbench.core.errors import UsageError


class _Given(ScoringGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    scores: Path | None
    lower: str | None
    oriented: bool


@click.command()
@click.argument("corpus", type=FILE, required=False)
@click.argument("systems", type=FILE, nargs=-1, metavar="SYSTEM...")
@corpus_options
@scheme_options
@scoring_options
@click.option(
    "--scores",
    type=FILE,
    help="A table of systems and metrics, TSV or CSV, instead of CORPUS and SYSTEM.",
)
@click.option(
    "--lower", metavar="NAMES", help="Of --scores: columns of which lower is better, with commas."
)
@click.option("--oriented", is_flag=True, help="Turn the sign of metrics of which lower is better.")
@show_options
def correlation(corpus: Path | None, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Say how far metrics agree with one another over systems.

    Pearson's, Spearman's and Kendall's coefficients with p, between scores that are made here
    by two metrics or more, or read from a table.

    \b
    gecbench analyse correlation dev.m2 *.txt --metric errant,m2,gleu
    gecbench analyse correlation --scores table.tsv --lower "MP'"
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.correlation import check_number, correlations, scores_of
    from gecbench.api.correlation import table_scores
    from gecbench.reports.correlation import exhibit

    check_shown(given)
    if given["scores"] is not None:
        check_only(
            {"scores", "lower", "oriented", *ShowGiven.__annotations__},
            "--scores has the scores already",
        )
        found = table_scores(given["scores"], listed(given["lower"]))
    else:
        if corpus is None:
            raise UsageError("name a corpus and systems, or a table of scores by --scores FILE")
        if given["lower"]:
            raise UsageError("--lower is of --scores; metrics say themselves which way is better")
        check_number([str(path) for path in systems])
        found = scores_of(judged(corpus, systems, given, options_of(given)))
    show(exhibit(correlations(found, oriented=given["oriented"])), given)
