"""gecbench analyse: the commands about annotators."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

from gecbench.analysis.options import HumanOptions
from gecbench.api.options import SchemeSpec
from gecbench.cli.command import command, refuse
from gecbench.cli.options import (
    CorpusFile,
    CorpusOptions,
    Inputs,
    Scoring,
    check_scheme_is_used,
    load_corpus,
    load_inputs,
    needs_types,
    scheme_of,
    watch,
)
from gecbench.cli.output import Output, show
from gecbench.core.errors import FormatError
from gecbench.core.options import Argument, Option


@command
def human(
    corpus: CorpusFile,
    submissions: Annotated[Path, Argument()],
    inputs: Inputs,
    options: Scoring,
    scored: HumanOptions,
    output: Output,
) -> None:
    """Score annotators against the final references of what they annotated.

    SUBMISSIONS holds sentences of CORPUS, each with what annotators made of it as its
    references: our JSONL with an "annotator" for each, or M2, where annotators have numbers.
    --system-from names its format.

    \b
    gecbench analyse human final.jsonl submissions.jsonl
    gecbench analyse human final.jsonl submissions.jsonl --against others --anonymous
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.analyse import human as score_annotators
    from gecbench.api.files import load
    from gecbench.formats.texts import advise_conversion
    from gecbench.reports.human import build_report

    check_scheme_is_used(options)
    refuse("submissions are a corpus", "--system-columns", "--subset")
    data, _, scheme = load_inputs(corpus, (), inputs, types=needs_types(options))
    # What a submission is called after its file is known here alone.
    try:
        annotations = load(submissions, format=inputs.system_format, lang=inputs.corpus.lang)
    except FormatError as error:
        raise advise_conversion(error.with_option("--system-from")) from error
    result = score_annotators(
        data,
        replace(annotations, name=str(submissions)),
        **asdict(scored),
        scheme=scheme,
        options=options,
        watch=watch,
    )
    show(build_report(result), output)


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

    corpus = replace(load_corpus(submissions, reading, scored=True), name=str(submissions))
    spec = scheme_of(scheme, types=False)
    result = measure_agreement(corpus, least=least, scheme=spec, watch=watch)
    show(build_report(result), output)
