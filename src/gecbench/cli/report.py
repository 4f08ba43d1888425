"""gecbench report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import click

from gecbench.cli.options import FILE, corpus_options, say, scheme_maker, scheme_options, watch
from gecbench.cli.scoring import (
    ScoringGiven,
    loaded_for,
    named,
    options_of,
    scoring_options,
)
from gecbench.cli.showing import ShowGiven, check_shown
from gecbench.core.errors import UsageError

if TYPE_CHECKING:
    from gecbench.api.options import Options
    from gecbench.reports.exhibit import Exhibit
    from gecbench.reports.page.content import Page

_RESAMPLES = 1000


class _Given(ScoringGiven):
    """The options of the command, by the names of their parameters."""

    output: Path
    title: str | None
    date: str | None
    language: Literal["en", "zh"]
    robustness: Path | None
    robustness_systems: tuple[Path, ...]
    figures: Path | None
    figure_format: str
    ci: bool
    resamples: int
    seed: int


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, required=True, metavar="SYSTEM...")
@corpus_options
@scheme_options
@scoring_options
@click.option("-o", "--output", type=FILE, required=True, help="The HTML file to write.")
@click.option("--title", help="Title of the page; else the name of the corpus.")
@click.option(
    "--date", help="A date to show, as you write it; without, equal input gives equal pages."
)
@click.option(
    "--language",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language that the page opens in, and of --figures; a switch in the page changes it.",
)
@click.option(
    "--robustness", type=FILE, metavar="CASES", help="Perturbed cases, for a part on robustness."
)
@click.option(
    "--robustness-system",
    "robustness_systems",
    type=FILE,
    multiple=True,
    metavar="SYSTEM",
    help="Outputs for these cases, as in `gecbench analyse robustness`; repeatable.",
)
@click.option("--figures", type=FILE, metavar="FOLDER", help="Write the figures as files, too.")
@click.option(
    "--figure-format",
    default="svg",
    show_default=True,
    metavar="FORMATS",
    help="svg, pdf, png; several with commas.",
)
@click.option(
    "--ci/--no-ci", default=True, show_default=True, help="Intervals and tests of significance."
)
@click.option(
    "--resamples", type=int, default=_RESAMPLES, show_default=True, help="Resamples of --ci."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of --ci.")
def report(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Write one HTML page with scores, significance, figures and every sentence.

    The page is one file that opens offline, in English and Chinese, light and dark. CORPUS and
    SYSTEM are as in `gecbench score`.

    \b
    gecbench report dev.tsv mine.txt theirs=output.tsv -o report.html
    gecbench report conll14.m2 t5.txt gector.txt --metric errant,gleu -o report.html --figures figures
    """  # noqa: D301, E501 - \b keeps click from joining lines
    from gecbench.api.report import report as run
    from gecbench.api.report import save_report
    from gecbench.reports.page.html_of import check_extras

    check_extras()
    _check_use(given)
    resamples = given["resamples"] if given["ci"] else 0
    options = options_of(given, resamples=resamples, seed=given["seed"])
    more = _robustness(given, options)
    loaded, outputs, scheme, options = loaded_for(corpus, systems, given, options)
    page = run(
        loaded,
        outputs,
        scheme=scheme,
        options=options,
        title=given["title"],
        date=given["date"],
        more=more,
        watch=watch,
    )
    for note in page.doubts:
        say(f"note: {note}")
    save_report(page, given["output"], language=given["language"])
    _write_figures(page, given)


def _check_use(given: _Given) -> None:
    """Refuse options that would be ignored, and files that cannot be written or are read."""
    asked = click.get_current_context().get_parameter_source
    for option in ("resamples", "seed"):
        if asked(option) is click.core.ParameterSource.COMMANDLINE and not given["ci"]:
            raise UsageError(f"--{option} is of --ci; leave --{option} or --no-ci out")
    if bool(given["robustness"]) != bool(given["robustness_systems"]):
        raise UsageError(
            "--robustness names cases and --robustness-system outputs for them; give both"
        )
    shown: ShowGiven = {
        "form": "text",
        "table": None,
        "output": given["output"],
        "figures": given["figures"],
        "figure_format": given["figure_format"],
        "language": given["language"],
    }
    check_shown(shown, of_language=True)


def _robustness(given: _Given, options: Options) -> Sequence[Exhibit]:
    """Return what the outputs for perturbed cases show, if there are any."""
    if given["robustness"] is None:
        return ()
    from gecbench.api.robustness import load_perturbed, robustness
    from gecbench.formats.perturbed_outputs import read_outputs
    from gecbench.reports.robustness import exhibit

    cases = load_perturbed(given["robustness"])
    outputs = [
        read_outputs(file, cases, name=name)
        for name, file in map(named, given["robustness_systems"])
    ]
    types = options.level == "correction-type"
    found = robustness(
        cases,
        outputs,
        scheme=scheme_maker(cases.corpus(), given, types=types),
        beta=options.beta,
        level=options.level,
        normalise=options.normalise,
        seed=options.seed,
        watch=watch,
    )
    return (exhibit(found),)


def _write_figures(page: Page, given: _Given) -> None:
    if given["figures"] is None:
        return
    from gecbench.reports.plots import write_figures

    figures = [figure for exhibit in page.exhibits for figure in exhibit.figures]
    folder = given["figures"]
    formats = tuple(name.strip() for name in given["figure_format"].split(","))
    written = write_figures(figures, folder, formats=formats, language=given["language"])
    say(f"{folder}: {len(written)} files")
