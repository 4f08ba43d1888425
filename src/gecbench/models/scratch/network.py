"""An encoder-decoder with one embedding for sources, targets and outputs, whatever is between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Literal, cast

import msgspec
import torch
from torch import Tensor, nn
from torch.nn.functional import glu, linear, scaled_dot_product_attention
from torch.nn.utils.parametrizations import weight_norm
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from gecbench.models.scratch.encoding import PAD
from gecbench.models.training.config import Below1, Count, Positive

Architecture = Literal["convolutional", "recurrent", "transformer"]


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that is needed to build a network with random weights.

    Args:
        architecture: What reads and writes.
        vocabulary: Rows of the one embedding, which sources, targets and outputs share.
        width: Of each position, everywhere.
        layers: Of the encoder, and of the decoder.
        heads: Of the transformer's attention; 0 for others.
        feedforward: Width inside the transformer's layers; 0 for others.
        kernel: Positions that one convolution sees; 0 for others.
        dropout: While it learns.
    """

    architecture: Architecture
    vocabulary: Positive
    width: Positive
    layers: Positive
    heads: Count = 0
    feedforward: Count = 0
    kernel: Count = 0
    dropout: Below1 = 0.0

    def __post_init__(self) -> None:
        """Refuse sizes that do not go together."""
        if self.width % 2:
            raise ValueError(f"width {self.width} is odd; it has two halves")
        if self.architecture == "transformer":
            if not self.heads or self.width % self.heads:
                raise ValueError(f"width {self.width} cannot be divided into {self.heads} heads")
            if not self.feedforward:
                raise ValueError("feedforward is 0; a transformer needs one")
        if self.architecture == "convolutional" and not self.kernel % 2:
            raise ValueError(f"kernel {self.kernel} is even; it has no middle")


Tensors = tuple[Tensor, ...]
"""Each has a row for a sentence, or for a beam of one, as its first dimension."""


class Body(nn.Module, ABC):
    """What is between embeddings and outputs: an architecture.

    States are (sentences, positions, width), a mask is true where they are no padding.
    """

    ordered = False
    """Whether it knows the order of positions by itself; else positions are embedded, too."""

    @abstractmethod
    def read(self, embedded: Tensor, mask: Tensor) -> Tensors:
        """Encode sources: what the decoder is to see of them."""

    def write(self, memory: Tensors, embedded: Tensor) -> Tensor:
        """Compute the states of all positions of targets; none sees a later one."""
        return self.step(*self.begin(memory), embedded)[0]

    @abstractmethod
    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Begin writing: what stays the same from step to step, and what changes."""

    @abstractmethod
    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Compute the states of the next positions, and what has changed.

        A `Body` with a `write` of its own takes one position at a time, where nothing learns, and
        gives the same as `write` has there.
        """


class EncoderDecoder(nn.Module):
    """Reads ids and writes ids."""

    def __init__(self, shape: Shape, graph: nn.Module | None = None) -> None:
        """Build it with random weights.

        Args:
            shape: Its sizes.
            graph: Changes the states of sources, given the arcs between their words (SynGEC); its
                forward pass takes states and what `forward` is given as `arcs`.
        """
        super().__init__()
        self.shape = shape
        self.graph = graph
        self.source_token_dropout = 0.0
        """Share of source units that are blanked while it learns."""
        self.embedding = nn.Embedding(shape.vocabulary, shape.width, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=shape.width**-0.5)
        with torch.no_grad():
            self.embedding.weight[PAD] = 0
        self.dropout = nn.Dropout(shape.dropout)
        bodies: Mapping[str, type[Convolutional | Recurrent | Transformer]] = {
            "convolutional": Convolutional,
            "recurrent": Recurrent,
            "transformer": Transformer,
        }
        self.body: Body = bodies[shape.architecture](shape)

    def forward(self, sources: Tensor, mask: Tensor, reads: Tensor, *arcs: Tensor) -> Tensor:
        """Compute the logits of what comes after each position of `reads`.

        Args:
            sources: Ids, (sentences, positions).
            mask: The same shape, true where they are no padding.
            reads: Ids of targets, the start first: (sentences, positions).
            arcs: Between the positions of sources; for a network with a graph alone.

        Returns:
            (sentences, positions, vocabulary).
        """
        memory = self._read(sources, mask, arcs)
        return self._logits(self.body.write(memory, self._embed(reads)))

    def begin(self, sources: Tensor, mask: Tensor, *arcs: Tensor) -> tuple[Tensors, Tensors]:
        """Begin with sources as `forward` takes them: what `step` is to be given."""
        return self.body.begin(self._read(sources, mask, arcs))

    def step(
        self, fixed: Tensors, state: Tensors, reads: Tensor, at: int
    ) -> tuple[Tensor, Tensors]:
        """Compute the logits of the next ids, (rows, vocabulary), and the changed state.

        Args:
            fixed: As `begin` gives it, a row for each of `reads`.
            state: As `begin` or the step before gives it.
            reads: The last ids, (rows,).
            at: Their position, from 0.
        """
        states, state = self.body.step(fixed, state, self._embed(reads.unsqueeze(1), at))
        return self._logits(states)[:, 0], state

    def _read(self, sources: Tensor, mask: Tensor, arcs: Tensors) -> Tensors:
        """Encode sources; a graph changes their states, which come first."""
        blanked = self.source_token_dropout if self.training else 0.0
        memory = self.body.read(self._embed(sources, blanked=blanked), mask.bool())
        return memory if self.graph is None else (self.graph(memory[0], *arcs), *memory[1:])

    def _embed(self, ids: Tensor, at: int = 0, *, blanked: float = 0.0) -> Tensor:
        """Compute the embeddings of ids, each number of variance 1 at the start.

        Args:
            ids: (sentences, positions).
            at: The first position.
            blanked: Share of ids whose embedding becomes zero, before positions are added; the
                others grow by 1 / (1 - share).
        """
        states: Tensor = self.embedding(ids) * self.shape.width**0.5
        if blanked:
            stays = torch.rand(ids.shape, device=ids.device) >= blanked
            states = states * (stays / (1 - blanked)).unsqueeze(-1).to(states.dtype)
        if not self.body.ordered:
            positions = _positions(at, ids.shape[1], self.shape.width, ids.device)
            states = states + positions.to(states.dtype)
        output: Tensor = self.dropout(states)
        return output

    def _logits(self, states: Tensor) -> Tensor:
        return linear(self.dropout(states), self.embedding.weight)


def _positions(at: int, count: int, width: int, device: torch.device) -> Tensor:
    """Compute sines and cosines of positions, (count, width): no length is unknown to them.

    Vaswani et al. (2017), section 3.5; the convolutions take the same, where Gehring et al. (2017)
    learn a vector for each position.
    """
    steps = torch.arange(0, width, 2, dtype=torch.float32, device=device)
    rates = 10_000 ** (-steps / width)
    angles = torch.arange(at, at + count, device=device).unsqueeze(1) * rates
    return torch.cat((angles.sin(), angles.cos()), dim=1)


def _attend(scores: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """Average the values of a source by scores of attention, padding left out."""
    return scores.masked_fill(~mask.unsqueeze(1), float("-inf")).softmax(-1) @ values


# Gated convolutions with attention in every layer (Gehring et al. 2017, section 3).
#
# Differs from the paper in three things: positions are sines (see `network`), sources and targets
# share one embedding with the outputs, and scores of attention are divided by the root of the
# width, since our embeddings have variance 1 where theirs have 0.01.


_HALF = 0.5**0.5
"""Keeps the variance where two things are added (section 3.5)."""


class Convolutional(Body):
    """Stacks of convolutions, those of the decoder looking back only."""

    def __init__(self, shape: Shape) -> None:
        """Build it with random weights."""
        super().__init__()
        self.back = shape.kernel - 1
        self.reader = nn.ModuleList(_EncoderLayer(shape) for _ in range(shape.layers))
        self.writer = nn.ModuleList(_DecoderLayer(shape) for _ in range(shape.layers))
        self.out = _linear(shape.width)

    def read(self, embedded: Tensor, mask: Tensor) -> Tensors:
        """Encode sources: what is attended to, what is seen there, and where."""
        states = embedded
        for layer in self.reader:
            states = layer(states, mask)
        # Each layer of the decoder sends a gradient (section 3.5).
        share = 1 / (2 * len(self.writer))
        states = share * states + (1 - share) * states.detach()
        return states, (states + embedded) * _HALF, mask

    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Keep the source; what changes is the last inputs of each layer."""
        seen = memory[0]
        empty = seen.new_zeros(len(seen), self.back, seen.shape[2])
        return memory, (empty,) * len(self.writer)

    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Compute the states of the next positions."""
        states = embedded
        last_inputs = []
        for layer, before in zip(self.writer, state, strict=True):
            window = torch.cat((before, states), 1)
            last_inputs.append(window[:, states.shape[1] :])
            states = layer(fixed, window, states, embedded)
        return self.out(states), tuple(last_inputs)


class _EncoderLayer(nn.Module):
    """A convolution of the encoder."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.dropout = nn.Dropout(shape.dropout)
        self.convolution = _convolution(shape, padding=shape.kernel // 2)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        # Padding is zero before every convolution: a sentence sees itself only.
        inputs = self.dropout(states) * mask.unsqueeze(-1)
        read: Tensor = glu(self.convolution(inputs.transpose(1, 2)), 1).transpose(1, 2)
        return (read + states) * _HALF


class _DecoderLayer(nn.Module):
    """A convolution of the decoder, and its attention."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.dropout = nn.Dropout(shape.dropout)
        self.convolution = _convolution(shape, padding=0)
        self.query = _linear(shape.width)
        self.seeing = _linear(shape.width)

    def forward(self, memory: Tensors, window: Tensor, states: Tensor, embedded: Tensor) -> Tensor:
        """Compute the states of positions whose window opens with those before the first."""
        inputs = self.dropout(window).transpose(1, 2)
        decoded = glu(self.convolution(inputs), 1).transpose(1, 2)
        keys, values, mask = memory
        query = (self.query(decoded) + embedded) * _HALF
        scores = query @ keys.transpose(1, 2) * keys.shape[-1] ** -0.5
        context = _attend(scores, values, mask)
        # A mean over m positions has 1 / m of their variance (section 3.5).
        context = context * mask.sum(1).to(context.dtype).sqrt().view(-1, 1, 1)
        attended = (self.seeing(context) + decoded) * _HALF
        output: Tensor = (attended + states) * _HALF
        return output


def _convolution(shape: Shape, padding: int) -> nn.Module:
    """Build a convolution with its gates, its weight normalised."""
    layer = nn.Conv1d(shape.width, 2 * shape.width, shape.kernel, padding=padding)
    variance = 4 * (1 - shape.dropout) / (shape.kernel * shape.width)
    nn.init.normal_(layer.weight, std=variance**0.5)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    normed: nn.Module = weight_norm(layer)
    return normed


def _linear(width: int) -> nn.Linear:
    layer = nn.Linear(width, width)
    nn.init.normal_(layer.weight, std=width**-0.5)
    nn.init.zeros_(layer.bias)
    return layer


# LSTMs with global attention (Luong et al. 2015, section 3.1, "general", without input feeding).
#
# Without input feeding a whole target is one call while the network learns.


class Recurrent(Body):
    """Reads in both directions, writes in one."""

    ordered = True

    def __init__(self, shape: Shape) -> None:
        """Build it with random weights."""
        super().__init__()
        width, layers = shape.width, shape.layers
        # LSTM drops between its layers, so that one layer has nothing to drop.
        dropout = shape.dropout if layers > 1 else 0.0
        self.reader = nn.LSTM(
            width, width // 2, layers, batch_first=True, dropout=dropout, bidirectional=True
        )
        self.writer = nn.LSTM(width, width, layers, batch_first=True, dropout=dropout)
        self.query = nn.Linear(width, width, bias=False)
        self.join = nn.Linear(2 * width, width)

    def read(self, embedded: Tensor, mask: Tensor) -> Tensors:
        """Compute states, where they are, and what the writer begins with."""
        lengths = mask.sum(1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        read, (last, cell) = self.reader(packed)
        states, _ = pad_packed_sequence(read, batch_first=True, total_length=embedded.shape[1])
        return states, mask, _join_directions(last), _join_directions(cell)

    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Keep the source's states; those of the writer change."""
        return memory[:2], memory[2:]

    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Compute the states of the next positions."""
        states, mask = fixed
        last, cell = (tensor.transpose(0, 1).contiguous() for tensor in state)
        decoded, (last, cell) = self.writer(embedded, (last, cell))
        seen = _attend(self.query(decoded) @ states.transpose(1, 2), states, mask)
        output = self.join(torch.cat((seen, decoded), -1)).tanh()
        return output, (last.transpose(0, 1), cell.transpose(0, 1))


def _join_directions(states: Tensor) -> Tensor:
    """Compute the last states of both directions side by side: (sentences, layers, width)."""
    rows = states.transpose(0, 1)
    return rows.reshape(len(rows), -1, 2 * rows.shape[2])


# torch's transformer, normalised before each part, and its decoder once more, step by step.


class Transformer(Body):
    """Attention within, and between, sources and targets (Vaswani et al. 2017)."""

    def __init__(self, shape: Shape) -> None:
        """Build it with random weights."""
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

    def read(self, embedded: Tensor, mask: Tensor) -> Tensors:
        """Compute states, and where they are."""
        return self.reader(embedded, src_key_padding_mask=~mask), mask

    def write(self, memory: Tensors, embedded: Tensor) -> Tensor:
        """Compute the states of all positions of targets."""
        states, mask = memory
        count = embedded.shape[1]
        later = torch.ones(count, count, dtype=torch.bool, device=embedded.device).triu(1)
        output = self.writer(
            embedded, states, tgt_mask=later, tgt_is_causal=True, memory_key_padding_mask=~mask
        )
        normed: Tensor = self.norm(output)
        return normed

    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Compute keys and values of the source; those of the target, layer by layer, grow."""
        states, mask = memory
        fixed = [mask[:, None, None, :]]
        width = states.shape[2]
        for layer in self._layers():
            weight, bias = _projection(layer.multihead_attn)
            both = linear(states, weight[width:], bias[width:])
            fixed += (self._by_heads(part) for part in both.chunk(2, -1))
        empty = states.new_zeros(len(states), self.heads, 0, width // self.heads)
        return tuple(fixed), (empty,) * 2 * len(self.writer.layers)

    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Compute the states of one more position."""
        mask, *sources = fixed
        states = embedded
        width = states.shape[2]
        seen: list[Tensor] = []
        for k, layer in enumerate(self._layers()):
            weight, bias = _projection(layer.self_attn)
            query, key, value = linear(layer.norm1(states), weight, bias).chunk(3, -1)
            keys = torch.cat((state[2 * k], self._by_heads(key)), 2)
            values = torch.cat((state[2 * k + 1], self._by_heads(value)), 2)
            seen += (keys, values)
            states = states + self._attend(layer.self_attn, query, keys, values)
            weight, bias = _projection(layer.multihead_attn)
            query = linear(layer.norm2(states), weight[:width], bias[:width])
            keys, values = sources[2 * k], sources[2 * k + 1]
            states = states + self._attend(layer.multihead_attn, query, keys, values, mask)
            inner = layer.activation(layer.linear1(layer.norm3(states)))
            states = states + layer.linear2(inner)
        normed: Tensor = self.norm(states)
        return normed, tuple(seen)

    def _layers(self) -> Iterable[nn.TransformerDecoderLayer]:
        return cast("Iterable[nn.TransformerDecoderLayer]", self.writer.layers)

    def _by_heads(self, states: Tensor) -> Tensor:
        """Compute states by heads: (rows, heads, positions, width of a head)."""
        return states.view(*states.shape[:2], self.heads, -1).transpose(1, 2)

    def _attend(
        self,
        attention: nn.MultiheadAttention,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        """Compute what a query sees, (rows, 1, width)."""
        context = scaled_dot_product_attention(self._by_heads(query), keys, values, attn_mask=mask)
        seen: Tensor = attention.out_proj(context.transpose(1, 2).flatten(2))
        return seen


def _projection(attention: nn.MultiheadAttention) -> tuple[Tensor, Tensor]:
    """Look up weight and bias that make queries, keys and values, one below the other."""
    return attention.in_proj_weight, attention.in_proj_bias
