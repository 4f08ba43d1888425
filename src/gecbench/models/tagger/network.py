"""The network of the tagger: an encoder, and two heads on the first piece of each token."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import msgspec
import torch
from torch import Tensor, nn

from gecbench.backends.transformers import (
    load_config,
    load_model,
    load_tokenizer,
    without_pooler,
)
from gecbench.core.errors import FormatError, GecbenchError, reason
from gecbench.core.files import make_folder, write_bytes
from gecbench.formats.texts import error_place
from gecbench.formats.validation import convert, value_of
from gecbench.models.folder import Card, read_card
from gecbench.models.tagger.corrector import (
    LABELS,
    Biases,
    Predictions,
    SentencePositions,
    count_tokens_read,
    read_labels,
    stack_inputs,
)
from gecbench.models.tagger.encoding import EncodingLayout, Subwords, TaggerEncoding, read_encoding
from gecbench.models.tags.labels import LabelVocabulary, write_label_vocabulary
from gecbench.models.training.config import Below1, Positive
from gecbench.models.training.task import IGNORED
from gecbench.models.weights import (
    WEIGHTS,
    evaluation_mode,
    fill_network,
    load_weights,
    save_network,
    target_loss,
)

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel


INCORRECT = 1
"""The class of detection that says so; 0 is correct."""


class Logits(NamedTuple):
    """The outputs of both heads for tokens, $START first.

    Args:
        labels: (sentences, tokens, labels).
        detection: (sentences, tokens, 2): correct, incorrect.
    """

    labels: Tensor
    detection: Tensor


class Tagger(nn.Module):
    """An encoder with a head for labels and one for detection (GECToR, section 3).

    Only what stands at a token's first piece goes through the heads; the others are read, but
    say nothing.
    """

    def __init__(self, encoder: nn.Module, width: int, labels: int, dropout: float) -> None:
        """Build heads with random weights.

        Args:
            encoder: Takes ids and mask, returns states (sentences, positions, width).
            width: Of its states.
            labels: How many there are.
            dropout: Before the head for labels, in [0, 1).
        """
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.labels = nn.Linear(width, labels)
        self.detection = nn.Linear(width, 2)
        for head in (self.labels, self.detection):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, ids: Tensor, mask: Tensor, firsts: Tensor) -> Logits:
        """Compute logits.

        Args:
            ids: (sentences, positions).
            mask: The same shape; 1 where a position is no padding, else 0.
            firsts: (sentences, tokens); the position of each token's first piece, 0 in padding.
        """
        states = self.encoder(ids, mask)
        positions = firsts.unsqueeze(-1).expand(-1, -1, states.shape[-1])
        tokens = states.gather(1, positions)
        return Logits(self.labels(self.dropout(tokens)), self.detection(tokens))


class TransformersEncoder(nn.Module):
    """An encoder of transformers."""

    def __init__(self, model: nn.Module) -> None:
        """Wrap a model."""
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Compute the states of the last layer."""
        states: Tensor = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        return states


def probabilities(logits: Logits, unknown: int) -> tuple[Tensor, Tensor]:
    """Compute the probabilities of labels, and that of an error, of each token; 32 bits.

    Args:
        logits: Of the heads.
        unknown: The label that stands for those outside the vocabulary. It is learned, so that
            a rare error is no correct token, and never predicted: its probability is 0.
    """
    labels = logits.labels.float()
    never = torch.arange(labels.shape[-1], device=labels.device) == unknown
    masked = labels.masked_fill(never, float("-inf"))
    return masked.softmax(-1), logits.detection.float().softmax(-1)[..., INCORRECT]


def decide_labels(
    distribution: Tensor, keep: int, delete: int, keep_bias: Tensor, delete_bias: Tensor
) -> tuple[Tensor, Tensor]:
    """Choose the label of each token, with its probability, the bias added.

    The bias is added to the probability, not to the logit (grammarly/gector: additional
    confidence).

    Args:
        distribution: (sentences, tokens, labels).
        keep: The label that keeps.
        delete: The label that deletes; -1 where the vocabulary has none.
        keep_bias: A scalar.
        delete_bias: A scalar.
    """
    positions = torch.arange(distribution.shape[-1], device=distribution.device)
    bias = (positions == keep) * keep_bias + (positions == delete) * delete_bias
    values, labels = (distribution + bias).max(-1)
    return labels, values


# A small convolutional encoder of our own: learns in minutes on a CPU, needs torch alone.


class ConvolutionTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sizes of our own encoder; with `encoder = "convolution"` only.

    Args:
        pieces: Characters, tokens and endings that it knows, at most; all characters of the
            training pairs count and stay.
        width: Of each position.
        kernel: Positions that a convolution sees; odd.
        dilations: How far apart they are, one number a layer.
        dropout: After each layer, while it learns.
    """

    pieces: Positive = 8000
    width: Positive = 192
    kernel: Positive = 3
    dilations: tuple[Positive, ...] = (1, 2, 4, 1)
    dropout: Below1 = 0.1

    def __post_init__(self) -> None:
        """Refuse a kernel that has no middle."""
        if self.kernel % 2 == 0:
            raise ValueError(f"kernel {self.kernel} is even, so it has no middle; make it odd")


class ConvolutionShape(ConvolutionTable, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What its weights look like; `pieces` are the rows of the embedding.

    Args:
        pad: The row that fills batches.
        unknown: The row of what was never seen: starts at zero, so that it says nothing.
    """

    pad: int
    unknown: int


class Convolution(nn.Module):
    """Embeds pieces, then looks at their neighbours, farther with every layer."""

    def __init__(self, shape: ConvolutionShape) -> None:
        """Build it with random weights."""
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.pieces, shape.width, padding_idx=shape.pad)
        nn.init.normal_(self.embedding.weight, std=0.3)
        with torch.no_grad():
            self.embedding.weight[[shape.pad, shape.unknown]] = 0
        self.layers = nn.ModuleList(
            _Layer(shape.width, shape.kernel, dilation, shape.dropout)
            for dilation in shape.dilations
        )
        self.norm = nn.LayerNorm(shape.width)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Compute the states of positions: (sentences, positions, width)."""
        present = mask.unsqueeze(-1).to(self.embedding.weight.dtype)
        states: Tensor = self.embedding(ids)
        for layer in self.layers:
            states = layer(states, present)
        normed: Tensor = self.norm(states)
        return normed


class _Layer(nn.Module):
    """A residual dilated convolution."""

    def __init__(self, width: int, kernel: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        reach = dilation * (kernel // 2)
        self.wide = nn.Conv1d(width, width, kernel, padding=reach, dilation=dilation)
        self.narrow = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, present: Tensor) -> Tensor:
        # Padding is zero again before every convolution: a sentence sees itself only.
        seen = (self.norm(states) * present).transpose(1, 2)
        learned = nn.functional.gelu(self.wide(seen).transpose(1, 2))
        result: Tensor = states + self.dropout(self.narrow(learned))
        return result


# Encoders: any of transformers by name or path, or our own convolution.


_ENCODER = "encoder"
_UNBOUND = 1 << 20
"""Positions of an encoder with relative ones: nothing but memory bounds them."""


class Encoder(NamedTuple):
    """An encoder.

    Args:
        module: Takes ids and mask, returns states.
        width: Of its states.
        rows: Of its embedding: ids are smaller.
        settings: What a card says of it.
    """

    module: nn.Module
    width: int
    rows: int
    settings: Mapping[str, object]


def read_encoder(folder: Path, settings: Mapping[str, object]) -> Encoder:
    """Build the encoder of the model in a folder, with random weights.

    Args:
        folder: Of the model.
        settings: Of its card.

    Raises:
        FormatError: The folder does not say what its encoder is.
        GecbenchError: The installed transformers does not know it.
    """
    if "convolution" in settings:
        where = f"{folder}: convolution of its card"
        return convolution_encoder(convert(where, settings["convolution"], ConvolutionShape))
    place = str(folder / _ENCODER)
    return random_encoder(place, load_config(place))


def convolution_encoder(shape: ConvolutionShape) -> Encoder:
    """Build our own encoder with random weights."""
    settings = {"encoder": "convolution", "convolution": msgspec.to_builtins(shape)}
    return Encoder(Convolution(shape), shape.width, shape.pieces, settings)


def random_encoder(place: str, config: PreTrainedConfig) -> Encoder:
    """Build an encoder with random weights: nothing is loaded, here or from the hub.

    Raises:
        GecbenchError: The installed transformers cannot build it.
    """
    from transformers import AutoModel

    try:
        model: PreTrainedModel = AutoModel.from_config(
            config, trust_remote_code=False, **without_pooler(config)
        )
    except (ValueError, TypeError, KeyError, RuntimeError) as error:
        raise GecbenchError(f"{place}: the encoder cannot be built: {reason(error)}") from error
    return _wrap(model)


def _wrap(model: PreTrainedModel) -> Encoder:
    # A checkpoint in 16 bits is trained and exported in 32 all the same.
    module: Any = cast("nn.Module", model).float()
    rows = module.get_input_embeddings().num_embeddings
    settings = {"encoder": module.config.model_type}
    return Encoder(TransformersEncoder(module), int(module.config.hidden_size), rows, settings)


def load_pretrained(
    place: str, *, adds_start: bool, max_tokens: int, pieces_per_token: int
) -> tuple[Encoder, TaggerEncoding]:
    """Load an encoder of transformers with its weights, and how it reads.

    Args:
        place: A folder, or a name on the hub.
        adds_start: Whether the embedding grows by a row for $START; else it is the unknown token.
        max_tokens: As `EncodingLayout`.
        pieces_per_token: As `EncodingLayout`.

    Raises:
        GecbenchError: There is none; it is no encoder; tokenizer and embedding do not fit.
    """
    from transformers import AutoModel

    config = load_config(place)
    _check_encoder(place, config)
    model = load_model(place, AutoModel, **without_pooler(config))
    embedding: Any = model.get_input_embeddings()
    if not hasattr(embedding, "num_embeddings"):
        raise GecbenchError(f"{place}: {config.model_type} reads no words; name an encoder of text")
    tokenizer, rows = EncoderTokenizer(place), embedding.num_embeddings
    if tokenizer.subwords.size > rows:
        raise GecbenchError(
            f"{place}: its tokenizer has {tokenizer.subwords.size} tokens and its embedding {rows} "
            "rows; they are not of the same model"
        )
    encoding = tokenizer.encoding(
        rows if adds_start else tokenizer.unknown,
        max_tokens=max_tokens,
        max_positions=count_positions(model.config),
        pieces_per_token=pieces_per_token,
    )
    if adds_start:
        model.resize_token_embeddings(rows + 1, mean_resizing=False)
    return _wrap(model), encoding


class EncoderTokenizer:
    """The tokenizer of an encoder of transformers, as subwords, with its special ids.

    Raises:
        GecbenchError: It cannot be written down, or lacks a special token.
    """

    def __init__(self, place: str) -> None:
        tokenizer: Any = load_tokenizer(place)
        self.ids = tokenizer.convert_tokens_to_ids
        try:
            self.subwords = Subwords(tokenizer.backend_tokenizer.to_str())
        except ValueError as error:
            raise GecbenchError(f"{place}: its tokenizer cannot be read: {error}") from error
        self.unknown, self.pad = tokenizer.unk_token_id, tokenizer.pad_token_id
        if not isinstance(self.unknown, int) or not isinstance(self.pad, int):
            raise GecbenchError(f"{place}: its tokenizer has no token for padding or the unknown")

    def encoding(self, start: int, *, has_specials: bool = True, **limits: int) -> TaggerEncoding:
        """Build the encoding of an encoder.

        Args:
            start: Id of $START.
            has_specials: Whether the encoder reads what the tokenizer puts around a sentence.
            limits: max_tokens, max_positions and pieces_per_token of `EncodingLayout`.
        """
        before, after = self.subwords.around() if has_specials else ((), ())
        layout = EncodingLayout(
            pieces="tokenizer",
            pad=self.pad,
            unknown=self.unknown,
            start=start,
            before=before,
            after=after,
            **limits,
        )
        return TaggerEncoding(layout, self.subwords)


def count_positions(config: PreTrainedConfig) -> int:
    """Count how many positions an encoder reads, at most."""
    most = getattr(config, "max_position_embeddings", None)
    if not isinstance(most, int) or most <= 0:
        return _UNBOUND
    # RoBERTa and its kin number positions from behind the id of padding.
    return most - (config.pad_token_id + 1 if config.model_type in _BEHIND_PADDING else 0)


_BEHIND_PADDING = (
    *("camembert", "data2vec-text", "ibert", "lilt", "longformer", "luke", "markuplm", "mpnet"),
    *("roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod"),
)


def _check_encoder(place: str, config: PreTrainedConfig) -> None:
    """Refuse what writes, and what reads from left to right only."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    kind = config.model_type
    one_way = (
        kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
        and kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES
        and kind != "xlnet"  # the order in which it reads is a matter of its mask
    )
    if one_way or getattr(config, "is_encoder_decoder", False):
        raise GecbenchError(f"{place}: {kind} writes sentences; a tagger needs an encoder, as BERT")


# What the tagger is to minimise: wrong labels and wrong detection.


Reduction = Literal["token", "sentence"]


def tagging_loss(
    logits: Logits, labels: Tensor, *, keep: int, smoothing: float, reduction: Reduction
) -> Tensor:
    """Compute the cross-entropy of labels plus that of detection, summed over a batch.

    Args:
        logits: Of the heads.
        labels: (sentences, tokens); `IGNORED` where there is no token.
        keep: The label of a correct token; every other is an error.
        smoothing: Share of the target that is spread over all labels; detection has none.
        reduction: "token" sums over tokens. "sentence" sums the means of sentences, so that each
            sentence weighs the same (AllenNLP, hence the official code).
    """
    read = labels != IGNORED
    errors = ((labels != keep) & read).long().masked_fill(~read, IGNORED)
    by_label = target_loss(logits.labels, labels, smoothing=smoothing, reduction="none")
    by_detection = target_loss(logits.detection, errors, reduction="none")
    per_token = (by_label + by_detection).view_as(labels)
    if reduction == "token":
        return per_token.sum()
    return (per_token.sum(-1) / read.sum(-1).clamp(min=1)).sum()


def loss_weight(labels: Tensor, reduction: Reduction) -> float:
    """Count what the summed loss is to be divided by: tokens or sentences."""
    read = labels != IGNORED
    return float(read.sum() if reduction == "token" else read.any(-1).sum())


# A tagger as a whole: network, labels and encoding; its folder is written and read here.


@dataclass(frozen=True, slots=True)
class TaggerModel:
    """All that a tagger consists of.

    Args:
        card: Name, language, tokens and encoder; how it is described, and how it corrects.
        vocabulary: Its labels.
        encoding: How it reads.
        network: Its weights.
    """

    card: Card
    vocabulary: LabelVocabulary
    encoding: TaggerEncoding
    network: Tagger

    @property
    def language(self) -> str:
        """Code of the language that it corrects."""
        return self.card.languages[0]


def build_tagger(
    encoder: Encoder,
    encoding: TaggerEncoding,
    vocabulary: LabelVocabulary,
    *,
    name: str,
    language: str,
    tokens: str,
    about: str,
) -> TaggerModel:
    """Put random heads on an encoder.

    Args:
        encoder: With or without its weights.
        encoding: How it reads.
        vocabulary: The labels.
        name: As tables show it.
        language: Code of the language that it is to correct.
        tokens: The kind of tokens that labels are given to.
        about: One line for people.
    """
    settings = {"name": name, "labels": vocabulary.hash, "dropout": 0.0, **encoder.settings}
    card = Card(kind="tagger", languages=(language,), tokens=tokens, settings=settings, about=about)
    network = Tagger(encoder.module, encoder.width, len(vocabulary), 0.0)
    return TaggerModel(card, vocabulary, encoding, network)


def save_tagger(model: TaggerModel, folder: Path, provenance: Mapping[str, object]) -> None:
    """Write a tagger into an empty folder."""
    write_label_vocabulary(folder / LABELS, model.vocabulary)
    model.encoding.save(folder)
    save_encoder_config(model.network.encoder, folder)
    save_network(model.network, folder, msgspec.structs.replace(model.card, provenance=provenance))


def save_encoder_config(encoder: nn.Module, folder: Path) -> None:
    """Write what `read_encoder` builds an encoder of transformers from; our own is on the card."""
    if not isinstance(encoder, TransformersEncoder):
        return
    config = cast("PreTrainedModel", encoder.model).config.to_dict()
    config.pop("_name_or_path", None)  # a place on this machine says nothing elsewhere
    make_folder(folder / _ENCODER)
    text = json.dumps(config, indent=2, sort_keys=True, default=str)
    write_bytes(folder / _ENCODER / "config.json", f"{text}\n".encode())


def read_tagger(folder: Path, *, with_weights: bool = True) -> TaggerModel:
    """Read the tagger that a folder holds, on the CPU, in 32 bits.

    Args:
        folder: That `save_tagger` wrote.
        with_weights: Else they are random: a run that is resumed loads its own.

    Raises:
        FormatError: A file is damaged, or files do not belong together.
        GecbenchError: A file is missing.
    """
    card = read_card(folder, "tagger")
    if card.runtime != "torch":
        raise GecbenchError(
            f"{folder}: holds a tagger for {card.runtime}; name the folder for torch"
        )
    if len(card.languages) != 1 or not card.tokens:
        raise FormatError(f"{folder}: its card does not say which language and tokens it reads")
    vocabulary = read_labels(folder, card, "copy the model's folder again, whole")
    encoding = read_encoding(folder)
    encoder = read_encoder(folder, card.settings)
    check_ids(folder, encoding, encoder.rows)
    with error_place(f"{folder}: its card"):
        dropout = value_of({"dropout": 0.0, **card.settings}, "dropout", float)
    network = Tagger(encoder.module, encoder.width, len(vocabulary), dropout)
    if with_weights:
        weights = load_weights(folder / WEIGHTS)
        head = weights.get("labels.weight")
        if head is not None and len(head) != len(vocabulary):
            raise FormatError(
                f"{folder / WEIGHTS}: has weights for {len(head)} labels, but the vocabulary has "
                f"{len(vocabulary)}; they are not of the same model"
            )
        fill_network(network, weights, folder / WEIGHTS)
    return TaggerModel(card, vocabulary, encoding, network)


def check_ids(folder: Path, encoding: TaggerEncoding, rows: int) -> None:
    """Refuse an encoding whose ids the embedding does not have.

    Raises:
        FormatError: Says both sizes.
    """
    layout = encoding.layout
    specials = (layout.pad, layout.unknown, layout.start, *layout.before, *layout.after)
    highest = max(encoding.pieces.size - 1, *specials)
    if highest >= rows:
        raise FormatError(
            f"{folder}: its pieces have ids up to {highest}, its embedding has {rows} rows; "
            "files of different models were mixed"
        )


# Taggers run by PyTorch: one, or several whose probabilities are averaged.


class TorchRuntime:
    """Runs networks where they are: on the CPU, a GPU, or in the middle of their training.

    Args:
        models: At least one, all with the same labels.
        weights: Of their probabilities, which need not sum to one; () weighs them equally.
    """

    batch_size = 32

    def __init__(self, models: Sequence[TaggerModel], weights: Sequence[float] = ()) -> None:
        self._models = tuple(models)
        weights = weights or (1.0,) * len(models)
        self._shares = [weight / sum(weights) for weight in weights]
        self._vocabulary = models[0].vocabulary

    @property
    def signature(self) -> dict[str, str]:
        """Version, device and precision."""
        first = next(self._models[0].network.parameters())
        return {
            "runtime": f"torch {torch.__version__}",
            "device": first.device.type,
            "precision": str(first.dtype).removeprefix("torch."),
        }

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[SentencePositions]:
        """Encode sentences for each model."""
        columns = [model.encoding.positions(sentences) for model in self._models]
        return list(zip(*columns, strict=True)) if sentences else []

    def predict(
        self, batches: Iterable[Sequence[SentencePositions]], biases: Biases
    ) -> Iterator[Predictions]:
        """Yield the predictions of the models together."""
        with evaluation_mode(*(model.network for model in self._models)):
            for batch in batches:
                yield self._predict(batch, biases)

    @torch.inference_mode()
    def _predict(self, batch: Sequence[SentencePositions], biases: Biases) -> Predictions:
        """Average probabilities by the weights, over the tokens that all models read."""
        read = max(map(count_tokens_read, batch))
        sums: list[Tensor] = []
        for k, (model, share) in enumerate(zip(self._models, self._shares, strict=True)):
            device = next(model.network.parameters()).device
            arrays = stack_inputs([encoded[k] for encoded in batch], model.encoding.layout.pad)
            inputs = (torch.from_numpy(array).to(device) for array in arrays)
            shares = [
                share * values[:, :read]
                for values in probabilities(model.network(*inputs), self._vocabulary.unknown)
            ]
            if sums:
                shares = [a + b.to(a.device) for a, b in zip(sums, shares, strict=True)]
            sums = shares
        labels, errors = sums
        keep_bias, delete_bias = (torch.tensor(bias, device=labels.device) for bias in biases)
        keep, delete = self._vocabulary.keep, self._vocabulary.delete
        best, values = decide_labels(labels, keep, delete, keep_bias, delete_bias)
        return Predictions(*(tensor.cpu().numpy() for tensor in (best, values, errors)))

    def close(self) -> None:
        """Drop the networks."""
        self._models = ()
