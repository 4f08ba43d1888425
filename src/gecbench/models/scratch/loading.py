"""Loading one of our encoder-decoders as a corrector."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from gecbench import __version__
from gecbench.backends import need
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.formats.validation import options_of
from gecbench.models import CARD, CorrectorKind
from gecbench.models.folder import fingerprint, read_options
from gecbench.models.seq2seq.corrector import Decoding, build_corrector
from gecbench.models.seq2seq.loading import choose_device

_LONGEST = 100
"""Units, where the card does not say what the model was trained for."""


class ScratchOptions(Decoding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How answers are searched for; `Decoding` says the rest.

    Args:
        precision: Of the weights; auto is 32 bits.
        segmenter: Instead of the one that the card names, as where LTP's model lies elsewhere.
    """

    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    segmenter: str = ""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector in a folder.

    Raises:
        GecbenchError: The folder holds none, or it cannot be used.
        UsageError: An option is wrong.
    """
    folder = Path(place)
    if not (folder / CARD).is_file():
        raise GecbenchError(
            f"{place}: no such model; one from scratch is a folder that gecbench train made"
        )
    card, inference = read_options(folder, "scratch", ScratchOptions, options)
    need("models", "torch", "safetensors")
    from gecbench.models.scratch.model import read_scratch

    model = read_scratch(folder, segmenter=inference.segmenter)
    if inference.segmenter and model.unit_settings.units == "characters":
        raise UsageError(
            f"option segmenter of scratch: {folder} reads characters, which nothing divides"
        )
    device, dtype = choose_device(inference)
    model.network.to(device=device, dtype=dtype).eval()
    if model.parser is not None:
        model.parser.network.to(device)
    trained_for = options_of("scratch", ScratchOptions, card.defaults).max_length
    return build_corrector(
        model.search,
        inference,
        model.encoding,
        card,
        name=folder.name,
        signature={
            "gecbench": __version__,
            **model.versions,
            "weights": fingerprint(folder),
            "runtime": f"torch {version('torch')}",
            "device": device.partition(":")[0],
        },
        max_length=trained_for or _LONGEST,
        positions=0,
    )


KIND = CorrectorKind(load)
