"""Checkpoints that survive kill -9 at any moment: folders that are whole or not there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any, cast

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from gecbench.core.errors import GecbenchError
from gecbench.core.files import read_bytes, write_bytes
from gecbench.models.folder import weights_written, whole_folder

_STATE, _WEIGHTS, _OPTIMIZER, _MODEL = (
    "state.json",
    "weights.safetensors",
    "optimizer.safetensors",
    "model",
)


class State(msgspec.Struct, kw_only=True):
    """Where a run is.

    Nothing random is kept: before each step the generators are seeded by the run's seed and the
    step's number, so a step is the same whether or not the run was interrupted before it.

    Args:
        step: Steps done.
        epoch: The epoch, from 0.
        batch: Batches of this epoch's plan that are done, on all devices.
        phase_step: Steps done since the last change of what learns.
        cold: Whether only what is new learns.
        best: Value of the best evaluation, the higher the better; None before the first.
        best_step: When that was.
        waited: Evaluations since then.
        scaler: State of the gradient scaler of fp16.
        finished: Whether the run is over, and why; "" while it is not.
        scored_by: What the value of the last evaluation is, with all that it depends on; "" for a
            loss.
        history: What each evaluation found.
        seconds: How long the run has taken so far.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0
    phase_step: int = 0
    cold: bool = False
    best: float | None = None
    best_step: int = 0
    waited: int = 0
    scaler: dict[str, int | float] = msgspec.field(default_factory=dict)
    finished: str = ""
    scored_by: str = ""
    history: list[dict[str, Any]] = msgspec.field(default_factory=list)
    seconds: float = 0.0


def kept(module: torch.nn.Module, learning: Set[str]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors of a network that a checkpoint holds: those that ever learn, and buffers.

    Parameters that are frozen for good, as the base of a LoRA model, come from where they came
    from at the start.

    Args:
        module: The network, not wrapped.
        learning: Names of the parameters that learn in any part of the run.
    """
    yield from ((name, one) for name, one in module.named_parameters() if name in learning)
    persistent = set(module.state_dict())
    yield from ((name, one) for name, one in module.named_buffers() if name in persistent)


def write(
    folder: Path,
    state: State,
    tensors: Mapping[str, torch.Tensor],
    optimizer: torch.optim.Optimizer,
    names: Mapping[torch.nn.Parameter, str],
    save: Callable[[Path], None],
) -> None:
    """Write a checkpoint into a new folder beside the others.

    Args:
        folder: Of the checkpoints.
        state: Where the run is.
        tensors: Of the network, see `kept`.
        optimizer: Its state is kept by the names of the parameters.
        names: Of the parameters.
        save: Writes the model as users load it into a folder that it is given.
    """
    path = folder / f"step-{state.step:08d}"
    with whole_folder(path, replace=True) as made, weights_written(path):
        (made / _MODEL).mkdir()
        save(made / _MODEL)
        save_file({n: t.detach().cpu().contiguous() for n, t in tensors.items()}, made / _WEIGHTS)
        save_file(_optimizer_tensors(optimizer, names), made / _OPTIMIZER)
        write_bytes(made / _STATE, msgspec.json.format(msgspec.json.encode(state)))


def _optimizer_tensors(
    optimizer: torch.optim.Optimizer, names: Mapping[torch.nn.Parameter, str]
) -> dict[str, torch.Tensor]:
    return {
        f"{names[cast('torch.nn.Parameter', parameter)]}|{key}": torch.as_tensor(value)
        .detach()
        .cpu()
        .contiguous()
        for parameter, values in optimizer.state.items()
        for key, value in values.items()
    }


def latest(folder: Path) -> Path | None:
    """Return the newest whole checkpoint; None where there is none."""
    found = sorted(folder.glob("step-*")) if folder.is_dir() else []
    return found[-1] if found else None


def read_state(checkpoint: Path) -> State:
    """Return where a run was.

    Raises:
        GecbenchError: The file is damaged.
    """
    path = checkpoint / _STATE
    try:
        return msgspec.json.decode(read_bytes(path), type=State)
    except msgspec.MsgspecError as error:
        raise GecbenchError(
            f"{path}: is damaged ({error}); remove the folder {checkpoint}"
        ) from None


def model_of(checkpoint: Path) -> Path:
    """Return the folder of the model in a checkpoint."""
    return checkpoint / _MODEL


def restore_weights(checkpoint: Path, wanted: Mapping[str, torch.Tensor]) -> None:
    """Put a checkpoint's tensors into those of a network (see `kept`), exactly.

    Raises:
        GecbenchError: They are not those of this network, or the file is damaged.
    """
    found = _tensors(checkpoint / _WEIGHTS)
    if differing := sorted(found.keys() ^ wanted.keys()):
        raise GecbenchError(
            f"{checkpoint / _WEIGHTS}: does not fit the network: {', '.join(differing[:3])} "
            f"{'is' if len(differing) == 1 else 'are'} in one of them only"
        )
    with torch.no_grad():
        for name, tensor in wanted.items():
            if tensor.shape != found[name].shape:
                raise GecbenchError(
                    f"{checkpoint / _WEIGHTS}: does not fit the network: {name} is "
                    f"{tuple(found[name].shape)}, not {tuple(tensor.shape)}"
                )
            tensor.copy_(found[name])


def restore_optimizer(
    checkpoint: Path,
    optimizer: torch.optim.Optimizer,
    names: Mapping[torch.nn.Parameter, str],
) -> None:
    """Put a checkpoint's optimizer state back."""
    parameters = {name: parameter for parameter, name in names.items()}
    for key, tensor in _tensors(checkpoint / _OPTIMIZER).items():
        name, _, what = key.rpartition("|")
        parameter = parameters[name]
        # Adam counts steps on the CPU; its moments live with the parameter.
        place = "cpu" if what == "step" else parameter.device
        optimizer.state[parameter][what] = tensor.to(place)


def _tensors(path: Path) -> dict[str, torch.Tensor]:
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise GecbenchError(f"{path}: is damaged ({error}); remove the folder around it") from None


def keep_best(folder: Path, state: State, save: Callable[[Path], None]) -> None:
    """Write the best model so far; the one before stays until a checkpoint names the new one."""
    path = best_of(folder, state)
    with whole_folder(path, replace=True) as made, weights_written(path):
        save(made)


def best_of(folder: Path, state: State) -> Path:
    """Return the folder of the best model that a state names."""
    return folder / f"best-{state.best_step:08d}"


def prune(folder: Path, state: State, keep: int) -> None:
    """Remove what is older than the last checkpoints and the best model."""
    for old in sorted(folder.glob("step-*"))[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    for old in folder.glob("best-*"):
        if old != best_of(folder, state):
            shutil.rmtree(old, ignore_errors=True)
    for left in folder.glob(".*"):  # what a killed run was writing
        shutil.rmtree(left, ignore_errors=True)


def write_json(path: Path, content: object) -> None:
    """Write a JSON file whole."""
    write_bytes(path, f"{json.dumps(content, ensure_ascii=False, indent=2)}\n".encode())
