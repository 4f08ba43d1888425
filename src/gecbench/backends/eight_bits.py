"""Networks of torch whose matrix products are of eight bits, for CPUs."""

from __future__ import annotations

from copy import deepcopy

from torch import Tensor, _int_mm, int8, nn


class EightBitLinear(nn.Module):
    """A linear layer without bias: a scale for each row of weights and each vector that comes.

    A scale for all vectors together, as torch's dynamic quantisation has it, would lose too much
    where one of them is large.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        weights = layer.weight.detach().float()
        largest = _largest(weights)
        self._weights = (weights * (127 / largest)).round().to(int8).t()
        self._scales = largest.t() / 127**2

    def forward(self, vectors: Tensor) -> Tensor:
        """Multiply; in the type of the vectors."""
        rows = vectors.reshape(-1, vectors.shape[-1])
        largest = _largest(rows)
        products = _int_mm((rows * (127 / largest)).round_().to(int8), self._weights)
        return (products * largest).mul_(self._scales).view(*vectors.shape[:-1], -1)


def _largest(rows: Tensor) -> Tensor:
    """The largest number of each row, which becomes 127."""
    return rows.abs().amax(1, keepdim=True).clamp_(min=1e-8)


def with_eight_bits(network: nn.Module) -> nn.Module:
    """Copy a network, its linear layers without bias in eight bits; the rest is shared."""
    layers = {n: m for n, m in network.named_modules() if isinstance(m, nn.Linear)}
    replaced = {id(layer): EightBitLinear(layer) for layer in layers.values() if layer.bias is None}
    shared = {id(p): p for p in network.parameters()}
    return deepcopy(network, {**shared, **replaced})
