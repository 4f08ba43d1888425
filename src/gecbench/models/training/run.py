"""A training run in its folder: begun, gone on with, and finished with a model to use."""

from __future__ import annotations

import fcntl
import json
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from gecbench import __version__
from gecbench.core import seeding
from gecbench.core.errors import CorpusError, GecbenchError, UsageError
from gecbench.core.files import make_folder, read_bytes
from gecbench.models.folder import read_card, whole_folder, write_card
from gecbench.models.robust.given import check_robust, read_twins, sides
from gecbench.models.training.cards import readme
from gecbench.models.training.config import RunConfig
from gecbench.models.training.kinds import Kind, rooted
from gecbench.models.training.pairs import Given, read_given
from gecbench.models.training.task import Learner, Prepared

if TYPE_CHECKING:
    from gecbench.models.training.loop import Score

Say = Callable[[str], None]

_USELESS = (
    "note: the model makes not one right correction on dev; train it longer, at a higher rate, on "
    "more pairs, or from a pretrained encoder"
)
_CONFIG, _LOCK, MODEL = "run.json", ".lock", "model"
_LIBRARIES = ("torch", "transformers", "accelerate", "peft", "numpy")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    Args:
        model: The folder of the best model, to be given to `correct`.
        steps: How many there were.
        best_step: After which the model is from.
        value: Of the evaluation that chose it; the negative loss where the loss decides.
        why: Why the run ended.
        dropped: Training pairs that could not be used, by the reason.
        counts: What was read, kept and left out.
    """

    model: Path
    steps: int
    best_step: int
    value: float
    why: str
    dropped: Mapping[str, int]
    counts: Mapping[str, int]


def train_run(
    config: RunConfig,
    kind: Kind,
    run: Path,
    *,
    home: Path,
    score: Score,
    say: Say,
) -> Outcome:
    """Train in a folder: anew where there is none, else from its last checkpoint.

    Args:
        config: Of the kind's type.
        kind: What is trained.
        run: The run's folder.
        home: The folder that the configuration's paths count from.
        score: See `loop.Score`.
        say: Tells the user how it goes.

    Raises:
        UsageError: The folder holds a run with another configuration or other data.
        GecbenchError: Anything that keeps the run from going on.
    """
    import torch
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState

    precision = config.training.precision
    _check_precision(precision)
    check_robust(config, kind)
    # Without being told so, accelerate lets each process of torchrun train alone on a CPU.
    on_cpu = not torch.accelerator.is_available()
    # Its state is one for the whole process; the run before may have had another precision.
    AcceleratorState._reset_state()
    accelerator = Accelerator(mixed_precision=precision, cpu=on_cpu)
    speak = say if accelerator.is_main_process else _silent
    given = _given(config, home)
    described = _described(config, given)
    with _owned(run, first=accelerator.is_main_process), _deterministic(config):
        _check_same(run, described, first=accelerator.is_main_process)
        accelerator.wait_for_everyone()
        torch.manual_seed(seeding.number(config.training.seed, "weights"))
        config = rooted(config, kind, home)
        outcome = _trained(config, kind, run, given, described, score, speak, accelerator)
    if config.scoring.by != "loss" and not outcome.value:
        speak(_USELESS)
    return outcome


def _given(config: RunConfig, home: Path) -> Given[Any]:
    """Return what a run learns from: pairs, or twins of them."""
    if config.robust is not None:
        return read_twins(config, config.robust, home)
    return read_given(config.data, home, language=config.language, seed=config.training.seed)


def _task(
    config: RunConfig, kind: Kind, given: Given[Any], kept: Path | None
) -> tuple[Learner[Any], Prepared[Any], Prepared[Any]]:
    """Return what learns, and the examples of the training and the dev pairs."""
    if config.robust is None:
        task = kind.build(config, given.train, kept)
        return task, task.prepare(given.train), task.prepare(given.dev_pairs)
    from gecbench.models.robust.task import RobustTask

    built: Any = kind.build(config, sides(given.train), kept)  # comparable, as the kind has said
    robust = RobustTask[Any, Any](built, config.robust)
    return robust, robust.prepare(given.train), robust.prepare(given.dev_pairs)


def _trained(
    config: RunConfig,
    kind: Kind,
    run: Path,
    given: Given[Any],
    described: Mapping[str, Any],
    score: Score,
    say: Say,
    accelerator: Any,
) -> Outcome:
    """Build what learns, let it learn, and keep the best of it."""
    from gecbench.models.training import checkpoints
    from gecbench.models.training.loop import Loop

    checkpoint = checkpoints.latest(run / "checkpoints")
    kept = checkpoints.model_of(checkpoint) if checkpoint else None
    task, prepared, held = _task(config, kind, given, kept)
    _check_prepared(prepared, held)
    say(_counted(config, given, prepared))
    made = {**described, "prepared": _facts(prepared), "device": str(accelerator.device)}
    loop = Loop(
        config=config,
        task=task,
        examples=prepared.examples,
        dev=given.dev,
        dev_examples=held.examples,
        run=run,
        score=score,
        made=made,
        say=say,
        accelerator=accelerator,
    )
    state = loop.train()
    best = checkpoints.best_of(run / "checkpoints", state)
    if accelerator.is_main_process:
        made |= {"scored by": state.scored_by}
        _finish(best, run / MODEL, config, {**made, **_ending(state, accelerator.num_processes)})
    accelerator.wait_for_everyone()
    return Outcome(
        model=run / MODEL,
        steps=state.step,
        best_step=state.best_step,
        value=state.best if state.best is not None else float("nan"),
        why=state.finished,
        dropped=prepared.dropped,
        counts=given.counts,
    )


def _ending(state: Any, devices: int) -> dict[str, object]:
    return {
        "steps": state.step,
        "best_step": state.best_step,
        "ended": state.finished,
        "history": state.history,
        "seconds": round(state.seconds, 1),
        "devices": devices,
    }


def _finish(best: Path, model: Path, config: RunConfig, made: Mapping[str, Any]) -> None:
    """Write the best model, with its card, as the run's result."""
    for left in model.parent.glob(f".{model.name}.*"):  # what a killed run was writing
        shutil.rmtree(left, ignore_errors=True)
    with whole_folder(model, replace=True) as folder:
        shutil.copytree(best, folder, dirs_exist_ok=True)
        card = msgspec.structs.replace(read_card(folder), made=made, about=config.about)
        write_card(folder, card)
        (folder / "README.md").write_text(readme(config, card), encoding="utf-8")


def _described(config: RunConfig, given: Given[Any]) -> dict[str, Any]:
    """Return what a run depends on: the same description, the same weights."""
    return {
        "gecbench": __version__,
        "configuration": msgspec.to_builtins(config),
        "data": dict(given.files),
        "counts": dict(given.counts),
        "libraries": {name: _version(name) for name in _LIBRARIES},
        "python": platform.python_version(),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _check_same(run: Path, described: Mapping[str, Any], *, first: bool) -> None:
    """Keep what a new run depends on; refuse to go on with another.

    Raises:
        UsageError: Names what differs.
    """
    from gecbench.models.training.checkpoints import write_json

    path = run / _CONFIG
    if not path.exists() or not any((run / "checkpoints").glob("step-*")):
        if first:
            write_json(path, described)
        return
    try:
        before = json.loads(read_bytes(path))
    except ValueError as error:
        raise GecbenchError(f"{path}: is damaged ({error}); name another folder") from error
    differing = sorted(
        _differing(before.get("configuration", {}), dict(described["configuration"]))
    )
    # By their order, which the configuration tells: paths depend on where the command is given.
    was = [*before.get("data", {}).values()]
    now = dict(described["data"])
    differing += (f"data.{name}" for k, name in enumerate(now) if was[k : k + 1] != [now[name]])
    if differing:
        raise UsageError(
            f"{run}: holds a run that differs in {', '.join(differing[:5])}; "
            "name another folder for a new run, or give what it was begun with"
        )


def _differing(one: Any, two: Any, at: str = "configuration") -> Iterator[str]:
    """Yield the keys at which two nested tables differ."""
    if isinstance(one, dict) and isinstance(two, dict):
        for key in one.keys() | two.keys():
            yield from _differing(one.get(key), two.get(key), f"{at}.{key}")
    elif one != two and not (isinstance(two, tuple) and list(two) == one):
        yield at


def _check_prepared(prepared: Prepared[Any], held: Prepared[Any]) -> None:
    for what, each in (("training", prepared), ("dev", held)):
        if not each.examples:
            why = "; ".join(f"{reason}: {n}" for reason, n in each.dropped.items()) or "none given"
            raise CorpusError(f"no {what} pair can be used ({why})")


def _facts(prepared: Prepared[Any]) -> dict[str, object]:
    return {
        "examples": len(prepared.examples),
        "dropped": dict(prepared.dropped),
        "counted": dict(prepared.counted),
    }


def _counted(config: RunConfig, given: Given[Any], prepared: Prepared[Any]) -> str:
    """Return the line that says what is learnt from."""
    counts = {**given.counts, "examples": len(prepared.examples)}
    left = {f"left out: {reason}": n for reason, n in prepared.dropped.items()}
    every = {**counts, **left, **prepared.counted}
    return f"{config.name}: " + ", ".join(f"{name} {n:,}" for name, n in every.items() if n)


def _check_precision(precision: str) -> None:
    import torch

    if precision == "fp16" and not torch.cuda.is_available():
        raise UsageError(
            'training.precision "fp16" needs a GPU, and torch sees none; use "bf16" or "no"'
        )


@contextmanager
def _owned(run: Path, *, first: bool) -> Iterator[None]:
    """Hold a run's folder for this run alone.

    Raises:
        GecbenchError: Another run holds it, or it holds something else.
    """
    if not first:
        yield
        return
    if run.is_dir() and not (run / _CONFIG).exists():
        ours = (_LOCK, f".{_CONFIG}.")  # the second is what a killed run was writing
        if held := [p.name for p in run.iterdir() if not p.name.startswith(ours)]:
            raise GecbenchError(
                f"{run}: holds {sorted(held)[0]} and is no run of gecbench; name another folder"
            )
    make_folder(run)
    try:
        lock = (run / _LOCK).open("w")
    except OSError as error:
        raise GecbenchError(f"{run / _LOCK}: cannot be written: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise GecbenchError(f"{run}: another run is training in this folder") from error
        yield


@contextmanager
def _deterministic(config: RunConfig) -> Iterator[None]:
    """Let torch compute the same twice, with the threads that the configuration asks for."""
    import torch

    before = torch.are_deterministic_algorithms_enabled()
    threads = torch.get_num_threads()
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    if config.training.threads:
        torch.set_num_threads(config.training.threads)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(mode=before)
        torch.set_num_threads(threads)


def _silent(_message: str) -> None:
    """Say nothing: one process of several speaks."""
