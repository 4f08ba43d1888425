"""gecbench analyse segmentation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, Unpack

import click

from gecbench.cli.options import FILE, corpus_options, scheme_options, watch
from gecbench.cli.scoring import (
    ScoringGiven,
    check_no_scheme,
    listed,
    loaded_for,
    options_of,
    scoring_options,
)
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options


class _Given(ScoringGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    golds: Literal["given", "divided"] | None
    beside: str | None


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM...")
@corpus_options
@scheme_options
@scoring_options
@click.option(
    "--golds",
    type=click.Choice(["given", "divided"]),
    help="Gold edits as they are given, or found anew between texts that each segmenter "
    "divides; without, as given where there are any.",
)
@click.option(
    "--beside",
    metavar="METRICS",
    help="Metrics that need no words, to compare with; '' for none. "
    "Else cherrant,char-bleu,sentence-accuracy.",
)
@show_options
def segmentation(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Score Chinese systems over words as several segmenters divide them.

    --segmenter names them, with commas; without, all that are installed. --metric takes metrics
    over gold edits, m2 unless said.

    \b
    gecbench analyse segmentation nlpcc18.gold a.txt b.txt --from m2-maxmatch
    gecbench analyse segmentation dev.tsv a.txt b.txt --segmenter jieba,pkuseg:FOLDER
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.segmentation import BESIDE
    from gecbench.api.segmentation import segmentation as run
    from gecbench.core.registry import resolve
    from gecbench.metrics import METRICS
    from gecbench.reports.segmentation import exhibit

    check_shown(given)
    segmenters = listed(given["segmenter"])
    beside = BESIDE if given["beside"] is None else tuple(filter(None, listed(given["beside"])))
    if not any(
        getattr(resolve("metric", name, METRICS), "needs", None) == "edits" for name in beside
    ):
        check_no_scheme("gold edits are not found by a scheme, and no metric beside needs edits")
    options = replace(options_of(given), segmenter=None)
    loaded, outputs, scheme, options = loaded_for(corpus, systems, given, options, types=False)
    found = run(
        loaded,
        outputs,
        segmenters=segmenters,
        golds=given["golds"],
        beside=beside,
        scheme=scheme,
        options=options,
        watch=watch,
    )
    show(exhibit(found), given)
