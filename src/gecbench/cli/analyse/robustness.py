"""gecbench analyse robustness."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from gecbench.cli.options import FILE, SchemeGiven, say, scheme_maker, scheme_options, watch
from gecbench.cli.scoring import listed, named
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options
from gecbench.core.errors import UsageError
from gecbench.scoring.pairing import LEVELS, Level

if TYPE_CHECKING:
    from gecbench.core.perturbed import PerturbedSet
    from gecbench.core.scheme import Scheme
    from gecbench.reports.exhibit import Exhibit

_SHOWN = frozenset(("cases", "systems", "checks", *ShowGiven.__annotations__))


class _Given(SchemeGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    beta: float
    level: Level
    normalise: str | None
    orders: int
    seed: int
    frequency: Path | None
    checks: bool


@click.command()
@click.argument("cases", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, metavar="SYSTEM...")
@scheme_options
@click.option("--beta", type=float, default=0.5, show_default=True, help="Weight of recall in F.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="correction",
    show_default=True,
    help="What has to agree for an edit to count as found.",
)
@click.option(
    "--normalise", metavar="NAMES", help="Changes of all texts first, with commas: t2s, nfkc, ..."
)
@click.option(
    "--frequency",
    type=FILE,
    help="A training text, or lines of word TAB count: adds P-CRS by frequency.",
)
@click.option(
    "--orders",
    type=int,
    default=10,
    show_default=True,
    help="Try the official rule in this many orders of the cases; 0 for none.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of --orders.")
@click.option(
    "--check", "checks", is_flag=True, help="Look for oddities in CASES; without systems."
)
@show_options
def robustness(cases: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Say how far corrections depend on the context of errors, as RobustGEC does.

    CASES is RobustGEC's para.txt, JSONL of cases, or a folder of subsets. A SYSTEM has a line for
    each sentence in the order of input.txt, or is RobustGEC's combined file with -P lines, or a
    folder with such a file for each subset; NAME=PATH gives it a name.

    \b
    gecbench analyse robustness benchmark/conll14 t5.txt gector=out.txt
    gecbench analyse robustness benchmark/ t5/ --frequency train.txt --figures figures
    gecbench analyse robustness benchmark/ --check
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.robustness import load_perturbed
    from gecbench.core.sample import NOT_KEPT

    _check_use(systems, given)
    check_shown(given)
    loaded = load_perturbed(cases)
    if NOT_KEPT in loaded.provenance:
        say(f"note: {loaded.name}: not kept: {loaded.provenance[NOT_KEPT]}")
    show(_checked(loaded) if given["checks"] else _analysed(loaded, systems, given), given)


def _checked(cases: PerturbedSet) -> Exhibit:
    from gecbench.api.robustness import check_perturbed
    from gecbench.reports.robustness_check import exhibit

    return exhibit(check_perturbed(cases))


def _analysed(cases: PerturbedSet, systems: tuple[Path, ...], given: _Given) -> Exhibit:
    from gecbench.api.robustness import robustness as analysed
    from gecbench.formats.perturbed_outputs import read_outputs
    from gecbench.reports.robustness import exhibit

    outputs = [read_outputs(file, cases, name=name) for name, file in map(named, systems)]
    types = given["level"] == "correction-type"
    make: Callable[[], Scheme] = scheme_maker(cases.corpus(), given, types=types)
    found = analysed(
        cases,
        outputs,
        scheme=make,
        beta=given["beta"],
        level=given["level"],
        normalise=listed(given["normalise"]),
        orders=given["orders"],
        seed=given["seed"],
        frequency=given["frequency"],
        watch=watch,
    )
    return exhibit(found)


def _check_use(systems: tuple[Path, ...], given: _Given) -> None:
    """Refuse what would be accepted and ignored, and a run without anything to look at."""
    context = click.get_current_context()
    asked = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name
        and parameter.name not in _SHOWN
        and context.get_parameter_source(parameter.name) is click.core.ParameterSource.COMMANDLINE
    ]
    if given["checks"] and (systems or asked):
        what = "the systems" if systems else " and ".join(asked)
        raise UsageError(f"--check looks at the cases alone; leave {what} out")
    if not given["checks"] and not systems:
        raise UsageError("give the outputs of a system, or --check to look at the cases alone")
    if not given["orders"] and "--seed" in asked:
        raise UsageError("--seed is of --orders, which is 0; leave --seed out")
