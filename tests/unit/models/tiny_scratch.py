"""Tiny networks from scratch, and pairs of our own that they can learn by heart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from gecbench.formats.validation import convert
from gecbench.models.batches import SentencePair

if TYPE_CHECKING:
    from gecbench.models.scratch.network import EncoderDecoder
    from gecbench.models.scratch.training import ScratchTask

ARCHITECTURES = ("convolutional", "recurrent", "transformer")
SOURCES = [[5, 6, 7, 8, 2], [9, 2], [4, 4, 10, 11, 12, 4, 5, 2]]
"""Ids of three sources of different lengths."""
_LAYERS = {"convolutional": 2, "recurrent": 1, "transformer": 1}


def tables(architecture: str, language: str = "zh", **model) -> dict[str, object]:
    """Return a configuration of a tiny model."""
    heads = {"heads": 4, "feedforward": 64} if architecture == "transformer" else {}
    sizes = {"width": 32, "layers": _LAYERS[architecture], "dropout": 0.0, **heads}
    return {
        "kind": "scratch",
        "name": f"tiny {architecture}",
        "language": language,
        "model": {"architecture": architecture, **sizes, **model},
    }


def task_of(
    architecture: str,
    pairs: Sequence[tuple[str, str]],
    language: str = "zh",
    folder: Path | None = None,
    **model,
) -> ScratchTask:
    """Return a task as a configuration file would make it."""
    from gecbench.models.scratch.training import KIND

    config = convert("tiny.toml", tables(architecture, language, **model), KIND.config)
    return KIND.build(config, [SentencePair(*pair) for pair in pairs], folder)


def network(architecture: str, *, seed: int = 4, **more) -> EncoderDecoder:
    """Return a tiny network with random weights that knows thirteen ids."""
    from gecbench.models.scratch.network import EncoderDecoder, Shape

    torch.manual_seed(seed)
    own_shape = {"transformer": {"heads": 2, "feedforward": 40}, "convolutional": {"kernel": 3}}
    shape = {"vocabulary": 13, "width": 16, "layers": 2, **own_shape.get(architecture, {}), **more}
    return EncoderDecoder(Shape(architecture=architecture, **shape)).eval()


def batch(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids, padded, and where they are."""

    from gecbench.models.training.decoder import pad_tensor

    return pad_tensor(rows, 0), pad_tensor([[1] * len(row) for row in rows], 0)
