"""gecbench analyse breakdown."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Annotated

from gecbench.analysis.options import BreakdownOptions
from gecbench.cli.command import command, refuse, split
from gecbench.cli.options import CorpusFile, Inputs, Scoring, SystemFiles, load_run_stats
from gecbench.cli.output import Output, check_output, show
from gecbench.core.errors import UsageError
from gecbench.core.options import Option


@command
def breakdown(
    corpus: CorpusFile,
    systems: SystemFiles,
    inputs: Inputs,
    options: Scoring,
    breaking: BreakdownOptions,
    output: Output,
    between: Annotated[
        str | None,
        Option(
            "--between",
            "The two systems to set against each other; else the best two.",
            metavar="A,B",
        ),
    ] = None,
    sentences: Annotated[
        int,
        Option(
            "--sentences",
            "How many sentences that decide the difference are shown; 0 for none.",
        ),
    ] = 5,
    counts: Annotated[
        bool, Option("--counts", "Add a table of the counts of every group and system.")
    ] = False,
) -> None:
    """Score systems by type, position, length, number of errors, and origin.

    With two systems or more: in which groups the best two differ most, and which sentences
    decide their difference.

    \b
    gecbench analyse breakdown dev.tsv mine.txt theirs=output.tsv
    gecbench analyse breakdown dev.jsonl a.txt b.txt --by length,field:origin --metric cherrant
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.analysis.breakdown import break_down
    from gecbench.reports.breakdown import build_report

    check_output(output)
    breaking = replace(breaking, most=sentences)
    if len(systems) == 1:
        refuse("a difference needs two systems", "--between", "--least", "--sentences")
    run_stats = load_run_stats(corpus, systems, inputs, options)
    pair = _pair(between, run_stats.systems)
    show(
        build_report(break_down(run_stats, replace(breaking, between=pair)), counts=counts), output
    )


def _pair(text: str | None, names: Container[str]) -> tuple[str, ...]:
    """Return the two names that A,B means; names may have commas themselves.

    Raises:
        UsageError: It means two pairs.
    """
    if text is None:
        return ()
    words = text.split(",")
    splits = [(",".join(words[:n]), ",".join(words[n:])) for n in range(1, len(words))]
    pairs = [(one.strip(), two.strip()) for one, two in splits]
    known = [pair for pair in pairs if pair[0] in names and pair[1] in names]
    if len(known) > 1:
        raise UsageError(
            f"--between {text!r} may be {' or '.join(' and '.join(map(repr, p)) for p in known)}; "
            "rename a system: NAME=FILE"
        )
    return known[0] if known else split(text)
