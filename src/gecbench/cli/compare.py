"""gecbench compare."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Unpack

import click

from gecbench.cli.options import FILE, corpus_options, scheme_options, watch
from gecbench.cli.scoring import ScoringGiven, judged, options_of, scoring_options
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options


class _Given(ScoringGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    test: Literal["bootstrap", "randomisation", "both"]
    resamples: int
    seed: int
    correction: Literal["none", "holm", "bh"]
    alpha: float
    confidence: float
    baseline: str | None


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM SYSTEM...")
@corpus_options
@scheme_options
@scoring_options
@click.option(
    "--test",
    type=click.Choice(["bootstrap", "randomisation", "both"]),
    default="both",
    show_default=True,
    help="Which test; of both, randomisation decides.",
)
@click.option(
    "--resamples",
    type=int,
    default=10_000,
    show_default=True,
    help="Resamples, and permutations.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of both.")
@click.option(
    "--correction",
    type=click.Choice(["none", "holm", "bh"]),
    default="holm",
    show_default=True,
    help="For the number of pairs: Holm, or Benjamini and Hochberg.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of significance.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--baseline", metavar="NAME", help="Compare this system with each other one only.")
@show_options
def compare(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Say whether systems differ significantly, by any metric.

    Every pair is tested, on the same sentences, by paired bootstrap and by approximate
    randomisation; the matrix of more than two systems is corrected for the number of pairs.

    \b
    gecbench compare dev.tsv mine.txt theirs=output.tsv
    gecbench compare conll14.m2 *.txt --metric m2,gleu --correction bh --figures plots
    gecbench compare dev.jsonl base=a.txt b.txt c.txt --baseline base --test randomisation
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.significance import TESTS, Plan
    from gecbench.api.compare import check_number, compare_judged
    from gecbench.reports.compare import exhibit

    check_shown(given)
    check_number(len(systems))
    tests = TESTS if given["test"] == "both" else (given["test"],)
    plan = Plan(
        tests=tests,
        resamples=given["resamples"],
        seed=given["seed"],
        correction=given["correction"],
        alpha=given["alpha"],
        confidence=given["confidence"],
        baseline=given["baseline"],
    )
    found = compare_judged(judged(corpus, systems, given, options_of(given)), plan, watch=watch)
    show(exhibit(found.corpus, found.metrics, found.notes), given)
