"""Causal correctors by folder or hub name: ours, others', whole or adapters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from gecbench.backends import need
from gecbench.backends.transformers import (
    find_device,
    find_dtype,
    load_config,
    load_model,
    load_tokenizer,
    need_torch,
)
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.formats.validation import options_of
from gecbench.lang import language_of
from gecbench.models import CARD, CorrectorKind
from gecbench.models.causal.corrector import (
    Causal,
    CausalOptions,
    Precision,
    Style,
    build_question,
    describe_corrector,
)
from gecbench.models.chat.prompts import Prompt, PromptExample, load_prompt
from gecbench.models.folder import (
    Card,
    atomic_folder,
    card_settings,
    fingerprint,
    read_card,
    read_json,
    write_card,
)

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


ADAPTER = "adapter_config.json"
TOKENIZER = "tokenizer.json"


class CausalSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings on the card of a causal model.

    Args:
        system: Of the prompt it was trained with.
        user: Of the prompt, with `{text}`.
        prompt: The prompt's name.
        examples: Of the prompt.
        style: chat or plain.
        base: Of an adapter: folder (absolute, or counted from the model's) or hub name of its
            base; "" for a whole model.
        base_hash: Of the base's files or hub revision; "" where it is not known.
    """

    system: str
    user: str
    prompt: str
    style: Literal["chat", "plain"]
    examples: tuple[PromptExample, ...] = ()
    base: str = ""
    base_hash: str = ""


class _Adapter(msgspec.Struct):
    """What an adapter says of its base."""

    base_model_name_or_path: str | None = None


@dataclass(frozen=True, slots=True)
class Location:
    """What stands at a place.

    Args:
        place: Folder or hub name.
        base: Where the network comes from: the place itself, or the base of an adapter.
        adapter: Whether an adapter is at the place.
        card: Of a model that gecbench made; None for others.
        settings: From the card; None without one.
    """

    place: str
    base: str
    adapter: bool
    card: Card | None
    settings: CausalSettings | None

    def load_network(self, precision: str) -> Any:
        """Load the network, with its adapter on top."""
        network = load_base(self.base, precision)
        return load_adapter(network, Path(self.place)) if self.adapter else network

    def load_tokenizer(self) -> PreTrainedTokenizerBase:
        """Load the tokenizer: an adapter's own, else that of its base."""
        is_here = (Path(self.place) / TOKENIZER).is_file() or not self.adapter
        return load_tokenizer(self.place if is_here else self.base)


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector that is a causal model.

    Args:
        place: A folder that gecbench made, any folder of transformers or peft, or a hub name.
        options: By the names of `CausalOptions`.

    Raises:
        GecbenchError: There is no such model, or its parts do not fit together.
        UsageError: An option is wrong, or nothing says what to ask.
    """
    location = locate_model(place, str(options.get("base", "")))
    card = location.card
    inference = options_of("causal", CausalOptions, {**(card.defaults if card else {}), **options})
    need_torch()
    prompt, style = choose_prompt(location, inference)
    language = inference.language or (card.languages[0] if card else prompt.language)
    if not language:
        raise UsageError(f"causal:{place}: set language, as zh or en; the prompt does not say")
    network = location.load_network(inference.precision).to(find_device(inference.device)).eval()
    ends = answer_ends(network)
    question = build_question(location.load_tokenizer(), prompt, style, ends=ends, place=place)
    weights = model_hash(location.base)
    if location.adapter:
        weights = f"{fingerprint(Path(place))} on {weights}"
    info = describe_corrector(
        name=Path(place).name,
        language=language,
        about=card.about if card else "",
        weights=weights or place,
        question=question,
        options=inference,
    )
    return Causal(info, network, question, inference)


KIND = CorrectorKind(load)


def locate_model(place: str, base: str = "") -> Location:
    """Find out what stands at a place.

    Args:
        place: Folder or hub name.
        base: Of an adapter, where it has moved; "" believes the adapter.

    Raises:
        GecbenchError: The base of an adapter is not there, or is another.
        UsageError: A base is named for a whole model.
    """
    folder = Path(place)
    card = settings = None
    if (folder / CARD).is_file():
        card = read_card(folder, "causal")
        settings = card_settings(folder, card, CausalSettings)
    if not (folder / ADAPTER).is_file():
        if base:
            raise UsageError(f"{place}: is no adapter, so it has no base; leave the option out")
        return Location(place, place, False, card, settings)
    where = base or _find_base(folder, settings.base if settings else "")
    if settings and settings.base_hash and (digest := model_hash(where)) != settings.base_hash:
        raise GecbenchError(
            f"{place}: was trained on another base than {where}: its hash is "
            f"{digest or 'unknown'}, not {settings.base_hash}; name the right one with the option "
            "base"
        )
    return Location(place, where, True, card, settings)


def _find_base(folder: Path, base: str) -> str:
    """Find the base of an adapter: as the card names it, else as the adapter does.

    A relative folder counts from the adapter's, or from where we are.

    Raises:
        GecbenchError: It is not named, or was a folder and is not there any more.
    """
    path = folder / ADAPTER
    if not base:
        base = read_json(path, _Adapter).base_model_name_or_path or ""
    if not base:
        raise GecbenchError(f"{path}: names no base; name it with the option base")
    if Path(base).is_dir():
        return base
    if (folder / base).is_dir():
        return str(folder / base)
    if Path(base).is_absolute() or base.startswith(".") or base.count("/") > 1:
        raise GecbenchError(
            f"{folder}: its base {base} is not there; say where it is with the option base"
        )
    return base


def choose_prompt(location: Location, options: CausalOptions) -> tuple[Prompt, Style]:
    """Choose what a model is told and in which style: as it was trained, or as options say."""
    settings = location.settings
    if settings and not options.prompt:
        prompt = Prompt(
            name=settings.prompt,
            system=settings.system,
            user=settings.user,
            examples=settings.examples,
        )
        return prompt, settings.style if options.style == "auto" else options.style
    name = options.prompt or (options.language and language_of(options.language).prompt)
    if not name:
        raise UsageError(
            f"causal:{location.place}: nothing says what to ask it; set prompt, as zh-minimal, or "
            "language"
        )
    return load_prompt(name), options.style


# Networks: a base by name or path, and what LoRA has learnt on top of it.


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
    config = network.generation_config
    ends = None if config is None else config.eos_token_id
    network.generation_config = GenerationConfig(eos_token_id=ends)
    return network


def answer_ends(network: Any) -> tuple[int, ...]:
    """Look up the ids that a model's generation configuration says an answer ends with."""
    ends = network.generation_config.eos_token_id
    return tuple(ends) if isinstance(ends, list) else () if ends is None else (int(ends),)


def model_hash(place: str) -> str:
    """Identify a base: by a hash of a folder's files, or its revision on the hub."""
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
    from peft import LoraConfig, TaskType

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
        from torch.nn import Linear

        linear = {
            name.rpartition(".")[2]
            for name, module in base.named_modules()
            if isinstance(module, Linear)
        }
        raise UsageError(
            f"targets {', '.join(targets)}: the base has no such modules; it has "
            f"{', '.join(sorted(linear))}"
        ) from error
    return cast("PeftModel", model)


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
    location = locate_model(str(adapter), base)
    with atomic_folder(into) as folder:
        location.load_tokenizer().save_pretrained(str(folder))
        network = location.load_network(precision).merge_and_unload(safe_merge=True)
        network.save_pretrained(str(folder), safe_serialization=True)
        if location.card and location.settings:
            settings = msgspec.structs.replace(location.settings, base="", base_hash="")
            note = {"merged": f"{location.base} with {adapter.name}"}
            card = msgspec.structs.replace(
                location.card,
                settings=msgspec.to_builtins(settings),
                provenance={**location.card.provenance, **note},
            )
            write_card(folder, card)
