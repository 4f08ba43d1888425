"""gecbench score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from gecbench.api.options import Options, SchemeSpec
from gecbench.cli.command import command, refuse
from gecbench.cli.options import (
    RESAMPLES,
    CorpusFile,
    Engine,
    Inputs,
    Intervals,
    Resamples,
    Seed,
    SystemFiles,
    corpus_groups,
    measure_groups,
    say,
    watch,
    with_intervals,
)
from gecbench.cli.output import (
    ENDINGS,
    OutputFile,
    OutputFormat,
    format_by_ending,
    write_results,
)
from gecbench.core.errors import UsageError, printed_path
from gecbench.core.files import STDIO, is_parquet
from gecbench.core.options import Option, jobs_of_step

if TYPE_CHECKING:
    from gecbench.core.sample import Corpus, SystemOutput
    from gecbench.reports import ReportFormat
    from gecbench.scoring.results import ScoreReport


@command
def score(
    corpus: CorpusFile,
    systems: SystemFiles,
    inputs: Inputs,
    options: Options,
    engine: Engine,
    ci: Intervals = False,
    resamples: Resamples = RESAMPLES,
    seed: Seed = 0,
    tier: Annotated[
        Literal[1, 2, 3] | None,
        Option("--by-type", "Show counts by type: operation (1), category (2), whole label (3)."),
    ] = None,
    chosen_format: OutputFormat = None,
    output: OutputFile = Path(STDIO),
    per_sentence: Annotated[
        Path | None,
        Option(
            "--per-sentence",
            "Write what metrics find in each sentence, as JSON lines.",
            writes=("",),
        ),
    ] = None,
) -> None:
    """Score systems on a corpus with references, or on several corpora.

    CORPUS is in any format (MuCGEC's TSV, M2, JSONL, or text lines with --reference). A SYSTEM
    is a file with its outputs: text lines, TSV, M2 or JSONL; NAME=FILE gives it a name. After a
    "+" comes another corpus with its systems.

    \b
    gecbench score dev.tsv mine.txt theirs=output.tsv
    gecbench score conll14.m2 t5.txt gector.txt --metric errant,m2,gleu --ci -o scores.md
    gecbench score dev.jsonl t5=dev.txt + test.jsonl t5=test.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.score import score as score_systems
    from gecbench.reports.scores import build_report, render_scores, render_sentences

    if per_sentence is not None and is_parquet(per_sentence):
        raise UsageError(
            f"{printed_path(per_sentence)}: --per-sentence writes JSON lines, which Parquet does "
            "not hold; name a file with another ending"
        )
    if not _have_types(options.metrics):
        refuse(f"no metric of {', '.join(options.metrics)} counts by type", "--by-type")
    groups = list(corpus_groups([corpus, *systems]))
    if len(groups) > 1 and (inputs.corpus.references or inputs.corpus.meta):
        raise UsageError("--reference and --meta belong to one corpus; here are several")
    options = replace(options, per_sentence=per_sentence is not None, jobs=engine.workers())
    if ci:
        options = with_intervals(options, resamples, seed)
    form: ReportFormat = (
        format_by_ending(output, ENDINGS, "text") if chosen_format is None else chosen_format
    )
    types = bool(tier or form == "json" or per_sentence)

    def measure(
        at: int, corpus: Corpus, outputs: list[SystemOutput], scheme: SchemeSpec
    ) -> ScoreReport:
        chosen = options
        if len(groups) > 1:
            chosen = replace(options, jobs=jobs_of_step(options.jobs, str(at)))
        return score_systems(corpus, outputs, scheme=scheme, options=chosen, watch=watch)

    scores = measure_groups(groups, inputs, measure, options, types=types, in_memory=False)
    contents = {output: render_scores(scores, form, tier=tier)}
    if per_sentence:
        contents[per_sentence] = render_sentences(scores)
    if form == "csv":
        # A row has its signature, so that the notes alone would be lost.
        report = build_report(scores, tier=tier)
        summary = [line for line in report.summary if line.startswith("note: ")]
        for line in (*(f"note: {warning}" for warning in report.warnings), *summary):
            say(line)
    write_results(contents)


def _have_types(metrics: Sequence[str]) -> bool:
    """Whether any of the metrics counts by type, as the default one does."""
    from gecbench.metrics import metric_class

    return not metrics or any(metric_class(name).has_types for name in metrics)
