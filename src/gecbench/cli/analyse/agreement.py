"""gecbench analyse agreement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Unpack

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
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options


class _Given(CorpusGiven, SchemeGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    least: int


@click.command()
@click.argument("submissions", type=FILE)
@corpus_options
@scheme_options
@click.option(
    "--least",
    type=int,
    default=10,
    show_default=True,
    help="Pairs with fewer sentences in common are not listed.",
)
@show_options
def agreement(submissions: Path, **given: Unpack[_Given]) -> None:
    """Say how far annotators agree: decisions, whole answers, edits.

    SUBMISSIONS holds sentences, each with what annotators made of it as its references: our
    JSONL with an "annotator" for each, or M2, where annotators have numbers.

    \b
    gecbench analyse agreement submissions.jsonl --scheme zh-char
    gecbench analyse agreement submissions.jsonl --table pairs --format csv
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.agreement import agreement as run
    from gecbench.reports.agreement import exhibit

    check_shown(given)
    loaded = replace(load_corpus(submissions, given), name=str(submissions))
    maker = scheme_maker(loaded, given, types=False)
    scheme = maker() if given["scheme_name"] else maker
    show(exhibit(run(loaded, least=given["least"], scheme=scheme, watch=watch)), given)
