"""Training data from corpora by a recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from gecbench.datasets.prepare.manifest import Manifest
from gecbench.datasets.prepare.prepare import output_files
from gecbench.datasets.prepare.prepare import prepare as run
from gecbench.datasets.prepare.recipe import (
    Recipe,
    check_recipe,
    load_recipe,
    with_corpora,
    with_settings,
)


def prepare(
    recipe: Recipe | str = "",
    *,
    output: Path | str,
    corpora: Mapping[str, Mapping[str, object]] | None = None,
    filters: Sequence[Path | str] = (),
    settings: Mapping[str, object] | None = None,
    dev_output: Path | str | None = None,
    format: str = "jsonl",
    progress: Callable[[str, int], None] = lambda _name, _count: None,
) -> Manifest:
    """Write training data and its manifest, and return the manifest.

    Args:
        recipe: Itself, a packaged one's name, or the path of one; "" is one without steps
            but that pairs without an error are dropped.
        output: File for the pairs; its manifest lies beside it.
        corpora: By name: fields of `Ingredient` that the recipe leaves open or that differ.
        filters: Evaluation sets beside those of the recipe.
        settings: Other keys of the recipe that differ; strings are converted.
        dev_output: File for the sentences put aside; None takes the output's name with .dev.
        format: jsonl, mucgec or pairs.
        progress: Told a corpus and how many of its sentences were read.

    Raises:
        GecbenchError: The recipe is wrong or not complete, a file cannot be read or written, or
            nothing would be left.
    """
    chosen = load_recipe(recipe) if isinstance(recipe, str) else recipe
    chosen = with_corpora(with_settings(chosen, settings or {}), corpora or {})
    chosen = msgspec.structs.replace(chosen, filter=(*chosen.filter, *map(str, filters)))
    check_recipe(chosen)
    dev = None if dev_output is None else Path(dev_output)
    files = output_files(Path(output), chosen, dev=dev, format=format)
    return run(chosen, files, progress=progress)
