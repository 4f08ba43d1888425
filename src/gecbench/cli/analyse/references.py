"""gecbench analyse references."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from gecbench.analysis.options import Sweep
from gecbench.cli.command import command, refuse
from gecbench.cli.options import (
    CorpusFile,
    Inputs,
    Scoring,
    check_scheme_is_used,
    load_inputs,
    needs_types,
    watch,
)
from gecbench.cli.output import Output, check_output, show
from gecbench.core.options import Argument, Option

_OF_SCORES = (
    *("--level", "--beta", "--choice", "--edits", "--exclude", "--set", "--segmenter"),
    *("--system-from", Sweep),
)


@command
def references(
    corpus: CorpusFile,
    inputs: Inputs,
    options: Scoring,
    sweep: Sweep,
    output: Output,
    systems: Annotated[tuple[Path, ...], Argument("[SYSTEM]...")] = (),
    by: Annotated[
        str | None,
        Option("--by", "Statistics of each value of a metadata field, too.", metavar="FIELD"),
    ] = None,
) -> None:
    """Count references and edits; with systems, score them with fewer references.

    \b
    gecbench analyse references dev.tsv
    gecbench analyse references dev.tsv mine.txt theirs=output.tsv --at-least 3
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.analyse import references as count_references
    from gecbench.reports.references import build_report

    check_output(output)
    if not systems:
        refuse("scores need a system", *_OF_SCORES)
    if sweep.taking == "first":
        refuse("--take first draws no subsets", "--subsets", "--seed")
    check_scheme_is_used(options)
    loaded, outputs, scheme = load_inputs(corpus, systems, inputs, types=needs_types(options))
    result = count_references(
        loaded,
        outputs,
        by=by,
        **asdict(sweep),
        scheme=scheme,
        options=options,
        watch=watch,
    )
    show(build_report(result), output)
