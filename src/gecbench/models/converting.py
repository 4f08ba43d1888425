"""Checkpoints of others, made safe: pickled weights become safetensors, and nothing is run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.errors import GecbenchError
from gecbench.models.folder import whole_folder

if TYPE_CHECKING:
    import torch

_BESIDE = ("*.json", "*.txt", "*.model", "*.jinja", "README.md", "LICENSE*")
_INDEX = "pytorch_model.bin.index.json"


def convert_checkpoint(place: str, out: Path) -> int:
    """Write a checkpoint of transformers again, its weights as safetensors.

    Many older ones on the hub have pickled weights alone, which gecbench does not read. Here they
    are read with torch's guard, which refuses everything but tensors.

    Args:
        place: A folder, or a name on the hub.
        out: The new folder; it does not exist yet.

    Returns:
        How many tensors there are.

    Raises:
        GecbenchError: There is no such checkpoint, or something else than tensors in it.
    """
    from safetensors.torch import save_file

    from gecbench.backends.hf import downloaded, need_torch

    need_torch()
    source = Path(place)
    if not source.is_dir():
        source = downloaded(place, (*_BESIDE, "*.bin", "*.safetensors"))
    if not (source / "config.json").is_file():
        raise GecbenchError(f"{place}: no config.json there, so it is no model of transformers")
    if list(source.glob("*.safetensors")):
        raise GecbenchError(f"{place}: its weights are safetensors already; use it as it is")
    tensors = _tensors(place, source)
    with whole_folder(out) as folder:
        for pattern in _BESIDE:
            for path in source.glob(pattern):
                if path.name != _INDEX:
                    shutil.copy(path, folder / path.name)
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return len(tensors)


def _tensors(place: str, source: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of all pickled files of a folder."""
    files = sorted(source.glob("pytorch_model*.bin"))
    if not files:
        raise GecbenchError(f"{place}: no pytorch_model.bin there; nothing to convert")
    found: dict[str, torch.Tensor] = {}
    for path in files:
        for name, tensor in read_pickled(path).items():
            # Tied weights share memory, which safetensors refuses: each gets its own.
            found[name] = tensor.clone().contiguous()
    return found


def read_pickled(path: Path) -> Mapping[str, torch.Tensor]:
    """Return the tensors of a pickled file; nothing in it is run.

    Raises:
        GecbenchError: It is no such file, or holds something else than tensors.
    """
    import pickle  # for the name of its error alone; nothing is unpickled by it

    import torch

    try:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise GecbenchError(
            f"{path}: holds more than tensors, which could run anything; it is not read"
        ) from error
    except (OSError, RuntimeError, EOFError, ValueError) as error:
        raise GecbenchError(f"{path}: cannot be read as weights of torch: {error}") from error
    if not isinstance(loaded, Mapping):
        raise GecbenchError(f"{path}: holds no table of tensors, but {type(loaded).__name__}")
    return {name: tensor for name, tensor in loaded.items() if isinstance(tensor, torch.Tensor)}
