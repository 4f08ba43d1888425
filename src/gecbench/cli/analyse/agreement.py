"""gecbench analyse agreement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import command
from gecbench.cli.options import (
    CorpusOptions,
    load_corpus,
    scheme_of,
    watch,
)
from gecbench.cli.output import Output, check_output, show
from gecbench.core.options import Argument, Option


@command
def agreement(
    submissions: Annotated[Path, Argument()],
    reading: CorpusOptions,
    scheme: SchemeSpec,
    output: Output,
    least: Annotated[
        int, Option("--least", "Pairs with fewer sentences in common are not listed.")
    ] = 10,
) -> None:
    """Say how far annotators agree: decisions, whole answers, edits.

    SUBMISSIONS holds sentences, each with what annotators made of it as its references: our
    JSONL with an "annotator" for each, or M2, where annotators have numbers.

    \b
    gecbench analyse agreement submissions.jsonl --scheme zh-char
    gecbench analyse agreement submissions.jsonl --table pairs --format csv
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.analyse import agreement as measure_agreement
    from gecbench.reports.agreement import build_report

    check_output(output)
    corpus = replace(load_corpus(submissions, reading), name=str(submissions))
    spec = scheme_of(scheme, types=False)
    result = measure_agreement(corpus, least=least, scheme=spec, watch=watch)
    show(build_report(result), output)
