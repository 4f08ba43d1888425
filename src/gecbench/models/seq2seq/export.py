"""Exporting an encoder-decoder to CTranslate2, and how far the export says the same."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

from gecbench.backends.ct2 import converted, need_ct2, version
from gecbench.core.corrector import Correction
from gecbench.core.errors import GecbenchError, UnknownNameError
from gecbench.core.files import read_bytes, write_bytes
from gecbench.models import CARD
from gecbench.models.agreement import Agreement
from gecbench.models.folder import Card, fingerprint, read_card, whole_folder, write_card
from gecbench.models.options import options_of
from gecbench.models.seq2seq.corrector import Seq2Seq
from gecbench.models.seq2seq.encoding import Encoding
from gecbench.models.seq2seq.loading import TOKENIZER, Exported, load, load_torch
from gecbench.models.seq2seq.network import network_of, settings_of, vocabulary_of
from gecbench.models.seq2seq.options import Options

QUANTISED = ("float32", "float16", "bfloat16", "int8", "int8_float16", "int8_bfloat16", "int16")
"""How weights can be kept."""

_WHAT = "corrected texts"


def export_model(
    place: str | Path,
    out: Path,
    *,
    quantise: str = "int8",
    sample_texts: Sequence[str],
    replace: bool = False,
) -> Agreement:
    """Write a model for CTranslate2, which runs it without torch and transformers.

    Args:
        place: A folder of ours, another one, or a name on the hub.
        out: The new folder; `seq2seq:OUT` loads it.
        quantise: How weights are kept, of `QUANTISED`.
        sample_texts: Corrected by both, on the CPU; what the card says of their agreement.
        replace: Whether a folder that is there makes room.

    Returns:
        For how many texts both give the same text, and how far their scores are apart then.

    Raises:
        GecbenchError: The model cannot be loaded or converted.
        UnknownNameError: Weights cannot be kept so.
    """
    need_ct2()
    if quantise not in QUANTISED:
        raise UnknownNameError("quantisation", quantise, QUANTISED)
    folder = Path(place)
    card = read_card(folder) if (folder / CARD).is_file() else None
    if card is not None and (card.kind, card.runtime) != ("seq2seq", "torch"):
        raise GecbenchError(
            f"{place}: is a {card.kind} for {card.runtime}; export reads a seq2seq for torch"
        )
    with whole_folder(out, replace=replace) as made:
        given = options_of("seq2seq", Options, {**(card.defaults if card else {}), "device": "cpu"})
        model = cast("Seq2Seq", load_torch(str(place), given, card))
        _convert(str(place), made, cast("Encoding", model.encoding), quantise)
        card = _card(card, model, folder, quantise)
        write_card(made, card)
        agreement = _agreement(model, made, sample_texts)
        told = {"agreement": _told(agreement)}
        write_card(made, msgspec.structs.replace(card, made={**card.made, **told}))
    return agreement


def _convert(place: str, made: Path, encoding: Encoding, quantise: str) -> None:
    """Write what CTranslate2 reads, and the tokenizer."""
    with tempfile.TemporaryDirectory(prefix="gecbench-export-") as scratch:
        plain = Path(scratch) / "plain"
        config = settings_of(place)
        tokenizer = vocabulary_of(place, config)
        network = network_of(place, config, tokenizer)
        _check_ids(tokenizer, place)
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        network.save_pretrained(plain)
        tokenizer.save_pretrained(plain)
        _write_settings(plain, network)
        converted(plain, Path(scratch) / "converted", quantise=quantise)
        for path in (Path(scratch) / "converted").iterdir():
            shutil.copy(path, made / path.name)
    _write_tokens(made / "config.json", encoding)
    encoding.tokenizer.save(str(made / TOKENIZER))


def _check_ids(tokenizer: PreTrainedTokenizerBase, place: str) -> None:
    """Refuse a vocabulary whose ids are not its places: CTranslate2 counts tokens."""
    ids = sorted(tokenizer.get_vocab().values())
    if ids != list(range(len(ids))):
        raise GecbenchError(
            f"{place}: the ids of its vocabulary have gaps, or two tokens have the same; "
            "CTranslate2 needs one token for each row"
        )


def _write_settings(plain: Path, network: PreTrainedModel) -> None:
    """Write what the converter asks of BART's configuration and transformers 5 leaves out."""
    path = plain / "config.json"
    settings: dict[str, Any] = json.loads(read_bytes(path))
    kind = settings["model_type"]
    encoder: Any = network.get_encoder()
    if kind in ("bart", "mbart"):
        settings.setdefault("normalize_before", kind == "mbart")
        settings.setdefault("normalize_embedding", hasattr(encoder, "layernorm_embedding"))
    write_bytes(path, json.dumps(settings).encode())


def _write_tokens(path: Path, encoding: Encoding) -> None:
    """Write special tokens by our own reading: a BERT vocabulary says neither bos nor eos."""
    settings: dict[str, Any] = json.loads(read_bytes(path))
    specials = encoding.specials
    unknown = specials.pad if specials.unknown is None else specials.unknown
    for name, number in (
        ("bos_token", (*specials.before, specials.start)[0]),
        ("eos_token", specials.end),
        ("unk_token", unknown),
        ("decoder_start_token", specials.start),
    ):
        settings[name] = encoding.tokenizer.id_to_token(number)
    settings["add_source_bos"] = settings["add_source_eos"] = False
    write_bytes(path, json.dumps(settings, ensure_ascii=False, indent=2).encode())


def _card(card: Card | None, model: Seq2Seq, folder: Path, quantise: str) -> Card:
    """Return the card of an export."""
    settings = Exported(
        specials=msgspec.to_builtins(model.encoding.specials),
        positions=model.positions,
        max_length=model.options.max_length,
        quantised=quantise,
    )
    source = fingerprint(folder) if folder.is_dir() else model.info.signature["weights"]
    made: dict[str, object] = dict(card.made) if card else {}
    made["exported"] = {
        "from": model.info.name,
        "weights": source,
        "quantised": quantise,
        "ctranslate2": version(),
    }
    return Card(
        kind="seq2seq",
        runtime="ctranslate2",
        languages=card.languages if card else (),
        tokens=card.tokens if card else "",
        settings=msgspec.to_builtins(settings),
        defaults=card.defaults if card else {},
        about=card.about if card else "",
        made=made,
    )


def _agreement(model: Seq2Seq, made: Path, texts: Sequence[str]) -> Agreement:
    """Return how far the export in a folder says what the model says."""
    exported = load(str(made), {"device": "cpu"})
    try:
        pairs = list(zip(model.correct(texts), exported.correct(texts), strict=True))
    finally:
        exported.close()
        model.close()
    return compared(pairs)


def compared(pairs: Sequence[tuple[Correction, Correction]]) -> Agreement:
    """Return the agreement of corrections of the same texts."""
    same = [(one, two) for one, two in pairs if one.text == two.text and one.flags == two.flags]
    differences = [
        abs(one.score - two.score)
        for one, two in same
        if one.score is not None and two.score is not None
    ]
    return Agreement(len(pairs), len(same), _WHAT, max(differences, default=None))


def _told(agreement: Agreement) -> dict[str, object]:
    return {
        "texts": agreement.texts,
        "equal": agreement.equal,
        "what": agreement.what,
        "largest_difference": agreement.largest_difference,
    }
