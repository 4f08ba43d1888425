"""Where a network runs, and in how many bits."""

from __future__ import annotations

import torch

from gecbench.core.errors import UsageError
from gecbench.models.tagger.network import Tagger

_TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def device_of(name: str, threads: int) -> torch.device:
    """Return a device, and set how many threads the CPU uses.

    Args:
        name: As torch calls it; "" is a GPU if there is one, else the CPU.
        threads: 0 leaves them as they are; else it counts for the whole process.

    Raises:
        UsageError: There is no such device here.
    """
    if threads:
        torch.set_num_threads(threads)
    if not name:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()  # "meta" holds no numbers
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first = str(error).strip().splitlines()[0]
        raise UsageError(f"device {name!r} cannot be used here: {first}") from error
    return device


def placed(network: Tagger, device: torch.device, precision: str) -> Tagger:
    """Return a network on a device, ready to be asked."""
    return network.to(device=device, dtype=_TYPES[precision]).eval()
