"""Loading a tagger: by torch or ONNX Runtime, alone or several as one."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from gecbench import __version__
from gecbench.backends import need
from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.core.processes import cores
from gecbench.formats.validation import options_of
from gecbench.models import CARD, CorrectorKind
from gecbench.models.folder import Card, card_settings, fingerprint, read_card
from gecbench.models.tagger.corrector import (
    Biases,
    DecisionOptions,
    Predictions,
    Runtime,
    SentencePositions,
    TaggerCorrector,
    TaggerOptions,
    read_labels,
    stack_inputs,
)
from gecbench.models.tagger.encoding import TaggerEncoding, read_encoding
from gecbench.models.tags.labels import LabelVocabulary

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from gecbench.models.tagger.network import TaggerModel

_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_FILES = ("*.json", "*.safetensors", "*.onnx")


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the tagger in a folder, or several in folders with a plus between them.

    Raises:
        GecbenchError: A folder holds no tagger, or one that cannot be loaded.
        UsageError: An option is wrong, or the taggers do not fit together.
    """
    # A plus may be part of a folder's name.
    folders = [Path(place)] if Path(place).is_dir() else [_find(p) for p in place.split("+")]
    for folder in folders:
        if not (folder / CARD).is_file() and (folder / "config.json").is_file():
            raise GecbenchError(
                f"{folder}: holds a checkpoint of another toolkit; convert it first: "
                "gecbench model convert --tagger"
            )
    cards = [read_card(folder, "tagger") for folder in folders]
    first, *others = [card.defaults for card in cards]
    defaults = {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }
    inference = options_of("tagger", TaggerOptions, {**defaults, **options})
    if cards[0].runtime == "onnx":
        runtime, vocabulary = _load_onnx(folders, cards[0], options, inference)
    else:
        runtime, vocabulary = _load_torch(folders, inference)
    names = [field.name for field in msgspec.structs.fields(DecisionOptions)]
    signature = {
        "corrector": "tagger",
        "gecbench": __version__,
        "model": "+".join(fingerprint(folder) for folder in folders),
        **{name: str(getattr(inference, name)) for name in names},
        **({"weights": " ".join(map(str, inference.weights))} if inference.weights else {}),
        **runtime.signature,
    }
    info = CorrectorInfo(
        name="+".join(
            str(card.settings.get("name", folder.name))
            for card, folder in zip(cards, folders, strict=True)
        ),
        kind="tagger",
        languages=cards[0].languages,
        about=cards[0].about or "Labels each token with an edit, in several rounds.",
        signature=signature,
    )
    return TaggerCorrector(info, runtime, vocabulary, cards[0].tokens, inference)


KIND = CorrectorKind(load)


def _find(place: str) -> Path:
    """Find the folder of one tagger: one here, or one of the hub's."""
    folder = Path(place)
    if folder.is_dir():
        return folder
    if _HUB_NAME.fullmatch(place):
        from gecbench.backends.transformers import download

        return download(place, _FILES)
    raise GecbenchError(
        f"{place}: no such folder; a tagger is a folder that gecbench made: train one, or convert "
        "one by `gecbench model convert --tagger`"
    )


def _load_torch(folders: Sequence[Path], options: TaggerOptions) -> tuple[Runtime, LabelVocabulary]:
    """Load taggers with the same labels."""
    need("models", "torch", "safetensors")
    from gecbench.backends.transformers import find_device, find_dtype
    from gecbench.models.tagger.network import TorchRuntime, read_tagger

    weights = options.weights or (1.0,) * len(folders)
    if len(weights) != len(folders):
        raise UsageError(f"option weights of tagger: {len(weights)} for {len(folders)} taggers")
    if not isfinite(sum(weights)):
        raise UsageError("option weights of tagger: their sum is no number; write smaller ones")
    device, dtype = find_device(options.device, options.threads), find_dtype(options.precision)
    models = [read_tagger(folder) for folder in folders]
    for folder, model in zip(folders, models, strict=True):
        _check_same(folder, model, folders[0], models[0])
    for model in models:
        model.network.to(device=device, dtype=dtype)
    return TorchRuntime(models, weights), models[0].vocabulary


def _check_same(folder: Path, model: TaggerModel, first_folder: Path, first: TaggerModel) -> None:
    """Refuse taggers whose probabilities are not of the same things."""
    if model.vocabulary.labels != first.vocabulary.labels:
        raise UsageError(
            f"{folder}: has other labels than {first_folder} ({len(model.vocabulary)} and "
            f"{len(first.vocabulary)}), so probabilities cannot be averaged; combine the "
            "corrections by ensemble:FILE"
        )
    tokens, first_tokens = model.card.tokens, first.card.tokens
    if (model.language, tokens) != (first.language, first_tokens):
        raise UsageError(
            f"{folder}: reads {model.language} in {tokens} tokens, {first_folder} reads "
            f"{first.language} in {first_tokens}; they cannot be averaged"
        )


# Taggers run by ONNX Runtime, without torch; the label is chosen inside the graph.


ONNX = "model.onnx"
INPUTS = ("ids", "mask", "firsts", "keep_bias", "delete_bias")
OUTPUTS = ("labels", "probabilities", "errors")
_BATCH = 32


class OnnxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings on the card of an exported tagger, beside those it had before.

    Args:
        precision: Of the weights in the graph.
    """

    precision: Literal["fp32", "int8"]


def _load_onnx(
    folders: Sequence[Path],
    card: Card,
    options_by_name: Mapping[str, object],
    options: TaggerOptions,
) -> tuple[Runtime, LabelVocabulary]:
    """Load an exported tagger; nothing of torch is imported on the way.

    Raises:
        FormatError: Files of the folder do not belong together.
        GecbenchError: One is missing or cannot be run.
        UsageError: The options do not fit.
    """
    if len(folders) > 1:
        raise UsageError(
            "exported taggers give no probabilities of all labels, which an average needs; name "
            "the folders that they were exported from"
        )
    for name in ("device", "precision", "weights"):
        if name in options_by_name:
            raise UsageError(f"option {name} of tagger: an exported tagger has none; leave it out")
    (folder,) = folders
    if len(card.languages) != 1 or not card.tokens:
        raise FormatError(f"{folder}: its card is not that of an exported tagger")
    settings = card_settings(folder, card, OnnxSettings)
    vocabulary = read_labels(folder, card, "export the model again")
    alone = settings.precision == "int8"
    if alone and options.batch_size > 1:
        raise UsageError(
            f"{folder}: in 8 bits a sentence's probabilities depend on the others of its batch, so "
            f"each is run alone; leave out batch_size={options.batch_size}"
        )
    encoding = read_encoding(folder)
    return OnnxRuntime(folder / ONNX, encoding, threads=options.threads, alone=alone), vocabulary


class OnnxRuntime:
    """Runs an exported tagger on the CPU.

    In 8 bits every sentence is a run of its own, and several run side by side: ONNX Runtime
    scales activations by the extremes of the whole batch, so that a sentence's probabilities
    would depend on its neighbours (up to 0.06 on a random BERT), and alone it costs a tenth only.

    Args:
        path: The ONNX file.
        encoding: How it reads.
        threads: In all; 0 takes one a core.
        alone: Whether batches of one sentence run side by side, one thread each.
    """

    def __init__(self, path: Path, encoding: TaggerEncoding, *, threads: int, alone: bool) -> None:
        from gecbench.backends.runtimes import load_session

        self._encoding = encoding
        self._session: InferenceSession | None = load_session(path, threads=1 if alone else threads)
        self._pool = ThreadPoolExecutor(threads or cores()) if alone else None
        self.batch_size = 1 if alone else _BATCH
        self._ahead = 4 * (threads or _BATCH)

    @property
    def signature(self) -> dict[str, str]:
        """Version."""
        return {"runtime": f"onnxruntime {version('onnxruntime')}"}

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[SentencePositions]:
        """Encode sentences."""
        return [(positions,) for positions in self._encoding.positions(sentences)]

    def predict(
        self, batches: Iterable[Sequence[SentencePositions]], biases: Biases
    ) -> Iterator[Predictions]:
        """Yield the predictions of the graph, as many batches at once as there are threads."""
        if self._pool is None:
            yield from (self._predict(batch, biases) for batch in batches)
            return
        running: deque[Future[Predictions]] = deque()
        for batch in batches:
            running.append(self._pool.submit(self._predict, batch, biases))
            if len(running) >= self._ahead:
                yield running.popleft().result()
        yield from (future.result() for future in running)

    def _predict(self, batch: Sequence[SentencePositions], biases: Biases) -> Predictions:
        if self._session is None:
            raise ValueError("the runtime is closed")
        arrays = stack_inputs([encoded[0] for encoded in batch], self._encoding.layout.pad)
        scalars = (np.array(bias, dtype=np.float32) for bias in biases)
        inputs = dict(zip(INPUTS, (*arrays, *scalars), strict=True))
        return Predictions(*self._session.run(list(OUTPUTS), inputs))

    def close(self) -> None:
        """End the threads and drop the model."""
        if self._pool is not None:
            self._pool.shutdown()
        self._session = None
