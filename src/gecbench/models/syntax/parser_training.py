"""Training a parser: its configuration, its trees, and its task."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import msgspec
import numpy as np
import torch

from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.language import Tokens
from gecbench.core.sample import Corpus
from gecbench.core.seeding import number
from gecbench.lang import language_of
from gecbench.models.folder import Card
from gecbench.models.syntax.parser import (
    ArcScores,
    Parser,
    ParserNetwork,
    ParserShape,
    best_tree,
    build_parser,
    read_parser,
)
from gecbench.models.syntax.trees import ERROR_LABELS, Tree, fold_of, read_conllu
from gecbench.models.tagger.encoding import Positions, TaggerEncoding
from gecbench.models.tagger.network import ConvolutionTable, load_pretrained
from gecbench.models.tagger.training import OWN, build_convolution
from gecbench.models.training.config import Below1, Count, Positive, Rate, RunConfig
from gecbench.models.training.data import (
    ALL,
    TrainingData,
    apply_limit,
    draw_dev,
    hash_file,
    locate_file,
)
from gecbench.models.training.decoder import pad_tensor
from gecbench.models.training.task import (
    IGNORED,
    Batch,
    Dataset,
    Measurement,
    Task,
    TrainingKind,
)
from gecbench.models.weights import target_loss


class ParserTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is trained; the values are SynGEC's for English.

    Args:
        encoder: "convolution", or a model of transformers: a name on the hub, or a folder.
        layers: Of an encoder of transformers, the last so many are mixed.
        tokens: What words are in texts that are parsed, a name of `text.tokens`; "" is that of
            the language, and "space" is for texts that are divided as the trees are.
        min_count: Labels that occur less often are not learnt.
        arc_width: Of what stands for a word while heads are looked for.
        label_width: The same while labels are.
        dropout: Of these two.
        encoder_dropout: Of the encoder's states.
        head_rate: The learning rate of what is new is so many times that of the encoder.
        max_tokens: Sentences with more words are left out, and not parsed.
        subwords_per_token: What a word has beyond so many is not read.
        convolution: Sizes of our own encoder.
        folds: For jack-knifing, into how many parts the trees are divided; 0 does not.
        fold: The part that this parser does not learn from, from 0.
    """

    encoder: str = OWN
    layers: Positive = 2
    tokens: Tokens | Literal[""] = ""
    min_count: Positive = 1
    arc_width: Positive = 500
    label_width: Positive = 100
    dropout: Below1 = 0.33
    encoder_dropout: Below1 = 0.1
    head_rate: Rate = 10.0
    max_tokens: Positive = 200
    subwords_per_token: Positive = 10
    convolution: ConvolutionTable = ConvolutionTable()
    folds: Count = 0
    fold: Count = 0

    def __post_init__(self) -> None:
        """Refuse a part that there is none of."""
        if self.fold >= max(self.folds, 1):
            raise ValueError(f"fold {self.fold} is none of {self.folds} folds, counted from 0")


class ParserConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains a parser.

    Args:
        model: What is trained.
    """

    model: ParserTable = ParserTable()


def read_trees(config: ParserConfig, home: Path) -> TrainingData[Tree]:
    """Read the CoNLL-U files that a configuration names.

    Raises:
        CorpusError: Nothing is left to learn from, or to stop by.
        GecbenchError: A file cannot be read.
    """
    data, counts = config.data, Counter[str]()
    if data.keep_correct:
        raise UsageError("data.keep_correct is about pairs; a parser learns from all its trees")
    if chosen := config.scoring.metric or config.scoring.scheme:
        raise UsageError(f"scoring has {chosen}, which is about corrections; a parser has its LAS")
    paths = {name: locate_file(home, name) for name in data.train}
    train = [tree for path in paths.values() for tree in read_conllu(path)]
    counts["trees read"] = len(train)
    if data.dev == ALL:
        dev = train
    elif data.dev:
        paths[data.dev] = locate_file(home, data.dev)
        dev = list(read_conllu(paths[data.dev]))
    else:
        held_back = draw_dev([" ".join(tree.words) for tree in train], config)
        dev = [tree for tree in train if " ".join(tree.words) in held_back]
    if data.dev != ALL:
        dev_words = {tree.words for tree in dev}
        others = [tree for tree in train if tree.words not in dev_words]
        counts["left out: also in dev"] = len(train) - len(others)
        train = others
    table = config.model
    if table.folds:
        others = [t for t in train if fold_of(t.words, table.folds) != table.fold]
        counts["left out: of the fold"] = len(train) - len(others)
        train = others
    train = apply_limit(train, config, counts, [*paths.values()], "tree")
    counts["dev trees"] = len(dev)
    if not dev:
        raise CorpusError("there is no dev tree; name a file as data.dev, or a larger share")
    files = {name: hash_file(path) for name, path in paths.items()}
    return TrainingData(tuple(train), Corpus("dev", ()), tuple(dev), dict(counts), files)


class ParserExample(NamedTuple):
    """A tree as the network learns it.

    Args:
        positions: Of its words.
        heads: Of each word.
        labels: Numbers of the labels; `IGNORED` where the parser does not know one.
    """

    positions: Positions
    heads: array[int]
    labels: array[int]


@dataclass(frozen=True)
class ParserTask(Task[Tree, ParserExample]):
    """Learns heads and labels.

    Args:
        parser: With its network.
        head_rate: See `ParserTable`.
    """

    parser: Parser
    head_rate: float

    metrics = ("uas", "las", *(f"f-{label}" for label in ERROR_LABELS))
    score = "las"

    @property
    def module(self) -> ParserNetwork:
        """The network; its forward pass takes ids, mask and words."""
        return cast("ParserNetwork", self.parser.network)

    def prepare(self, items: Sequence[Tree]) -> Dataset[ParserExample]:
        """Turn the trees with one root that can be read whole into examples."""
        ids = {label: k for k, label in enumerate(self.parser.shape.labels)}
        examples: list[ParserExample] = []
        dropped, counts = Counter[str](), Counter[str]()
        encoded = self.parser.positions([tree.words for tree in items])
        for tree, positions in zip(items, encoded, strict=True):
            if fault := tree.fault:
                dropped[fault] += 1
            elif len(positions.firsts) != len(tree.words) + 1:
                dropped["longer than what is read"] += 1
            else:
                labels = array("i", (ids.get(label, IGNORED) for label in tree.labels))
                if unknown := labels.count(IGNORED):
                    counts["labels that are not learnt"] += unknown
                examples.append(ParserExample(positions, array("i", tree.heads), labels))
        return Dataset(examples, dropped, counts)

    def length(self, example: ParserExample) -> int:
        """Count how many positions an example has."""
        return len(example.positions.ids)

    def collate(self, examples: Sequence[ParserExample]) -> Batch:
        """Build ids, mask and words (sentences, positions), heads and labels (sentences, words).

        The root is word 0, without head and label.
        """
        return {
            **self.parser.batch([example.positions for example in examples]),
            "heads": pad_tensor([(IGNORED, *example.heads) for example in examples], IGNORED),
            "labels": pad_tensor([(IGNORED, *example.labels) for example in examples], IGNORED),
        }

    def weight(self, batch: Batch) -> float:
        """Count the words."""
        return float((batch["heads"] != IGNORED).sum())

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the cross-entropy of heads, and of labels at the right heads, summed."""
        return self._loss(self._scores(module, batch), batch)

    def measure(self, module: torch.nn.Module, batch: Batch) -> Sequence[Measurement]:
        """Compute the loss, attachment scores (punctuation included), and F of error labels.

        A word with an error label is right where it has this label in both trees, whatever its
        head.
        """
        scores = self._scores(module, batch)
        logs = scores.heads.float().log_softmax(-1).cpu().numpy()
        sums = np.zeros((len(self.metrics), 2))
        errors = [
            self.parser.shape.labels.index(name) if name in self.parser.shape.labels else -1
            for name in ERROR_LABELS
        ]
        for row, (gold_heads, gold_labels) in enumerate(
            zip(batch["heads"].cpu().numpy(), batch["labels"].cpu().numpy(), strict=True)
        ):
            size = int((gold_heads != IGNORED).sum()) + 1
            heads = np.array(best_tree(logs[row, :size, :size].astype(np.float64)))
            labels = scores.labels[row, torch.arange(1, size), heads].argmax(-1).cpu().numpy()
            right = heads == gold_heads[1:size]
            gold = gold_labels[1:size]
            sums[0] += right.sum(), size - 1
            sums[1] += (right & (labels == gold)).sum(), size - 1
            for place, label in enumerate(errors, 2):
                predicted, true = labels == label, gold == label
                sums[place] += 2 * (predicted & true).sum(), predicted.sum() + true.sum()
        return [
            Measurement(self._loss(scores, batch), self.weight(batch)),
            *(Measurement(torch.tensor(total), float(weight)) for total, weight in sums),
        ]

    def _scores(self, module: torch.nn.Module, batch: Batch) -> ArcScores:
        scores: ArcScores = module(ids=batch["ids"], mask=batch["mask"], words=batch["words"])
        return scores

    def _loss(self, scores: ArcScores, batch: Batch) -> torch.Tensor:
        heads, labels = batch["heads"], batch["labels"]
        chosen = heads.clamp(min=0).view(*heads.shape, 1, 1)
        at_heads = scores.labels.gather(2, chosen.expand(-1, -1, 1, scores.labels.shape[-1]))
        return target_loss(scores.heads, heads) + target_loss(at_heads.squeeze(2), labels)

    def freeze(self, *, cold: bool) -> None:
        """Let only what is new learn (cold), or everything; our own encoder is as new."""
        is_new = self.parser.shape.convolution is not None
        self.module.encoder.requires_grad_(is_new or not cold)

    def rate(self, name: str) -> float:
        """Let what is new beside an encoder of transformers learn faster."""
        is_old = name.startswith("encoder.") or self.parser.shape.convolution is not None
        return 1.0 if is_old else self.head_rate

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the parser as `gecbench parse` loads it."""
        self.parser.save(folder, provenance)


def build(config: ParserConfig, trees: Sequence[Tree], checkpoint: Path | None) -> ParserTask:
    """Build the task of a run; the seed decides the new weights.

    Raises:
        GecbenchError: The encoder cannot be loaded.
        UsageError: It has fewer layers than are to be mixed.
    """
    table = config.model
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "parser weights"))
        if checkpoint is not None:
            return ParserTask(read_parser(checkpoint, with_weights=False), table.head_rate)
        if table.encoder == OWN:
            encoder, encoding = build_convolution(
                table.convolution,
                [tree.words for tree in trees],
                max_tokens=table.max_tokens,
                pieces_per_token=table.subwords_per_token,
            )
        else:
            encoder, encoding = load_pretrained(
                table.encoder,
                adds_start=False,
                max_tokens=table.max_tokens,
                pieces_per_token=table.subwords_per_token,
            )
            encoding = _with_root(encoding)
            module: Any = encoder.module
            most = int(getattr(module.model.config, "num_hidden_layers", table.layers))
            if table.layers > most:
                raise UsageError(
                    f"model.layers is {table.layers}, but {table.encoder} has {most} layers to mix"
                )
        counts = Counter(label for tree in trees for label in tree.labels)
        shape = ParserShape(
            name=config.name,
            labels=tuple(sorted(label for label, n in counts.items() if n >= table.min_count)),
            arc_width=table.arc_width,
            label_width=table.label_width,
            layers=table.layers,
            dropout=table.dropout,
            encoder_dropout=table.encoder_dropout,
            encoder=str(encoder.settings["encoder"]),
            convolution=msgspec.convert(
                encoder.settings.get("convolution"), dict[str, object] | None
            ),
            fold=table.fold,
            folds=table.folds,
        )
        card = Card(
            kind=config.kind,
            languages=(config.language,),
            tokens=table.tokens or language_of(config.language).tokens,
            about=config.about,
        )
        return ParserTask(build_parser(encoder, encoding, shape, card), table.head_rate)


def _with_root(encoding: TaggerEncoding) -> TaggerEncoding:
    """Let the token that opens a sentence, as [CLS], stand for the root, where there is one."""
    layout = encoding.layout
    if not layout.before:
        return encoding
    layout = msgspec.structs.replace(layout, before=layout.before[:-1], start=layout.before[-1])
    return TaggerEncoding(layout, encoding.pieces)


KIND = TrainingKind(ParserConfig, build, paths=("encoder",), read=read_trees, verb="parse")
