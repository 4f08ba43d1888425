"""gecbench analyse segmentation."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import command, refuse, split
from gecbench.cli.options import (
    CorpusFile,
    Inputs,
    Scoring,
    SystemFiles,
    load_inputs,
    needs_of,
    watch,
)
from gecbench.cli.output import Output, check_output, show
from gecbench.core.options import Option


@command
def segmentation(
    corpus: CorpusFile,
    systems: SystemFiles,
    inputs: Inputs,
    options: Scoring,
    output: Output,
    golds: Annotated[
        Literal["given", "divided"] | None,
        Option(
            "--golds",
            "Gold edits as they are given, or found again between texts that each segmenter "
            "divides; without, as given where there are any.",
        ),
    ] = None,
    beside: Annotated[
        str | None,
        Option(
            "--beside",
            "Metrics that need no words, to compare with; '' for none. "
            "Else cherrant,char-bleu,sentence-accuracy.",
            metavar="METRICS",
        ),
    ] = None,
) -> None:
    """Score Chinese systems over words as several segmenters divide them.

    --segmenter names them, with commas; without, all that are installed. --metric takes metrics
    over gold edits, m2 unless said.

    \b
    gecbench analyse segmentation nlpcc18.gold a.txt b.txt --from m2-maxmatch
    gecbench analyse segmentation dev.tsv a.txt b.txt --segmenter jieba,pkuseg:FOLDER
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.segmentation import BESIDE
    from gecbench.api.segmentation import segmentation as score_segmentations
    from gecbench.reports.segmentation import build_report

    check_output(output)
    metrics = BESIDE if beside is None else tuple(filter(None, split(beside)))
    if "edits" not in needs_of(metrics):
        refuse("gold edits are not found by a scheme, and no metric beside needs edits", SchemeSpec)
    loaded, outputs, scheme = load_inputs(corpus, systems, inputs, types=False)
    result = score_segmentations(
        loaded,
        outputs,
        segmenters=split(options.segmenter) if options.segmenter else (),
        golds=golds,
        beside=metrics,
        scheme=scheme,
        options=replace(options, segmenter=None),
        watch=watch,
    )
    show(build_report(result), output)
