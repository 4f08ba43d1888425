"""Exporting an encoder-decoder to CTranslate2, and how far the export gives the same answers."""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import msgspec

from gecbench.backends import need
from gecbench.backends.runtimes import convert_to_ctranslate2
from gecbench.core.corrector import Correction
from gecbench.core.errors import GecbenchError
from gecbench.core.files import read_bytes, write_bytes
from gecbench.formats.validation import options_of
from gecbench.models import CARD
from gecbench.models.folder import Card, atomic_folder, fingerprint, read_card, write_card
from gecbench.models.seq2seq.corrector import Seq2Seq, Seq2SeqOptions
from gecbench.models.seq2seq.encoding import SubwordEncoding
from gecbench.models.seq2seq.loading import TOKENIZER, ExportSettings, load, load_torch
from gecbench.models.seq2seq.network import (
    load_fitting_tokenizer,
    load_network,
    load_seq2seq_config,
)
from gecbench.models.text import Agreement


def export_seq2seq(
    place: str | Path, out: Path, *, quantise: bool = True, sample_texts: Sequence[str]
) -> Agreement:
    """Write a model for CTranslate2, which runs it without torch and transformers.

    Args:
        place: A folder of ours, another one, or a name on the hub.
        out: The new folder; `seq2seq:OUT` loads it.
        quantise: Whether weights become 8 bits.
        sample_texts: Corrected by both, on the CPU; the card has their agreement.

    Returns:
        For how many texts both give the same text, and how far their scores are apart then.

    Raises:
        GecbenchError: The model cannot be loaded or converted.
    """
    need("ct2", "ctranslate2", "tokenizers")
    precision = "int8" if quantise else "float32"
    folder = Path(place)
    card = read_card(folder) if (folder / CARD).is_file() else Card(kind="seq2seq")
    if (card.kind, card.runtime) != ("seq2seq", "torch"):
        raise GecbenchError(
            f"{place}: is a {card.kind} for {card.runtime}; export reads a seq2seq for torch"
        )
    with atomic_folder(out) as exported:
        options = options_of("seq2seq", Seq2SeqOptions, {**card.defaults, "device": "cpu"})
        model = load_torch(str(place), options, card if (folder / CARD).is_file() else None)
        _convert(str(place), exported, cast("SubwordEncoding", model.encoding), precision)
        card = _export_card(card, model, folder, precision)
        write_card(exported, card)
        agreement = _measure_agreement(model, exported, sample_texts)
        provenance = {**card.provenance, "agreement": dataclasses.asdict(agreement)}
        write_card(exported, msgspec.structs.replace(card, provenance=provenance))
    return agreement


def _convert(place: str, out: Path, encoding: SubwordEncoding, precision: str) -> None:
    """Write what CTranslate2 reads, and the tokenizer."""
    with tempfile.TemporaryDirectory(prefix="gecbench-export-") as scratch:
        plain, converted = Path(scratch) / "plain", Path(scratch) / "converted"
        config = load_seq2seq_config(place)
        tokenizer = load_fitting_tokenizer(place, config)
        network = load_network(place, config, tokenizer)
        # CTranslate2 counts tokens.
        ids = sorted(tokenizer.get_vocab().values())
        if ids != list(range(len(ids))):
            raise GecbenchError(
                f"{place}: the ids of its vocabulary have gaps, or two tokens have the same; "
                "CTranslate2 needs one token for each row"
            )
        network.save_pretrained(plain)
        tokenizer.save_pretrained(plain)
        settings: dict[str, Any] = json.loads(read_bytes(plain / "config.json"))
        kind = settings["model_type"]
        if kind in ("bart", "mbart"):  # the converter asks for what transformers 5 leaves out
            encoder: Any = network.get_encoder()
            settings.setdefault("normalize_before", kind == "mbart")
            settings.setdefault("normalize_embedding", hasattr(encoder, "layernorm_embedding"))
        write_bytes(plain / "config.json", json.dumps(settings).encode())
        convert_to_ctranslate2(plain, converted, precision=precision)
        for path in converted.iterdir():
            shutil.copy(path, out / path.name)
    encoding.tokenizer.save(str(out / TOKENIZER))
    # Special tokens by our own encoding: a BERT vocabulary says neither bos nor eos.
    path, specials = out / "config.json", encoding.specials
    settings = json.loads(read_bytes(path))
    names = {
        "bos_token": (*specials.before, specials.start)[0],
        "eos_token": specials.end,
        "unk_token": specials.pad if specials.unknown is None else specials.unknown,
        "decoder_start_token": specials.start,
    }
    settings |= {name: encoding.tokenizer.id_to_token(token) for name, token in names.items()}
    settings["add_source_bos"] = settings["add_source_eos"] = False
    write_bytes(path, json.dumps(settings, ensure_ascii=False, indent=2).encode())


def _export_card(card: Card, model: Seq2Seq, folder: Path, precision: str) -> Card:
    settings = ExportSettings(
        specials=model.encoding.specials,
        positions=model.positions,
        max_length=model.options.max_length,
        quantised=precision,
    )
    export = {
        "from": model.info.name,
        "weights": fingerprint(folder) if folder.is_dir() else model.info.signature["weights"],
        "quantised": precision,
        "ctranslate2": version("ctranslate2"),
    }
    return msgspec.structs.replace(
        card,
        runtime="ctranslate2",
        settings=msgspec.to_builtins(settings),
        provenance={**card.provenance, "exported": export},
    )


def _measure_agreement(model: Seq2Seq, exported: Path, texts: Sequence[str]) -> Agreement:
    """Compare the answers of the export in a folder with those of the model."""
    other = load(str(exported), {"device": "cpu"})
    try:
        return compare_corrections(
            list(zip(model.correct(texts), other.correct(texts), strict=True))
        )
    finally:
        other.close()
        model.close()


def compare_corrections(pairs: Sequence[tuple[Correction, Correction]]) -> Agreement:
    """Measure the agreement of corrections of the same texts."""
    same = [(a, b) for a, b in pairs if a.text == b.text and a.flags == b.flags]
    differences = [
        abs(a.score - b.score) for a, b in same if a.score is not None and b.score is not None
    ]
    return Agreement(len(pairs), len(same), "corrected texts", max(differences, default=None))
