"""Where a network of torch runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gecbench.core.errors import UsageError

if TYPE_CHECKING:
    import torch


def device_of(name: str, threads: int) -> torch.device:
    """Return a device, and set how many threads the CPU uses.

    Args:
        name: As torch calls it; "" is a GPU if there is one, else the CPU.
        threads: 0 leaves them as they are; else it counts for the whole process.

    Raises:
        UsageError: There is no such device here.
    """
    import torch

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
