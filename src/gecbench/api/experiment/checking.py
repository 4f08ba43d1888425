"""What makes an experiment's file whole: every name is known, once, and before it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gecbench.api.experiment.fitting import fitted
from gecbench.api.experiment.recipe import (
    PLACE,
    Comparison,
    Recipe,
    Row,
    Step,
    TableRecipe,
    uses,
)
from gecbench.api.experiment.values import check_path
from gecbench.core.errors import FormatError, UnknownNameError, UsageError

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_OUT = "out"
_Shown = tuple[str, Mapping[str, Any], Sequence[str], Sequence[str]]


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
    _check_parameters(at, recipe)
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
    tables = [table.name for table in recipe.tables]
    tables += [comparison.name for comparison in recipe.comparisons]
    for names in (tables, [figure.name for figure in recipe.figures]):
        for name in names:
            if names.count(name) > 1:
                raise FormatError(f"{at}: {name!r} is the name of two tables or figures")
    for table in recipe.tables:
        for row in table.rows:
            _check_row(f"{at}: {table.name}: {row.name}", row, len(table.columns))
    for where, parameter in _swept(recipe):
        if not isinstance(recipe.parameters.get(parameter), list):
            raise FormatError(f"{at}: {where}: {parameter!r} is no parameter with a list")
    _check_axes(at, recipe)
    _check_paths(at, recipe)
    for where, given, variables, texts in _numbers(recipe):
        _check_names(f"{at}: {where}", given, variables, texts, recipe.parameters)


def _check_parameters(at: str, recipe: Recipe) -> None:
    """Refuse lists without values, tables without names, and other types in the small form."""
    for name, value in recipe.parameters.items():
        if value == []:
            raise FormatError(f"{at}: parameters.{name} has no values")
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and not isinstance(each.get("name"), str):
                raise FormatError(f"{at}: parameters.{name}: a table of it has no name")
    for name, value in recipe.small.items():
        if name not in recipe.parameters:
            raise FormatError(f"{at}: small.{name} is no parameter")
        try:
            fitted(value, recipe.parameters[name])
        except UsageError as error:
            raise FormatError(f"{at}: small.{name}: {error}") from None


def _numbers(recipe: Recipe) -> Iterator[_Shown]:
    """Yield each row and line: where it stands, the names it gives, its step's, and its texts."""
    each = {step.name: tuple(step.each) for step in recipe.steps}
    tables: list[TableRecipe | Comparison] = [*recipe.tables, *recipe.comparisons]
    for table in tables:
        paths = [column.get for column in table.columns]
        further = [name for column in table.columns for name in each.get(column.step, ())]
        if isinstance(table, Comparison):
            paths.append(table.edits)
            given = {**table.where, **table.over}
            yield table.name, given, each[table.step], paths
        for row in table.rows:
            given = {**row.where, **row.each}
            known = (*each.get(row.step, ()), *further)
            yield (
                f"{table.name}: {row.name}",
                given,
                known,
                [row.name, *(paths if row.step else [])],
            )
    for figure in recipe.figures:
        for line in figure.lines:
            given = {**line.where, **line.over}
            yield f"{figure.name}: {line.name}", given, each[line.step], [line.y, line.x]


def _check_names(
    at: str,
    given: Mapping[str, Any],
    variables: Sequence[str],
    texts: Sequence[str],
    parameters: Mapping[str, Any],
) -> None:
    """Refuse names that choose nothing, and names that nothing gives.

    Args:
        at: Where it stands.
        given: Names of the row or line with what they stand for.
        variables: Of its step.
        texts: In which names may stand in braces: paths, and the name of a row.
        parameters: Of the recipe.
    """
    said = [*texts, *(value for value in given.values() if isinstance(value, str))]
    used = {place[1] for text in said for place in PLACE.finditer(text)}
    for name in given:
        if name not in used and name not in variables:
            raise FormatError(f"{at}: {name} is no variable of its step, and no {{{name}}} has it")
    known = {*given, *variables, *parameters}
    for name in used - known:
        raise FormatError(f"{at}: {UnknownNameError('name', name, known)}")


def _check_axes(at: str, recipe: Recipe) -> None:
    """Refuse lines whose places on the horizontal axis are no numbers."""
    for figure in recipe.figures:
        for line in figure.lines:
            for name in line.over.values():
                values = recipe.parameters[name]
                if not line.x and not all(isinstance(value, int | float) for value in values):
                    raise FormatError(
                        f"{at}: {figure.name}: {line.name}: {name} has values that are no "
                        "numbers; say by x where those of the horizontal axis stand"
                    )


def _check_paths(at: str, recipe: Recipe) -> None:
    """Refuse what is no path to a number: it would be found out when all has been run."""
    tables: list[TableRecipe | Comparison] = [*recipe.tables, *recipe.comparisons]
    paths = [(table.name, column.get) for table in tables for column in table.columns]
    paths += [(each.name, each.edits) for each in recipe.comparisons]
    for figure in recipe.figures:
        paths += [(figure.name, path) for line in figure.lines for path in (line.y, line.x)]
    for where, path in paths:
        try:
            check_path(PLACE.sub("x", path))
        except FormatError as error:
            raise FormatError(f"{at}: {where}: {error}") from None


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
