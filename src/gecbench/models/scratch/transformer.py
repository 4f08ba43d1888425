"""torch's transformer, normalised before each part, and its decoder once more, step by step."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

from gecbench.models.scratch.body import Tensors
from gecbench.models.scratch.shape import Shape


class Transformer(nn.Module):
    """Attention within, and between, sources and targets (Vaswani et al. 2017)."""

    ordered = False

    def __init__(self, shape: Shape) -> None:
        """Make it with random weights."""
        super().__init__()
        self.heads = shape.heads
        sizes = (shape.width, shape.heads, shape.feedforward, shape.dropout)
        read = nn.TransformerEncoderLayer(*sizes, batch_first=True, norm_first=True)
        write = nn.TransformerDecoderLayer(*sizes, batch_first=True, norm_first=True)
        self.reader = nn.TransformerEncoder(
            read, shape.layers, nn.LayerNorm(shape.width), enable_nested_tensor=False
        )
        self.writer = nn.TransformerDecoder(write, shape.layers)
        self.norm = nn.LayerNorm(shape.width)
        # torch copies one layer: without this they would all begin with the same weights.
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def read(self, embedded: Tensor, there: Tensor) -> Tensors:
        """Return states, and where they are."""
        return self.reader(embedded, src_key_padding_mask=~there), there

    def write(self, memory: Tensors, embedded: Tensor) -> Tensor:
        """Return the states of all positions of targets."""
        states, there = memory
        count = embedded.shape[1]
        later = torch.ones(count, count, dtype=torch.bool, device=embedded.device).triu(1)
        written = self.writer(
            embedded, states, tgt_mask=later, tgt_is_causal=True, memory_key_padding_mask=~there
        )
        normed: Tensor = self.norm(written)
        return normed

    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Return keys and values of the source; those of the target, layer by layer, grow."""
        states, there = memory
        fixed = [there[:, None, None, :]]
        width = states.shape[2]
        for layer in self._layers():
            weight, bias = _projection(layer.multihead_attn)
            both = linear(states, weight[width:], bias[width:])
            fixed += (self._divided(each) for each in both.chunk(2, -1))
        empty = states.new_zeros(len(states), self.heads, 0, width // self.heads)
        return tuple(fixed), (empty,) * 2 * len(self.writer.layers)

    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Return the states of one more position."""
        there, *sources = fixed
        states = embedded
        width = states.shape[2]
        changed: list[Tensor] = []
        for k, layer in enumerate(self._layers()):
            weight, bias = _projection(layer.self_attn)
            query, key, value = linear(layer.norm1(states), weight, bias).chunk(3, -1)
            keys = torch.cat((state[2 * k], self._divided(key)), 2)
            values = torch.cat((state[2 * k + 1], self._divided(value)), 2)
            changed += (keys, values)
            states = states + self._seen(layer.self_attn, query, keys, values)
            weight, bias = _projection(layer.multihead_attn)
            query = linear(layer.norm2(states), weight[:width], bias[:width])
            keys, values = sources[2 * k], sources[2 * k + 1]
            states = states + self._seen(layer.multihead_attn, query, keys, values, there)
            inner = layer.activation(layer.linear1(layer.norm3(states)))
            states = states + layer.linear2(inner)
        normed: Tensor = self.norm(states)
        return normed, tuple(changed)

    def _layers(self) -> Iterator[nn.TransformerDecoderLayer]:
        for layer in self.writer.layers:
            if isinstance(layer, nn.TransformerDecoderLayer):
                yield layer

    def _divided(self, states: Tensor) -> Tensor:
        """Return states by heads: (rows, heads, positions, width of a head)."""
        return states.view(*states.shape[:2], self.heads, -1).transpose(1, 2)

    def _seen(
        self,
        attention: nn.MultiheadAttention,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        there: Tensor | None = None,
    ) -> Tensor:
        """Return what a query sees, (rows, 1, width)."""
        found = scaled_dot_product_attention(self._divided(query), keys, values, attn_mask=there)
        seen: Tensor = attention.out_proj(found.transpose(1, 2).flatten(2))
        return seen


def _projection(attention: nn.MultiheadAttention) -> tuple[Tensor, Tensor]:
    """Return weight and bias that make queries, keys and values, one below the other."""
    return attention.in_proj_weight, attention.in_proj_bias
