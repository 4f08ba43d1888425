"""Weights of networks as safetensors, also of pickled checkpoints, and what networks share."""

from __future__ import annotations

import pickle  # for the name of its error alone; nothing is unpickled by it
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch.nn.functional import cross_entropy

from gecbench.core.errors import FormatError, GecbenchError, reason
from gecbench.models.folder import Card, atomic_folder, read_json, write_card
from gecbench.models.training.task import IGNORED

WEIGHTS = "model.safetensors"


@contextmanager
def report_full_disk(path: Path) -> Iterator[None]:
    """Turn safetensors' own error of writing into ours.

    Raises:
        GecbenchError: The disk is full, or the like.
    """
    try:
        yield
    except SafetensorError as error:
        raise GecbenchError(f"{path}: weights cannot be written: {error}") from error


def save_weights(tensors: Mapping[str, torch.Tensor], path: Path) -> None:
    """Write tensors by name, each with memory of its own, as the format asks."""
    copies = {n: t.detach().to("cpu").clone().contiguous() for n, t in tensors.items()}
    path.touch()
    mode = path.stat().st_mode
    save_file(copies, path, metadata={"format": "pt"})
    path.chmod(mode)  # safetensors writes for its owner alone


def save_network(network: torch.nn.Module, folder: Path, card: Card) -> None:
    """Write the weights of a network of ours and its card into a folder."""
    save_weights(network.state_dict(), folder / WEIGHTS)
    write_card(folder, card)


def load_weights(path: Path) -> dict[str, torch.Tensor]:
    """Read tensors by name.

    Raises:
        FormatError: The file is no safetensors, or not whole.
        GecbenchError: The file is missing.
    """
    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; the model has no weights")
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise FormatError(f"{path}: is no whole safetensors file: {reason(error)}") from error


def check_fit(
    state: Mapping[str, torch.Tensor], weights: Mapping[str, torch.Tensor], source: Path
) -> None:
    """Refuse weights that are not those of a network.

    Args:
        state: The tensors of the network, by name.
        weights: By name.
        source: Their file, for messages.

    Raises:
        FormatError: Names the first that is missing, unknown, of another shape, or no weight.
    """
    for name in sorted(state.keys() | weights.keys()):
        problem = ""
        if name not in weights:
            problem = "is missing"
        elif name not in state:
            problem = "is not known"
        elif (shape := tuple(weights[name].shape)) != tuple(state[name].shape):
            problem = f"has the shape {shape}, not {tuple(state[name].shape)}"
        if problem:
            raise FormatError(f"{source}: {name} {problem}: the weights are of another network")
        if state[name].is_floating_point() and not weights[name].is_floating_point():
            raise FormatError(
                f"{source}: {name} holds {weights[name].dtype}, which are no weights; copy the "
                "model's folder again, whole"
            )


def fill_network(
    network: torch.nn.Module, weights: Mapping[str, torch.Tensor], source: Path
) -> None:
    """Put weights into a network in 32 bits; it may be on the device "meta".

    Raises:
        FormatError: They are of another network; see `check_fit`.
    """
    check_fit(network.state_dict(), weights, source)
    whole = {n: t.float() if t.is_floating_point() else t for n, t in weights.items()}
    network.load_state_dict(whole, assign=True)


def wide_dtype(tensor: torch.Tensor) -> torch.dtype:
    """Choose 32 bits for sums, or 64 where a tensor has them, as when gradients are checked."""
    return torch.promote_types(tensor.dtype, torch.float32)


def target_loss(
    logits: torch.Tensor,
    labels: torch.Tensor,
    *,
    smoothing: float = 0.0,
    reduction: str = "sum",
) -> torch.Tensor:
    """Compute the cross-entropy of labels, those that are `IGNORED` left out.

    Args:
        logits: (..., classes).
        labels: (...).
        smoothing: Share of the target that is spread over all classes.
        reduction: "sum", or "none" for a value of each label in one row.
    """
    return cross_entropy(
        logits.to(wide_dtype(logits)).flatten(0, -2),
        labels.flatten(),
        ignore_index=IGNORED,
        label_smoothing=smoothing,
        reduction=reduction,
    )


@contextmanager
def evaluation_mode(*networks: torch.nn.Module) -> Iterator[None]:
    """Switch dropout off in networks, and on again where they were learning."""
    with ExitStack() as stack:
        for network in networks:
            stack.callback(network.train, network.training)
            network.eval()
        yield


# Pickled weights of checkpoints become safetensors, and nothing in them is run.


_OTHER_FILES = ("*.json", "*.txt", "*.model", "*.jinja", "README.md", "LICENSE*")
_INDEX = "pytorch_model.bin.index.json"


def convert_checkpoint(place: str, out: Path) -> int:
    """Write a checkpoint of transformers again, its weights as safetensors.

    Many older ones on the hub have pickled weights alone, which gecbench does not read. Here
    torch reads them with its guard, which refuses everything but tensors.

    Args:
        place: A folder, or a name on the hub.
        out: The new folder; it does not exist yet.

    Returns:
        How many tensors there are.

    Raises:
        GecbenchError: There is no such checkpoint, or something else than tensors in it.
    """
    from gecbench.backends.transformers import download

    source = Path(place)
    if not source.is_dir():
        source = download(place, (*_OTHER_FILES, "*.bin", "*.safetensors"))
    if not (source / "config.json").is_file():
        raise GecbenchError(f"{place}: no config.json there, so it is no model of transformers")
    if list(source.glob("*.safetensors")):
        raise GecbenchError(f"{place}: its weights are safetensors already; use it as it is")
    files = sorted(source.glob("pytorch_model*.bin"))
    if not files:
        raise GecbenchError(f"{place}: no pytorch_model.bin there; nothing to convert")
    tensors = {name: tensor for path in files for name, tensor in read_pickled(path).items()}
    if (source / _INDEX).is_file():
        _check_complete(place, source, tensors)
    with atomic_folder(out) as folder, report_full_disk(out):
        for pattern in _OTHER_FILES:
            for path in source.glob(pattern):
                if path.name != _INDEX:
                    shutil.copy(path, folder / path.name)
        save_weights(tensors, folder / WEIGHTS)
    return len(tensors)


class _Index(msgspec.Struct):
    """What the index of a checkpoint in several files says."""

    weight_map: dict[str, str]


def _check_complete(place: str, source: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    """Refuse a checkpoint in several files of which one is missing."""
    files = read_json(source / _INDEX, _Index).weight_map
    missing = sorted({file for name, file in files.items() if name not in tensors})
    if missing:
        raise GecbenchError(f"{place}: {missing[0]} is missing, or not whole; get it again")


def read_pickled(path: Path) -> Mapping[str, torch.Tensor]:
    """Read the tensors of a pickled file by name; nothing in it is run.

    Raises:
        GecbenchError: It is no such file, or holds something else than tensors.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unusual protocol of pickle; it is refused or read
            loaded = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise GecbenchError(
            f"{path}: is no pickle of weights alone; what else it holds could run as code, so it "
            "is not loaded"
        ) from error
    except (OSError, RuntimeError, EOFError, ValueError, KeyError) as error:
        raise GecbenchError(f"{path}: weights cannot be read: {reason(error)}") from error
    if not isinstance(loaded, Mapping) or not all(
        isinstance(value, torch.Tensor) for value in loaded.values()
    ):
        raise GecbenchError(f"{path}: holds no tensors by name; name the file of a model's weights")
    return cast("Mapping[str, torch.Tensor]", loaded)
