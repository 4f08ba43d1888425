"""gecbench experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import click

from gecbench.cli.options import FILE, say
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.core.files import write_files, write_text

if TYPE_CHECKING:
    from gecbench.api.experiment.plan import Plan
    from gecbench.reports.exhibit import Exhibit


class _Given(TypedDict):
    """The options of the command, by the names of their parameters."""

    output: Path | None
    listed: bool
    planned: bool
    shown: bool
    small: bool
    only: tuple[str, ...]
    inputs: tuple[str, ...]
    settings: tuple[str, ...]
    available: bool
    launcher: str
    form: Literal["text", "json", "csv", "latex"]
    table: str | None
    language: Literal["en", "zh"]


@click.command()
@click.argument("name", required=False)
@click.option("-o", "--output", type=FILE, help="The experiment's folder; a run goes on in it.")
@click.option("--list", "listed", is_flag=True, help="List the experiments and end.")
@click.option("--plan", "planned", is_flag=True, help="Show inputs and commands; run nothing.")
@click.option("--show", "shown", is_flag=True, help="Show the tables as they are; run nothing.")
@click.option("--small", is_flag=True, help="The same commands on tiny models and samples.")
@click.option("--only", multiple=True, help="A step or a row, and what it needs; repeatable.")
@click.option(
    "--input", "inputs", metavar="NAME=PLACE", multiple=True, help="Where an input is; repeatable."
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="A parameter, as seeds=[1,2,3]; repeatable.",
)
@click.option("--available", is_flag=True, help="Leave out what needs inputs that are missing.")
@click.option(
    "--launcher",
    default="",
    metavar="WORDS",
    help='What starts training, as "torchrun --nproc_per_node 8".',
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv", "latex"]),
    default="text",
    show_default=True,
    help="How tables are printed.",
)
@click.option("--table", metavar="NAME", help="Print one table only.")
@click.option(
    "--language",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language of figures.",
)
def experiment(name: str | None, **given: Unpack[_Given]) -> None:
    """Run an experiment of the papers, from data to the table beside the paper's figures.

    NAME is one of --list, or a TOML file. Every step is a command of gecbench, shown and run in a
    process of its own. What is done is skipped when the command is given again, what depends on
    something that changed is done again. The tables are in OUTPUT, and say what was not run.

    \b
    gecbench experiment --list
    gecbench experiment robustgec-table-5 -o table5 --plan
    gecbench experiment robustgec-table-5 -o table5-small --small
    gecbench experiment robust-from-scratch -o scratch --input clean=sentences.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.experiment.reading import experiments, read_experiment
    from gecbench.api.experiment.run import planned

    if given["listed"]:
        for each in experiments():
            click.echo(f"{each:22} {read_experiment(each).recipe.about}")
        return
    if name is None:
        raise UsageError("name an experiment; gecbench experiment --list has them")
    if given["output"] is None:
        raise UsageError("name the experiment's folder by --output")
    _check_options(given)
    made = planned(
        read_experiment(name),
        given["output"],
        small=given["small"],
        chosen=given["inputs"],
        changes=given["settings"],
        as_before=given["shown"],
    )
    _check_table(made, given["table"])
    if given["planned"]:
        _show_plan(made, given)
        return
    _run(made, given)


def _check_options(given: _Given) -> None:
    """Refuse options that do not go together or would be ignored."""
    if given["planned"] and given["shown"]:
        raise UsageError("--plan shows commands, --show tables; say one of them")
    if given["shown"] and (given["only"] or given["available"] or given["launcher"]):
        raise UsageError(
            "--only, --available and --launcher are of a run; --show runs nothing, and --table "
            "chooses what it shows"
        )
    if given["planned"] and (given["table"] or given["form"] != "text" or given["launcher"]):
        raise UsageError(
            "--format and --table are of tables, --launcher of a run; --plan shows commands alone"
        )
    if given["table"] and given["form"] == "json":
        raise UsageError("--table is of text, CSV and LaTeX; JSON holds everything")


def _check_table(made: Plan, table: str | None) -> None:
    """Refuse a table that there is none of before anything is run."""
    recipe = made.experiment.recipe
    known = [each.name for each in recipe.tables] + [each.name for each in recipe.comparisons]
    if table and table not in known:
        name = made.experiment.name
        raise UsageError(f"{name} has no table {table!r} here; it has: {', '.join(known)}")


def _run(made: Plan, given: _Given) -> None:
    """Run what is to be run; the tables are written whatever becomes of it."""
    from gecbench.api.experiment.process import launched
    from gecbench.api.experiment.run import run

    if given["shown"]:
        _print(_exhibit(made), given)
        return
    execute = launched(given["launcher"])
    try:
        run(
            made,
            only=given["only"],
            available=given["available"],
            execute=execute,
            say=say,
        )
    except KeyboardInterrupt:
        say("the same command goes on where it was")
        _write_what_is_there(made, given)
        raise
    except GecbenchError:
        _write_what_is_there(made, given)
        raise
    exhibit = _exhibit(made)
    _write(exhibit, made.folder, given)
    _print(exhibit, given)


def _write_what_is_there(made: Plan, given: _Given) -> None:
    """Write the tables of a run that failed; what fails here is not why it did."""
    if not (made.folder / "experiment.json").exists():
        return
    try:
        _write(_exhibit(made), made.folder, given)
    except GecbenchError as error:
        say(f"note: no tables: {error}")


def _exhibit(made: Plan) -> Exhibit:
    from gecbench.api.experiment.results import results_of
    from gecbench.reports.experiment import exhibit

    return exhibit(results_of(made))


def _write(exhibit: Exhibit, folder: Path, given: _Given) -> None:
    """Write the tables in every form, and the figures where matplotlib is there."""
    from importlib.util import find_spec

    from gecbench.reports.exhibit import render
    from gecbench.reports.experiment import markdown

    files = {
        "txt": render(exhibit, "text"),
        "json": render(exhibit, "json"),
        "tex": render(exhibit, "latex"),
        "md": markdown(exhibit),
    }
    write_files({folder / f"{exhibit.name}.{name}": text.encode() for name, text in files.items()})
    if exhibit.figures and find_spec("matplotlib"):
        from gecbench.reports.plots import write_figures

        places = folder / "figures"
        write_figures(exhibit.figures, places, formats=("svg",), language=given["language"])
    elif exhibit.figures:
        say("note: no figures without matplotlib; pip install 'gecbench[report]'")
    say(f"tables: {folder / exhibit.name}.txt, .json, .tex, .md")


def _print(exhibit: Exhibit, given: _Given) -> None:
    from gecbench.reports.exhibit import render

    write_text(Path("-"), render(exhibit, given["form"], table=given["table"]))


def _show_plan(made: Plan, given: _Given) -> None:
    """Show what would be run, and which inputs are missing."""
    from gecbench.api.experiment.inputs import describe
    from gecbench.api.experiment.run import command_of

    tasks = made.chosen(given["only"])
    used = {name for task in tasks for name in task.inputs}
    for found in (found for name, found in made.inputs.items() if name in used):
        optional = " (optional)" if found.given.optional else ""
        if found.here:
            click.echo(f"# {found.given.name}: {found.place}")
        else:
            click.echo(f"# MISSING{optional}: {found.given.name}: {describe(found)}")
    for task in tasks:
        lacking = ", ".join(each.given.name for each in made.missing(task))
        if given["available"] and lacking:
            click.echo(f"# left out, for there is no {lacking}: {task.name}")
        else:
            click.echo(command_of(task))
