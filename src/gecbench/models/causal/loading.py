"""Causal correctors by folder or hub name: ours, others', whole or adapters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.models import CARD
from gecbench.models.causal.config import Options, Settings
from gecbench.models.folder import Card, fingerprint, read_card
from gecbench.models.options import options_of

if TYPE_CHECKING:
    from gecbench.models.chat.prompts import Prompt

_RULES = "2"
"""Of asking and of taking answers: a new number where the same model may say another thing."""


@dataclass(frozen=True, slots=True)
class Found:
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
    settings: Settings | None


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Return the corrector that is a causal model.

    Args:
        place: A folder that gecbench made, any folder of transformers or peft, or a hub name.
        options: By the names of `Options`.

    Raises:
        GecbenchError: There is no such model, or its parts do not fit together.
        UsageError: An option is wrong, or nothing says what to ask.
    """
    from gecbench.backends.hf import need_torch

    found = located(place, str(options.get("base", "")))
    defaults = found.card.defaults if found.card else {}
    chosen = options_of("causal", Options, {**defaults, **options})
    need_torch()
    return _made(found, chosen)


def located(place: str, base: str = "") -> Found:
    """Return what stands at a place.

    Args:
        place: Folder or hub name.
        base: Of an adapter, where it has moved; "" believes the adapter.

    Raises:
        GecbenchError: The base of an adapter is not there, or is another.
        UsageError: A base is named for a whole model.
    """
    folder = Path(place)
    card = read_card(folder) if (folder / CARD).is_file() else None
    settings = _settings(folder, card) if card else None
    adapter = (folder / "adapter_config.json").is_file()
    if not adapter:
        if base:
            raise UsageError(f"{place}: is no adapter, so it has no base; leave the option out")
        return Found(place, place, False, card, settings)
    from gecbench.backends.hf import need_torch

    need_torch()
    from gecbench.models.causal.network import hash_of, place_of

    where = base or place_of(_base_named(folder, settings), folder)
    if settings and settings.base_hash and (found := hash_of(where)) != settings.base_hash:
        raise GecbenchError(
            f"{place}: was trained on another base than {where}: its hash is "
            f"{found or 'unknown'}, not {settings.base_hash}; name the right one with the option "
            "base"
        )
    return Found(place, where, True, card, settings)


def _settings(folder: Path, card: Card) -> Settings:
    if card.kind != "causal":
        raise GecbenchError(f"{folder / CARD}: is a {card.kind}, no causal model; load it as such")
    try:
        return msgspec.convert(card.settings, Settings)
    except msgspec.ValidationError as error:
        raise FormatError(f"{folder / CARD}: settings: {error}") from error


def _base_named(folder: Path, settings: Settings | None) -> str:
    """Return the base that an adapter names."""
    if settings and settings.base:
        return settings.base
    from gecbench.core.files import read_bytes

    path = folder / "adapter_config.json"
    try:
        named = json.loads(read_bytes(path)).get("base_model_name_or_path")
    except (json.JSONDecodeError, UnicodeDecodeError, AttributeError) as error:
        raise FormatError(f"{path}: is not JSON of an adapter: {error}") from error
    if not named:
        raise GecbenchError(f"{path}: names no base; name it with the option base")
    return str(named)


def network_of(found: Found, precision: str) -> Any:
    """Return the network of what was found, with its adapter on top."""
    from gecbench.models.causal.network import base_network, with_adapter

    network = base_network(found.base, precision)
    return with_adapter(network, Path(found.place)) if found.adapter else network


def _made(found: Found, options: Options) -> Corrector:
    from gecbench.backends.devices import device_of
    from gecbench.backends.hf import tokenizer_of
    from gecbench.models.causal.asking import asking_of
    from gecbench.models.causal.corrector import Causal
    from gecbench.models.causal.network import ends_of, hash_of

    prompt, style = prompt_for(found, options)
    language = options.language or (found.card.languages[0] if found.card else prompt.language)
    if not language:
        raise UsageError(f"causal:{found.place}: set language to zh or en; the prompt does not say")
    network = network_of(found, options.precision).to(device_of(options.device, 0)).eval()
    has_tokenizer = (Path(found.place) / "tokenizer.json").is_file() or not found.adapter
    tokenizer = tokenizer_of(found.place if has_tokenizer else found.base)
    asking = asking_of(tokenizer, prompt, style, ends=ends_of(network), place=found.place)
    weights = hash_of(found.base)
    if found.adapter:
        weights = f"{fingerprint(Path(found.place))} on {weights}"
    info = info_of(
        name=Path(found.place).name,
        language=language,
        about=found.card.about if found.card else "",
        weights=weights or found.place,
        prompt=f"{prompt.name}:{prompt.hash()}:{asking.style}",
        options=options,
    )
    return Causal(info, network, asking, options, positions_of(network))


def prompt_for(found: Found, options: Options) -> tuple[Prompt, Any]:
    """Return what a model is told and in which style: as it was trained, or as options say."""
    from gecbench.models.chat.prompts import Prompt, prompt_of

    settings = found.settings
    if settings and not options.prompt:
        own = Prompt(settings.prompt, "", settings.system, settings.user, "", settings.examples)
        return own, settings.style if options.style == "auto" else options.style
    name = options.prompt or {"zh": "zh-minimal", "en": "en-minimal"}.get(options.language, "")
    if not name:
        raise UsageError(
            f"causal:{found.place}: nothing says what to ask it; set prompt, as zh-minimal, or "
            "language"
        )
    return prompt_of(name), options.style


def positions_of(network: Any) -> int:
    """Return how many tokens a network can see; 0 where its configuration does not say."""
    found = getattr(network.config, "max_position_embeddings", None)
    return found if isinstance(found, int) and found > 0 else 0


def info_of(
    *, name: str, language: str, about: str, weights: str, prompt: str, options: Options
) -> CorrectorInfo:
    """Return what a causal corrector is."""
    shown = ("beams", "precision", "shortest", "longest", "most_changed", "spacing")
    return CorrectorInfo(
        name=name,
        kind="causal",
        languages=(language,),
        about=about or "A causal language model that writes the corrected sentence.",
        signature={
            "corrector": "causal",
            "rules": _RULES,
            "weights": weights,
            "language": language,
            "prompt": prompt,
            **{option: str(getattr(options, option)) for option in shown},
        },
        window=max(64, 8 * options.batch_size),
    )
