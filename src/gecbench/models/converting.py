"""Pickled weights of checkpoints become safetensors, and nothing in them is run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gecbench.core.errors import GecbenchError, reason
from gecbench.core.files import read_bytes
from gecbench.models.folder import atomic_folder

if TYPE_CHECKING:
    import torch

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
    from gecbench.backends.transformers import download, need_torch

    need_torch()
    from gecbench.models.weights import WEIGHTS, report_full_disk, save_weights

    source = Path(place)
    if not source.is_dir():
        source = download(place, (*_OTHER_FILES, "*.bin", "*.safetensors"))
    if not (source / "config.json").is_file():
        raise GecbenchError(f"{place}: no config.json there, so it is no model of transformers")
    if list(source.glob("*.safetensors")):
        raise GecbenchError(f"{place}: its weights are safetensors already; use it as it is")
    tensors = _tensors(place, source)
    with atomic_folder(out) as folder, report_full_disk(out):
        for pattern in _OTHER_FILES:
            for path in source.glob(pattern):
                if path.name != _INDEX:
                    shutil.copy(path, folder / path.name)
        save_weights(tensors, folder / WEIGHTS)
    return len(tensors)


def _tensors(place: str, source: Path) -> dict[str, torch.Tensor]:
    """Read the tensors of all pickled files of a folder."""
    files = sorted(source.glob("pytorch_model*.bin"))
    if not files:
        raise GecbenchError(f"{place}: no pytorch_model.bin there; nothing to convert")
    tensors: dict[str, torch.Tensor] = {}
    for path in files:
        tensors.update(read_pickled(path))
    if (source / _INDEX).is_file():
        _check_complete(place, source, tensors)
    return tensors


def _check_complete(place: str, source: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    """Refuse a checkpoint in several files of which one is missing."""
    try:
        files: dict[str, str] = json.loads(read_bytes(source / _INDEX))["weight_map"]
        missing = sorted({str(file) for name, file in files.items() if name not in tensors})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GecbenchError(f"{source / _INDEX}: is no index of weights; remove it") from error
    if missing:
        raise GecbenchError(f"{place}: {missing[0]} is missing, or not whole; get it again")


def read_pickled(path: Path) -> Mapping[str, torch.Tensor]:
    """Read the tensors of a pickled file by name; nothing in it is run.

    Raises:
        GecbenchError: It is no such file, or holds something else than tensors.
    """
    import pickle  # for the name of its error alone; nothing is unpickled by it
    import warnings

    import torch

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
