"""Training a tagger: its configuration, its examples, and its task."""

from __future__ import annotations

import dataclasses
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import torch

from gecbench.core.corrector import CorrectorInfo
from gecbench.core.errors import UsageError
from gecbench.core.language import Tokens, Transforms
from gecbench.core.seeding import number
from gecbench.lang import language_of, transforms_for
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.robust.pairs import align_tokens, check_dropout
from gecbench.models.tagger.corrector import DecisionOptions, TaggerCorrector, TaggerOptions
from gecbench.models.tagger.encoding import TaggerEncoding, build_own_encoding, build_own_pieces
from gecbench.models.tagger.network import (
    Convolution,
    ConvolutionShape,
    ConvolutionTable,
    Encoder,
    Logits,
    Tagger,
    TaggerModel,
    TorchRuntime,
    build_tagger,
    convolution_encoder,
    load_pretrained,
    loss_weight,
    read_tagger,
    save_tagger,
    tagging_loss,
)
from gecbench.models.tags.derive import Round, apply_labels, derive_rounds
from gecbench.models.tags.labels import (
    KEEP,
    LabelVocabulary,
    build_label_vocabulary,
    read_label_vocabulary,
)
from gecbench.models.training.config import Below1, Count, Positive, RobustTable, RunConfig, Share
from gecbench.models.training.decoder import mask_tensor, pad_tensor
from gecbench.models.training.task import IGNORED, Batch, ComparableTask, Dataset, TrainingKind
from gecbench.text.tokens import token_texts

OWN = "convolution"


class TaggerTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is trained.

    Args:
        encoder: "convolution", or a model of transformers: a name on the hub, or a folder.
        continue_from: The folder of a tagger that gecbench made: the run starts with its
            weights, labels and reading, as the later stages of GECToR do. Then nothing else
            that shapes the network may be said.
        tokens: What labels are given to, a name of `text.tokens`; "" is that of the language.
            "space" is for corpora that are tokenised already.
        labels: A file of labels, one a line or a JSON list; "" counts those of the training
            pairs.
        min_count: Labels that occur less often become unknown.
        size: Labels at most, the most frequent first; 0 does not bound them.
        start: Whether $START has a row of its own in the embedding ("added") or is read as the
            unknown token ("unknown"); "" adds it in English, as the official models.
        max_tokens: Tokens that are read of a sentence; the rest stays as it is.
        subwords_per_token: What a token has beyond so many is not read.
        dropout: Before the head of labels.
        label_smoothing: Of labels; detection has none.
        reduction: Whether every token weighs the same in the loss, or every sentence.
        train_rounds: How many rounds of a pair are learned. With 1, as the papers have it, the
            source and a first label of each token; with more also what is left to do after it,
            and that nothing is when the target is reached.
        convolution: Sizes of our own encoder.
        correcting: How the model corrects where nobody says otherwise: on dev, and on its card.
    """

    encoder: str = "convolution"
    continue_from: str = ""
    tokens: Tokens | Literal[""] = ""
    labels: str = ""
    min_count: Positive = 1
    size: Count = 0
    start: Literal["", "added", "unknown"] = ""
    max_tokens: Positive = 200
    subwords_per_token: Positive = 5
    dropout: Below1 = 0.0
    label_smoothing: Share = 0.0
    reduction: Literal["token", "sentence"] = "token"
    train_rounds: Positive = 1
    convolution: ConvolutionTable = ConvolutionTable()
    correcting: DecisionOptions = DecisionOptions()


class TaggerConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains a tagger.

    Args:
        model: What is trained.
    """

    model: TaggerTable = TaggerTable()


# Examples for the network, from parallel pairs.


_CHUNK = 1000
"""Pairs that are turned into examples at once."""


class TaggerExample(NamedTuple):
    """A sentence in one round.

    Args:
        ids: Of its positions.
        firsts: The position of each token's first piece, $START first.
        labels: The id of each token's label, $START first.
    """

    ids: array[int]
    firsts: array[int]
    labels: array[int]


def _rounds(
    pair: SentencePair, tokens: str, transforms: Transforms, number: int
) -> tuple[tuple[Round, ...], bool]:
    """Derive the first rounds of a pair: those of the source, then of what it becomes.

    The target, where it is reached earlier, is the last of them: nothing is left to do, for a
    tagger is to learn when to stop.

    Returns:
        The rounds, () without a token in the source; whether the target takes more of them.
    """
    source, target = (tuple(token_texts(side, tokens)) for side in (pair.source, pair.target))
    if not source:
        return (), False
    rounds = derive_rounds(source, target, transforms, limit=number)
    reached = not rounds or apply_labels(*rounds[-1], transforms) == target
    if reached and len(rounds) < number:
        rounds += (Round(target, (KEEP,) * (len(target) + 1)),)
    return rounds, not reached


class TaggerTask(ComparableTask[TaggerExample, Logits]):
    """Learns labels and detection, from one round of each pair or from several.

    Only with one round can it be compared: `check_robust` refuses others.
    """

    def __init__(self, model: TaggerModel, table: TaggerTable) -> None:
        """Take a model and how it is to learn."""
        self._model = model
        self._table = table

    @property
    def module(self) -> Tagger:
        """The network; its forward pass takes ids, mask and firsts."""
        return self._model.network

    def prepare(self, items: Sequence[SentencePair]) -> Dataset[TaggerExample]:
        """Turn each round of each pair that can be used into an example."""
        model, number = self._model, self._table.train_rounds
        transforms = transforms_for(model.language)
        examples: list[TaggerExample] = []
        sources: list[int] = []
        empty = 0
        counts: Counter[str] = Counter()
        for start in range(0, len(items), _CHUNK):
            results = [
                _rounds(pair, model.card.tokens, transforms, number)
                for pair in items[start : start + _CHUNK]
            ]
            empty += sum(not rounds for rounds, _ in results)
            counts["pairs that need more rounds than are learned"] += sum(
                needs_more for _, needs_more in results
            )
            counts["examples of later rounds"] += sum(max(0, len(r) - 1) for r, _ in results)
            sources += (k for k, (rounds, _) in enumerate(results, start) for _ in rounds)
            examples += self._examples([r for rounds, _ in results for r in rounds], counts)
        dropped = {"source without a token": empty} if empty else {}
        return Dataset(examples, dropped, {what: n for what, n in counts.items() if n}, sources)

    def _examples(self, rounds: Sequence[Round], counts: Counter[str]) -> Iterator[TaggerExample]:
        vocabulary = self._model.vocabulary
        encoded = self._model.encoding.positions([tokens for tokens, _ in rounds])
        for (_, labels), positions in zip(rounds, encoded, strict=True):
            ids = array("i", map(vocabulary.id_of, labels[: len(positions.firsts)]))
            counts["labels outside the vocabulary"] += ids.count(vocabulary.unknown)
            unread = len(positions.firsts) < len(labels)
            counts["examples that are longer than what is read"] += unread
            yield TaggerExample(array("i", positions.ids), array("i", positions.firsts), ids)

    def length(self, example: TaggerExample) -> int:
        """Count how many positions an example has."""
        return len(example.ids)

    def collate(self, examples: Sequence[TaggerExample]) -> Batch:
        """Build ids and mask (sentences, positions), firsts and labels (sentences, tokens)."""
        ids, firsts, labels = zip(*examples, strict=True)
        return {
            "ids": pad_tensor(ids, self._model.encoding.layout.pad),
            "mask": mask_tensor(ids),
            "firsts": pad_tensor(firsts, 0),
            "labels": pad_tensor(labels, IGNORED),
        }

    def weight(self, batch: Batch) -> float:
        """Count the tokens, or of sentences where they weigh the same."""
        return loss_weight(batch["labels"], self._table.reduction)

    def outputs(self, module: torch.nn.Module, batch: Batch) -> Logits:
        """Compute the logits of both heads."""
        logits: Logits = module(ids=batch["ids"], mask=batch["mask"], firsts=batch["firsts"])
        return logits

    def likelihood(self, outputs: Logits, batch: Batch) -> torch.Tensor:
        """Compute the summed loss of labels and detection."""
        return tagging_loss(
            outputs,
            batch["labels"],
            keep=self._model.vocabulary.keep,
            smoothing=self._table.label_smoothing,
            reduction=self._table.reduction,
        )

    def matches(
        self,
        pair: ContextPair,
        original: TaggerExample,
        perturbed: TaggerExample,
        robust: RobustTable,
    ) -> list[tuple[int, int]]:
        """Find the places of equal tokens in both sources, and $START, so far as both are read.

        Labels are compared as they are learnt: two that the vocabulary lacks are the same.
        """
        texts = (token_texts(side.source, self._model.card.tokens) for side in pair)
        tokens = align_tokens(*texts, skip_after=robust.skip_after)
        left, right = original.labels, perturbed.labels
        return [
            (i, j)
            for i, j in ((0, 0), *((i + 1, j + 1) for i, j in tokens))
            if i < len(left)
            and j < len(right)
            and (robust.disagreeing == "keep" or left[i] == right[j])
        ]

    def gather(
        self, outputs: Logits, rows: torch.Tensor, places: torch.Tensor, robust: RobustTable
    ) -> tuple[torch.Tensor, ...]:
        """Gather the logits of labels at some tokens, and those of detection where it counts."""
        heads = outputs if robust.heads == "labels+detection" else outputs[:1]
        return tuple(head[rows, places] for head in heads)

    def freeze(self, *, cold: bool) -> None:
        """Let only the heads learn (cold), or everything.

        Our own encoder is as new as the heads: it always learns.
        """
        is_new = "convolution" in self._model.card.settings and not self._table.continue_from
        self.module.encoder.requires_grad_(is_new or not cold)

    def corrector(self) -> TaggerCorrector:
        """Wrap the network as it is now, wherever it is."""
        model = self._model
        options = TaggerOptions(**msgspec.structs.asdict(self._table.correcting))
        info = CorrectorInfo(
            name=str(model.card.settings["name"]),
            kind="tagger",
            languages=model.card.languages,
            about=model.card.about or "A tagger that is learning.",
            signature={"corrector": "tagger", "model": "in training"},
        )
        runtime = TorchRuntime([model])
        return TaggerCorrector(info, runtime, model.vocabulary, model.card.tokens, options)

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the model as `tagger:FOLDER` loads it."""
        save_tagger(self._model, folder, provenance)


_SHAPING = (
    *("encoder", "tokens", "labels", "min_count", "size", "start"),
    *("max_tokens", "subwords_per_token", "convolution"),
)
"""Keys that a tagger to go on from has decided already."""


def build(
    config: TaggerConfig, pairs: Sequence[SentencePair], checkpoint: Path | None
) -> TaggerTask:
    """Build the task of a run; the seed decides the new weights.

    Raises:
        GecbenchError: The encoder or the tagger to go on from cannot be loaded.
        UsageError: The configuration contradicts itself.
    """
    table = config.model
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "tagger weights"))
        if checkpoint is not None:
            model = read_tagger(checkpoint, with_weights=False)
        elif table.continue_from:
            model = _earlier_model(config)
        else:
            model = _new_model(config, pairs)
    model.network.dropout.p = table.dropout
    encoder: Any = model.network.encoder
    settings = (
        msgspec.structs.asdict(encoder.shape)
        if isinstance(encoder, Convolution)
        else encoder.model.config.to_dict()
    )
    check_dropout(config.robust, settings, table.dropout)
    card = msgspec.structs.replace(
        model.card,
        settings={**model.card.settings, "name": config.name, "dropout": table.dropout},
        about=config.about,
        defaults=msgspec.to_builtins(table.correcting),
    )
    return TaggerTask(dataclasses.replace(model, card=card), table)


def _earlier_model(config: TaggerConfig) -> TaggerModel:
    """Read a tagger that was trained before, with its weights."""
    table, defaults = config.model, TaggerTable()
    for name in _SHAPING:
        if getattr(table, name) != getattr(defaults, name):
            raise UsageError(
                f"model.{name} cannot be chosen again where model.continue_from names a tagger, "
                "which has its own; leave it out"
            )
    model = read_tagger(Path(table.continue_from))
    if model.language != config.language:
        raise UsageError(
            f"{table.continue_from}: corrects {model.language}, the run is for {config.language}"
        )
    return model


def _new_model(config: TaggerConfig, pairs: Sequence[SentencePair]) -> TaggerModel:
    """Build a tagger whose heads, at least, know nothing."""
    table = config.model
    language = language_of(config.language)
    tokens = table.tokens or language.tokens
    vocabulary = _labels(config, pairs, tokens)
    if table.encoder == OWN:
        if table.start:
            raise UsageError("model.start is about encoders of transformers; leave it out")
        texts = (text for pair in pairs for text in (pair.source, pair.target))
        encoder, encoding = build_convolution(
            table.convolution,
            (token_texts(text, tokens) for text in texts),
            max_tokens=table.max_tokens,
            pieces_per_token=table.subwords_per_token,
        )
    else:
        start = table.start or ("added" if language.joiner else "unknown")
        encoder, encoding = load_pretrained(
            table.encoder,
            adds_start=start == "added",
            max_tokens=table.max_tokens,
            pieces_per_token=table.subwords_per_token,
        )
    return build_tagger(
        encoder,
        encoding,
        vocabulary,
        name=config.name,
        language=config.language,
        tokens=tokens,
        about=config.about,
    )


def _labels(config: TaggerConfig, pairs: Sequence[SentencePair], tokens: str) -> LabelVocabulary:
    """Read the labels of a file, or count those in the rounds of the pairs."""
    table, transforms = config.model, transforms_for(config.language)
    if table.labels:
        return read_label_vocabulary(Path(table.labels))
    counts: Counter[str] = Counter()
    for pair in pairs:
        for _, labels in _rounds(pair, tokens, transforms, table.train_rounds)[0]:
            counts.update(labels)
    return build_label_vocabulary(counts, min_count=table.min_count, size=table.size or None)


def build_convolution(
    sizes: ConvolutionTable,
    sentences: Iterable[Sequence[str]],
    *,
    max_tokens: int,
    pieces_per_token: int,
) -> tuple[Encoder, TaggerEncoding]:
    """Build our own encoder, and how it reads.

    Args:
        sizes: Of the network.
        sentences: The tokens of all that it may read.
        max_tokens: As `EncodingLayout`.
        pieces_per_token: As `EncodingLayout`.
    """
    pieces = build_own_pieces(sentences, sizes.pieces)
    encoding = build_own_encoding(
        pieces,
        max_tokens=max_tokens,
        max_positions=(max_tokens + 1) * pieces_per_token,
        pieces_per_token=pieces_per_token,
    )
    layout, values = encoding.layout, msgspec.structs.asdict(sizes) | {"pieces": pieces.size}
    shape = ConvolutionShape(**values, pad=layout.pad, unknown=layout.unknown)
    return convolution_encoder(shape), encoding


def check_robust(config: TaggerConfig) -> None:
    """Refuse what a tagger cannot honour of the `[robust]` table.

    Raises:
        UsageError: Names the first such option.
    """
    table, robust = config.model, config.robust
    if table.reduction != "token":
        raise UsageError(
            f'model.reduction "{table.reduction}" does not go with [robust], whose likelihood and '
            'divergence are reduced alike: leave it out, or say robust.reduction = "sentence-sum"'
        )
    if table.train_rounds > 1:
        raise UsageError(
            f"model.train_rounds {table.train_rounds} does not go with [robust]: sentences of "
            "later rounds have no counterpart to be compared with; leave it out"
        )
    if robust is not None and robust.sources_too:
        raise UsageError(
            "robust.sources_too is about targets that are written whole; a tagger compares sources "
            "already, so leave it out"
        )


KIND = TrainingKind(
    TaggerConfig,
    build,
    paths=("encoder", "continue_from", "labels"),
    check_robust=check_robust,
)
