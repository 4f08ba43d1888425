"""A tagger put where it runs, in as many bits as were asked for."""

from __future__ import annotations

import torch

from gecbench.models.tagger.network import Tagger

_TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def placed(network: Tagger, device: torch.device, precision: str) -> Tagger:
    """Return a network on a device, ready to be asked."""
    return network.to(device=device, dtype=_TYPES[precision]).eval()
