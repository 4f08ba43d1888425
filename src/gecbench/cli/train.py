"""gecbench train."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gecbench.cli.options import FILE, say
from gecbench.core.errors import UsageError


@click.command()
@click.argument("config", type=FILE, required=False)
@click.option("--recipe", metavar="NAME", help="A recipe of the package, instead of CONFIG.")
@click.option("--list", "listed", is_flag=True, help="List the recipes and end.")
@click.option(
    "--set",
    "changes",
    metavar="TABLE.KEY=VALUE",
    multiple=True,
    help="A value instead of the configuration's, as training.epochs=3; repeatable.",
)
@click.option("-o", "--output", type=FILE, help="The run's folder (tiny: gecbench-tiny).")
@click.option("--folder", type=FILE, envvar="GECBENCH_DATA", show_envvar=True, help="Data folder.")
@click.option(
    "--mirror",
    type=FILE,
    envvar="GECBENCH_DATA_MIRROR",
    show_envvar=True,
    help="Folder with data sets, looked at first.",
)
def train(
    config: Path | None,
    recipe: str | None,
    listed: bool,
    changes: tuple[str, ...],
    output: Path | None,
    folder: Path | None,
    mirror: Path | None,
) -> None:
    """Train a model as a configuration says; a run that was interrupted goes on.

    The best model is in OUTPUT/model, with its card. `--recipe tiny` shows in two minutes on a CPU
    everything that can be done with a model: a demonstration, not a product.

    \b
    gecbench train --recipe tiny
    gecbench train --list
    gecbench train tagger.toml --set training.seed=2 -o runs/tagger-2
    torchrun --nproc_per_node 8 -m gecbench train seq2seq.toml -o runs/seq2seq
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.schemes import Places
    from gecbench.api.train import read_settings, recipes
    from gecbench.api.train import train as train_model

    if listed:
        for name, path in recipes().items():
            click.echo(f"{name:24} {_about(path)}")
        return
    settings = read_settings(config, recipe=recipe, changes=changes)
    if recipe == "tiny":
        from gecbench.cli.tiny import demonstrate

        demonstrate(recipes()[recipe], output or Path("gecbench-tiny"), changes)
        return
    if output is None:
        raise UsageError("name the run's folder by --output")
    places = Places(folder=folder, mirror=mirror)
    try:
        outcome = train_model(settings, output, places=places, say=say)
    except KeyboardInterrupt:
        say("the same command goes on from the last checkpoint")
        raise
    if os.environ.get("RANK", "0") != "0":
        return  # of the processes of torchrun one speaks
    kept = "kept as it was" if settings.config.scoring.by == "last" else "the best"
    say(
        f"{outcome.why}: {outcome.steps} steps, {kept} after step {outcome.best_step}\n"
        f"model: {outcome.model}"
    )


def _about(path: Path) -> str:
    """Return the first line of a recipe, a comment that says what it is."""
    from gecbench.core.files import read_lines

    return read_lines(path)[0].removeprefix("#").strip()
