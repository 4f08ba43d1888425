"""Training a corrector with syntax: its configuration, and its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from gecbench.core.errors import UsageError
from gecbench.core.seeding import number
from gecbench.models import CARD
from gecbench.models.batches import SentencePair
from gecbench.models.folder import card_settings, read_card
from gecbench.models.robust.pairs import check_decoder
from gecbench.models.seq2seq.corrector import Seq2SeqOptions
from gecbench.models.seq2seq.encoding import SubwordEncoding
from gecbench.models.seq2seq.loading import TorchSettings
from gecbench.models.seq2seq.training import Seq2SeqConfig, Seq2SeqTable, Seq2SeqTask, load_parts
from gecbench.models.syntax.graph import (
    GRAPH,
    NO_ARC,
    PARSER,
    GraphEncoder,
    GraphShape,
    ParsedTask,
    SyntaxNetwork,
    SyntaxSearch,
    load_parser,
    read_graph,
)
from gecbench.models.syntax.parser import Parser
from gecbench.models.training.config import Below1, Positive, Share
from gecbench.models.training.task import Batch, TrainingKind
from gecbench.models.weights import save_weights


class SyntaxTable(Seq2SeqTable, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is trained; `Seq2SeqTable` has the rest.

    Args:
        place: An encoder-decoder to start from; or the folder of a corrector with syntax, whose
            graph encoder and parser learn and parse on.
        parser: The folder of a parser of sentences with errors.
        folds: For jack-knifing, the folders of parsers that were trained without fold 0, fold 1...:
            each source of training is parsed by the one that has not learnt its tree. What is
            corrected later is parsed by `parser`.
        trains: "graph" leaves the encoder-decoder as it is, as SynGEC does with BART; "all".
        layers: Of the graph encoder.
        share: Of the encoder's own states in what the decoder reads.
        graph_dropout: Of the graph encoder; absent takes the encoder-decoder's.
    """

    parser: str = ""
    folds: tuple[str, ...] = ()
    trains: Literal["graph", "all"] = "graph"
    layers: Positive = 3
    share: Share = 0.5
    graph_dropout: Below1 | None = None


class SyntaxConfig(Seq2SeqConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains a corrector with syntax.

    Args:
        model: What is trained.
    """

    model: SyntaxTable


class SyntaxTask(ParsedTask, Seq2SeqTask):
    """Learns to write targets from sources and their trees."""

    def __init__(
        self,
        config: SyntaxConfig,
        network: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        encoding: SubwordEncoding,
        *,
        graph: GraphEncoder,
        shape: GraphShape,
        parser: Parser,
    ) -> None:
        """Take an encoder-decoder, and what stands beside it."""
        super().__init__(config, network, tokenizer, encoding)
        self.parse_with(parser, config.model.folds)
        self._shape = shape
        self._syntax = SyntaxNetwork(network, graph)
        self._trains = config.model.trains
        self._can_learn = [p for p in cast("Any", network).parameters() if p.requires_grad]

    @property
    def module(self) -> SyntaxNetwork:
        """The network; its forward pass takes a batch's tensors as keywords."""
        return self._syntax

    def outputs(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the logits of the target tokens, (sentences, positions, vocabulary)."""
        names = ("input_ids", "attention_mask", "decoder_input_ids", "weights", "arc_labels")
        logits: torch.Tensor = module(**{name: batch[name] for name in names})
        return logits

    def freeze(self, *, cold: bool) -> None:
        """Let only the graph encoder learn (cold, or where only it is trained), or everything."""
        for parameter in self._can_learn:
            parameter.requires_grad_(not cold and self._trains == "all")

    def search(self, options: Seq2SeqOptions) -> SyntaxSearch:
        """Wrap the network as it is now in a search for answers."""
        return SyntaxSearch(self._syntax, self._parser, self.encoding, options)

    def more_settings(self) -> dict[str, object]:
        """What the model's card says of the graph encoder."""
        return {"graph": msgspec.to_builtins(self._shape)}

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the model as `syntax:FOLDER` loads it; transformers loads its encoder-decoder."""
        super().save(folder, provenance)
        save_weights(self._syntax.graph.state_dict(), folder / GRAPH)
        (folder / PARSER).mkdir()
        self._parser.save(folder / PARSER, self._parser.card.provenance)


def build(
    config: SyntaxConfig, pairs: Sequence[SentencePair], checkpoint: Path | None
) -> SyntaxTask:
    """Build the task of a run; the seed decides the new weights.

    Raises:
        GecbenchError: The model to start from, or the parser, cannot be loaded.
        UsageError: The configuration contradicts itself or the model.
    """
    table = config.model
    earlier = checkpoint or _earlier(table)
    parser = _load_parser(table, earlier)
    # What is frozen for good is not among the tensors of a checkpoint.
    parts = load_parts(config, pairs, checkpoint, with_weights=table.trains == "graph")
    if earlier is not None:
        settings = card_settings(earlier, read_card(earlier, "syntax"), TorchSettings).graph
        graph, shape = read_graph(earlier, settings)
        return SyntaxTask(config, *parts, graph=graph, shape=shape, parser=parser)
    shape = _shape(table, parts[0].config, len(parser.shape.labels) + NO_ARC + 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "graph weights"))
        graph = GraphEncoder(**msgspec.structs.asdict(shape))
    return SyntaxTask(config, *parts, graph=graph, shape=shape, parser=parser)


def _earlier(table: SyntaxTable) -> Path | None:
    """Find the corrector with syntax that a run starts from, if it does from one."""
    folder = Path(table.place)
    return folder if (folder / CARD).is_file() and (folder / GRAPH).is_file() else None


def _load_parser(table: SyntaxTable, earlier: Path | None) -> Parser:
    """Load the parser that is named, or that of the corrector to start from."""
    if earlier is None and not table.parser:
        raise UsageError("model.parser names no parser; train one (gecbench train), and name it")
    if earlier is not None and table.parser and earlier == Path(table.place):
        raise UsageError(f"model.parser: {table.place} has its own; leave it out")
    folder = earlier / PARSER if earlier is not None else Path(table.parser)
    return load_parser(str(folder))


def _shape(table: SyntaxTable, network: Any, labels: int) -> GraphShape:
    """Choose the sizes of a graph encoder, as those of the encoder's layers."""
    values = network.to_dict()
    width = int(network.hidden_size)
    inner = next(values[n] for n in ("encoder_ffn_dim", "d_ff", "intermediate_size") if n in values)
    activation = next(
        (values[n] for n in ("activation_function", "dense_act_fn", "hidden_act") if n in values),
        "relu",
    )
    dropout = next((values[n] for n in ("dropout", "dropout_rate") if n in values), 0.0)
    return GraphShape(
        labels=labels,
        width=width,
        inner=int(inner),
        layers=table.layers,
        dropout=float(dropout if table.graph_dropout is None else table.graph_dropout),
        activation=str(activation),
        share=table.share,
        scale=width**0.5 if values.get("scale_embedding") else 1.0,
    )


KIND = TrainingKind(
    SyntaxConfig,
    build,
    paths=("place", "parser", "folds"),
    check_robust=lambda config: check_decoder(config.robust),
)
"""Trained and combined as any encoder-decoder."""
