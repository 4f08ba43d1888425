"""What makes an experiment's file whole: every name is known, once, and before it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gecbench.api.experiment.recipe import (
    PLACE,
    Comparison,
    Recipe,
    Row,
    Step,
    TableRecipe,
    uses,
)
from gecbench.core.errors import FormatError, UnknownNameError

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_OUT = "out"


def check(at: str, recipe: Recipe) -> None:
    """Refuse names that nothing bears, that two things bear, or that come too early.

    Args:
        at: What the recipe is called in failures.
        recipe: What is checked.

    Raises:
        FormatError: Names the first mistake.
    """
    known = dict.fromkeys((_OUT, *recipe.parameters), "a parameter")
    for each in recipe.inputs:
        _take(at, known, each.name, "an input")
    for name in recipe.small:
        if name not in recipe.parameters:
            raise FormatError(f"{at}: small.{name} is no parameter")
    steps: dict[str, Step] = {}
    for step in recipe.steps:
        _check_step(at, step, known, recipe.parameters, steps)
        _take(at, known, step.name, "a step")
        steps[step.name] = step
    for name, used in uses(recipe):
        if used not in steps:
            problem = UnknownNameError("step", used, steps)
            raise FormatError(f"{at}: {name}: {problem}")
    _check_shown(at, recipe)


def _check_shown(at: str, recipe: Recipe) -> None:
    """Refuse rows that do not fit their table, and sweeps over what is no list."""
    for table in recipe.tables:
        for row in table.rows:
            _check_row(f"{at}: {table.name}: {row.name}", row, len(table.columns))
    for where, parameter in _swept(recipe):
        if not isinstance(recipe.parameters.get(parameter), list):
            raise FormatError(f"{at}: {where}: {parameter!r} is no parameter with a list")


def _take(at: str, known: dict[str, str], name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise FormatError(f"{at}: {name!r} is no name; write lower-case letters, digits, hyphens")
    if name in known:
        raise FormatError(f"{at}: {name!r} is {known[name]} already and {what}, too; rename one")
    known[name] = what


def _check_step(
    at: str,
    step: Step,
    known: Mapping[str, str],
    parameters: Mapping[str, object],
    earlier: Mapping[str, Step],
) -> None:
    for variable, parameter in step.each.items():
        if not isinstance(parameters.get(parameter), list):
            raise FormatError(
                f"{at}: step {step.name}: {variable} goes over {parameter!r}, which is no "
                "parameter with a list"
            )
    for word in (*step.run, *step.small, *step.small_run, step.out, step.makes):
        used = [place[1] for place in PLACE.finditer(word)]
        # A word that names a step stands once for each of its tasks, so it knows their values.
        free = [name for each in used if each in earlier for name in earlier[each].each]
        names = {*known, *step.each, *free}
        for name in used:
            if name not in names:
                problem = UnknownNameError("name", name, names)
                raise FormatError(f"{at}: step {step.name}: {word!r}: {problem}")


def _check_row(at: str, row: Row, width: int) -> None:
    if row.paper and len(row.paper) != width:
        raise FormatError(f"{at}: {len(row.paper)} figures of the paper for {width} columns")
    if bool(row.step) == bool(row.status):
        raise FormatError(f"{at}: a row has a step, or a status that stands instead")


def _swept(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Yield the parameters that rows, lines and curves go over."""
    tables: list[TableRecipe | Comparison] = [*recipe.tables, *recipe.comparisons]
    swept = [(table.name, row.each) for table in tables for row in table.rows]
    swept += [(figure.name, line.over) for figure in recipe.figures for line in figure.lines]
    swept += [(comparison.name, comparison.over) for comparison in recipe.comparisons]
    for name, over in swept:
        for parameter in over.values():
            yield name, parameter
