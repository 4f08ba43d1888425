"""Models for other runtimes, and models of others for this one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gecbench.api.files import load, sample
from gecbench.backends.hf import need_torch
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.models import CARD, MODEL, kind_of
from gecbench.models.agreement import Agreement
from gecbench.models.folder import read_card

RUNTIMES = {"tagger": "onnx", "seq2seq": "ctranslate2"}
"""The faster runtime of each kind of model (on a CPU, see docs/performance.md)."""


def export(
    model: Path, out: Path, *, quantise: bool = True, texts: Sequence[str] | None = None
) -> Agreement:
    """Write a model for the runtime that is faster on a CPU, and return how far both agree.

    Args:
        model: The folder of a model that gecbench made: a tagger becomes ONNX, an
            encoder-decoder CTranslate2.
        out: The new folder.
        quantise: Weights of 8 bits: some three times as fast, and a few answers differ.
        texts: What both are compared on; None takes the bundled sentences of its language.

    Raises:
        UsageError: There is no faster runtime for this kind of model.
        MissingExtraError: The runtime is not installed.
        GecbenchError: The folder holds no model, or OUT exists.
    """
    if out.exists():
        raise GecbenchError(f"{out}: is there already; name another folder or remove it")
    if not (model / CARD).is_file() and (model / MODEL / CARD).is_file():
        model = model / MODEL
    kind = kind_of(model)
    if kind not in RUNTIMES:
        raise UsageError(
            f"{model}: a model of kind {kind} has no other runtime; {' and '.join(RUNTIMES)} have"
        )
    card = read_card(model)
    need_torch()
    if card.runtime != "torch":
        raise UsageError(f"{model}: is an export for {card.runtime} already; name the model itself")
    if texts is None:
        language = card.languages[0] if card.languages else "en"
        texts = [s.source for s in load(sample(language, "corpus.jsonl")).samples]
    if kind == "tagger":
        from gecbench.models.tagger.export import export_model as export_tagger

        return export_tagger(
            model, out, runtime=RUNTIMES[kind], quantise=quantise, sample_texts=texts
        )
    from gecbench.models.seq2seq.export import export_model as export_seq2seq

    return export_seq2seq(
        model, out, quantise="int8" if quantise else "float32", sample_texts=texts
    )
