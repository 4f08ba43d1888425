"""Loading encoder-decoders: ours by folder, others by name or path."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.models import CARD
from gecbench.models.folder import Card, fingerprint, read_card
from gecbench.models.options import options_of
from gecbench.models.seq2seq.options import Decoding, Options

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig

    from gecbench.models.seq2seq.encoding import Encoding

TOKENIZER = "tokenizer.json"
Settings = TypeVar("Settings", bound=msgspec.Struct)


class Exported(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the card of a model for CTranslate2 says of it.

    Args:
        specials: What stands around texts, a `Specials` as a table.
        positions: Most tokens that the decoder can be at; 0 where there is no bound.
        max_length: Longest source in tokens, specials included.
        quantised: How its weights are kept.
    """

    specials: dict[str, object]
    positions: int
    max_length: int
    quantised: str


class Own(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the card of a model for torch says of it.

    Args:
        prefix: Text before every source.
        language_code: Of a multilingual model.
    """

    prefix: str = ""
    language_code: str = ""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Return the encoder-decoder of a folder, or of a name on the hub.

    Raises:
        GecbenchError: There is none, or it cannot be used.
        UsageError: An option has a wrong value, or does not go with the model.
    """
    folder = Path(place)
    if not (folder / CARD).is_file():
        return load_torch(place, options_of("seq2seq", Options, options), None)
    card = read_card(folder)
    if card.kind != "seq2seq":
        raise GecbenchError(f"{place}: is a {card.kind}; write {card.kind}:{place}")
    for name in ("prefix", "language_code"):
        if options.get(name):
            raise UsageError(f"option {name} of seq2seq: the model's card says it; leave it out")
    merged = options_of("seq2seq", Options, {**card.defaults, **options})
    if card.runtime == "torch":
        return load_torch(place, merged, card)
    if card.runtime == "ctranslate2":
        return _load_ct2(folder, merged, card)
    raise GecbenchError(f"{folder / CARD}: runtime {card.runtime!r} is not known for seq2seq")


def load_torch(place: str, options: Options, card: Card | None) -> Corrector:
    """Return an encoder-decoder that transformers runs.

    Args:
        place: A folder or a name.
        options: Of inference.
        card: Of the folder, where gecbench made it.
    """
    from gecbench.backends.hf import need_torch

    need_torch()
    from gecbench.models.seq2seq import network as networks
    from gecbench.models.seq2seq.corrector import Seq2Seq, about
    from gecbench.models.seq2seq.torch_search import TorchSearch

    own = _settings(place, card, Own) if card else Own(**_said(options))
    config = networks.settings_of(place)
    tokenizer = networks.vocabulary_of(place, config)
    device, dtype = torch_choices(options)
    network = networks.network_of(place, config, tokenizer, **({"dtype": dtype} if dtype else {}))
    forces = getattr(network.generation_config, "forced_bos_token_id", None) is not None
    encoding = networks.encoding_of(
        tokenizer, config, name=place, forced=forces, **msgspec.structs.asdict(own)
    )
    network.to(device)  # type: ignore[arg-type]
    positions = networks.positions_of(config)
    options = bounded(options, positions or _model_length(tokenizer.model_max_length), place)
    languages = card.languages if card else ()
    info = CorrectorInfo(
        name=Path(place).name if card else place,
        kind="seq2seq",
        languages=languages,
        about=(card.about if card else "") or about(languages),
        signature={
            **_signature(options),
            "weights": _weights(place, config),
            "runtime": f"torch {version('torch')}, transformers {version('transformers')}",
            "device": device.partition(":")[0],
        },
    )
    search = TorchSearch(network, encoding.specials, options)
    return Seq2Seq(info, encoding, search, options, _tokens(options, card), positions)


def _load_ct2(folder: Path, options: Options, card: Card) -> Corrector:
    """Return an encoder-decoder that CTranslate2 runs."""
    from gecbench.backends import ct2

    ct2.need_ct2()
    from gecbench.models.seq2seq.corrector import Seq2Seq, about
    from gecbench.models.seq2seq.ct2_search import Ct2Search

    made = _settings(str(folder), card, Exported)
    encoding = _exported_encoding(folder, made)
    options = bounded(options, made.max_length, str(folder))
    search = Ct2Search(folder, encoding, options)
    info = CorrectorInfo(
        name=folder.name,
        kind="seq2seq",
        languages=card.languages,
        about=card.about or about(card.languages),
        signature={
            **_signature(options),
            "weights": fingerprint(folder),
            "runtime": f"ctranslate2 {ct2.version()}, {made.quantised}",
            "device": options.device,
        },
    )
    return Seq2Seq(info, encoding, search, options, _tokens(options, card), made.positions)


def bounded(options: Options, most: int, place: str) -> Options:
    """Return options that say how long a source may be.

    Raises:
        UsageError: They ask for more than the model can read.
    """
    if options.max_length > most:
        raise UsageError(
            f"option max_length of seq2seq: {place} reads {most} tokens, not {options.max_length}"
        )
    return msgspec.structs.replace(options, max_length=options.max_length or most)


def _exported_encoding(folder: Path, made: Exported) -> Encoding:
    from gecbench.backends.ct2 import tokenizer_in
    from gecbench.models.seq2seq.encoding import Encoding, Specials

    try:
        specials = msgspec.convert(made.specials, Specials)
    except msgspec.ValidationError as error:
        raise FormatError(f"{folder / CARD}: settings.specials: {error}") from error
    return Encoding(tokenizer_in(folder / TOKENIZER), specials, name=str(folder))


def _settings(place: str, card: Card, into: type[Settings]) -> Settings:
    try:
        return msgspec.convert(card.settings, into)
    except msgspec.ValidationError as error:
        raise FormatError(f"{Path(place) / CARD}: settings: {error}") from error


def _said(options: Options) -> dict[str, str]:
    return {"prefix": options.prefix, "language_code": options.language_code}


def _tokens(options: Options, card: Card | None) -> str:
    if options.tokens != "auto":
        return options.tokens
    return card.tokens if card else ""


def _signature(options: Options) -> dict[str, str]:
    from gecbench.models.seq2seq.corrector import chosen

    return {"corrector": "seq2seq", **chosen(options)}


def _weights(place: str, config: PreTrainedConfig) -> str:
    if Path(place).is_dir():
        return fingerprint(Path(place))
    return f"{place} {getattr(config, '_commit_hash', None) or 'of unknown revision'}"


def _model_length(said: int) -> int:
    """Return what a tokenizer says of a model without a bound; T5 was trained on 512."""
    return said if said < _NO_LENGTH else 512


_NO_LENGTH = 1_000_000
"""Transformers says 1e30 where it does not know."""


def torch_choices(options: Decoding) -> tuple[str, torch.dtype | None]:
    """Return the device and the type of numbers; sets the number of threads.

    Raises:
        UsageError: It is not to be had here.
    """
    import torch

    from gecbench.backends.devices import device_of

    if options.precision == "int8":
        raise UsageError(
            "option precision of seq2seq: int8 is for exported models; run gecbench export"
        )
    device = device_of("" if options.device == "auto" else options.device, options.threads)
    named = None if options.precision == "auto" else getattr(torch, options.precision)
    return str(device), named
