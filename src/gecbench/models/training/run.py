"""A training run in its folder: begun, resumed, and finished with a model to use."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import msgspec

from gecbench import __version__
from gecbench.core import seeding
from gecbench.core.errors import CorpusError, GecbenchError, UsageError
from gecbench.core.files import explain_errors, make_folder, read_bytes, try_lock, write_text
from gecbench.lang import language_of
from gecbench.models import MODEL
from gecbench.models.folder import Card, atomic_folder, read_card, read_json, write_card
from gecbench.models.robust.pairs import check_robust_table, distinct_pairs, read_context_pairs
from gecbench.models.training.config import RunConfig
from gecbench.models.training.data import TrainingData, read_pairs
from gecbench.models.training.task import Dataset, Task, TrainingKind, resolve_paths

if TYPE_CHECKING:
    from gecbench.models.training.loop import DevScorer

Say = Callable[[str], None]

_CONFIG, _LOCK = "run.json", ".lock"
_FREE = tuple(
    f"configuration.{key}"
    for key in (
        *("devices.strategy", "devices.gradient_checkpointing", "tracking"),
        "training.accumulation",
    )
)
"""What may be changed before a run goes on: what a step takes is compared by its batches, and
compiled networks draw other numbers for dropout."""

_LIBRARIES = ("torch", "transformers", "accelerate", "peft", "numpy")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

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
    config: RunConfig, kind: TrainingKind, run: Path, *, home: Path, score: DevScorer, say: Say
) -> Outcome:
    """Train in a folder: from the start where there is no run, else from its last checkpoint.

    Args:
        config: Of the kind's type.
        kind: What is trained.
        run: The run's folder.
        home: The folder that the configuration's paths count from.
        score: See `loop.DevScorer`.
        say: Tells the user how it goes.

    Raises:
        UsageError: The folder holds a run with another configuration or other data.
        GecbenchError: Anything that keeps the run from going on.
    """
    import torch

    from gecbench.models.training.loop import Checkpoints, Loop, batches_per_step, build_accelerator

    checkpoints = Checkpoints(run / "checkpoints")
    check_robust_table(config, kind)
    accelerator = build_accelerator(config, run)
    first = accelerator.is_main_process
    say = say if first else lambda _message: None
    reads = read_pairs if config.robust is None else read_context_pairs
    data: TrainingData[Any] = (kind.read or reads)(config, home)
    provenance: dict[str, Any] = {
        "gecbench": __version__,
        "configuration": msgspec.to_builtins(config),
        "batches per step": batches_per_step(config, accelerator),
        "data": dict(data.files),
        "counts": dict(data.counts),
        "libraries": {
            name: next((found.version for found in distributions(name=name)), "not installed")
            for name in _LIBRARIES
        },
        "python": platform.python_version(),
    }
    with _lock(run, first=first), _deterministic(config):
        _check_same_run(run, provenance, first=first)
        accelerator.wait_for_everyone()
        torch.manual_seed(seeding.number(config.training.seed, "weights"))
        config = resolve_paths(config, kind, home)
        latest = checkpoints.latest()
        task = _build_task(config, kind, data, latest / MODEL if latest else None)
        train, dev = task.prepare(data.train), task.prepare(data.dev_pairs)
        _check_examples(train, "training")
        _check_examples(dev, "dev")
        dropped = {f"left out: {reason}": n for reason, n in train.dropped.items()}
        counts = {**data.counts, "examples": len(train.examples), **dropped, **train.counts}
        say(f"{config.name}: " + ", ".join(f"{name} {n:,}" for name, n in counts.items() if n))
        provenance["prepared"] = {
            "examples": len(train.examples),
            "dropped": dict(train.dropped),
            "counted": dict(train.counts),
        }
        provenance["device"] = str(accelerator.device)
        loop = Loop(
            config=config,
            task=task,
            examples=train.examples,
            dev=data.dev,
            dev_examples=dev.examples,
            run=run,
            score=score,
            provenance=provenance,
            say=say,
            accelerator=accelerator,
        )
        state = loop.train()
        if first:
            provenance |= {
                "scored by": state.scored_by,
                "steps": state.step,
                "best_step": state.best_step,
                "ended": state.finished,
                "history": state.history,
                "seconds": round(state.seconds, 1),
                "devices": accelerator.num_processes,
            }
            _finish(checkpoints.best(state), run / MODEL, config, provenance, kind.verb)
        accelerator.wait_for_everyone()
    if config.scoring.by != "loss" and state.best == 0:
        say(
            "note: the model makes not one right correction on dev; train it longer, at a higher "
            "rate, on more pairs, or from a pretrained encoder"
        )
    return Outcome(
        model=run / MODEL,
        steps=state.step,
        best_step=state.best_step,
        value=state.best if state.best is not None else float("nan"),
        why=state.finished,
        dropped=train.dropped,
        counts=data.counts,
    )


def _build_task(
    config: RunConfig, kind: TrainingKind, data: TrainingData[Any], checkpoint: Path | None
) -> Task[Any, Any]:
    if config.robust is None:
        return kind.build(config, data.train, checkpoint)
    from gecbench.models.robust.task import RobustTask

    task: Any = kind.build(config, distinct_pairs(data.train), checkpoint)
    return RobustTask(task, config.robust)


def _check_examples(dataset: Dataset[Any], what: str) -> None:
    """Refuse to train on nothing, or to stop by nothing."""
    if not dataset.examples:
        why = "; ".join(f"{reason}: {n}" for reason, n in dataset.dropped.items())
        raise CorpusError(f"no {what} pair can be used ({why or 'none given'})")


def _finish(
    best: Path, model: Path, config: RunConfig, provenance: Mapping[str, Any], verb: str
) -> None:
    """Write the best model, with its card, as the run's result."""
    for leftover in model.parent.glob(f".{model.name}.*"):  # what a killed run was writing
        shutil.rmtree(leftover, ignore_errors=True)
    with atomic_folder(model, replace=True) as folder:
        shutil.copytree(best, folder, dirs_exist_ok=True)
        card = msgspec.structs.replace(read_card(folder), provenance=provenance, about=config.about)
        write_card(folder, card)
        write_text(folder / "README.md", model_card(config, card, verb))


class _RunFile(msgspec.Struct):
    """What a run's file says that has to stay as it is."""

    configuration: dict[str, object]
    data: dict[str, str]
    batches: int = msgspec.field(name="batches per step")


def _check_same_run(run: Path, provenance: Mapping[str, Any], *, first: bool) -> None:
    """Write what a new run depends on; refuse to go on with another.

    Raises:
        UsageError: Names what differs.
    """
    path = run / _CONFIG
    if not path.exists() or not any((run / "checkpoints").glob("step-*")):
        if first:
            write_text(path, f"{json.dumps(provenance, ensure_ascii=False, indent=2)}\n")
        return
    hint = "an earlier version began this run, or the file is damaged; name another folder"
    before = read_json(path, _RunFile, hint=hint)
    # As JSON has it, where a tuple is a list.
    config = json.loads(json.dumps(provenance["configuration"]))
    keys = _differing_keys(before.configuration, config)
    differences = sorted(key for key in keys if not key.startswith(_FREE))
    # By their order, which the configuration tells: paths depend on where the command is given.
    hashes = [*before.data.values()]
    files = provenance["data"].items()
    differences += (f"data.{name}" for k, (name, h) in enumerate(files) if hashes[k : k + 1] != [h])
    if differences:
        raise UsageError(
            f"{run}: holds a run that differs in {', '.join(differences[:5])}; "
            "name another folder for a new run, or give what it was begun with"
        )
    batches, expected = provenance["batches per step"], before.batches
    if expected != batches:
        raise UsageError(
            f"{run}: each of its steps takes {expected} batches, and processes times "
            f"training.accumulation are {batches} now; choose them so that they are {expected}"
        )


def _differing_keys(before: Any, after: Any, at: str = "configuration") -> Iterator[str]:
    """Yield the keys at which two nested tables differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            yield from _differing_keys(before.get(key), after.get(key), f"{at}.{key}")
    elif before != after:
        yield at


@contextmanager
def _lock(run: Path, *, first: bool) -> Iterator[None]:
    """Hold a run's folder for this run alone.

    Raises:
        GecbenchError: Another run holds it, or it is no folder of a run.
    """
    if not first:
        yield
        return
    if run.is_dir() and not (run / _CONFIG).exists():
        ours = (_LOCK, f".{_CONFIG}.")  # the second is what a killed run was writing
        if names := sorted(p.name for p in run.iterdir() if not p.name.startswith(ours)):
            raise GecbenchError(
                f"{run}: holds {names[0]} and is no run of gecbench; name another folder"
            )
    make_folder(run)
    with explain_errors(run / _LOCK):
        lock = (run / _LOCK).open("wb")
    with lock:
        with explain_errors(run / _LOCK, "cannot be locked"):
            locked = try_lock(lock)
        if not locked:
            raise GecbenchError(f"{run}: another run is training in this folder")
        yield


@contextmanager
def _deterministic(config: RunConfig) -> Iterator[None]:
    """Let torch compute the same twice, with the threads that the configuration asks for."""
    import torch

    before = torch.are_deterministic_algorithms_enabled(), torch.get_num_threads()
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    if config.training.threads:
        torch.set_num_threads(config.training.threads)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(mode=before[0])
        torch.set_num_threads(before[1])


# The model card: what a trained model is, what it is from, how good it is, and what it cannot do.


_CARD = Path(__file__).with_name("card.md")
"""The card, with places for what a run fills in."""

_PLACE = ("step", "epoch")
"""What an evaluation says of its place in the run."""

_ROBUST = {
    "cpr": "each sentence beside the same errors in other contexts",
    "r-drop": "each sentence twice, under two dropouts",
}


def model_card(config: RunConfig, card: Card, verb: str = "correct") -> str:
    """Write the card as Markdown, with the fields that model hubs read at its head.

    Args:
        config: Of the run.
        card: Of the model, with its provenance.
        verb: The command that the model is for.
    """
    facts: Mapping[str, Any] = card.provenance
    history, prepared = facts["history"], facts["prepared"]
    columns = [n for n in dict.fromkeys(n for row in history for n in row) if n not in _PLACE]
    rows = [
        [str(row["step"]), *(f"{row[name]:.4f}" if name in row else "" for name in columns)]
        for row in history
    ]
    counts = {**facts["counts"], **prepared["dropped"], **prepared["counted"]}
    notes = " They are the last, whatever dev says." if config.scoring.by == "last" else ""
    if signature := facts["scored by"]:
        notes += f"\nScored by `{signature}`."
    robustness = ""
    if config.robust is not None:
        robustness = (
            f"\n## Robustness\n\nTrained by {config.robust.method} with alpha "
            f"{config.robust.alpha:g}: {_ROBUST[config.robust.method]}, and predictions brought "
            "together. Whoever corrects less is consistent more easily: read CRS and P-CRS beside "
            "F only, and beside an untreated model with a bias for keeping.\n"
        )
    language = language_of(config.language).name
    return Template(read_bytes(_CARD).decode()).substitute(
        {name.replace(" ", "_"): value for name, value in facts.items()},
        kind=config.kind,
        verb=verb,
        name=config.name,
        code=config.language,
        language=language,
        about=config.about or f"A {config.kind} that corrects {language} sentences.",
        notes=notes,
        header=" | ".join(["step", *columns]),
        rule="---:|" * len(columns),
        rows="\n".join(f"| {' | '.join(row)} |" for row in rows),
        robustness=robustness,
        files="\n".join(f"| `{name}` | `{digest}` |" for name, digest in facts["data"].items()),
        counts="\n".join(f"- {name}: {count:,}" for name, count in counts.items()),
        libraries=", ".join(f"{name} {number}" for name, number in facts["libraries"].items()),
        configuration=json.dumps(facts["configuration"], ensure_ascii=False, indent=1),
    )
