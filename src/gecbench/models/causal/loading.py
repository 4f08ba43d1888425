"""Causal correctors by folder or hub name: ours, others', whole or adapters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gecbench.core.corrector import Corrector
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.core.files import read_bytes
from gecbench.formats.validation import options_of
from gecbench.models import CARD
from gecbench.models.causal.corrector import Causal, Options, Style, build_question, describe
from gecbench.models.chat.prompts import Example, Prompt, prompt_of
from gecbench.models.folder import Card, card_settings, check_kind, fingerprint, read_card

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

ADAPTER = "adapter_config.json"
TOKENIZER = "tokenizer.json"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
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
    examples: tuple[Example, ...] = ()
    base: str = ""
    base_hash: str = ""


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
    settings: Settings | None

    def load_network(self, precision: str) -> Any:
        """Load the network, with its adapter on top."""
        from gecbench.models.causal.network import load_adapter, load_base

        network = load_base(self.base, precision)
        return load_adapter(network, Path(self.place)) if self.adapter else network

    def load_tokenizer(self) -> PreTrainedTokenizerBase:
        """Load the tokenizer: an adapter's own, else that of its base."""
        from gecbench.backends.transformers import load_tokenizer

        is_here = (Path(self.place) / TOKENIZER).is_file() or not self.adapter
        return load_tokenizer(self.place if is_here else self.base)


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector that is a causal model.

    Args:
        place: A folder that gecbench made, any folder of transformers or peft, or a hub name.
        options: By the names of `Options`.

    Raises:
        GecbenchError: There is no such model, or its parts do not fit together.
        UsageError: An option is wrong, or nothing says what to ask.
    """
    from gecbench.backends.transformers import find_device, need_torch

    location = locate(place, str(options.get("base", "")))
    card = location.card
    chosen = options_of("causal", Options, {**(card.defaults if card else {}), **options})
    need_torch()
    from gecbench.models.causal.network import answer_ends, model_hash

    prompt, style = choose_prompt(location, chosen)
    language = chosen.language or (card.languages[0] if card else prompt.language)
    if not language:
        raise UsageError(f"causal:{place}: set language to zh or en; the prompt does not say")
    network = location.load_network(chosen.precision).to(find_device(chosen.device)).eval()
    ends = answer_ends(network)
    question = build_question(location.load_tokenizer(), prompt, style, ends=ends, place=place)
    weights = model_hash(location.base)
    if location.adapter:
        weights = f"{fingerprint(Path(place))} on {weights}"
    info = describe(
        name=Path(place).name,
        language=language,
        about=card.about if card else "",
        weights=weights or place,
        question=question,
        options=chosen,
    )
    return Causal(info, network, question, chosen)


def locate(place: str, base: str = "") -> Location:
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
        card = read_card(folder)
        check_kind(folder, card, "causal")
        settings = card_settings(folder, card, Settings)
    if not (folder / ADAPTER).is_file():
        if base:
            raise UsageError(f"{place}: is no adapter, so it has no base; leave the option out")
        return Location(place, place, False, card, settings)
    from gecbench.backends.transformers import need_torch

    need_torch()
    from gecbench.models.causal.network import model_hash

    where = base or _find_base(folder, settings.base if settings else "")
    if settings and settings.base_hash and (found := model_hash(where)) != settings.base_hash:
        raise GecbenchError(
            f"{place}: was trained on another base than {where}: its hash is "
            f"{found or 'unknown'}, not {settings.base_hash}; name the right one with the option "
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
        try:
            base = str(json.loads(read_bytes(path)).get("base_model_name_or_path") or "")
        except (json.JSONDecodeError, UnicodeDecodeError, AttributeError) as error:
            raise FormatError(f"{path}: is not JSON of an adapter: {error}") from error
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


def choose_prompt(location: Location, options: Options) -> tuple[Prompt, Style]:
    """Choose what a model is told and in which style: as it was trained, or as options say."""
    settings = location.settings
    if settings and not options.prompt:
        own = Prompt(settings.prompt, "", settings.system, settings.user, "", settings.examples)
        return own, settings.style if options.style == "auto" else options.style
    name = options.prompt or {"zh": "zh-minimal", "en": "en-minimal"}.get(options.language, "")
    if not name:
        raise UsageError(
            f"causal:{location.place}: nothing says what to ask it; set prompt, as zh-minimal, or "
            "language"
        )
    return prompt_of(name), options.style
