"""What an experiment is: inputs by name, steps that are commands, tables of their results."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from gecbench.api.experiment.fitting import fitted
from gecbench.core.errors import UnknownNameError, UsageError

PLACE = re.compile(r"\{([a-z][\w-]*)(?:\.([\w-]+))?\}")
"""A name in braces: a variable, a parameter, an input, a step, or `out`; after a dot, a field."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the TOML file."""


class Input(_Table, frozen=True):
    """Something that the user brings.

    Args:
        name: What steps call it.
        what: It is, in a line.
        get: How to get it.
        default: Where it is looked for, from the working folder; of a model its name on the hub.
        kind: "path" must be there; "model" may be a name on the hub; "profile" is a corrector's.
        optional: Steps that need it are left out where it is not there.
        small: What the small form takes: "sample:FILE" of the package, "made:NAME", a tiny model
            with random weights, or "" for nothing.
    """

    name: str
    what: str
    get: str
    default: str = ""
    kind: Literal["path", "model", "profile"] = "path"
    optional: bool = False
    small: str = ""


class Step(_Table, frozen=True):
    """A command of gecbench, once for each combination of the values of its variables.

    Args:
        name: What others call it: `{name}` in a later step is what this one makes.
        run: Words after `gecbench`.
        out: Where it writes, from the experiment's folder; `{out}` in its words.
        each: Variables, each with the name of the parameter that lists its values.
        makes: What it has made when it is done, where that is not `out` itself.
        captured: Whether `out` is what it writes to standard output.
        small: Words that the small form adds.
        small_run: Words that the small form says instead.
    """

    name: str
    run: tuple[str, ...]
    out: str
    each: dict[str, str] = {}
    makes: str = ""
    captured: bool = False
    small: tuple[str, ...] = ()
    small_run: tuple[str, ...] = ()


class Measure(_Table, frozen=True):
    """A column of numbers.

    Args:
        name: Its head.
        get: Where the number stands in a result; see `values.found_in`.
        step: Whose result it is, where that is not the row's.
        kind: Ratios are shown as percent; numbers and counts as they are.
        digits: Decimals.
    """

    name: str
    get: str
    step: str = ""
    kind: Literal["percent", "number", "count"] = "percent"
    digits: int = 2


class Row(_Table, frozen=True):
    """A row of a paper's table.

    Args:
        name: As the paper has it.
        step: Whose results it shows.
        where: Values of variables, which choose among the step's results, and of names that
            stand in braces in `Measure.get`. Over variables that are not named, there is a mean.
        each: Names, each with the parameter whose values make a row each.
        paper: The paper's figures, one for each column, as printed; () where it has none.
        status: What stands instead of figures, as "not built".
    """

    name: str
    step: str = ""
    where: dict[str, Any] = {}
    each: dict[str, str] = {}
    paper: tuple[float | None, ...] = ()
    status: str = ""


class TableRecipe(_Table, frozen=True):
    """A table beside the paper's.

    Args:
        name: Lower-case letters, digits and hyphens.
        title: One line.
        zh: The same in Chinese.
        columns: Of numbers.
        rows: In the paper's order.
        notes: What the reader should know.
    """

    name: str
    title: str
    zh: str
    columns: tuple[Measure, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


class Line(_Table, frozen=True):
    """A line of a figure.

    Args:
        name: In the legend.
        step: Whose results.
        over: A name and the parameter whose values are the points.
        y: Where the height stands in a result.
        x: Likewise of the other axis; "" takes the parameter's value.
        kind: Ratios are drawn as percent.
        where: Values of other names.
        zh: The name in Chinese, where it is another.
    """

    name: str
    step: str
    over: dict[str, str]
    y: str
    x: str = ""
    kind: Literal["percent", "number"] = "percent"
    where: dict[str, Any] = {}
    zh: str = ""


class FigureRecipe(_Table, frozen=True):
    """A plot.

    Args:
        name: Lower-case letters, digits and hyphens.
        title: One line; with `zh`, the same in Chinese, and so on.
        x_label: Of the horizontal axis.
        y_label: Of the other.
        lines: What is drawn.
    """

    name: str
    title: str
    zh: str
    x_label: str
    x_zh: str
    y_label: str
    y_zh: str
    lines: tuple[Line, ...]


class Comparison(_Table, frozen=True):
    """Systems beside a curve of KEEP biases, at equal numbers of edits.

    Args:
        name: Of its table.
        title: One line.
        zh: The same in Chinese.
        step: Whose results make the curve.
        over: A name and the parameter whose values lie along the curve.
        edits: Where the number of edits stands in a result of curve and rows alike.
        columns: What is compared; `{system}` and other names are of row and curve.
        where: Names and their values for the curve.
        rows: What is set beside it.
    """

    name: str
    title: str
    zh: str
    step: str
    over: dict[str, str]
    edits: str
    columns: tuple[Measure, ...]
    rows: tuple[Row, ...]
    where: dict[str, Any] = {}


class Recipe(_Table, frozen=True):
    """An experiment.

    Args:
        about: What it shows, in a line.
        paper: Whose table it is.
        inputs: What the user brings.
        parameters: Sizes, seeds and sweeps by name; the command line can change them.
        small: Their values in the small form.
        steps: Commands; each may use what those before it make.
        tables: The finished tables.
        figures: Their plots.
        comparisons: At equal numbers of edits.
        notes: What differs from the paper, and what to know.
        extends: The file of what several experiments have in common, beside this one and with
            "_" before its name: its inputs, parameters and steps stand before these. Given one
            folder, such experiments share their results, too.
    """

    about: str
    steps: tuple[Step, ...]
    tables: tuple[TableRecipe, ...]
    extends: str = ""
    paper: str = ""
    inputs: tuple[Input, ...] = ()
    parameters: dict[str, Any] = {}
    small: dict[str, Any] = {}
    figures: tuple[FigureRecipe, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """A recipe under its name.

    Args:
        name: Of its file.
        recipe: What it says.
    """

    name: str
    recipe: Recipe

    def step(self, name: str) -> Step:
        """Return the step of a name."""
        return next(step for step in self.recipe.steps if step.name == name)

    def shown_steps(self) -> Iterator[str]:
        """Yield the steps whose results tables, figures and comparisons show."""
        yield from (step for _, step in uses(self.recipe))


def uses(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Yield which steps tables, figures and comparisons name: where, and which."""
    tables: list[TableRecipe | Comparison] = [*recipe.tables, *recipe.comparisons]
    for table in tables:
        named: list[Measure | Row] = [*table.columns, *table.rows]
        for each in named:
            if each.step:
                yield f"{table.name}: {each.name}", each.step
    for comparison in recipe.comparisons:
        yield comparison.name, comparison.step
    for figure in recipe.figures:
        for line in figure.lines:
            yield f"{figure.name}: {line.name}", line.step


def parameters_of(recipe: Recipe, *, small: bool, changes: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a run.

    Args:
        recipe: Has the defaults.
        small: Whether those of the small form count.
        changes: "name=value" of the command line; values as in TOML.

    Raises:
        UsageError: A change is none, or of another type.
        UnknownNameError: There is no such parameter.
    """
    import tomllib

    made = {**recipe.parameters, **(recipe.small if small else {})}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise UsageError(f"--set {change}: write NAME=VALUE, as seeds=[1,2,3]")
        if name not in made:
            raise UnknownNameError("parameter", name, made)
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        try:
            made[name] = fitted(value, recipe.parameters[name])
        except UsageError as error:
            said = textwrap.shorten(repr(recipe.parameters[name]), 100, placeholder=" ...")
            raise UsageError(f"--set {change}: {name} is {said}; {error}") from None
    return made
