"""From steps to tasks: each command with its words, what it needs, and where it writes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from gecbench.api.experiment.inputs import Found
from gecbench.api.experiment.recipe import PLACE, Comparison, Experiment, Step, TableRecipe
from gecbench.core.errors import FormatError, UnknownNameError, UsageError

Values = Mapping[str, Any]

_OWN = ("marks", "logs", "made", "parses", "figures", "experiment.json", ".lock")
"""What an experiment's folder holds besides the results of steps."""


@dataclass(frozen=True, slots=True)
class Task:
    """One command of an experiment.

    Args:
        step: Whose it is.
        values: Of its variables.
        words: After `gecbench`.
        identity: The same with names instead of paths: what its result depends on, wherever the
            folders lie.
        needs: Names of the tasks whose results it uses.
        inputs: Names of the inputs it uses.
        out: Where it writes.
        makes: What is there when it is done.
    """

    step: Step
    values: Values
    words: tuple[str, ...]
    identity: tuple[str, ...]
    needs: tuple[str, ...]
    inputs: tuple[str, ...]
    out: Path
    makes: Path

    @property
    def name(self) -> str:
        """The step and its values, as "train.seed-1"; also of files."""
        return _name(self.step, self.values)


@dataclass(frozen=True, slots=True)
class Plan:
    """All tasks of an experiment in an order in which they can be run.

    Args:
        experiment: Whose.
        folder: Where everything is written.
        small: Whether it is the small form.
        parameters: Of this run.
        inputs: By name.
        tasks: By name.
    """

    experiment: Experiment
    folder: Path
    small: bool
    parameters: Values
    inputs: Mapping[str, Found]
    tasks: Mapping[str, Task]

    def of_step(self, name: str) -> list[Task]:
        """Return the tasks of a step."""
        return [task for task in self.tasks.values() if task.step.name == name]

    def missing(self, task: Task) -> list[Found]:
        """Return the inputs that are not there and without which a task cannot be run."""
        lacking = [self.inputs[name] for name in task.inputs if not self.inputs[name].here]
        for name in task.needs:
            lacking += self.missing(self.tasks[name])
        return list({each.given.name: each for each in lacking}.values())

    def chosen(self, only: Sequence[str]) -> list[Task]:
        """Return the tasks of some steps and rows, and all that they need.

        Args:
            only: Names of steps and rows; () for all that tables and figures show.

        Raises:
            UnknownNameError: Nothing is called so.
        """
        if not only:
            return self._wanted(set(self.experiment.shown_steps()))
        steps = {step.name: {step.name} for step in self.experiment.recipe.steps}
        for table in self.experiment.recipe.tables:
            for row in table.rows:
                used = {row.step, *(column.step for column in table.columns)} - {""}
                steps[row.name] = used if row.step else set()
        chosen: set[str] = set()
        for name in only:
            if name not in steps:
                raise UnknownNameError("step or row", name, steps)
            if not steps[name]:
                raise UsageError(f"--only {name}: this row has no step that could be run")
            chosen |= steps[name]
        return self._wanted(chosen)

    def _wanted(self, steps: set[str]) -> list[Task]:
        wanted: set[str] = set()
        for task in self.tasks.values():
            if task.step.name in steps:
                wanted |= self._with_needs(task)
        return [task for name, task in self.tasks.items() if name in wanted]

    def _with_needs(self, task: Task) -> set[str]:
        found = {task.name}
        for name in task.needs:
            found |= self._with_needs(self.tasks[name])
        return found


def plan(
    experiment: Experiment,
    folder: Path,
    *,
    small: bool,
    parameters: Values,
    inputs: Mapping[str, Found],
) -> Plan:
    """Return the tasks of an experiment.

    Args:
        experiment: What is run.
        folder: Where everything is written.
        small: Whether it is the small form.
        parameters: See `recipe.parameters_of`.
        inputs: See `inputs.inputs_of`.

    Raises:
        FormatError: Two tasks write to one place, or one elsewhere than below the folder.
        UsageError: A row goes over values that its step is not run with.
    """
    _check_rows(experiment, parameters)
    made = Plan(experiment, folder, small, parameters, inputs, {})
    tasks: dict[str, Task] = {}
    for step in experiment.recipe.steps:
        for values in combinations(step.each, parameters):
            task = _task(made, tasks, step, values)
            for other in tasks.values():
                for one, two in ((other.out, task.out), (task.out, other.out)):
                    if one == two or one in two.parents:
                        raise FormatError(
                            f"{experiment.name}: {other.name} and {task.name} both write {one}"
                        )
            tasks[task.name] = task
    return Plan(experiment, folder, small, parameters, inputs, tasks)


def combinations(each: Mapping[str, str], parameters: Values) -> Iterator[dict[str, Any]]:
    """Yield every combination of values of variables, each from its parameter's list."""
    for row in product(*(parameters[name] for name in each.values())):
        yield dict(zip(each, row, strict=True))


def shown(value: object) -> str:
    """Return a value as words and names have it; a table is called by its name."""
    if isinstance(value, Mapping):
        return str(value["name"])
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _check_rows(experiment: Experiment, parameters: Values) -> None:
    """Refuse rows over values that their step is not run with: they could never be filled."""
    recipe = experiment.recipe
    tables: list[TableRecipe | Comparison] = [*recipe.tables, *recipe.comparisons]
    for name, row in ((table.name, row) for table in tables for row in table.rows if row.step):
        own = experiment.step(row.step).each
        for variable in row.each.keys() & own.keys():
            known = set(map(shown, parameters[own[variable]]))
            for value in map(shown, parameters[row.each[variable]]):
                if value not in known:
                    raise UsageError(
                        f"{name}: {row.name}: step {row.step} is not run with {variable} "
                        f"{value}; add it to {own[variable]}"
                    )


def _name(step: Step, values: Values) -> str:
    parts = [f"{name}-{shown(values[name])}" for name in step.each]
    return ".".join((step.name, *parts)) if parts else step.name


def _task(made: Plan, tasks: Mapping[str, Task], step: Step, values: Values) -> Task:
    """Return the task of a step with certain values of its variables."""
    for value in map(shown, values.values()):
        if set(value) & set("/\\\0") or not value.strip():
            raise FormatError(
                f"{made.experiment.name}: step {step.name}: {value!r} names files; give a name "
                "without a slash, and a path in a field of its own"
            )
    filling = _Filling(made, tasks, step, values)
    out = filling.path(step.out)
    makes = filling.path(step.makes) if step.makes else out
    run = step.run
    if made.small:
        run = (*(step.small_run or run), *step.small)
    rows = [row for word in run for row in filling.rows(word)]
    words = tuple(filling.filled(word, row, out=str(out)) for word, row in rows)
    identity = tuple(filling.filled(word, row, out="<out>", named=True) for word, row in rows)
    _check_lists(step, words)
    return Task(
        step,
        values,
        words,
        identity,
        tuple(filling.needs),
        tuple(filling.used),
        out,
        makes,
    )


def _check_lists(step: Step, words: Sequence[str]) -> None:
    """Refuse paths that end the quotation in which a list has them: training would misread it."""
    for word in words:
        text = word.partition("=")[2]
        if text.startswith("["):
            try:
                tomllib.loads(f"list = {text}")
            except tomllib.TOMLDecodeError:
                raise UsageError(
                    f"step {step.name}: {text} is no list; if a path in it has a quotation mark, "
                    "name another"
                ) from None


class _Filling:
    """Puts values, places of inputs and results of steps where names stand in braces."""

    def __init__(self, made: Plan, tasks: Mapping[str, Task], step: Step, values: Values) -> None:
        self.made, self.tasks, self.step, self.values = made, tasks, step, values
        self.needs: dict[str, None] = {}
        self.used: dict[str, None] = {}
        self._steps = {each.name: each for each in made.experiment.recipe.steps}

    def rows(self, word: str) -> Iterator[tuple[str, Values]]:
        """Yield a word once for each combination of variables that it has and the step has not."""
        free: dict[str, str] = {}
        for place in PLACE.finditer(word):
            if place[1] in self._steps:
                free |= self._steps[place[1]].each
        own = {name: source for name, source in free.items() if name not in self.values}
        for more in combinations(own, self.made.parameters):
            yield word, {**self.values, **more}

    def path(self, text: str) -> Path:
        """Return a path below the experiment's folder.

        Raises:
            FormatError: It leads elsewhere, or to what the runner writes itself.
        """
        name = self.made.experiment.name
        own = (*_OWN, *(f"{name}.{form}" for form in ("txt", "json", "tex", "md")))
        path = Path(self.filled(text, self.values, out=""))
        if not path.parts or path.is_absolute() or ".." in path.parts or path.parts[0] in own:
            raise FormatError(
                f"{name}: step {self.step.name}: {text!r}: write below the experiment's folder, "
                f"not to {', '.join(own)}"
            )
        return self.made.folder / path

    def filled(self, word: str, values: Values, *, out: str, named: bool = False) -> str:
        """Return a word with what its names stand for; with names in place of paths on wish."""
        found = ""
        end = 0
        for place in PLACE.finditer(word):
            name, part = place[1], place[2]
            found += word[end : place.start()] + self._one(name, part, values, out, named=named)
            end = place.end()
        return found + word[end:]

    def _one(self, name: str, part: str | None, values: Values, out: str, *, named: bool) -> str:
        if name == "out":
            return out
        if name in values:
            return self._value(values[name], part, values, out, named=named)
        if name in self._steps:
            step = self._steps[name]
            task = self.tasks.get(_name(step, {key: values[key] for key in step.each}))
            if task is None:
                raise self._wrong(f"step {name} comes later")
            self.needs[task.name] = None
            return f"<{task.name}>" if named else str(task.makes)
        if name in self.made.inputs:
            self.used[name] = None
            found = self.made.inputs[name]
            return f"<{name}>" if named else found.place or f"<{name}>"
        if name not in self.made.parameters:  # of a field; words have been looked at before
            raise self._wrong(str(UnknownNameError("name", name, self.made.parameters)))
        return self._value(self.made.parameters[name], part, values, out, named=named)

    def _value(self, value: Any, part: str | None, values: Values, out: str, *, named: bool) -> str:
        """Return a value as a word; a field of a table may name inputs and steps in turn."""
        if not part:
            return shown(value)
        if not isinstance(value, Mapping) or part not in value:
            raise self._wrong(f"{shown(value)} has no field {part}")
        text = shown(value[part])
        if any(place[2] == part for place in PLACE.finditer(text)):
            raise self._wrong(f"field {part} names itself")
        return self.filled(text, values, out=out, named=named)

    def _wrong(self, why: str) -> FormatError:
        return FormatError(f"{self.made.experiment.name}: step {self.step.name}: {why}")
