"""The door to transformers: models by name or path, safetensors only, no code from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from logging import CRITICAL, getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gecbench.core.errors import GecbenchError, MissingExtraError

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase


def need_torch() -> None:
    """Refuse to go on without torch and transformers.

    Raises:
        MissingExtraError: They are not installed.
    """
    for module in ("torch", "transformers", "safetensors"):
        if find_spec(module) is None:
            raise MissingExtraError(module, "models")


def config_of(place: str) -> PreTrainedConfig:
    """Return the configuration of a model by name or path.

    Raises:
        GecbenchError: There is none.
    """
    from transformers import AutoConfig

    config: PreTrainedConfig = _loaded(
        place, AutoConfig.from_pretrained, what="a model", trust_remote_code=False
    )
    return config


def tokenizer_of(place: str, **options: object) -> PreTrainedTokenizerBase:
    """Return the tokenizer of a model by name or path; a fast one, which knows offsets.

    Raises:
        GecbenchError: There is none.
    """
    from transformers import AutoTokenizer

    tokenizer: PreTrainedTokenizerBase = _loaded(
        place,
        AutoTokenizer.from_pretrained,
        what="a tokenizer",
        trust_remote_code=False,
        **options,
    )
    if not tokenizer.is_fast:
        raise GecbenchError(f"{place}: its tokenizer has no fast form, which gecbench needs")
    # Without its files transformers builds one that takes every word for unknown.
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise GecbenchError(f"{place}: its tokenizer has no words; its files are missing there")
    return tokenizer


def weights_of(place: str, auto: Any, **options: object) -> PreTrainedModel:
    """Return a model with its weights, by name or path.

    Args:
        place: A folder, or a name on the hub.
        auto: The class of transformers that chooses, as `AutoModel`.
        options: More for `from_pretrained`. With `output_loading_info` the answer is a pair, and
            whoever asks for it judges what is missing.

    Raises:
        GecbenchError: There is none, its weights are not safetensors or not all there, or it is of
            another kind.
    """
    loaded: Any = _loaded(
        place,
        auto.from_pretrained,
        what="a model",
        use_safetensors=True,
        trust_remote_code=False,
        **{**options, "output_loading_info": True},
    )
    if options.get("output_loading_info"):
        return cast("PreTrainedModel", loaded)
    model: PreTrainedModel
    model, found = loaded
    # transformers would go on with random numbers in their place.
    if missing := sorted(found["missing_keys"]):
        raise GecbenchError(
            f"{place}: its file of weights lacks {len(missing)} of those that its configuration "
            f"asks for, as {missing[0]}; they are of another model, or not whole"
        )
    return model


def _loaded(place: str, load: Callable[..., Any], *, what: str, **options: object) -> Any:
    """Return what transformers loads; its failures become one line of ours."""
    need_torch()
    from transformers.utils import logging

    _check_place(place, what)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    # Its lines about trying again come between ours; what becomes of it is said at the end.
    getLogger("huggingface_hub").setLevel(CRITICAL)
    name, revision = pinned(place)
    try:
        return load(name, **options, **({"revision": revision} if revision else {}))
    except ImportError as error:
        raise GecbenchError(f"{place}: {_first_line(error)}") from error
    except Exception as error:  # damaged files raise what safetensors, tokenizers, torch... have
        raise GecbenchError(f"{place}: cannot be read as {what}: {_why(place, error)}") from error


def pinned(place: str) -> tuple[str, str]:
    """Return the name of a model and its revision: "owner/name@1f2e3d" on the hub, else "".

    >>> pinned("fnlp/bart-large-chinese@v1.0")
    ('fnlp/bart-large-chinese', 'v1.0')
    """
    name, at, revision = place.partition("@")
    if not at or Path(place).exists():
        return place, ""
    return name, revision


def _check_place(place: str, what: str) -> None:
    """Refuse a path where nothing is: transformers would ask the hub for it."""
    path = Path(place)
    if path.is_dir():
        if not any(path.iterdir()):
            raise GecbenchError(f"{place}: the folder is empty; name one that holds {what}")
        return
    if path.exists():
        raise GecbenchError(f"{place}: is a file; name the folder that holds {what}")
    if path.is_absolute() or place.startswith((".", "~")) or place.count("/") > 1:
        raise GecbenchError(f"{place}: no such folder; name one that holds {what}, or a hub name")


def _why(place: str, error: Exception) -> str:
    """Return in one line why something could not be loaded."""
    first = _first_line(error)
    if Path(place).is_dir() and "safetensors" in str(error):
        return (
            "no weights in safetensors there; pickled weights are not read: convert them with "
            "`gecbench model convert`"
        )
    if not Path(place).is_dir() and isinstance(error, OSError):
        offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") else ""
        return (
            f"{first}; it is no folder here, and the hub did not give it{offline}: fetch it where "
            "there is internet (hf download NAME --local-dir FOLDER) and name the folder"
        )
    return first


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        lines[0] += f" {lines[1]}"
    return lines[0].rstrip(".") if lines else type(error).__name__


def downloaded(place: str, patterns: tuple[str, ...]) -> Path:
    """Return the folder with files of a repository on the hub, fetched where they are not yet.

    Raises:
        GecbenchError: There is no such repository, or it cannot be reached.
    """
    need_torch()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    _check_place(place, "a model")
    try:
        name, revision = pinned(place)
        return Path(
            snapshot_download(name, revision=revision or None, allow_patterns=list(patterns))
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise GecbenchError(f"{place}: {_why(place, OSError(str(error)))}") from error
