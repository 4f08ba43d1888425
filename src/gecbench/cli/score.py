"""gecbench score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from gecbench.cli.options import FILE, corpus_options, scheme_options, watch
from gecbench.cli.scoring import (
    ScoringGiven,
    check_scheme_is_used,
    check_standard_input,
    groups,
    loaded_for,
    named_apart,
    options_of,
    scoring_options,
)
from gecbench.core.errors import UsageError
from gecbench.core.files import write_text

if TYPE_CHECKING:
    from gecbench.api.options import Options
    from gecbench.scoring.results import ScoreReport

_RESAMPLES = 1000


class _Given(ScoringGiven):
    """The options of the command, by the names of their parameters."""

    by: str | None
    tier: str | None
    ci: bool
    resamples: int
    seed: int
    output: str
    per_sentence: Path | None


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM...")
@corpus_options
@scheme_options
@scoring_options
@click.option("--ci", is_flag=True, help="Add 95% bootstrap intervals.")
@click.option(
    "--resamples", type=int, default=_RESAMPLES, show_default=True, help="Resamples of --ci."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of --ci.")
@click.option("--by", metavar="FIELD", help="Score each value of a metadata field apart, too.")
@click.option(
    "--by-type",
    "tier",
    type=click.Choice(["1", "2", "3"]),
    help="Show counts by type: operation (1), category (2), whole label (3).",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "csv", "latex"]),
    default="text",
    show_default=True,
    help="How results are printed.",
)
@click.option("--per-sentence", type=FILE, help="Write what is known of each sentence, as JSONL.")
def score(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Score systems on a corpus with references, or on several corpora.

    CORPUS is in any format (MuCGEC's TSV, M2, JSONL, or text lines with --reference). A SYSTEM
    is a file with its outputs: text lines, TSV, M2 or JSONL; NAME=FILE gives it a name. After a
    "+" comes another corpus with its systems.

    \b
    gecbench score dev.tsv mine.txt theirs=output.tsv
    gecbench score conll14.m2 t5.txt gector.txt --metric errant,m2,gleu --ci
    gecbench score dev.jsonl t5=dev.txt + test.jsonl t5=test.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.reports.scores import render, render_sentences

    all_groups = list(groups([corpus, *systems]))
    check_standard_input([path for group in all_groups for path in group])
    if len(all_groups) > 1 and (given["references"] or given["meta"]):
        raise UsageError("--reference and --meta belong to one corpus; here are several")
    options = _options(given)
    check_scheme_is_used(options)
    names: dict[str, int] = {}
    reports = [_scored(group, given, options, names) for group in all_groups]
    if given["per_sentence"]:
        write_text(given["per_sentence"], render_sentences(reports))
    tier = given["tier"]
    write_text(Path("-"), render(reports, given["output"], tier=int(tier) if tier else None))


def _scored(
    group: Sequence[Path], given: _Given, options: Options, names: dict[str, int]
) -> ScoreReport:
    """Return the scores on a corpus; one of a name that was there before is numbered."""
    from gecbench.api.score import score as run

    types = _needs_types(given)
    loaded, outputs, scheme, options = loaded_for(group[0], group[1:], given, options, types=types)
    loaded = named_apart(loaded, names)
    return run(loaded, outputs, scheme=scheme, options=options, watch=watch)


def _needs_types(given: _Given) -> bool:
    """Return whether the types of edits are shown or compared."""
    return bool(
        given["tier"]
        or given["output"] == "json"
        or given["per_sentence"]
        or given["exclude"]
        or given["level"] == "correction-type"
    )


def _options(given: _Given) -> Options:
    asked = click.get_current_context().get_parameter_source
    for option in ("resamples", "seed"):
        if asked(option) is click.core.ParameterSource.COMMANDLINE and not given["ci"]:
            raise UsageError(f"--{option} is of --ci; add it, or leave --{option} out")
    return options_of(
        given,
        by=given["by"],
        resamples=given["resamples"] if given["ci"] else 0,
        seed=given["seed"],
        per_sentence=given["per_sentence"] is not None,
    )
