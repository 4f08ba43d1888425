"""Causal networks: a base by name or path, and what LoRA has learnt on top of it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from gecbench.backends import need
from gecbench.backends.transformers import find_dtype, load_config, load_model
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.models.causal.corrector import Precision
from gecbench.models.causal.loading import ADAPTER, locate
from gecbench.models.folder import atomic_folder, fingerprint, write_card

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

_WEIGHTS = "adapter_model.safetensors"


def load_base(place: str, precision: str) -> PreTrainedModel:
    """Load a causal model by name or path.

    Raises:
        GecbenchError: There is none, or it is of another kind.
    """
    from transformers import AutoModelForCausalLM, GenerationConfig

    if load_config(place).is_encoder_decoder:
        raise GecbenchError(f"{place}: is an encoder-decoder, no causal model; see seq2seq:{place}")
    network = load_model(place, AutoModelForCausalLM, dtype=find_dtype(precision))
    # Sampling that a chat model brings along is not ours; what ends its answers is.
    own = network.generation_config
    ends = None if own is None else own.eos_token_id
    network.generation_config = GenerationConfig(eos_token_id=ends)  # type: ignore[no-untyped-call]
    return network


def answer_ends(network: Any) -> tuple[int, ...]:
    """Return the ids that a model's generation configuration says an answer ends with."""
    ends = network.generation_config.eos_token_id
    return tuple(ends) if isinstance(ends, list) else () if ends is None else (int(ends),)


def model_hash(place: str) -> str:
    """Return what tells a base from others: of a folder's files, or its revision on the hub."""
    folder = Path(place)
    if folder.is_dir():
        return fingerprint(folder)
    return str(getattr(load_config(place), "_commit_hash", None) or "")


def load_adapter(base: PreTrainedModel, folder: Path) -> PeftModel:
    """Load the adapter in a folder on top of its base.

    Raises:
        MissingExtraError: peft is not installed.
        GecbenchError: The adapter has no safetensors, or does not fit the base.
    """
    need("lora", "peft")
    from peft import PeftModel

    if not (folder / _WEIGHTS).is_file():
        raise GecbenchError(f"{folder}: no {_WEIGHTS} in it; pickled adapters are not read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # peft only warns of weights that the adapter lacks.
            warnings.filterwarnings("error", message="(?s).*missing adapter keys")
            return PeftModel.from_pretrained(base, str(folder))
    except (RuntimeError, ValueError, KeyError, TypeError, OSError, UserWarning) as error:
        why = " ".join(str(error).split())
        short = why if len(why) <= 300 else f"{why[:300]}..."
        raise GecbenchError(f"{folder}: the adapter does not fit its base: {short}") from error


def new_adapter(
    base: PreTrainedModel, *, rank: int, alpha: int, dropout: float, targets: tuple[str, ...]
) -> PeftModel:
    """Put a new adapter, which changes nothing yet, on a base; the base never learns.

    Raises:
        MissingExtraError: peft is not installed.
        UsageError: The base has no such modules.
    """
    need("lora", "peft")
    from peft import LoraConfig, PeftModel, TaskType

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
            from peft import get_peft_model

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


def merge(adapter: Path, into: Path, *, base: str = "", precision: Precision = "fp32") -> None:
    """Write an adapter and its base as one plain model, which needs neither peft nor the base.

    Args:
        adapter: Folder of the adapter.
        into: The new folder; it must not be there.
        base: Of the adapter, where it has moved.
        precision: Of the weights that are written; less than fp32 rounds what was learnt.

    Raises:
        UsageError: There is no adapter in the folder.
        GecbenchError: It does not fit its base, or the folder cannot be written.
    """
    need("lora", "peft")
    if not (adapter / ADAPTER).is_file():
        raise UsageError(f"{adapter}: holds no adapter ({ADAPTER}), so there is no merging")
    location = locate(str(adapter), base)
    with atomic_folder(into) as folder:
        location.load_tokenizer().save_pretrained(str(folder))
        merged = location.load_network(precision).merge_and_unload(safe_merge=True)
        merged.save_pretrained(str(folder), safe_serialization=True)
        if location.card and location.settings:
            settings = msgspec.structs.replace(location.settings, base="", base_hash="")
            note = {"merged": f"{location.base} with {adapter.name}"}
            card = msgspec.structs.replace(
                location.card,
                settings=msgspec.to_builtins(settings),
                made={**location.card.made, **note},
            )
            write_card(folder, card)
