"""The parser of sentences with errors: its network, the best tree with one root, its folder."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gecbench.backends import need
from gecbench.backends.runtimes import load_session
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.models.batches import make_batches, mask_rows, pad_rows
from gecbench.models.folder import (
    Card,
    atomic_folder,
    card_settings,
    fingerprint,
    read_card,
    write_card,
)
from gecbench.models.syntax.trees import ERROR_LABELS, Tree
from gecbench.models.tagger.encoding import Positions, TaggerEncoding, read_encoding
from gecbench.models.tagger.loading import ONNX
from gecbench.models.tagger.network import (
    Encoder,
    TransformersEncoder,
    check_ids,
    read_encoder,
    save_encoder_config,
)
from gecbench.models.text import Agreement
from gecbench.models.training.config import Below1, Positive
from gecbench.models.weights import (
    WEIGHTS,
    evaluation_mode,
    fill_network,
    load_weights,
    save_network,
    wide_dtype,
)
from gecbench.text.tokens import token_texts

Scores = NDArray[np.float64]


# The best tree with one root (Chu and Liu 1965, Edmonds 1967).


def best_tree(scores: Scores) -> list[int]:
    """Find the maximum spanning tree with one root.

    Args:
        scores: Of arcs, finite: row n is word n as dependent, column n as head, the root being 0.
            Row 0 and the diagonal mean nothing.

    Returns:
        The head of each word, 0 at the root's only child.
    """
    allowed = scores.copy()
    np.fill_diagonal(allowed, -np.inf)
    heads = allowed[1:].argmax(1)
    if not Tree((), tuple(heads.tolist()), ()).fault:
        return [int(head) for head in heads]
    # Each arc from the root costs more than all others can differ by, so that there is only one.
    words = scores[1:]
    allowed[1:, 0] -= (float(words.max() - words.min()) + 1) * len(words)
    return [int(head) for head in _arborescence(allowed)[1:]]


def _arborescence(scores: Scores) -> NDArray[np.int64]:
    """Find the best arcs from node 0 to all others; the diagonal is minus infinity."""
    heads: NDArray[np.int64] = scores.argmax(1)
    heads[0] = 0
    cycle = np.array(_find_cycle(heads.tolist()), dtype=np.int64)
    if not cycle.size:
        return heads
    # The cycle becomes one node, the last; whatever enters it there replaces one of its arcs.
    outside = np.setdiff1d(np.arange(len(scores)), cycle)
    leaving = scores[np.ix_(outside, cycle)]
    entering = scores[np.ix_(cycle, outside)] - scores[cycle, heads[cycle]][:, None]
    smaller = np.full((len(outside) + 1, len(outside) + 1), -np.inf)
    smaller[:-1, :-1] = scores[np.ix_(outside, outside)]
    smaller[:-1, -1], smaller[-1, :-1] = leaving.max(1), entering.max(0)
    inner = _arborescence(smaller)
    for place, node in enumerate(outside[1:], 1):
        head = inner[place]
        inside = head == len(outside)
        heads[node] = cycle[leaving[place].argmax()] if inside else outside[head]
    entry = inner[-1]
    heads[cycle[entering[:, entry].argmax()]] = outside[entry]
    return heads


def _find_cycle(heads: Sequence[int]) -> list[int]:
    """Find a cycle among heads; none where all lead to node 0."""
    done = {0}
    for start in range(len(heads)):
        path: dict[int, None] = {}
        node = start
        while node not in done and node not in path:
            path[node] = None
            node = heads[node]
        if node in path:
            nodes = list(path)
            return nodes[nodes.index(node) :]
        done.update(path)
    return []


# The network: an encoder, and biaffine scores of heads and labels (Dozat and Manning 2017).


class ParserShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the card of a parser says of its network.

    Args:
        name: As tables show it.
        labels: Of arcs, by their numbers.
        arc_width: Of what stands for a word while heads are looked for.
        label_width: The same while labels are.
        layers: Of an encoder of transformers, the last so many are mixed.
        dropout: Of these two.
        encoder_dropout: Of the encoder's states.
        encoder: Its kind.
        convolution: Sizes of our own encoder.
        fold: Of its data, the part that it was not trained on, from 0.
        folds: How many parts there are; 0 where it was trained on all.
        precision: Of an export, fp32 or int8.
    """

    name: str
    labels: tuple[str, ...]
    arc_width: Positive
    label_width: Positive
    layers: Positive
    dropout: Below1
    encoder_dropout: Below1
    encoder: str
    convolution: Mapping[str, object] | None = None
    fold: int = 0
    folds: int = 0
    precision: Literal["", "fp32", "int8"] = ""


class ArcScores(NamedTuple):
    """Logits of arcs; word 0 is the root.

    Args:
        heads: (sentences, dependents, heads); minus infinity where no word is.
        labels: (sentences, dependents, heads, labels).
    """

    heads: Tensor
    labels: Tensor


class Biaffine(nn.Module):
    """Scores all pairs of words: d W h, with a 1 at the end of each where it has a bias."""

    def __init__(self, width: int, outputs: int, *, bias: tuple[bool, bool]) -> None:
        """Build it with zero weights, as Dozat's parser."""
        super().__init__()
        self.bias = bias
        sizes = (width + bias[0], width + bias[1])
        self.weight = nn.Parameter(torch.zeros(outputs, *sizes))

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Compute the scores, (sentences, dependents, heads, outputs)."""
        sides = [
            nn.functional.pad(states, (0, int(has_bias)), value=1.0)
            for states, has_bias in zip((dependents, heads), self.bias, strict=True)
        ]
        return torch.einsum("bdx,oxy,bhy->bdho", sides[0], self.weight, sides[1])


class ParserNetwork(nn.Module):
    """A biaffine parser on an encoder; a word is the mean of its pieces (SynGEC, section 3)."""

    def __init__(self, encoder: Encoder, shape: ParserShape) -> None:
        """Build heads with random weights on an encoder."""
        super().__init__()
        self.encoder = encoder.module
        self.layers = shape.layers if isinstance(encoder.module, TransformersEncoder) else 1
        self.mixture = nn.Parameter(torch.zeros(self.layers))
        self.dropout = nn.Dropout(shape.encoder_dropout)
        sizes = (shape.arc_width, shape.arc_width, shape.label_width, shape.label_width)
        self.projections = nn.ModuleList(
            nn.Sequential(
                nn.Linear(encoder.width, size), nn.LeakyReLU(0.1), nn.Dropout(shape.dropout)
            )
            for size in sizes
        )
        self.arcs = Biaffine(shape.arc_width, 1, bias=(True, False))
        self.labels = Biaffine(shape.label_width, len(shape.labels), bias=(True, True))

    def forward(
        self, ids: Tensor, mask: Tensor, words: Tensor, places: Tensor | None = None
    ) -> ArcScores:
        """Compute logits.

        Args:
            ids: (sentences, positions).
            mask: The same shape; 1 where a position is no padding.
            words: The same shape; the word that a piece is of, 0 the root's; -1 of none.
            places: The words, from 0 on; None counts them, which no exported graph can.
        """
        states = self._states(ids, mask)
        if places is None:
            places = torch.arange(int(words.max()) + 1, device=words.device)
        belongs = words.unsqueeze(1) == places.view(1, -1, 1)
        counts = belongs.sum(-1, keepdim=True)
        means = (belongs.to(states.dtype) @ states) / counts.clamp(min=1)
        means = self.dropout(means)
        dependents, heads, below, above = (part(means) for part in self.projections)
        scores = self.arcs(dependents, heads).squeeze(-1)
        scores = scores.masked_fill((counts == 0).transpose(1, 2), float("-inf"))
        return ArcScores(scores, self.labels(below, above))

    def _states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Compute the states of positions, the last layers mixed."""
        if not isinstance(self.encoder, TransformersEncoder):
            states: Tensor = self.encoder(ids, mask)
            return states
        outputs = self.encoder.model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
        layers = torch.stack(outputs.hidden_states[-self.layers :])
        return (self.mixture.softmax(0).view(-1, 1, 1, 1) * layers).sum(0)


class _Graph(nn.Module):
    """The network with the best label of each arc, so that a number comes out, not one a label."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, ids: Tensor, mask: Tensor, words: Tensor, places: Tensor
    ) -> tuple[Tensor, Tensor]:
        heads, labels = self.network(ids, mask, words, places)
        return heads, labels.argmax(-1)


class ExportedNetwork(nn.Module):
    """A parser's network that ONNX Runtime runs on the CPU; its labels are decided."""

    def __init__(self, path: Path) -> None:
        """Load the ONNX file."""
        super().__init__()
        self._session = load_session(path, threads=0)

    def forward(self, ids: Tensor, mask: Tensor, words: Tensor) -> ArcScores:
        """Compute logits of heads; those of labels are 1 for the best and 0 for the others."""
        places = np.arange(int(words.max()) + 1)
        arrays = (ids.numpy(), mask.numpy(), words.numpy(), places)
        outputs = self._session.run(list(_OUTPUTS), dict(zip(_INPUTS, arrays, strict=True)))
        heads, labels = map(torch.from_numpy, outputs)
        return ArcScores(heads, nn.functional.one_hot(labels))


_INPUTS, _OUTPUTS = ("ids", "mask", "words", "places"), ("heads", "labels")


# The parser as a whole: it parses, and its folder is written and read here.


class Parse(NamedTuple):
    """What a parser says of a sentence.

    Args:
        tree: The best one with one root.
        probabilities: (words, words + 1); row n is the distribution of the head of word n + 1,
            column 0 the root's.
    """

    tree: Tree
    probabilities: NDArray[np.float32]


_BATCH = 32


@dataclass(frozen=True, slots=True)
class Parser:
    """All that a parser consists of.

    Args:
        card: Name, language and tokens.
        shape: Of its network.
        encoding: How it reads.
        network: Its weights.
    """

    card: Card
    shape: ParserShape
    encoding: TaggerEncoding
    network: nn.Module

    def positions(self, sentences: Sequence[Sequence[str]]) -> list[Positions]:
        """Encode sentences; of one that is too long only the first words are read."""
        return self.encoding.positions(sentences)

    def batch(self, sentences: Sequence[Positions]) -> dict[str, Tensor]:
        """Build the batch of some sentences, on the CPU."""
        layout = self.encoding.layout
        words = []
        for positions in sentences:
            row = np.zeros(len(positions.ids), dtype=np.int64)
            row[list(positions.firsts)] = 1
            row = row.cumsum() - 1
            row[len(row) - len(layout.after) :] = -1
            words.append(row.tolist())
        ids = [positions.ids for positions in sentences]
        return {
            "ids": torch.from_numpy(pad_rows(ids, layout.pad)),
            "mask": torch.from_numpy(mask_rows(ids)),
            "words": torch.from_numpy(pad_rows(words, -1)),
        }

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse | None]:
        """Parse sentences; None for one without words, or with more than the parser reads."""
        encoded = self.positions(sentences)
        whole = [
            number
            for number, (words, positions) in enumerate(zip(sentences, encoded, strict=True))
            if words and len(positions.firsts) == len(words) + 1
        ]
        result: list[Parse | None] = [None] * len(sentences)
        device = next((weights.device for weights in self.network.parameters()), "cpu")
        # In 8 bits activations are scaled by the extremes of a batch: each sentence is one.
        size = 1 if self.shape.precision == "int8" else _BATCH
        with evaluation_mode(self.network), torch.inference_mode():
            for group in make_batches([len(encoded[k].ids) for k in whole], size):
                numbers = [whole[k] for k in group]
                batch = self.batch([encoded[k] for k in numbers])
                scores: ArcScores = self.network(**{n: t.to(device) for n, t in batch.items()})
                logs = scores.heads.to(wide_dtype(scores.heads)).log_softmax(-1).cpu().numpy()
                for row, number in enumerate(numbers):
                    words = tuple(sentences[number])
                    result[number] = self._parse(words, logs[row], scores.labels[row])
        return result

    def _parse(self, words: tuple[str, ...], logs: NDArray[Any], labels: Tensor) -> Parse:
        size = len(words) + 1
        logs = logs[:size, :size]
        heads = best_tree(logs.astype(np.float64))
        best = labels[torch.arange(1, size), heads].argmax(-1).tolist()
        names = tuple(self.shape.labels[label] for label in best)
        return Parse(Tree(words, tuple(heads), names), np.exp(logs[1:]).astype(np.float32))

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the parser into an empty folder."""
        self.encoding.save(folder)
        save_encoder_config(cast("ParserNetwork", self.network).encoder, folder)
        card = msgspec.structs.replace(self.card, provenance=provenance)
        save_network(self.network, folder, card)


def build_parser(
    encoder: Encoder, encoding: TaggerEncoding, shape: ParserShape, card: Card
) -> Parser:
    """Put random heads on an encoder; the shape becomes the settings of the card."""
    settings = msgspec.to_builtins(shape)
    card = msgspec.structs.replace(card, kind="parser", settings=settings)
    return Parser(card, shape, encoding, ParserNetwork(encoder, shape))


def read_parser(folder: Path, *, with_weights: bool = True, for_errors: bool = False) -> Parser:
    """Read the parser that a folder holds, on the CPU, in 32 bits.

    Args:
        folder: That `Parser.save` wrote, or that of its run.
        with_weights: Else they are random: a run that is resumed loads its own.
        for_errors: Refuse a parser that was not trained on sentences with errors.

    Raises:
        FormatError: A file is damaged, or files do not belong together.
        GecbenchError: A file is missing, or the parser knows no errors.
    """
    card = read_card(folder, "parser")
    shape = card_settings(folder, card, ParserShape)
    if for_errors and (missing := [name for name in ERROR_LABELS if name not in shape.labels]):
        raise GecbenchError(
            f"{folder}: the parser has no label {' and no '.join(missing)}, so it was not trained "
            "on sentences with errors; train one on trees that gecbench parse --project wrote"
        )
    if for_errors and card.runtime != "torch":
        raise GecbenchError(f"{folder}: is an export for {card.runtime}; name the parser itself")
    encoding = read_encoding(folder)
    if len(card.languages) != 1 or not card.tokens:
        raise FormatError(f"{folder}: its card does not say which language and tokens it reads")
    if card.runtime != "torch":
        return Parser(card, shape, encoding, ExportedNetwork(folder / ONNX))
    # Empty fields of the card are absent for what reads it.
    settings = {name: value for name, value in card.settings.items() if value is not None}
    encoder = read_encoder(folder, settings)
    check_ids(folder, encoding, encoder.rows)
    network = ParserNetwork(encoder, shape)
    if with_weights:
        fill_network(network, load_weights(folder / WEIGHTS), folder / WEIGHTS)
    return Parser(card, shape, encoding, network)


def export_parser(
    folder: Path, out: Path, *, quantise: bool, sample_texts: Sequence[str]
) -> Agreement:
    """Write a parser for ONNX Runtime, and return how far both agree.

    Args:
        folder: Of a parser that torch runs.
        out: A folder that does not exist yet.
        quantise: Whether weights of matrices become 8 bits.
        sample_texts: What the two are compared on.

    Raises:
        GecbenchError: The folder holds no such parser, or the export fails.
        UsageError: There are no texts.
        MissingExtraError: What exports is not installed.
    """
    need("onnx", "onnxruntime", "onnx", "onnxscript")
    from gecbench.models.tagger.conversion import write_onnx

    parser = read_parser(folder)
    sentences = [words for text in sample_texts if (words := token_texts(text, parser.card.tokens))]
    if not sentences:
        raise UsageError("export: no text with a word to compare on; give some that are parsed")
    ids = torch.full((2, 7), parser.encoding.layout.unknown)
    belongs = torch.tensor([[0, 1, 2, 2, 3, 4, -1]] * 2)
    examples = (ids, torch.ones_like(ids), belongs, torch.arange(5))
    inputs = dict(zip(_INPUTS, examples, strict=True))
    by_position = dict(enumerate(map(torch.export.Dim, ("sentences", "positions"))))
    shapes = (by_position, by_position, by_position, {0: torch.export.Dim("places")})
    shape = msgspec.structs.replace(parser.shape, precision="int8" if quantise else "fp32")
    with atomic_folder(out) as target:
        write_onnx(_Graph(parser.network), target / ONNX, inputs, shapes, _OUTPUTS, quantise)
        parser.encoding.save(target)
        exported = Parser(parser.card, shape, parser.encoding, ExportedNetwork(target / ONNX))
        pairs = [
            (before, after)
            for before, after in zip(
                parser.parse(sentences), exported.parse(sentences), strict=True
            )
            if before and after
        ]
        differences = [abs(a.probabilities - b.probabilities).max() for a, b in pairs]
        agreement = Agreement(
            texts=len(pairs),
            equal=sum(a.tree == b.tree for a, b in pairs),
            what="trees",
            largest_difference=float(max(differences, default=0.0)),
        )
        export = {"of": fingerprint(folder), "agreement": dataclasses.asdict(agreement)}
        card = msgspec.structs.replace(
            parser.card,
            runtime="onnx",
            settings=msgspec.to_builtins(shape),
            provenance={**parser.card.provenance, "export": export},
        )
        write_card(target, card)
    return agreement
