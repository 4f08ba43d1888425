"""Taggers of other toolkits converted to ours, and ours exported to ONNX.

Read are the Hugging Face layout of gotutiyan/gector, and the state dicts (`.th`) of
grammarly/gector and of MuCGEC, which AllenNLP wrote; their pickles hold weights and no code.
"""

from __future__ import annotations

import dataclasses
import logging
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from gecbench.backends import need
from gecbench.backends.transformers import load_config
from gecbench.core.errors import FormatError, GecbenchError, UsageError, reason
from gecbench.core.files import read_lines
from gecbench.lang import language_of, transforms_for
from gecbench.models.folder import atomic_folder, fingerprint, read_json, write_card
from gecbench.models.tagger.corrector import LABELS, Biases, Predictions, Runtime, count_tokens_read
from gecbench.models.tagger.encoding import TaggerEncoding
from gecbench.models.tagger.loading import INPUTS, ONNX, OUTPUTS, OnnxRuntime
from gecbench.models.tagger.network import (
    EncoderTokenizer,
    Tagger,
    TaggerModel,
    TorchRuntime,
    build_tagger,
    count_positions,
    decide_labels,
    probabilities,
    random_encoder,
    read_tagger,
    save_tagger,
)
from gecbench.models.tags.labels import (
    START,
    UNKNOWN,
    LabelVocabulary,
    clean_labels,
    unknown_labels,
    write_label_vocabulary,
)
from gecbench.models.text import Agreement
from gecbench.models.training.config import Count, Positive
from gecbench.models.weights import fill_network, load_weights, read_pickled
from gecbench.text.tokens import token_texts, tokens_of

_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_ALL_TOKENS = 1 << 16
_PIECES_PER_TOKEN = 5
_HEADS = ("labels.weight", "labels.bias", "detection.weight", "detection.bias")
_EMBEDDINGS = (
    "embeddings.word_embeddings.weight",
    "word_embedding.weight",
    "embeddings.tok_embeddings.weight",
)
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


class Checkpoint(NamedTuple):
    """A checkpoint of another toolkit, before its weights are read.

    Args:
        toolkit: Its name.
        weights: The file.
        labels: Of each row of the head, in their order.
        labels_file: The file that has them.
        detection: The rows of correct and incorrect.
        encoder: Whose configuration it has, a folder or a name on the hub.
        tokenizer: Where that is.
        has_specials: Whether it read [CLS] and [SEP].
        max_tokens: That it read.
        max_positions: The same in positions; None where it does not say.
        pieces_per_token: That it read.
    """

    toolkit: str
    weights: Path
    labels: tuple[str, ...]
    labels_file: Path
    detection: tuple[int, int]
    encoder: str
    tokenizer: str
    has_specials: bool = False
    max_tokens: int = _ALL_TOKENS
    max_positions: int | None = None
    pieces_per_token: int = _PIECES_PER_TOKEN


def convert_tagger(
    place: Path,
    out: Path,
    *,
    language: str,
    encoder: str = "",
    labels: Path | None = None,
    tokens: str = "",
) -> tuple[int, tuple[str, ...]]:
    """Write the tagger of another toolkit as a folder of ours.

    Args:
        place: A folder with config.json (gotutiyan/gector), or a file of weights.
        out: A folder that does not exist yet.
        language: Code of its language: no checkpoint says it.
        encoder: The model that it was trained from, a folder or a name on the hub; its
            configuration is read, and where the checkpoint has no tokenizer that too. "" takes
            what the checkpoint names.
        labels: The labels of a file of weights, one a line (labels.txt).
        tokens: What it reads, a name of `text.tokens`; "" is that of the language. The English
            ones were trained on text that spaCy had tokenised: "space" reads such.

    Returns:
        How many labels it knows, the unknown among them; what a user should know of how it was
        read.

    Raises:
        GecbenchError: The checkpoint cannot be read, or is none of a tagger.
        UsageError: Something must be named that was not.
        UnknownNameError: There is no such kind of token.
    """
    language, tokens = language_of(language).code, tokens or language_of(language).tokens
    tokens_of("", tokens)  # raises where there is no such kind
    checkpoint = _read_checkpoint(place, encoder, labels)
    config = load_config(checkpoint.encoder)
    state, vocabulary, notes = _read_weights(checkpoint)
    embedding = next(
        (t for end in _EMBEDDINGS if (t := state.get(f"encoder.model.{end}")) is not None), None
    )
    if embedding is None:
        raise GecbenchError(f"{checkpoint.weights}: has no embedding of words under a known name")
    rows = len(embedding)
    added_row = rows - 1 if rows == config.vocab_size + 1 else None
    config.vocab_size = rows
    encoding, start = _build_encoding(checkpoint, added_row, count_positions(config))
    model = build_tagger(
        random_encoder(checkpoint.encoder, config),
        encoding,
        vocabulary,
        name=place.stem,
        language=language,
        tokens=tokens,
        about=f"A tagger of {checkpoint.toolkit}, converted.",
    )
    parameters = model.network.state_dict()
    # Poolers and buffers are left out: no prediction reads them.
    tensors = {
        name: tensor
        for name, tensor in state.items()
        if name in parameters
        or not (".pooler." in name or name.endswith(("position_ids", "token_type_ids")))
    }
    fill_network(model.network, tensors, checkpoint.weights)
    with atomic_folder(out) as folder:
        provenance = {"from": place.name, "toolkit": checkpoint.toolkit}
        save_tagger(model, folder, {"converted": provenance})
    notes = (*notes, f"$START is {start}")
    if idle := unknown_labels(vocabulary, transforms_for(language)):
        notes += (f"{len(idle)} labels change nothing here: {', '.join(idle[:5])}",)
    return len(vocabulary), notes


def _read_checkpoint(place: Path, encoder: str, labels: Path | None) -> Checkpoint:
    """Find out what a checkpoint says of itself.

    Raises:
        GecbenchError: There is none, or it is in no known layout.
        UsageError: The encoder or the labels must be named.
    """
    if place.is_dir():
        if labels is not None:
            raise UsageError(f"{place}: its config.json holds the labels; leave out {labels}")
        return _read_gotutiyan(place, encoder)
    if not place.is_file():
        raise GecbenchError(f"{place}: no such file or folder; name a checkpoint")
    if labels is None:
        raise UsageError(f"{place}: holds weights alone; name its labels too (labels.txt)")
    if not encoder:
        raise UsageError(f"{place}: holds weights alone; name the encoder that it was trained from")
    # These read no [CLS] and [SEP], and their two classes of detection come first.
    return Checkpoint(
        toolkit="AllenNLP (grammarly/gector, MuCGEC)",
        weights=place,
        labels=tuple(line for line in read_lines(labels) if line),
        labels_file=labels,
        detection=(0, 1),
        encoder=encoder,
        tokenizer=encoder,
    )


class _Gotutiyan(msgspec.Struct):
    """What gotutiyan/gector (1.x) writes into its config.json; the rest is not read."""

    label2id: dict[str, Count]
    d_label2id: dict[str, Count]
    model_id: str | None = ""
    max_length: Positive = 128
    is_official_model: bool = False
    label_pad_token: str = "<PAD>"
    label_oov_token: str = "<OOV>"
    correct_label: str = "$CORRECT"
    incorrect_label: str = "$INCORRECT"


def _read_gotutiyan(folder: Path, encoder: str) -> Checkpoint:
    path = folder / "config.json"
    config = read_json(path, _Gotutiyan)
    weights = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if weights is None:
        raise GecbenchError(f"{folder}: has neither {' nor '.join(_WEIGHTS)}; download it whole")
    if not (base := encoder or config.model_id):
        raise UsageError(f"{path}: does not say which encoder it has; name that")
    ids, padding = config.label2id, config.label_pad_token
    ordered = sorted(ids, key=lambda label: ids[label])
    if [ids[label] for label in ordered] != list(range(len(ids))):
        raise FormatError(f"{path}: label2id does not number labels from 0 on without a gap")
    if not ordered or ordered.pop() != padding:  # it has no row
        raise FormatError(f"{path}: {padding} is not the last label, as it is in gotutiyan/gector")
    names = (config.correct_label, config.incorrect_label)
    if missing := [name for name in names if name not in config.d_label2id]:
        raise FormatError(f"{path}: d_label2id lacks {missing[0]}")
    has_tokenizer = (folder / "tokenizer_config.json").is_file()
    return Checkpoint(
        toolkit="gotutiyan/gector",
        weights=weights,
        labels=tuple(UNKNOWN if name == config.label_oov_token else name for name in ordered),
        labels_file=path,
        detection=(config.d_label2id[names[0]], config.d_label2id[names[1]]),
        encoder=base,
        tokenizer=str(folder) if has_tokenizer else base,
        has_specials=not config.is_official_model,
        max_tokens=config.max_length,
        max_positions=config.max_length,
        pieces_per_token=config.max_length,
    )


def _read_weights(
    checkpoint: Checkpoint,
) -> tuple[dict[str, Tensor], LabelVocabulary, tuple[str, ...]]:
    """Read the weights by our names, with the rows of our labels alone.

    Padding is no label; of the classes of detection two are ever right.

    Raises:
        FormatError: The labels are not those of the weights.
        GecbenchError: Some weights are of no tagger, or a head is missing.
    """
    path = checkpoint.weights
    weights = load_weights(path) if path.suffix == ".safetensors" else read_pickled(path)
    state = {}
    for name, tensor in weights.items():
        prefix = next((pair for pair in _PREFIXES if name.startswith(pair[0])), None)
        if prefix is None:
            raise GecbenchError(f"{path}: {name} is of no tagger that is known here")
        # TensorFlow's names of layer norms, in checkpoints from before 2019.
        rest = name[len(prefix[0]) :].replace(".gamma", ".weight").replace(".beta", ".bias")
        state[prefix[1] + rest] = tensor
    if missing := [name for name in _HEADS if name not in state]:
        raise GecbenchError(f"{path}: {missing[0]} is missing; this is no whole tagger")
    rows, classes = len(state["labels.bias"]), len(state["detection.bias"])
    if rows != len(checkpoint.labels):
        raise FormatError(
            f"{path}: has {rows} rows for labels, {checkpoint.labels_file} says "
            f"{len(checkpoint.labels)}; these labels are not those of the weights"
        )
    if max(checkpoint.detection) >= classes:
        raise FormatError(
            f"{path}: detection has {classes} rows, row {max(checkpoint.detection)} is "
            "needed; this is no tagger as it should be"
        )
    labels = clean_labels(checkpoint.labels, str(checkpoint.labels_file))
    for part in ("weight", "bias"):
        head = state[f"labels.{part}"]
        zeros = torch.zeros_like(head[0])
        state[f"labels.{part}"] = torch.stack(
            [zeros if row is None else head[row] for row in labels.rows]
        )
        state[f"detection.{part}"] = state[f"detection.{part}"][list(checkpoint.detection)]
    return state, labels.vocabulary, labels.notes


def _build_encoding(
    checkpoint: Checkpoint, added_row: int | None, positions: int
) -> tuple[TaggerEncoding, str]:
    """Build the encoding of a checkpoint, and say what $START is.

    Args:
        checkpoint: The checkpoint.
        added_row: By which its embedding is longer than its encoder's; None where it is not.
        positions: That its encoder reads.
    """
    tokenizer = EncoderTokenizer(checkpoint.tokenizer)
    start = tokenizer.ids(START)
    if not isinstance(start, int) or start == tokenizer.unknown:
        # The official code appends a row for $START ("special tokens fix"), or reads it as unknown.
        start = tokenizer.unknown if added_row is None else added_row
    encoding = tokenizer.encoding(
        start,
        has_specials=checkpoint.has_specials,
        max_tokens=checkpoint.max_tokens,
        max_positions=min(positions, checkpoint.max_positions or positions),
        pieces_per_token=checkpoint.pieces_per_token,
    )
    if start == tokenizer.unknown:
        return encoding, "the unknown token"
    return encoding, f"row {start} of the embedding"


# Exporting to ONNX, and measuring how far the answers agree with those of torch.


_LARGEST = (1 << 31) - (1 << 24)
"""Bytes of weights: a file is one message of protobuf, which beside them holds the graph."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_QUANTISED = ("MatMul", "Gemm", "Gather")
"""Convolutions stay in 32 bits: in 8 they are slower here, and worse."""


@dataclass(frozen=True, slots=True)
class LabelAgreement(Agreement):
    """How far an exported tagger gives the labels of its original, in one round.

    Args:
        precision: fp32 or int8.
        tokens: That were compared, $START included.
        labels: Share of tokens with the same label, in [0, 1].
        edited: Of the tokens that the original changes, the share with the same label; None
            where it changes nothing.
        largest_error_difference: Between the probabilities of an error.
        size: Of the exported model, in bytes.
    """

    precision: str
    tokens: int
    labels: float
    edited: float | None
    largest_error_difference: float
    size: int

    def __str__(self) -> str:
        """Write a line for people."""
        edited = "" if self.edited is None else f", {self.edited:.1%} of those that are changed"
        return f"{Agreement.__str__(self)}; {self.labels:.1%} of {self.tokens} tokens{edited}"


def export_tagger(
    folder: Path, out: Path, *, quantise: bool, sample_texts: Sequence[str]
) -> LabelAgreement:
    """Write a tagger for ONNX Runtime, and return how far both agree.

    Args:
        folder: Of a tagger that torch runs.
        out: A folder that does not exist yet.
        quantise: Whether weights of matrices become 8 bits, and activations with them as they
            come (dynamic quantisation).
        sample_texts: What the two are compared on; at least one with a token.

    Raises:
        GecbenchError: The folder holds no such tagger, or the export fails.
        UsageError: There are no texts.
        MissingExtraError: What exports is not installed.
    """
    need("onnx", "onnxruntime", "onnx", "onnxscript")
    model = read_tagger(folder)
    texts = [text for text in sample_texts if tokens_of(text, model.card.tokens)]
    if not texts:
        raise UsageError("export: no text with a token to compare on; give some that are corrected")
    with atomic_folder(out) as exported:
        _write_graph(model, exported / ONNX, quantise=quantise)
        write_label_vocabulary(exported / LABELS, model.vocabulary)
        model.encoding.save(exported)
        agreement = _measure_agreement(model, exported / ONNX, texts, quantise=quantise)
        export = {
            "of": fingerprint(folder),
            "by": f"torch {torch.__version__}, onnxruntime {version('onnxruntime')}",
            "agreement": dataclasses.asdict(agreement),
        }
        card = msgspec.structs.replace(
            model.card,
            runtime="onnx",
            settings={**model.card.settings, "precision": agreement.precision},
            provenance={**model.card.provenance, "export": export},
        )
        write_card(exported, card)
    return agreement


class _Graph(nn.Module):
    """The network with its decisions, so that B x T numbers come out, not B x T x labels."""

    def __init__(self, network: Tagger, vocabulary: LabelVocabulary) -> None:
        super().__init__()
        self.network = network
        self.vocabulary = vocabulary

    def forward(
        self, ids: Tensor, mask: Tensor, firsts: Tensor, keep_bias: Tensor, delete_bias: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        labels, errors = probabilities(self.network(ids, mask, firsts), self.vocabulary.unknown)
        keep, delete = self.vocabulary.keep, self.vocabulary.delete
        return *decide_labels(labels, keep, delete, keep_bias, delete_bias), errors


def _write_graph(model: TaggerModel, path: Path, *, quantise: bool) -> None:
    """Write the ONNX file of a tagger."""
    sentences, positions, tokens = map(torch.export.Dim, ("sentences", "positions", "tokens"))
    # Three numbers that differ, so that no two dimensions are taken for one.
    ids, firsts = torch.full((2, 7), model.encoding.layout.unknown), torch.arange(1, 6).repeat(2, 1)
    # Two tensors: of one that is given twice the graph would make one input.
    examples = (ids, torch.ones_like(ids), firsts, torch.tensor(0.0), torch.tensor(0.0))
    by_position = {0: sentences, 1: positions}
    shapes = (by_position, by_position, {0: sentences, 1: tokens}, None, None)
    graph = _Graph(model.network, model.vocabulary)
    write_onnx(graph, path, dict(zip(INPUTS, examples, strict=True)), shapes, OUTPUTS, quantise)


def write_onnx(
    graph: nn.Module,
    path: Path,
    inputs: Mapping[str, Tensor],
    shapes: Sequence[Mapping[int, Any] | None],
    outputs: Sequence[str],
    quantise: bool,
) -> None:
    """Write the ONNX file of a network.

    Args:
        graph: The network.
        path: The file.
        inputs: Its arguments in their order, with examples; no two dimensions as long.
        shapes: The dimensions of each that may be of any size, by number.
        outputs: Names of what it returns.
        quantise: Whether weights of matrices become 8 bits.

    Raises:
        GecbenchError: The network is too large, or cannot be exported.
    """
    graph = graph.eval()
    size = sum(tensor.numel() * tensor.element_size() for tensor in graph.parameters())
    if size > _LARGEST:
        raise GecbenchError(
            f"the network has {size / 2**30:.1f} GiB of weights, and a file of ONNX holds 2 at "
            "most; use the model itself, or train a smaller encoder"
        )
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch, _quiet():
        whole = Path(scratch) / ONNX if quantise else path
        try:
            torch.onnx.export(
                graph,
                tuple(inputs.values()),
                whole,
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_shapes=tuple(shapes),
                dynamo=True,
                external_data=False,
                verbose=False,
            )
        except (RuntimeError, ValueError, TypeError) as error:  # torch.onnx's are RuntimeErrors
            why = _COLOUR.sub("", reason(error))
            raise GecbenchError(f"the network cannot be exported to ONNX: {why}") from error
        if quantise:
            from onnxruntime.quantization import QuantType, quantize_dynamic

            quantize_dynamic(
                whole,
                path,
                weight_type=QuantType.QInt8,
                per_channel=True,
                op_types_to_quantize=list(_QUANTISED),
            )


@contextmanager
def _quiet() -> Iterator[None]:
    """Hold back what exporters tell those who write exporters."""
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)


def _measure_agreement(
    model: TaggerModel, path: Path, texts: Sequence[str], *, quantise: bool
) -> LabelAgreement:
    """Compare an exported graph with its network, text by text."""
    original = TorchRuntime([model])
    exported = OnnxRuntime(path, model.encoding, threads=0, alone=quantise)
    sentences = [token_texts(text, model.card.tokens) for text in texts]
    try:
        before, after = _predict_all(original, sentences), _predict_all(exported, sentences)
    finally:
        exported.close()
    equal = [a.labels == b.labels for a, b in zip(before, after, strict=True)]
    left, right = (Predictions(*map(np.concatenate, zip(*p, strict=True))) for p in (before, after))
    same = left.labels == right.labels
    changed = left.labels != model.vocabulary.keep
    differences = np.abs(left.probabilities - right.probabilities)[same]
    return LabelAgreement(
        texts=len(texts),
        equal=sum(bool(tokens.all()) for tokens in equal),
        what="texts with all their labels",
        largest_difference=float(differences.max(initial=0.0)),
        precision="int8" if quantise else "fp32",
        tokens=len(same),
        labels=float(same.mean()),
        edited=float(same[changed].mean()) if changed.any() else None,
        largest_error_difference=float(np.abs(left.errors - right.errors).max(initial=0.0)),
        size=path.stat().st_size,
    )


def _predict_all(runtime: Runtime, sentences: Sequence[Sequence[str]]) -> list[Predictions]:
    """Predict the labels of the tokens of each sentence, as far as the network reads them."""
    encoded = runtime.encode(sentences)
    predictions = runtime.predict([[sentence] for sentence in encoded], Biases())
    return [
        batch.sentence(0, count_tokens_read(sentence))
        for sentence, batch in zip(encoded, predictions, strict=True)
    ]
