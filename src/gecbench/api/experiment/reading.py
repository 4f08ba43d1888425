"""Experiments by name: of the package, or in a file of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gecbench.api.experiment.checking import check
from gecbench.api.experiment.recipe import Experiment, Recipe
from gecbench.core.errors import FormatError, UnknownNameError
from gecbench.formats.config import configured, toml_of


def experiments() -> Mapping[str, Path]:
    """Return the experiments that the package brings: names and files."""
    from gecbench import models

    folder = Path(models.__file__).parent / "experiments"
    return {path.stem: path for path in sorted(folder.glob("[a-z]*.toml"))}


def read_experiment(name: str) -> Experiment:
    """Return an experiment of the package, or of a TOML file of one's own.

    Raises:
        UnknownNameError: There is none of this name.
        FormatError: The file breaks a rule; says which.
    """
    known = experiments()
    path = known.get(name) or Path(name)
    if name not in known and not name.endswith(".toml"):
        raise UnknownNameError("experiment", name, known)
    recipe = configured(str(path), _whole(path), Recipe)
    check(str(path), recipe)
    return Experiment(path.stem, recipe)


def _whole(path: Path) -> dict[str, object]:
    """Return the tables of an experiment's file, after those of the file that it extends."""
    own = toml_of(path)
    base = own.get("extends")
    if not isinstance(base, str) or not base:
        return own
    if Path(base).name != base:
        raise FormatError(f"{path}: extends {base!r}: name a file beside this one, without '_'")
    common = toml_of(path.with_name(f"_{base}.toml"))
    for name, value in common.items():
        mine = own.get(name)
        if isinstance(value, list) and isinstance(mine, list):
            own[name] = [*value, *mine]
        elif isinstance(value, dict) and isinstance(mine, dict):
            own[name] = {**value, **mine}
        else:
            own.setdefault(name, value)
    return own
