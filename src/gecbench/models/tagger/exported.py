"""The folder of an exported tagger: read without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from gecbench.core.errors import FormatError, UsageError
from gecbench.models.folder import Card
from gecbench.models.tagger.encoding import encoding_in
from gecbench.models.tagger.onnx_runtime import MODEL, OnnxRuntime
from gecbench.models.tagger.options import TaggerOptions
from gecbench.models.tagger.runtime import LABELS
from gecbench.models.tags.vocabulary import LabelVocabulary, read_vocabulary


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """What the card of an exported tagger says in its settings, beside what it had before.

    Args:
        labels: Hash of the labels.
        precision: Of the weights in the graph.
    """

    labels: str
    precision: Literal["fp32", "int8"]


def exported_in(
    folder: Path, card: Card, options: TaggerOptions
) -> tuple[OnnxRuntime, LabelVocabulary]:
    """Return the runtime and the labels of an exported tagger.

    Raises:
        FormatError: Files of the folder do not belong together.
        GecbenchError: One is missing or cannot be run.
        UsageError: The options do not fit.
    """
    if card.kind != "tagger" or len(card.languages) != 1 or not card.tokens:
        raise FormatError(f"{folder}: its card is not that of an exported tagger")
    try:
        settings = msgspec.convert(card.settings, Exported)
    except msgspec.ValidationError as error:
        raise FormatError(f"{folder}: settings of its card: {error}") from error
    vocabulary = read_vocabulary(folder / LABELS)
    if vocabulary.hash != settings.labels:
        raise FormatError(
            f"{folder / LABELS}: its {len(vocabulary)} labels are not those that the model was "
            "made with; export the model again"
        )
    each_alone = settings.precision == "int8"
    if each_alone and options.batch_size > 1:
        raise UsageError(
            f"{folder}: in 8 bits a sentence's probabilities depend on the others of its batch, so "
            f"each is run alone; leave out batch_size={options.batch_size}"
        )
    encoding = encoding_in(folder)
    runtime = OnnxRuntime(folder / MODEL, encoding, threads=options.threads, each_alone=each_alone)
    return runtime, vocabulary
