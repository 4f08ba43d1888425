"""gecbench analyse difficulty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, cast

import click

from gecbench.cli.options import FILE, corpus_options, say, scheme_options, watch
from gecbench.cli.scoring import (
    LoadingGiven,
    groups,
    listed,
    loaded_for,
    loading_options,
    named_apart,
)
from gecbench.cli.showing import ShowGiven, check_shown, show, show_options
from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO

if TYPE_CHECKING:
    from gecbench.analysis.difficulty.result import Difficulty
    from gecbench.analysis.difficulty.types import Level
    from gecbench.api.difficulty import DifficultyOptions, Which
    from gecbench.core.sample import Corpus, SystemOutput
    from gecbench.core.scheme import Scheme


class _Given(LoadingGiven, ShowGiven):
    """The options of the command, by the names of their parameters."""

    systems_in: Path | None
    names: str | None
    reference_number: str
    absent: Literal["left-out", "unchanged"]
    a: float
    b: float
    c: float
    beta: float
    weights: tuple[Path, ...]
    write_weights: Path | None
    chunks: Path | None
    tier: str | None
    heat_map: Path | None


@click.command()
@click.argument("corpus", type=FILE)
@click.argument("systems", type=FILE, nargs=-1, metavar="[SYSTEM]...")
@corpus_options
@scheme_options
@loading_options
@click.option(
    "--systems-in", type=FILE, metavar="FILE", help="M2 in which each annotator is a system."
)
@click.option("--names", metavar="A,B,...", help="Names of the systems of --systems-in.")
@click.option(
    "--reference-number",
    default="1",
    show_default=True,
    metavar="K",
    help="Which reference counts, from 1; or each by itself; or chosen: the one systems come "
    "nearest to, sentence by sentence.",
)
@click.option(
    "--absent",
    type=click.Choice(["left-out", "unchanged"]),
    default="left-out",
    show_default=True,
    help="Sentences without that reference: left out, or taken as free of errors.",
)
@click.option("--a", type=float, default=1, show_default=True, help="In w = a - (n + b) / (N + c).")
@click.option("--b", type=float, default=0, show_default=True, help="Likewise.")
@click.option("--c", type=float, default=0, show_default=True, help="Likewise.")
@click.option("--beta", type=float, default=0.5, show_default=True, help="Weight of recall in F.")
@click.option(
    "--weights",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Take weights from a file of GoToScorer's; with several corpora one for each.",
)
@click.option(
    "--write-weights", type=FILE, metavar="FILE", help="Write the weights, for later systems."
)
@click.option(
    "--chunks", type=FILE, metavar="FILE", help="Write the chunks of each sentence as a picture."
)
@click.option(
    "--by-type",
    "tier",
    type=click.Choice(["1", "2", "3"]),
    help="Types in the table: operation (1), category (2), whole label (3).",
)
@click.option(
    "--heat-map",
    type=FILE,
    metavar="FILE.html",
    help="Write a page of all sentences, their errors coloured by difficulty.",
)
@show_options
def difficulty(corpus: Path, systems: tuple[Path, ...], **given: Unpack[_Given]) -> None:
    """Weigh errors by how few systems correct them, and score systems by that (GoToScorer).

    The weights are made of the systems given, so give many, or a published weight file. After a
    "+" comes another corpus with its systems.

    \b
    gecbench analyse difficulty conll14.m2 one.txt two.txt three.txt
    gecbench analyse difficulty conll14.m2 mine.txt --weights conll14_8sys.txt
    gecbench analyse difficulty ref.m2 --systems-in hyp.m2 --names cnn,lstm,smt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.reports.difficulty import exhibit

    one = given["systems_in"] is not None
    other = "or several in one M2 by --systems-in"
    parts = list(groups([corpus, *systems], least=0 if one else 1, other=other))
    _check(parts, given)
    _check_written(given, several=len(parts) > 1)
    found = _results(parts, given)
    results = [one for one, _ in found]
    tier = cast("Level | None", int(given["tier"]) if given["tier"] else None)
    show(exhibit(results, tier), given, _more(found, given))
    if given["write_weights"]:
        files = f"{given['write_weights']}, {given['write_weights']}.json"
        say(f"{files}: weights and the fingerprint of their reference")


def _check(parts: Sequence[Sequence[Path]], given: _Given) -> None:
    """Refuse options that do not go together."""
    several = len(parts) > 1
    if several and (given["references"] or given["meta"] or given["systems_in"]):
        raise UsageError(
            "--reference, --meta and --systems-in belong to one corpus; here are several"
        )
    if given["names"] and not given["systems_in"]:
        raise UsageError("--names are of --systems-in; add it, or leave --names out")
    if given["weights"] and len(given["weights"]) != len(parts):
        raise UsageError(
            f"--weights is given {len(given['weights'])} times for {len(parts)} corpora; give one "
            "for each, in their order"
        )
    if given["strategy"] == "all":
        raise UsageError(
            "difficulty takes the first edit set of each sentence; leave --strategy out"
        )


def _check_written(given: _Given, *, several: bool) -> None:
    """Refuse files that could not be written, would be written over, or have no content."""
    weights = given["write_weights"]
    if str(weights) == STDIO:
        raise UsageError(
            "--write-weights writes two files, the second with a fingerprint; name a file"
        )
    if weights and given["weights"]:
        raise UsageError("--write-weights writes weights of these systems; leave --weights out")
    if several and (weights or given["chunks"]):
        raise UsageError("--write-weights and --chunks are of one corpus; here are several")
    check_shown(
        given,
        ("--write-weights", weights),
        ("--write-weights", weights and Path(f"{weights}.json")),
        ("--chunks", given["chunks"]),
        ("--heat-map", given["heat_map"]),
        of_language=given["heat_map"] is not None,
    )


def _results(
    parts: Sequence[Sequence[Path]], given: _Given
) -> list[tuple[Difficulty, Mapping[str, str]]]:
    """Return what is found of each corpus, with its texts by id."""
    from gecbench.api.difficulty import difficulty as run

    options = _options(given)
    names: dict[str, int] = {}
    results: list[tuple[Difficulty, Mapping[str, str]]] = []
    for at, part in enumerate(parts):
        loaded, outputs, scheme, span = _loaded(part, given)
        own = replace(options, part=span)
        if given["weights"]:
            own = replace(own, weights=given["weights"][at])
        loaded = named_apart(loaded, names)
        texts = {sample.id: sample.source for sample in loaded.samples}
        made = run(loaded, outputs, scheme=scheme, options=own, watch=watch)
        results += [(one, texts) for one in made]
    return results


def _loaded(
    paths: Sequence[Path], given: _Given
) -> tuple[
    Corpus, list[SystemOutput], Scheme | Callable[[], Scheme] | None, tuple[int, int] | None
]:
    """Return a corpus, its systems, how edits are found, and which sentences take part."""
    from gecbench.api.files import load_systems
    from gecbench.api.options import Options

    loaded, outputs, scheme, options = loaded_for(paths[0], paths[1:], given, Options())
    if given["systems_in"] is not None:
        names = listed(given["names"])
        form = given["system_format"]
        outputs += load_systems(given["systems_in"], loaded, names=names, format=form)
    return loaded, outputs, scheme, options.part


def _options(given: _Given) -> DifficultyOptions:
    from gecbench.analysis.difficulty.weights import Weighting
    from gecbench.api.difficulty import DifficultyOptions

    return DifficultyOptions(
        weighting=Weighting(given["a"], given["b"], given["c"]),
        beta=given["beta"],
        reference=_which(given["reference_number"]),
        absent=given["absent"],
        normalise=listed(given["normalise"]),
    )


def _which(text: str) -> Which:
    return int(text) if text.isdecimal() else cast("Which", text)


def _more(found: Sequence[tuple[Difficulty, Mapping[str, str]]], given: _Given) -> dict[Path, str]:
    """Return the files that are written beside the results."""
    results, texts = [one for one, _ in found], [of for _, of in found]
    one_wanted = given["write_weights"] or given["chunks"]
    if one_wanted and len(results) > 1:
        raise UsageError(
            f"--write-weights and --chunks are of one reference; here are {len(results)}"
        )
    made: dict[Path, str] = {}
    if given["write_weights"]:
        from gecbench.api.difficulty import weight_files

        made |= weight_files(results[0], given["write_weights"])
    if given["chunks"]:
        from gecbench.reports.chunk_picture import picture

        made[given["chunks"]] = picture(results[0])
    if given["heat_map"]:
        from gecbench.reports.heatmap.page import heat_map

        made[given["heat_map"]] = heat_map(results, texts, given["language"])
    return made
