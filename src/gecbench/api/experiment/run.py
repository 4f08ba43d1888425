"""Running an experiment in its folder: what is done is skipped, what changed is done again."""

from __future__ import annotations

import fcntl
import json
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from gecbench.api.experiment.fitting import fitted
from gecbench.api.experiment.inputs import inputs_of, make_missing, refuse_missing
from gecbench.api.experiment.marks import Marks
from gecbench.api.experiment.plan import Plan, Task, plan
from gecbench.api.experiment.process import Execute, last_line, launched
from gecbench.api.experiment.recipe import Experiment, Recipe, parameters_of
from gecbench.api.experiment.tools import try_tools
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.core.files import make_folder, read_bytes, write_text

_ABOUT, _LOCK, _LOGS, _PARSES = "experiment.json", ".lock", "logs", "parses"

Say = Callable[[str], None]


def planned(
    experiment: Experiment,
    folder: Path,
    *,
    small: bool = False,
    chosen: Sequence[str] = (),
    changes: Sequence[str] = (),
    as_before: bool = False,
) -> Plan:
    """Return what an experiment would run.

    Args:
        experiment: See `reading.read_experiment`.
        folder: Where everything is written.
        small: Whether it is the small form: tiny models and samples.
        chosen: "NAME=PLACE" of inputs.
        changes: "name=value" of parameters.
        as_before: Whether what is not given is what it was in the last run in the folder.

    Raises:
        UsageError: A choice or change is none; or the folder holds another experiment.
    """
    _check_folder(folder, small=small)
    recipe = experiment.recipe
    if as_before:
        recipe = _as_before(experiment, folder, small=small)
    return plan(
        experiment,
        folder,
        small=small,
        parameters=parameters_of(recipe, small=small, changes=changes),
        inputs=inputs_of(recipe.inputs, chosen, small=small, folder=folder),
    )


def _as_before(experiment: Experiment, folder: Path, *, small: bool) -> Recipe:
    """Return a recipe whose defaults are parameters and inputs of the last run in the folder."""
    recipe, about = experiment.recipe, folder / _ABOUT
    held = _about(about)["experiments"].get(experiment.name) if about.exists() else None
    if not isinstance(held, dict):
        return recipe
    parameters = dict(recipe.parameters)
    for name, value in dict(held.get("parameters", {})).items():
        with suppress(UsageError, KeyError):  # of another release, which had others
            parameters[name] = fitted(value, recipe.parameters[name])
    places = dict(held.get("inputs", {}))
    inputs = tuple(
        msgspec.structs.replace(each, default=places.get(each.name, each.default))
        for each in recipe.inputs
    )
    return msgspec.structs.replace(
        recipe, parameters=parameters, small=parameters if small else recipe.small, inputs=inputs
    )


def run(
    made: Plan,
    *,
    only: Sequence[str] = (),
    available: bool = False,
    execute: Execute | None = None,
    say: Say = lambda _message: None,
) -> None:
    """Run the tasks of a plan that are not done.

    Args:
        made: See `planned`.
        only: Steps and rows; () for all that is shown.
        available: Leave out what needs inputs that are not there, instead of refusing.
        execute: Runs a command; None runs it in a process of its own.
        say: Told each command and what became of it.

    Raises:
        GecbenchError: Inputs are missing: all are named at once. Or a scheme or segmenter that
            commands name cannot be used. Or a step failed: the error is its last line, and what
            was done before stays done.
    """
    tasks = made.chosen(only)
    lacking = {task.name: made.missing(task) for task in tasks}
    needed = {
        each.given.name: each
        for every in lacking.values()
        for each in every
        if not each.given.optional
    }
    if not (available or made.small):
        refuse_missing(list(needed.values()))
    with _owned(made):
        used = {name for task in tasks for name in task.inputs}
        make_missing({name: made.inputs[name] for name in used})
        marks = Marks(made)
        if not (available or made.small):
            try_tools(t for t in tasks if not lacking[t.name] and not marks.done(t))
        for number, task in enumerate(tasks, 1):
            at = f"[{number}/{len(tasks)}] {task.name}"
            if lacking[task.name]:
                names = ", ".join(each.given.name for each in lacking[task.name])
                say(f"{at}: left out, for there is no {names}")
            elif marks.done(task):
                say(f"{at}: done already")
            else:
                _do(made, marks, task, execute or launched(""), say, at)


def _do(made: Plan, marks: Marks, task: Task, execute: Execute, say: Say, at: str) -> None:
    """Run a task and mark it done.

    Raises:
        GecbenchError: It failed, or something cannot be written.
    """
    try:
        _done(made, marks, task, execute, say, at)
    except OSError as error:
        where = error.filename or made.folder
        raise GecbenchError(f"{where}: cannot be written: {error.strerror}") from error


def _done(made: Plan, marks: Marks, task: Task, execute: Execute, say: Say, at: str) -> None:
    say(f"{at}\n{command_of(task)}")
    if not marks.goes_on(task):
        marks.forget(task)  # first: a kill while results are removed leaves none to go on with
        _clear(task.out)  # of a task with other words or other data
    marks.begin(task)
    make_folder(task.out.parent)
    log = made.folder / _LOGS / f"{task.name}.log"
    make_folder(log.parent)
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{command_of(task)}\n")
    captured = task.out.with_name(f".{task.out.name}.part") if task.step.captured else None
    started = time.monotonic()
    environment = {"GECBENCH_PARSE_CACHE": str(made.folder / _PARSES)}
    code = execute(task.words, log=log, captured=captured, environment=environment)
    if code:
        raise GecbenchError(
            f"step {task.name} failed with code {code}: {last_line(log)} (its log: {log})"
        )
    if captured:
        captured.replace(task.out)
    if not task.makes.exists():
        raise GecbenchError(f"step {task.name} ended well, but did not make {task.makes}")
    marks.end(task, time.monotonic() - started)


def command_of(task: Task) -> str:
    """Return the line that runs a task by hand."""
    after = f" > {shlex.quote(str(task.out))}" if task.step.captured else ""
    return f"$ gecbench {shlex.join(task.words)}{after}"


def _clear(path: Path) -> None:
    """Remove what an earlier task left where a new one writes."""
    if path.is_dir():
        shutil.rmtree(path)
    for each in (path, path.with_name(f"{path.name}.part")):
        each.unlink(missing_ok=True)


def _check_folder(folder: Path, *, small: bool) -> None:
    """Refuse a folder of something else, or of the other form."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder by --output")
    about = folder / _ABOUT
    if not about.exists():
        held = sorted(path.name for path in folder.iterdir() if path.name != _LOCK)
        if held:
            raise UsageError(
                f"{folder}: holds {held[0]} and is no folder of experiments; name another folder"
            )
        return
    held = _about(about)["small"]
    if held != small:
        forms = ("the small form of experiments", "the full form")
        raise UsageError(
            f"{folder}: holds {forms[0] if held else forms[1]}, and this is "
            f"{forms[1] if held else forms[0]}; name another folder"
        )


def _about(path: Path) -> dict[str, Any]:
    """Return what an experiments' folder says of itself."""
    try:
        said = json.loads(read_bytes(path))
        if not isinstance(said["small"], bool) or not isinstance(said["experiments"], dict):
            raise TypeError("small or experiments has a wrong type")
    except (ValueError, KeyError, TypeError) as error:
        raise GecbenchError(f"{path}: is damaged ({error}); name another folder") from error
    return dict(said)


@contextmanager
def _owned(made: Plan) -> Iterator[None]:
    """Hold an experiment's folder for this run alone, and say in it what it is."""
    make_folder(made.folder)
    try:
        lock = (made.folder / _LOCK).open("w")
    except OSError as error:
        raise GecbenchError(
            f"{made.folder / _LOCK}: cannot be written: {error.strerror}"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise GecbenchError(f"{made.folder}: another run is going on in this folder") from error
        path = made.folder / _ABOUT
        before = _about(path)["experiments"] if path.exists() else {}
        own = {
            "parameters": dict(made.parameters),
            "inputs": {name: found.place for name, found in made.inputs.items()},
        }
        about = {"small": made.small, "experiments": {**before, made.experiment.name: own}}
        write_text(path, f"{json.dumps(about, ensure_ascii=False, indent=1)}\n")
        yield
