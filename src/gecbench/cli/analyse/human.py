"""gecbench analyse human."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Unpack

import click

from gecbench.analysis.human import Against
from gecbench.cli.options import FILE, corpus_options, scheme_options, watch
from gecbench.cli.scoring import (
    ScoringGiven,
    check_scheme_is_used,
    loaded_for,
    options_of,
    scoring_options,
)
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options


class _Given(ScoringGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    against: Against
    least: int
    anonymous: bool


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("submissions", type=FILE)
@corpus_options
@scheme_options
@scoring_options
@click.option(
    "--against",
    type=click.Choice(["final", "others"]),
    default="final",
    show_default=True,
    help="All final references, or those that somebody else wrote, too.",
)
@click.option(
    "--least",
    type=int,
    default=10,
    show_default=True,
    help="Annotators with fewer scored submissions are not in the mean.",
)
@click.option("--anonymous", is_flag=True, help="Show annotators as A1, A2, ... by volume.")
@show_options
def human(corpus: Path, submissions: Path, **given: Unpack[_Given]) -> None:
    """Score annotators against the final references of what they annotated.

    SUBMISSIONS holds sentences of CORPUS, each with what annotators made of it as its
    references: our JSONL with an "annotator" for each, or M2, where annotators have numbers.
    --system-from names its format.

    \b
    gecbench analyse human final.jsonl submissions.jsonl
    gecbench analyse human final.jsonl submissions.jsonl --against others --anonymous
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load
    from gecbench.api.human import human as run
    from gecbench.reports.human import exhibit

    check_shown(given)
    options = options_of(given)
    check_scheme_is_used(options)
    types = bool(given["exclude"]) or given["level"] == "correction-type"
    loaded, _, scheme, options = loaded_for(corpus, (), given, options, types=types)
    submitted = load(submissions, format=given["system_format"])
    # What a submission is called after its file is known here alone.
    submitted = replace(submitted, name=str(submissions))
    found = run(
        loaded,
        submitted,
        against=given["against"],
        least=given["least"],
        anonymous=given["anonymous"],
        scheme=scheme,
        options=options,
        watch=watch,
    )
    show(exhibit(found), given)
