"""gecbench m2scorer: the command line of m2scorer cb874a7."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gecbench.api.options import Options
from gecbench.cli.command import argparse_command
from gecbench.cli.options import say
from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO, write_text
from gecbench.core.options import Argument, Option


@argparse_command
def m2scorer(
    hypotheses: Annotated[Path, Argument("SYSTEM")],
    gold: Annotated[Path, Argument("SOURCE_GOLD")],
    unchanged: Annotated[
        int, Option("--max_unchanged_words", "Unchanged words that an edit may cover.")
    ] = 2,
    beta: Annotated[float, Option("--beta", "Weight of recall in F.")] = 0.5,
    ignore_casing: Annotated[
        bool,
        Option("--ignore_whitespace_casing", "Leave out edits of white space and case alone."),
    ] = False,
    verbose: Annotated[bool, Option("--verbose", "Refused.", short="-v")] = False,
    very_verbose: Annotated[bool, Option("--very_verbose", "Refused.")] = False,
) -> None:
    """m2scorer: MaxMatch of a system's sentences and a gold M2 file.

    \b
    gecbench m2scorer system.txt conll14.gold
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load, load_system
    from gecbench.api.score import collect_stats
    from gecbench.reports.official import render_m2scorer
    from gecbench.scoring.segmenters import SPACES, segmentation_notes, token_shares

    for name, is_given in (("-v", verbose), ("--very_verbose", very_verbose)):
        if is_given:
            raise UsageError(
                f"{name} is not offered; what is found in each sentence is written by: gecbench "
                "score GOLD SYSTEM --metric m2 --from m2-maxmatch --per-sentence FILE"
            )
    corpus = load(gold, format="m2-maxmatch", lang="xx")
    options = Options(
        metrics=("m2",),
        beta=beta,
        segmenter=SPACES.name,
        settings={
            "m2.max_unchanged_words": str(unchanged),
            "m2.ignore_whitespace_casing": "yes" if ignore_casing else "no",
        },
    )
    run = collect_stats(corpus, load_system(hypotheses, corpus, format="lines"), options=options)
    metric = run.metrics["m2"]
    for note in segmentation_notes(
        {name: token_shares(cases) for name, cases in run.cases.items()}
    ):
        say(f"note: {note} of gecbench score")
    (rows,) = run.rows.values()
    pairs = zip(corpus.samples, rows, strict=True)
    if names := [sample.id for sample, row in pairs if metric.is_approximate(row)]:
        say(f"note: {metric.approximation}: {', '.join(names)}")
    write_text(Path(STDIO), render_m2scorer(metric.aggregate(rows), beta))
