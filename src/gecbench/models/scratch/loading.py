"""Loading one of our encoder-decoders as a corrector."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import msgspec

from gecbench import __version__
from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.models import CARD
from gecbench.models.folder import fingerprint, read_card
from gecbench.models.options import options_of
from gecbench.models.scratch.options import ScratchOptions


def load(place: str, given: Mapping[str, object]) -> Corrector:
    """Return the corrector in a folder.

    Raises:
        GecbenchError: The folder holds none, or it cannot be used.
        UsageError: An option is wrong.
    """
    folder = Path(place)
    if not (folder / CARD).is_file():
        raise GecbenchError(
            f"{place}: no such model; one from scratch is a folder that gecbench train made"
        )
    card = read_card(folder)
    if card.kind != "scratch":
        raise GecbenchError(f"{place}: is a {card.kind}; write {card.kind}:{place}")
    options = options_of("scratch", ScratchOptions, {**card.defaults, **given})
    for module in ("torch", "safetensors"):
        if find_spec(module) is None:
            raise MissingExtraError(module, "models")
    return _opened(folder, options)


def _opened(folder: Path, options: ScratchOptions) -> Corrector:
    """Return the corrector with its weights where they are to be."""
    from gecbench.models.scratch.model import read_model
    from gecbench.models.scratch.search import BeamSearch
    from gecbench.models.seq2seq.corrector import Seq2Seq, about, chosen
    from gecbench.models.seq2seq.loading import torch_choices

    model = read_model(folder, segmenter=options.segmenter)
    if options.segmenter and model.reads.units == "characters":
        raise UsageError(
            f"option segmenter of scratch: {folder} reads characters, which nothing divides"
        )
    device, dtype = torch_choices(options)
    network = model.network.to(device=device, dtype=dtype).eval()
    trained_for = options_of("scratch", ScratchOptions, model.defaults).max_length or _LONGEST
    options = msgspec.structs.replace(options, max_length=options.max_length or trained_for)
    info = CorrectorInfo(
        name=folder.name,
        kind="scratch",
        languages=(model.language,),
        about=model.about or about((model.language,)),
        signature={
            "corrector": "scratch",
            "gecbench": __version__,
            **chosen(options),
            **model.made_with,
            "weights": fingerprint(folder),
            "runtime": f"torch {version('torch')}",
            "device": device.partition(":")[0],
        },
    )
    encoding = model.encoding
    search = BeamSearch(network, encoding.specials, options)
    tokens = model.language if options.tokens == "auto" else options.tokens
    return Seq2Seq(info, encoding, search, options, tokens, positions=0)


_LONGEST = 100
"""Where the card does not say what the model was trained for."""
