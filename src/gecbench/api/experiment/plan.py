"""From steps to tasks: each command with its words, what it needs, and where it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from gecbench.api.experiment.inputs import Found
from gecbench.api.experiment.recipe import PLACE, Experiment, Step
from gecbench.core.errors import FormatError, UnknownNameError, UsageError

Values = Mapping[str, Any]


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
        FormatError: Two tasks write to one place.
    """
    made = Plan(experiment, folder, small, parameters, inputs, {})
    tasks: dict[str, Task] = {}
    for step in experiment.recipe.steps:
        for values in combinations(step.each, parameters):
            task = _task(made, tasks, step, values)
            for other in tasks.values():
                if other.out == task.out:
                    raise FormatError(
                        f"{experiment.name}: {other.name} and {task.name} both write {task.out}"
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


def _name(step: Step, values: Values) -> str:
    parts = [f"{name}-{shown(values[name])}" for name in step.each]
    return ".".join((step.name, *parts)) if parts else step.name


def _task(made: Plan, tasks: Mapping[str, Task], step: Step, values: Values) -> Task:
    """Return the task of a step with certain values of its variables."""
    filling = _Filling(made, tasks, step, values)
    out = made.folder / filling.path(step.out)
    makes = made.folder / filling.path(step.makes) if step.makes else out
    run = step.run
    if made.small:
        run = (*(step.small_run or run), *step.small)
    rows = [row for word in run for row in filling.rows(word)]
    words = tuple(filling.filled(word, row, out=str(out)) for word, row in rows)
    identity = tuple(filling.filled(word, row, out="<out>", named=True) for word, row in rows)
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

    def path(self, text: str) -> str:
        """Return a path from the experiment's folder."""
        return self.filled(text, self.values, out="")

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
            task = self.tasks[_name(step, {key: values[key] for key in step.each})]
            self.needs[task.name] = None
            return f"<{task.name}>" if named else str(task.makes)
        if name in self.made.inputs:
            self.used[name] = None
            found = self.made.inputs[name]
            return f"<{name}>" if named else found.place or f"<{name}>"
        return self._value(self.made.parameters[name], part, values, out, named=named)

    def _value(self, value: Any, part: str | None, values: Values, out: str, *, named: bool) -> str:
        """Return a value as a word; a field of a table may name inputs and steps in turn."""
        text = shown(value[part]) if part else shown(value)
        return self.filled(text, values, out=out, named=named) if part else text
