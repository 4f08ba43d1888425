"""Weights of networks as safetensors: written, read, and put into a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from gecbench.core.errors import FormatError, GecbenchError, reason
from gecbench.models import CARD
from gecbench.models.folder import Card, write_card

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
    copies = {name: tensor.detach().to("cpu").clone() for name, tensor in tensors.items()}
    contiguous = {name: tensor.contiguous() for name, tensor in copies.items()}
    save_file(contiguous, path, metadata={"format": "pt"})


def save_network(network: torch.nn.Module, folder: Path, card: Card) -> None:
    """Write the weights of a network of ours and its card into a folder."""
    save_weights(network.state_dict(), folder / WEIGHTS)
    write_card(folder, card)
    shutil.copymode(folder / CARD, folder / WEIGHTS)  # safetensors writes for its owner alone


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


def fill_network(
    network: torch.nn.Module, weights: Mapping[str, torch.Tensor], source: Path
) -> None:
    """Put weights into a network in 32 bits; it may be on the device "meta".

    Args:
        network: With parameters of the same names and shapes.
        weights: By name.
        source: Their file, for messages.

    Raises:
        FormatError: Names the first that is missing, unknown, of another shape, or no weight.
    """
    state = network.state_dict()
    for name in sorted(state.keys() | weights.keys()):
        wanted, found = (
            tuple(tensors[name].shape) if name in tensors else None for tensors in (state, weights)
        )
        if found != wanted:
            problem = (
                "is missing"
                if found is None
                else "is not known"
                if wanted is None
                else f"has the shape {found}, not {wanted}"
            )
            raise FormatError(f"{source}: {name} {problem}: the weights are of another network")
        if state[name].is_floating_point() and not weights[name].is_floating_point():
            raise FormatError(
                f"{source}: {name} holds {weights[name].dtype}, which are no weights; copy the "
                "model's folder again, whole"
            )
    whole = {n: t.float() if t.is_floating_point() else t for n, t in weights.items()}
    network.load_state_dict(whole, assign=True)
