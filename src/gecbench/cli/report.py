"""gecbench report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gecbench.api.options import Options
from gecbench.cli.command import command, named_files
from gecbench.cli.options import (
    CorpusFile,
    Inputs,
    Jobs,
    Scoring,
    Seed,
    SystemFiles,
    load_inputs,
    say,
    scheme_of,
    watch,
    with_intervals,
)
from gecbench.cli.output import FigureOptions, format_by_ending, write_plots
from gecbench.core.errors import count_noun
from gecbench.core.files import STDIO
from gecbench.core.options import Option
from gecbench.reports import PageLanguage

if TYPE_CHECKING:
    from gecbench.reports.report import Report


@command
def report(
    corpus: CorpusFile,
    systems: SystemFiles,
    inputs: Inputs,
    options: Scoring,
    figures: FigureOptions,
    output: Annotated[
        Path, Option("--output", "The HTML file to write.", short="-o", writes=("",))
    ],
    title: Annotated[
        str | None, Option("--title", "Title of the page; else the name of the corpus.")
    ] = None,
    date: Annotated[
        str | None,
        Option(
            "--date",
            "A date to show, as you write it; without, equal input gives equal pages.",
        ),
    ] = None,
    language: Annotated[
        PageLanguage,
        Option(
            "--language",
            "Language that the page opens in, and of --figures; a switch in the page changes it.",
        ),
    ] = "en",
    robustness: Annotated[
        Path | None,
        Option(
            "--robustness",
            "Perturbed cases, for a part on robustness.",
            metavar="CASES",
            needs=("--robustness-system",),
        ),
    ] = None,
    robustness_systems: Annotated[
        tuple[Path, ...],
        Option(
            "--robustness-system",
            "Outputs for these cases, as in `gecbench analyse robustness`; repeatable.",
            metavar="SYSTEM",
            needs=("--robustness",),
        ),
    ] = (),
    ci: Annotated[bool, Option("--ci/--no-ci", "Intervals and tests of significance.")] = True,
    resamples: Annotated[
        int,
        Option("--resamples", "Resamples of --ci, and permutations.", needs=("--ci",)),
    ] = 10_000,
    seed: Seed = 0,
    jobs: Jobs = None,
) -> None:
    """Write one HTML page with scores, significance, figures and every sentence.

    The page is one file that opens offline, in English and Chinese, light and dark. CORPUS and
    SYSTEM are as in `gecbench score`.

    \b
    gecbench report dev.tsv mine.txt theirs=output.tsv -o report.html
    gecbench report conll14.m2 t5.txt gector.txt --metric errant,gleu -o report.html --figures figures
    """  # noqa: D301, E501 - \b keeps click from joining lines
    from gecbench.api.report import report as make_report
    from gecbench.api.report import save_report
    from gecbench.reports.page import check_extras

    started = time.monotonic()
    format_by_ending(output, {".html": "html", ".htm": "html"}, "html")
    check_extras()
    if ci:
        options = with_intervals(options, resamples, seed)
    options = replace(options, jobs=jobs)
    more: Sequence[Report] = ()
    if robustness is not None:
        more = (_robustness(robustness, robustness_systems, inputs, options),)
    data, outputs, scheme = load_inputs(corpus, systems, inputs)
    page = make_report(
        data,
        outputs,
        scheme=scheme,
        options=options,
        title=title,
        date=date,
        more=more,
        watch=watch,
    )
    for note in page.warnings:
        say(f"note: {note}")
    save_report(page, output, language=language)
    plots = [figure for report in page.reports for figure in report.figures]
    write_plots(plots, figures, language)
    if str(output) != STDIO:
        systems_read = count_noun(len(outputs), "system")
        sentences = count_noun(len(data.samples), "sentence", spec=",")
        seconds = time.monotonic() - started
        say(f"{output}: {systems_read} on {sentences}, in {seconds:.1f} s")


def _robustness(path: Path, systems: Sequence[Path], inputs: Inputs, options: Options) -> Report:
    """Report on the outputs for perturbed cases."""
    from gecbench.api.robustness import load_perturbed
    from gecbench.api.robustness import robustness as measure_robustness
    from gecbench.formats.perturbed import read_outputs
    from gecbench.reports.robustness import build_report

    cases = load_perturbed(path, lang=inputs.corpus.lang)
    outputs = [read_outputs(file, cases, name=name) for name, file in named_files(systems)]
    result = measure_robustness(
        cases,
        outputs,
        scheme=scheme_of(inputs.scheme),
        beta=options.beta,
        level=options.level,
        normalise=options.normalise,
        seed=options.seed,
        watch=watch,
    )
    return build_report(result)
