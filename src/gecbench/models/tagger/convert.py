"""Converting taggers of other toolkits to ours, once: their pickles hold weights and no code.

Read are the Hugging Face layout of gotutiyan/gector, and the state dicts (`.th`) of
grammarly/gector and of MuCGEC, which AllenNLP wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from gecbench.backends.hf import config_of, tokenizer_of
from gecbench.core.errors import FormatError, GecbenchError
from gecbench.models.converting import read_pickled
from gecbench.models.folder import whole_folder
from gecbench.models.tagger.encoders import from_config, positions_of, subwords_of
from gecbench.models.tagger.encoding import Encoding, Layout
from gecbench.models.tagger.foreign import Foreign, foreign_in
from gecbench.models.tagger.model import TaggerModel, fill, save_model
from gecbench.models.tagger.network import Tagger
from gecbench.models.tags.labels import START
from gecbench.models.tags.transforms import transforms_for
from gecbench.models.tags.vocabulary import Released, powerless, released
from gecbench.text.tokens import tokens_of

_PIECES_PER_TOKEN = 5
_HEADS = ("labels.weight", "labels.bias", "detection.weight", "detection.bias")


class Converted(NamedTuple):
    """What was made of a checkpoint.

    Args:
        folder: Of the tagger.
        labels: How many it knows, the unknown among them.
        notes: What a user should know of how it was read.
    """

    folder: Path
    labels: int
    notes: tuple[str, ...]


def convert_model(
    place: Path,
    out: Path,
    *,
    language: str,
    encoder: str = "",
    labels: Path | None = None,
    tokens: str = "",
    name: str = "",
) -> Converted:
    """Write the tagger of another toolkit as a folder of ours.

    Args:
        place: A folder with config.json (gotutiyan/gector), or a file of weights.
        out: A folder that does not exist yet.
        language: zh or en: no checkpoint says it.
        encoder: The model that it was trained from, a folder or a name on the hub; its
            configuration is read, and where the checkpoint has no tokenizer that too. "" takes
            what the checkpoint names.
        labels: The labels of a file of weights, one a line (labels.txt).
        tokens: What it reads, a name of `text.tokens`; "" is that of the language. The English
            ones were trained on text that spaCy had tokenised: "space" reads such.
        name: Of the model; "" takes that of the place.

    Raises:
        GecbenchError: The checkpoint cannot be read, or is none of a tagger.
        UsageError: Something is to be said that was not.
        UnknownNameError: There is no such kind of token.
    """
    tokens_of("", tokens or language)  # raises where there is no such kind
    foreign = foreign_in(place, encoder=encoder, labels=labels)
    network, encoding, found, notes = _read(foreign)
    model = TaggerModel(
        name=name or place.stem,
        language=language,
        tokens=tokens or language,
        about=f"A tagger of {foreign.toolkit}, converted.",
        vocabulary=found.vocabulary,
        encoding=encoding,
        network=network,
    )
    with whole_folder(out) as made:
        save_model(model, made, {"converted": {"from": place.name, "toolkit": foreign.toolkit}})
    idle = powerless(found.vocabulary, transforms_for(language))
    if idle:
        notes += (f"{len(idle)} labels change nothing here: {', '.join(idle[:5])}",)
    return Converted(out, len(found.vocabulary), found.notes + notes)


def _read(foreign: Foreign) -> tuple[Tagger, Encoding, Released, tuple[str, ...]]:
    """Return network, reading and labels of a checkpoint, and what is to be said of its reading."""
    config = config_of(foreign.encoder)
    state = _renamed(_weights_in(foreign.weights), str(foreign.weights))
    found, state = _labelled(foreign, state)
    rows = _rows_of(state, foreign)
    grown = rows - 1 if rows == config.vocab_size + 1 else None
    config.vocab_size = rows
    built = from_config(foreign.encoder, config)
    network = Tagger(built.module, built.width, len(found.vocabulary), 0.0)
    fill(network, _known(state, network), str(foreign.weights))
    encoding, notes = _encoding(foreign, grown, positions_of(config))
    return network, encoding, found, notes


def _weights_in(path: Path) -> Mapping[str, Tensor]:
    """Return the tensors of a file by name; a pickle may hold nothing else.

    Raises:
        GecbenchError: It cannot be read.
    """
    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; name a checkpoint with its weights")
    if path.suffix != ".safetensors":
        return read_pickled(path)
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise GecbenchError(f"{path}: weights cannot be read: {first}") from error


_PREFIXES = (
    ("text_field_embedder.token_embedder_bert.bert_model.", "encoder.model."),
    ("text_field_embedder.token_embedder_bert.transformer_model.", "encoder.model."),
    ("tag_labels_projection_layer._module.", "labels."),
    ("tag_detect_projection_layer._module.", "detection."),
    ("label_proj_layer.", "labels."),
    ("d_proj_layer.", "detection."),
    ("bert.", "encoder.model."),
)
"""How names begin: grammarly, MuCGEC (AllenNLP 1.3), both; then gotutiyan."""


def _renamed(weights: Mapping[str, Tensor], place: str) -> dict[str, Tensor]:
    """Return weights by our names.

    Raises:
        GecbenchError: Some begin as none of a tagger do, or a head is missing.
    """
    found = {}
    for name, tensor in weights.items():
        for theirs, ours in _PREFIXES:
            if name.startswith(theirs):
                # TensorFlow's names of layer norms, in checkpoints from before 2019.
                rest = name[len(theirs) :].replace(".gamma", ".weight").replace(".beta", ".bias")
                found[ours + rest] = tensor.float() if tensor.is_floating_point() else tensor
                break
        else:
            raise GecbenchError(f"{place}: {name} is of no tagger that is known here")
    if missing := [name for name in _HEADS if name not in found]:
        raise GecbenchError(f"{place}: {missing[0]} is missing; this is no whole tagger")
    return found


def _labelled(foreign: Foreign, state: Mapping[str, Tensor]) -> tuple[Released, dict[str, Tensor]]:
    """Return the labels, and the weights with the rows of these alone.

    Padding is no label; of the classes of detection two are ever right.

    Raises:
        FormatError: These labels are not those of the weights.
    """
    rows = len(state["labels.bias"])
    if rows != len(foreign.labels):
        raise FormatError(
            f"{foreign.weights}: has {rows} rows for labels, {foreign.said} says "
            f"{len(foreign.labels)}; these labels are not those of the weights"
        )
    classes = len(state["detection.bias"])
    if max(foreign.detection) >= classes:
        raise FormatError(
            f"{foreign.weights}: detection has {classes} rows, row {max(foreign.detection)} is "
            "needed; this is no tagger as it should be"
        )
    found = released(foreign.labels, str(foreign.said))
    changed = dict(state)
    for part in ("weight", "bias"):
        labels, detection = state[f"labels.{part}"], state[f"detection.{part}"]
        nothing = torch.zeros_like(labels[0])
        changed[f"labels.{part}"] = torch.stack(
            [nothing if row is None else labels[row] for row in found.rows]
        )
        changed[f"detection.{part}"] = detection[list(foreign.detection)]
    return found, changed


def _known(state: Mapping[str, Tensor], network: Tagger) -> dict[str, Tensor]:
    """Leave out poolers and buffers, which no prediction reads."""
    wanted = network.state_dict()
    return {
        name: tensor
        for name, tensor in state.items()
        if name in wanted
        or not (".pooler." in name or name.endswith(("position_ids", "token_type_ids")))
    }


_EMBEDDINGS = (
    "embeddings.word_embeddings.weight",
    "word_embedding.weight",
    "embeddings.tok_embeddings.weight",
)


def _rows_of(state: Mapping[str, Tensor], foreign: Foreign) -> int:
    """Return how many rows the embedding has.

    Raises:
        GecbenchError: No weight has the name of one.
    """
    for end in _EMBEDDINGS:
        if (found := state.get(f"encoder.model.{end}")) is not None:
            return len(found)
    raise GecbenchError(f"{foreign.weights}: has no embedding of words under a known name")


def _encoding(
    foreign: Foreign, grown: int | None, positions: int
) -> tuple[Encoding, tuple[str, ...]]:
    """Return how the checkpoint reads, and what is to be said of it.

    Args:
        foreign: The checkpoint.
        grown: The row by which its embedding is longer than its encoder's; None where it is not.
        positions: That its encoder reads.
    """
    tokenizer = tokenizer_of(foreign.tokenizer)
    added = tokenizer.convert_tokens_to_ids(START)
    unknown, pad = tokenizer.unk_token_id, tokenizer.pad_token_id
    if not isinstance(unknown, int) or not isinstance(pad, int):
        raise GecbenchError(f"{foreign.tokenizer}: has no token for padding or the unknown")
    subwords = subwords_of(foreign.tokenizer, tokenizer)
    if isinstance(added, int) and added != unknown:
        start = added
    else:
        # The official code appends a row for $START ("special tokens fix"), or reads it as unknown.
        start = unknown if grown is None else grown
    how = "the unknown token" if start == unknown else f"row {start} of the embedding"
    before, after = subwords.around() if foreign.has_specials else ((), ())
    layout = Layout(
        pieces="tokenizer",
        pad=pad,
        unknown=unknown,
        start=start,
        before=before,
        after=after,
        max_tokens=foreign.max_tokens,
        max_positions=min(positions, foreign.max_positions or positions),
        pieces_per_token=foreign.pieces_per_token or _PIECES_PER_TOKEN,
    )
    return Encoding(layout, subwords), (f"$START is {how}",)
