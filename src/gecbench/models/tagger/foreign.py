"""What checkpoints of other toolkits say of themselves, in whichever layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.core.files import read_bytes, read_lines
from gecbench.models.tags.labels import UNKNOWN

_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_MUCH = 1 << 16


class Foreign(NamedTuple):
    """A checkpoint, before its weights are read.

    Args:
        place: As the user named it.
        toolkit: Who made it.
        weights: The file.
        labels: Of each row of the head, in their order.
        said: The file that says them.
        detection: The rows of correct and incorrect.
        encoder: Whose configuration it has, a folder or a name on the hub.
        tokenizer: Where that is.
        has_specials: Whether it read [CLS] and [SEP].
        max_tokens: That it read.
        max_positions: The same in positions; 0 where it does not say.
        pieces_per_token: That it read; 0 where it does not say.
    """

    place: Path
    toolkit: str
    weights: Path
    labels: tuple[str, ...]
    said: Path
    detection: tuple[int, int]
    encoder: str
    tokenizer: str
    has_specials: bool
    max_tokens: int
    max_positions: int
    pieces_per_token: int


def foreign_in(place: Path, *, encoder: str, labels: Path | None) -> Foreign:
    """Return what a checkpoint says of itself.

    Raises:
        GecbenchError: There is none, or it is in no known layout.
        UsageError: The encoder or the labels are to be said.
    """
    if place.is_dir():
        if labels is not None:
            raise UsageError(f"{place}: its config.json holds the labels; leave out {labels}")
        return _gotutiyan(place, encoder)
    if not place.is_file():
        raise GecbenchError(f"{place}: no such file or folder; name a checkpoint")
    return _allennlp(place, encoder, labels)


def _gotutiyan(folder: Path, encoder: str) -> Foreign:
    """Return what the config.json of gotutiyan/gector says (1.x)."""
    path = folder / "config.json"
    try:
        config = json.loads(read_bytes(path))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: is not JSON: {error}") from error
    if not isinstance(config, dict) or "label2id" not in config or "d_label2id" not in config:
        raise FormatError(
            f"{path}: has no label2id and d_label2id, so it is no tagger of gotutiyan/gector"
        )
    weights = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if weights is None:
        raise GecbenchError(f"{folder}: has neither {' nor '.join(_WEIGHTS)}; download it whole")
    base = encoder or str(config.get("model_id") or "")
    if not base:
        raise UsageError(f"{path}: does not say which encoder it has; name that")
    has_tokenizer = (folder / "tokenizer_config.json").is_file()
    most = _number(path, config, "max_length", 128)
    return Foreign(
        place=folder,
        toolkit="gotutiyan/gector",
        weights=weights,
        labels=_labels(path, config),
        said=path,
        detection=_detection(path, config),
        encoder=base,
        tokenizer=str(folder) if has_tokenizer else base,
        has_specials=not config.get("is_official_model", False),
        max_tokens=most,
        max_positions=most,
        pieces_per_token=most,
    )


def _labels(path: Path, config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels by their ids, padding left out: it is the last and has no row."""
    ids = config["label2id"]
    rows = [n for n in ids.values() if _is_row(n)] if isinstance(ids, dict) else []
    if not isinstance(ids, dict) or sorted(rows) != list(range(len(ids))):
        raise FormatError(f"{path}: label2id does not number labels from 0 on without a gap")
    padding = str(config.get("label_pad_token", "<PAD>"))
    unknown = config.get("label_oov_token", "<OOV>")
    if ids.get(padding) != len(ids) - 1:
        raise FormatError(f"{path}: {padding} is not the last label, as it is in gotutiyan/gector")
    ordered = sorted(ids, key=lambda label: ids[label])[:-1]
    return tuple(UNKNOWN if label == unknown else label for label in ordered)


def _detection(path: Path, config: Mapping[str, Any]) -> tuple[int, int]:
    ids = config["d_label2id"]
    correct = str(config.get("correct_label", "$CORRECT"))
    incorrect = str(config.get("incorrect_label", "$INCORRECT"))
    if not isinstance(ids, dict) or not all(_is_row(ids.get(x)) for x in (correct, incorrect)):
        raise FormatError(f"{path}: d_label2id lacks {correct} or {incorrect}")
    return ids[correct], ids[incorrect]


def _is_row(value: object) -> bool:
    """Say whether a value of JSON can number a row: true and false are integers to Python."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(path: Path, config: Mapping[str, Any], name: str, usual: int) -> int:
    value = config.get(name, usual)
    if not isinstance(value, int) or value < 1:
        raise FormatError(f"{path}: {name} is no positive number: {value!r}")
    return value


def _allennlp(path: Path, encoder: str, labels: Path | None) -> Foreign:
    """Return what is known of state dicts of grammarly/gector and MuCGEC.

    They read no [CLS] and [SEP], and their two classes of detection come first.
    """
    if labels is None:
        raise UsageError(f"{path}: holds weights alone; name its labels too (labels.txt)")
    if not encoder:
        raise UsageError(f"{path}: holds weights alone; name the encoder that it was trained from")
    return Foreign(
        place=path,
        toolkit="AllenNLP (grammarly/gector, MuCGEC)",
        weights=path,
        labels=tuple(line for line in read_lines(labels) if line),
        said=labels,
        detection=(0, 1),
        encoder=encoder,
        tokenizer=encoder,
        has_specials=False,
        max_tokens=_MUCH,
        max_positions=0,
        pieces_per_token=0,
    )
