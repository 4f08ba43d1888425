"""Exporting a tagger to ONNX, and measuring how far its answers agree with those of torch."""

from __future__ import annotations

import dataclasses
import logging
import re
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from gecbench.backends.runtimes import need_onnxruntime, version_of_onnxruntime
from gecbench.core.errors import GecbenchError, MissingExtraError, UnknownNameError, UsageError
from gecbench.models.agreement import Agreement
from gecbench.models.folder import Card, fingerprint, read_card, whole_folder, write_card
from gecbench.models.tagger.encoding import Encoding
from gecbench.models.tagger.model import TaggerModel, read_model
from gecbench.models.tagger.network import Tagger, decided, distributions
from gecbench.models.tagger.onnx_runtime import INPUTS, MODEL, OUTPUTS, OnnxRuntime
from gecbench.models.tagger.runtime import LABELS, Biases, Floats, Judged, Runtime, read_of
from gecbench.models.tagger.torch_runtime import Ids, Member, TorchRuntime
from gecbench.models.tags.vocabulary import write_vocabulary
from gecbench.text.tokens import token_texts, tokens_of

_RUNTIMES = ("onnx",)
_LARGEST = (1 << 31) - (1 << 24)
"""Bytes of weights: a file is one message of protobuf, which beside them holds the graph."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_QUANTISED = ("MatMul", "Gemm", "Gather")
"""Convolutions stay in 32 bits: in 8 they are slower here, and worse."""


@dataclass(frozen=True, slots=True)
class LabelAgreement(Agreement):
    """How far an exported tagger says what its original says, in one round.

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
        """Return a line for people."""
        edited = "" if self.edited is None else f", {self.edited:.1%} of those that are changed"
        return f"{Agreement.__str__(self)}; {self.labels:.1%} of {self.tokens} tokens{edited}"


def export_model(
    folder: Path, out: Path, *, runtime: str, quantise: bool, sample_texts: Sequence[str]
) -> LabelAgreement:
    """Write a tagger for another runtime, and return how far both agree.

    Args:
        folder: Of a tagger that torch runs.
        out: A folder that does not exist yet.
        runtime: onnx.
        quantise: Whether weights of matrices become 8 bits, and activations with them as they
            come (dynamic quantisation).
        sample_texts: What the two are compared on; at least one with a token.

    Raises:
        GecbenchError: The folder holds no such tagger, or the export fails.
        UsageError: There is no such runtime, or there are no texts.
        MissingExtraError: What exports is not installed.
    """
    if runtime not in _RUNTIMES:
        raise UnknownNameError("runtime for taggers", runtime, _RUNTIMES)
    need_onnxruntime()
    for module in ("onnx", "onnxscript"):
        if find_spec(module) is None:
            raise MissingExtraError(module, "onnx")
    model = read_model(folder)
    texts = [text for text in sample_texts if tokens_of(text, model.tokens)]
    if not texts:
        raise UsageError("export: no text with a token to compare on; give some that are corrected")
    card = read_card(folder)
    with whole_folder(out) as made:
        _write_graph(model, made / MODEL, quantise=quantise)
        write_vocabulary(made / LABELS, model.vocabulary)
        model.encoding.save(made)
        agreement = _agreement(model, made / MODEL, texts, quantise=quantise)
        write_card(made, _card(card, fingerprint(folder), agreement))
    return agreement


def _card(card: Card, original: str, agreement: LabelAgreement) -> Card:
    """Return the card of an exported model: that of the original, and what was measured."""
    export = {
        "of": original,
        "by": f"torch {torch.__version__}, onnxruntime {version_of_onnxruntime()}",
        "agreement": dataclasses.asdict(agreement),
    }
    settings = {**card.settings, "precision": agreement.precision}
    made = {**card.made, "export": export}
    return msgspec.structs.replace(card, runtime="onnx", settings=settings, made=made)


class _Graph(nn.Module):
    """The network with its decisions, so that B x T numbers come out, not B x T x labels."""

    def __init__(self, network: Tagger, ids: Ids) -> None:
        super().__init__()
        self.network = network
        self.ids = ids

    def forward(
        self, ids: Tensor, mask: Tensor, firsts: Tensor, keep_bias: Tensor, delete_bias: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        probabilities, errors = distributions(self.network(ids, mask, firsts), self.ids.unknown)
        labels, values = decided(
            probabilities, self.ids.keep, self.ids.delete, keep_bias, delete_bias
        )
        return labels, values, errors


def _write_graph(model: TaggerModel, path: Path, *, quantise: bool) -> None:
    """Write the ONNX file of a tagger."""
    graph = _Graph(model.network.eval(), Ids.of(model.vocabulary)).eval()
    size = sum(each.numel() * each.element_size() for each in graph.parameters())
    if size > _LARGEST:
        raise GecbenchError(
            f"the network has {size / 2**30:.1f} GiB of weights, and a file of ONNX holds 2 at "
            "most; correct with the model itself, or train a smaller encoder"
        )
    if not quantise:
        _export(graph, model.encoding, path)
        return
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        whole = Path(scratch) / MODEL
        _export(graph, model.encoding, whole)
        with _quiet():
            quantize_dynamic(
                whole,
                path,
                weight_type=QuantType.QInt8,
                per_channel=True,
                op_types_to_quantize=list(_QUANTISED),
            )


def _export(graph: nn.Module, encoding: Encoding, path: Path) -> None:
    """Trace a graph for any number of sentences, positions and tokens."""
    sentences, positions, tokens = (
        torch.export.Dim(name) for name in ("sentences", "positions", "tokens")
    )
    # Three numbers that differ, so that no two dimensions are taken for one.
    ids = torch.full((2, 7), encoding.layout.unknown)
    example = (
        ids,
        torch.ones_like(ids),
        torch.arange(1, 6).repeat(2, 1),
        torch.tensor(0.0),
        torch.tensor(0.0),
    )
    shapes = ({0: sentences, 1: positions}, {0: sentences, 1: positions}, {0: sentences, 1: tokens})
    try:
        with _quiet():
            torch.onnx.export(
                graph,
                example,
                path,
                input_names=list(INPUTS),
                output_names=list(OUTPUTS),
                dynamic_shapes=(*shapes, None, None),
                dynamo=True,
                external_data=False,
                verbose=False,
            )
    except (RuntimeError, ValueError, TypeError) as error:  # torch.onnx's own are RuntimeErrors
        first = _COLOUR.sub("", str(error).strip().splitlines()[0])
        raise GecbenchError(f"the network cannot be exported to ONNX: {first}") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Hold back what exporters tell those who write exporters."""
    names = ("torch.onnx", "onnxscript", "onnx_ir", "root")
    levels = {name: logging.getLogger(name).level for name in names}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in names:
                logging.getLogger(name).setLevel(logging.ERROR)
            yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _agreement(
    model: TaggerModel, path: Path, texts: Sequence[str], *, quantise: bool
) -> LabelAgreement:
    """Compare an exported graph with its network, text by text."""
    original = TorchRuntime([Member(model.encoding, model.network)], Ids.of(model.vocabulary))
    other = OnnxRuntime(path, model.encoding, threads=0, each_alone=quantise)
    sentences = [token_texts(text, model.tokens) for text in texts]
    try:
        left, right = _said(original, sentences), _said(other, sentences)
    finally:
        other.close()
    same = np.concatenate([a.labels == b.labels for a, b in zip(left, right, strict=True)])
    changed = np.concatenate([a.labels for a in left]) != model.vocabulary.keep
    values = _differences(left, right, "probabilities")[same]
    return LabelAgreement(
        texts=len(texts),
        equal=sum(bool((a.labels == b.labels).all()) for a, b in zip(left, right, strict=True)),
        what="texts with all their labels",
        largest_difference=float(values.max(initial=0.0)),
        precision="int8" if quantise else "fp32",
        tokens=len(same),
        labels=float(same.mean()),
        edited=float(same[changed].mean()) if changed.any() else None,
        largest_error_difference=float(_differences(left, right, "errors").max(initial=0.0)),
        size=path.stat().st_size,
    )


def _differences(left: Sequence[Judged], right: Sequence[Judged], field: str) -> Floats:
    """Return by how much two runtimes differ at each token, in one of their answers."""
    pairs = zip(left, right, strict=True)
    return np.concatenate([np.abs(getattr(a, field) - getattr(b, field)) for a, b in pairs])


def _said(runtime: Runtime, sentences: Sequence[Sequence[str]]) -> list[Judged]:
    """Return what a network says of each sentence's tokens, as far as it reads them."""
    encoded = runtime.encode(sentences)
    judged = runtime.judge([[each] for each in encoded], Biases())
    found = []
    for each, one in zip(encoded, judged, strict=True):
        read = read_of(each)
        found.append(
            Judged(one.labels[0, :read], one.probabilities[0, :read], one.errors[0, :read])
        )
    return found
