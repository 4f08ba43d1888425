"""Label-aware graph convolution beside an encoder, and an encoder-decoder with it (SynGEC)."""

from __future__ import annotations

import dataclasses
from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.activations import ACT2FN
from transformers.modeling_outputs import BaseModelOutput

from gecbench.backends.transformers import find_device
from gecbench.core.errors import FormatError, UsageError
from gecbench.models.batches import SentencePair
from gecbench.models.seq2seq.corrector import Seq2SeqOptions
from gecbench.models.seq2seq.encoding import EncoderInput, Encoding
from gecbench.models.seq2seq.network import TorchSearch
from gecbench.models.syntax.parser import Parse, Parser, read_parser
from gecbench.models.syntax.trees import Tree, fold_of
from gecbench.models.training.config import Below1, Positive, Share
from gecbench.models.training.decoder import DecoderExample, DecoderTask
from gecbench.models.training.task import Batch, Dataset
from gecbench.models.weights import evaluation_mode, fill_network, load_weights
from gecbench.text.tokens import tokens_of

GRAPH, PARSER = "graph.safetensors", "parser"
"""Weights and parser in the folder of a model."""
PAD, UNKNOWN, NO_ARC = 0, 1, 2
"""Numbers of labels that stand before those of the parser."""
NOWHERE = -1
"""The word of positions that are of none, as of <s>."""


# The arcs between the subwords of a sentence.


class Arcs(NamedTuple):
    """The arcs of a sentence, or of a batch with one more axis in front.

    Args:
        probabilities: (positions, positions); row i is the distribution of the head of i. The end
            of the sentence stands for the root. Subwords of one word see one another with 1.
        labels: The same shape; the label of i's arc where the column is its head in the tree.
    """

    probabilities: NDArray[np.float32]
    labels: NDArray[np.int64]


def build_arcs(parse: Parse | None, places: Sequence[int], labels: Mapping[str, int]) -> Arcs:
    """Build the arcs of a sentence between its positions.

    Args:
        parse: What the parser says; None where it says nothing: then no position sees another.
        places: The word of each position, from 0; the number of words at the end of the sentence,
            `NOWHERE` at others.
        labels: The numbers of the labels.
    """
    size = 0 if parse is None else len(parse.tree.heads)
    weights = np.eye(size + 2, dtype=np.float32)  # the last is for what is nowhere
    kinds = np.full((size + 2, size + 2), NO_ARC, dtype=np.int64)
    if parse is not None:
        weights[:size, :size] = parse.probabilities[:, 1:]
        weights[:size, size] = parse.probabilities[:, 0]
        np.fill_diagonal(weights, 1.0)
        for word, (head, label) in enumerate(zip(parse.tree.heads, parse.tree.labels, strict=True)):
            kinds[word, head - 1 if head else size] = labels.get(label, UNKNOWN)
    index = np.array([min(place, size) if place >= 0 else size + 1 for place in places])
    if parse is None:
        return Arcs(np.eye(len(index), dtype=np.float32), np.full((len(index),) * 2, NO_ARC))
    grid = np.ix_(index, index)
    arcs = Arcs(weights[grid], kinds[grid])
    nowhere = index == size + 1
    arcs.probabilities[np.ix_(nowhere, nowhere)] = np.eye(int(nowhere.sum()))
    return arcs


def word_places(encoding: Encoding, text: str, kind: str) -> tuple[list[str], list[int]]:
    """Find the words of a source, and which of them each position of its encoding is of.

    A subword is of the word in which it ends.

    Args:
        encoding: Of the encoder-decoder.
        text: The source.
        kind: What words are, a name of `text.tokens`.
    """
    tokens = tokens_of(text, kind)
    starts = [token.start for token in tokens]
    places = []
    for start, end in encoding.source_spans(text):
        word = bisect_right(starts, end - 1) - 1 if end > start else NOWHERE
        inside = word >= 0 and end <= tokens[word].end
        places.append(word if inside else NOWHERE)
    if after := len(encoding.specials.after):
        places[-after] = len(tokens)
    return [token.text for token in tokens], places


def stack_arcs(arcs: Sequence[Arcs]) -> tuple[Tensor, Tensor]:
    """Stack the arcs of sentences, filled up to the longest."""
    longest = max(len(item.labels) for item in arcs)
    weights = torch.zeros(len(arcs), longest, longest)
    labels = torch.full((len(arcs), longest, longest), PAD, dtype=torch.long)
    for row, item in enumerate(arcs):
        size = len(item.labels)
        weights[row, :size, :size] = torch.from_numpy(item.probabilities)
        labels[row, :size, :size] = torch.from_numpy(item.labels)
    return weights, labels


# The network.


class Direction(nn.Module):
    """Messages along arcs in one direction: the sum over j of w_ij act(W [h_j; e_ij] + b).

    W [h; e] = A h + B e, so A is applied to each position once, and B to each label. Most pairs
    have no arc, and what they say depends on j alone: one product of matrices is their sum, and
    the few arcs are put right after it. So no tensor has a vector for each pair.
    """

    def __init__(self, width: int, activation: Callable[[Tensor], Tensor]) -> None:
        """Build it with random weights."""
        super().__init__()
        self.of_states = nn.Linear(width, width)
        self.of_labels = nn.Linear(width, width, bias=False)
        self.activation = activation
        bound = (6 / (3 * width)) ** 0.5  # Xavier's of the whole W
        for part in (self.of_states, self.of_labels):
            nn.init.uniform_(part.weight, -bound, bound)
        nn.init.zeros_(self.of_states.bias)

    def forward(self, states: Tensor, table: Tensor, weights: Tensor, labels: Tensor) -> Tensor:
        """Compute the sums.

        Args:
            states: (sentences, positions, width).
            table: Embeddings of labels, (labels, width).
            weights: Of pairs, (sentences, positions, positions).
            labels: The same shape.
        """
        by_state, by_label = self.of_states(states), self.of_labels(table)
        plain = self.activation(by_state + by_label[NO_ARC])
        total = weights.to(plain.dtype) @ plain
        row, to, start = ((labels != NO_ARC) & (weights != 0)).nonzero(as_tuple=True)
        messages = self.activation(by_state[row, start] + by_label[labels[row, to, start]])
        change = weights[row, to, start].unsqueeze(-1) * (messages - plain[row, start])
        result: Tensor = total.index_put((row, to), change.to(total.dtype), accumulate=True)
        return result


class GraphLayer(nn.Module):
    """A layer: messages from heads and from children, then a feed-forward network."""

    def __init__(self, width: int, inner: int, dropout: float, activation: str) -> None:
        """Build it with random weights."""
        super().__init__()
        self.activation = ACT2FN[activation]
        self.from_heads = Direction(width, self.activation)
        self.from_children = Direction(width, self.activation)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, inner), nn.Linear(inner, width)
        self.last_norm = nn.LayerNorm(width)

    def forward(self, states: Tensor, table: Tensor, weights: Tensor, labels: Tensor) -> Tensor:
        """Compute the states of the next layer; arguments as those of `Direction`."""
        messages = self.from_heads(states, table, weights, labels) + self.from_children(
            states, table, weights.transpose(1, 2), labels.transpose(1, 2)
        )
        states = self.norm(states + self.dropout(messages))
        inner = self.narrow(self.activation(self.wide(states)))
        result: Tensor = self.last_norm(states + self.dropout(inner))
        return result


class GraphShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the card of a model says of its graph encoder; see `GraphEncoder`."""

    labels: Positive
    width: Positive
    inner: Positive
    layers: Positive
    dropout: Below1
    activation: str
    share: Share
    scale: float

    def __post_init__(self) -> None:
        """Refuse an activation that transformers does not have."""
        if self.activation not in ACT2FN:
            raise ValueError(f"there is no activation {self.activation!r}")


class GraphEncoder(nn.Module):
    """Graph convolution over the states of an encoder, mixed with these states."""

    def __init__(
        self,
        labels: int,
        width: int,
        inner: int,
        *,
        layers: int,
        dropout: float,
        activation: str,
        share: float,
        scale: float = 1.0,
    ) -> None:
        """Build it with random weights.

        Args:
            labels: How many there are.
            width: Of states.
            inner: Of the feed-forward network.
            layers: How many.
            dropout: Of messages, and of the embeddings of labels; the latter once a batch and
                label, not once a pair as SynGEC's.
            activation: A name of transformers.
            share: Of the states as they were; 1 leaves them.
            scale: Of the embeddings of labels.
        """
        super().__init__()
        self.share, self.scale = share, scale
        self.embedding = nn.Embedding(labels, width, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        with torch.no_grad():
            self.embedding.weight[PAD] = 0
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            GraphLayer(width, inner, dropout, activation) for _ in range(layers)
        )

    def forward(self, states: Tensor, weights: Tensor, labels: Tensor) -> Tensor:
        """Compute mixed states."""
        table = self.dropout(self.scale * self.embedding.weight)
        deep = states
        for layer in self.layers:
            deep = layer(deep, table, weights, labels)
        return self.share * states + (1 - self.share) * deep


def build_graph(
    folder: Path, settings: Mapping[str, object] | None
) -> tuple[GraphEncoder, GraphShape]:
    """Build the graph encoder that the card of the model in a folder describes.

    Args:
        folder: That a run wrote.
        settings: What the card says of it.

    Raises:
        FormatError: The card does not say what the encoder is.
    """
    if settings is None:
        raise FormatError(f"{folder}: its card says nothing of a graph encoder")
    try:
        shape = msgspec.convert(settings, GraphShape)
    except msgspec.ValidationError as error:
        raise FormatError(f"{folder}: graph of its card: {error}") from error
    return GraphEncoder(**msgspec.structs.asdict(shape)), shape


def read_graph(
    folder: Path, settings: Mapping[str, object] | None
) -> tuple[GraphEncoder, GraphShape]:
    """Read the graph encoder of the model in a folder; arguments as those of `build_graph`.

    Raises:
        FormatError: A file is damaged, or the card does not say what the encoder is.
    """
    graph, shape = build_graph(folder, settings)
    fill_network(graph, load_weights(folder / GRAPH), folder / GRAPH)
    return graph, shape


class SyntaxNetwork(nn.Module):
    """An encoder-decoder whose decoder reads what a graph encoder makes of the encoder's states."""

    def __init__(self, model: PreTrainedModel, graph: GraphEncoder) -> None:
        """Join both."""
        super().__init__()
        self.model: Any = model
        self.graph = graph

    def encode(
        self, input_ids: Tensor, attention_mask: Tensor, weights: Tensor, labels: Tensor
    ) -> BaseModelOutput:
        """Compute what the decoder reads."""
        encoder = self.model.get_encoder()
        states = encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return BaseModelOutput(last_hidden_state=self.graph(states, weights, labels))

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        decoder_input_ids: Tensor,
        weights: Tensor,
        arc_labels: Tensor,
    ) -> Tensor:
        """Compute the logits of target tokens."""
        logits: Tensor = self.model(
            encoder_outputs=self.encode(input_ids, attention_mask, weights, arc_labels),
            attention_mask=attention_mask,
            decoder_input_ids=decoder_input_ids,
            use_cache=False,
        ).logits
        return logits


def label_numbers(parser: Parser) -> dict[str, int]:
    """Number the labels of a parser for a graph encoder."""
    return {label: number for number, label in enumerate(parser.shape.labels, NO_ARC + 1)}


def parse_arcs(parser: Parser, encoding: Encoding, texts: Sequence[str]) -> list[Arcs]:
    """Parse sources, and build their arcs between the positions that an encoder-decoder reads."""
    rows = [word_places(encoding, text, parser.card.tokens) for text in texts]
    numbers = label_numbers(parser)
    parses = parser.parse([words for words, _ in rows])
    return [
        build_arcs(parse, places, numbers) for parse, (_, places) in zip(parses, rows, strict=True)
    ]


class SyntaxSearch(TorchSearch):
    """Parses sources, then searches as for any encoder-decoder."""

    def __init__(
        self,
        network: SyntaxNetwork,
        parser: Parser,
        encoding: Encoding,
        options: Seq2SeqOptions,
    ) -> None:
        super().__init__(network.model, encoding.specials, options)
        self._syntax, self._parser, self._encoding = network, parser, encoding

    def inputs(self, sources: Sequence[EncoderInput]) -> dict[str, object]:
        """Build what the decoder reads of a batch."""
        inputs: dict[str, Any] = super().inputs(sources)
        texts = [source.text for source in sources]
        arcs = stack_arcs(parse_arcs(self._parser, self._encoding, texts))
        device = inputs["input_ids"].device
        with evaluation_mode(self._syntax), torch.inference_mode():
            encoded = self._syntax.encode(
                inputs["input_ids"], inputs["attention_mask"], *(part.to(device) for part in arcs)
            )
        return {"encoder_outputs": encoded, "attention_mask": inputs["attention_mask"]}


# What correctors with syntax learn from: pairs with the parses of their sources.


_CHUNK = 1000
"""Sources that are parsed at once."""


@dataclass(frozen=True, slots=True)
class SyntaxExample(DecoderExample):
    """A pair in ids, with what the parser says of its source.

    Args:
        parse: Without words; None where the sentence is too long for the parser.
        places: The word of each position of the source; see `build_arcs`.
    """

    parse: Parse | None = None
    places: array[int] = dataclasses.field(default_factory=lambda: array("i"))


class ParsedTask(DecoderTask):
    """Learns from sources and their trees; stands before the task of a network with a graph."""

    def parse_with(self, parser: Parser, folds: Sequence[str]) -> None:
        """Take what parses.

        Args:
            parser: Of sources that are corrected.
            folds: The folders of the parsers of jack-knifing; () where `parser` parses all.

        Raises:
            UsageError: One was not trained without the fold of its place.
        """
        self._parser, self._folds = parser, load_folds(folds)
        self._numbers = label_numbers(parser)

    def prepare(self, items: Sequence[SentencePair]) -> Dataset[DecoderExample]:
        """Turn pairs into examples, with the parses of their sources."""
        dataset = super().prepare(items)
        examples: list[DecoderExample] = []
        unparsed = 0
        for start in range(0, len(dataset.examples), _CHUNK):
            chunk = dataset.examples[start : start + _CHUNK]
            texts = [items[k].source.strip() for k in dataset.sources[start : start + _CHUNK]]
            rows = [word_places(self.encoding, text, self._parser.card.tokens) for text in texts]
            parses = self._parse([words for words, _ in rows])
            unparsed += sum(parse is None for parse in parses)
            examples += [
                self._with_parse(example, parse, places)
                for example, parse, (_, places) in zip(chunk, parses, rows, strict=True)
            ]
        counts = {"sources that are not parsed": unparsed} if unparsed else {}
        return dataclasses.replace(dataset, examples=examples, counts={**dataset.counts, **counts})

    def _parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse | None]:
        """Parse sentences of training, each by the parser that has not learnt its tree."""
        if not self._folds:
            return self._parser.parse(sentences)
        result: list[Parse | None] = [None] * len(sentences)
        folds = [fold_of(words, len(self._folds)) for words in sentences]
        for fold, parser in enumerate(self._folds):
            mine = [place for place, other in enumerate(folds) if other == fold]
            for place, parse in zip(mine, parser.parse([sentences[k] for k in mine]), strict=True):
                result[place] = parse
        return result

    def _with_parse(
        self, example: DecoderExample, parse: Parse | None, places: Sequence[int]
    ) -> SyntaxExample:
        """Add a parse, in half of its memory, to an example, whose end may have been cut."""
        after = len(self.encoding.specials.after)
        length = len(example.source) - after
        if parse is not None:
            tree = Tree((), parse.tree.heads, parse.tree.labels)
            parse = Parse(tree, parse.probabilities.astype(np.float16))
        positions = array("i", (*places[:length], *places[len(places) - after :]))
        return SyntaxExample(example.source, example.target, parse, positions)

    def collate(self, examples: Sequence[DecoderExample]) -> Batch:
        """Build the tensors of any encoder-decoder, and those of arcs."""
        arcs = [
            build_arcs(example.parse, example.places, self._numbers)
            for example in cast("Sequence[SyntaxExample]", examples)
        ]
        weights, labels = stack_arcs(arcs)
        return {**super().collate(examples), "weights": weights, "arc_labels": labels}


def load_folds(places: Sequence[str]) -> list[Parser]:
    """Load the parsers of jack-knifing.

    Raises:
        UsageError: One was not trained without the fold of its place.
    """
    parsers = [load_parser(place) for place in places]
    for fold, parser in enumerate(parsers):
        if (parser.shape.fold, parser.shape.folds) != (fold, len(parsers)):
            raise UsageError(
                f"model.folds: {places[fold]} was trained without fold {parser.shape.fold} of "
                f"{parser.shape.folds}, not without fold {fold} of {len(parsers)}"
            )
    return parsers


def load_parser(place: str) -> Parser:
    """Load a parser of sentences with errors, onto the device of training.

    Raises:
        GecbenchError: The folder holds none.
    """
    parser = read_parser(Path(place), for_errors=True)
    parser.network.to(find_device(""))
    return parser
