"""Causal networks: a base by name or path, and what LoRA has learnt on top of it."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from gecbench.backends.hf import config_of, weights_of
from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.models.folder import fingerprint

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}

ADAPTER = "adapter_config.json"
_WEIGHTS = "adapter_model.safetensors"


def need_peft() -> None:
    """Refuse to go on without peft.

    Raises:
        MissingExtraError: It is not installed.
    """
    if find_spec("peft") is None:
        raise MissingExtraError("peft", "lora")


def base_network(place: str, precision: str) -> PreTrainedModel:
    """Return a causal model by name or path.

    Raises:
        GecbenchError: There is none, or it is of another kind.
    """
    from transformers import AutoModelForCausalLM, GenerationConfig

    if config_of(place).is_encoder_decoder:
        raise GecbenchError(f"{place}: is an encoder-decoder, no causal model; see seq2seq:{place}")
    network = weights_of(place, AutoModelForCausalLM, dtype=TYPES[precision])
    # Sampling that a chat model brings along is not ours; what ends its answers is.
    own = network.generation_config
    ends = None if own is None else own.eos_token_id
    network.generation_config = GenerationConfig(eos_token_id=ends)  # type: ignore[no-untyped-call]
    return network


def ends_of(network: torch.nn.Module) -> tuple[int, ...]:
    """Return the ids that a model's generation configuration says an answer ends with."""
    ends = network.generation_config.eos_token_id  # type: ignore[union-attr]
    found = ends if isinstance(ends, list) else [] if ends is None else [ends]
    return tuple(int(each) for each in found)  # type: ignore[arg-type]


def hash_of(place: str) -> str:
    """Return what tells a base from others: of a folder's files, or its revision on the hub."""
    folder = Path(place)
    if folder.is_dir():
        return fingerprint(folder)
    return str(getattr(config_of(place), "_commit_hash", None) or "")


def place_of(base: str, folder: Path) -> str:
    """Return where the base of an adapter is.

    Args:
        base: As the adapter names it.
        folder: Of the adapter; a relative base counts from it, or from where we are.

    Raises:
        GecbenchError: It was a folder, and is not there any more.
    """
    if Path(base).is_dir():
        return base
    if (folder / base).is_dir():
        return str(folder / base)
    if Path(base).is_absolute() or base.startswith(".") or base.count("/") > 1:
        raise GecbenchError(
            f"{folder}: its base {base} is not there; say where it is with the option base"
        )
    return base


def with_adapter(base: PreTrainedModel, folder: Path) -> PeftModel:
    """Return a base with the adapter in a folder on top.

    Raises:
        MissingExtraError: peft is not installed.
        GecbenchError: The adapter has no safetensors, or does not fit the base.
    """
    need_peft()
    from peft import PeftModel

    if not (folder / _WEIGHTS).is_file():
        raise GecbenchError(f"{folder}: no {_WEIGHTS} in it; pickled adapters are not read")
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = PeftModel.from_pretrained(base, str(folder))
    except (RuntimeError, ValueError, KeyError, TypeError, OSError) as error:
        raise GecbenchError(
            f"{folder}: the adapter does not fit its base: {_line(error)}"
        ) from error
    if missing := [str(w.message) for w in told if "missing adapter keys" in str(w.message)]:
        raise GecbenchError(
            f"{folder}: the adapter does not fit its base: {_line(ValueError(missing[0]))}"
        )
    return model


def new_adapter(
    base: PreTrainedModel, *, rank: int, alpha: int, dropout: float, targets: tuple[str, ...]
) -> PeftModel:
    """Return a base with a new adapter, which changes nothing yet; the base never learns.

    Raises:
        MissingExtraError: peft is not installed.
        UsageError: The base has no such modules.
    """
    need_peft()
    from peft import LoraConfig, PeftModel, TaskType, get_peft_model

    config = LoraConfig(
        task_type=TaskType.CAUSAL_LM,
        r=rank,
        lora_alpha=alpha,
        lora_dropout=dropout,
        target_modules=list(targets),
    )
    try:
        with warnings.catch_warnings():
            # peft 0.21 asks transformers 5.23 by a name that is to go.
            warnings.filterwarnings("ignore", message="`is_gradient_checkpointing`")
            model = get_peft_model(base, config)
    except ValueError as error:
        linear = {
            name.rpartition(".")[2]
            for name, module in base.named_modules()
            if isinstance(module, torch.nn.Linear)
        }
        raise UsageError(
            f"targets {', '.join(targets)}: the base has no such modules; it has "
            f"{', '.join(sorted(linear))}"
        ) from error
    if not isinstance(model, PeftModel):
        raise TypeError(f"peft made a {type(model).__name__}")
    return model


def _line(error: Exception) -> str:
    """Return a failure in one short line."""
    line = " ".join(str(error).split())
    return line if len(line) <= 300 else f"{line[:300]}..."
