"""Tasks of networks that write targets token by token, given what stands before."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec
import torch

from gecbench.core.errors import UsageError
from gecbench.lang import language_of
from gecbench.models.batches import ContextPair, SentencePair, mask_rows, pad_rows
from gecbench.models.folder import Card, non_default_options
from gecbench.models.robust.pairs import DecoderTarget, PlacePairs, align_targets
from gecbench.models.seq2seq.corrector import Decoding, Search, Seq2Seq, build_corrector
from gecbench.models.seq2seq.encoding import Encoding
from gecbench.models.training.config import RobustTable, RunConfig, Share
from gecbench.models.training.task import IGNORED, Batch, ComparableTask, Dataset, Task
from gecbench.models.weights import target_loss


class DecoderTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the `model` tables of encoder-decoders share.

    Args:
        max_length: Longest source and target in tokens, specials included (MuCGEC: 100).
        label_smoothing: Share of the loss that is about all tokens alike.
        correcting: Options of inference, while scoring on dev and as defaults afterwards.
    """

    max_length: Annotated[int, msgspec.Meta(ge=8)] = 100
    label_smoothing: Share = 0.0
    correcting: Decoding = Decoding()

    def defaults(self) -> dict[str, object]:
        """Select the options of inference that a run chooses for its model."""
        return {"max_length": self.max_length, **non_default_options(self.correcting)}


Example = TypeVar("Example")


@dataclass(frozen=True, slots=True)
class DecoderExample:
    """A pair in ids.

    Args:
        source: With specials.
        target: What the decoder is to write, the end included.
    """

    source: array[int]
    target: array[int]


def pad_tensor(rows: Sequence[Sequence[int]], fill: int) -> torch.Tensor:
    """Stack rows as one tensor, filled up to the longest."""
    return torch.from_numpy(pad_rows(rows, fill))


def mask_tensor(rows: Sequence[Sequence[int]]) -> torch.Tensor:
    """Build the mask of rows: 1 for each place, 0 for padding."""
    return torch.from_numpy(mask_rows(rows))


def refuse_cold_epochs(config: RunConfig, why: str) -> None:
    """Refuse cold epochs of a network in which nothing, or everything, is new.

    Raises:
        UsageError: There are some.
    """
    if epochs := config.training.cold_epochs:
        raise UsageError(f"training.cold_epochs {epochs}: {why}; leave it out")


class TargetTask(Task[SentencePair, Example]):
    """Learns to write targets token by token, whatever the network is."""

    def __init__(self, config: RunConfig, defaults: Mapping[str, object], too_long: str) -> None:
        """Take a run's configuration.

        Args:
            config: Of the run.
            defaults: The options of inference that it chooses for its model.
            too_long: Why a pair is left out that cannot be encoded.
        """
        self.config = config
        self._too_long = too_long
        self.tokens = language_of(config.language).tokens
        self._defaults = defaults

    @abstractmethod
    def encode(self, source: str, target: str, counts: Counter[str]) -> Example | None:
        """Encode a pair; None where it is too long. What is worth counting is added to counts."""

    def prepare(self, items: Sequence[SentencePair]) -> Dataset[Example]:
        """Turn pairs into examples, where they are short enough, or can be cut."""
        examples: list[Example] = []
        sources: list[int] = []
        dropped: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        for index, pair in enumerate(items):
            source, target = pair.source.strip(), pair.target.strip()
            if not source or not target:
                dropped["empty source or target"] += 1
            elif (example := self.encode(source, target, counts)) is None:
                dropped[self._too_long] += 1
            else:
                examples.append(example)
                sources.append(index)
        return Dataset(examples, dropped, counts, sources)

    def weight(self, batch: Batch) -> float:
        """Count the target tokens."""
        return float((batch["labels"] != IGNORED).sum())

    def card(self, provenance: Mapping[str, object], **settings: object) -> Card:
        """Describe the model, with what its kind needs to load it."""
        config = self.config
        return Card(
            kind=config.kind,
            languages=(config.language,),
            tokens=self.tokens,
            settings=settings,
            defaults=self._defaults,
            about=config.about,
            provenance=provenance,
        )


class ComparableTargetTask(TargetTask[Example], ComparableTask[Example, torch.Tensor]):
    """A task whose predictions are compared where two targets are to be written alike."""

    @abstractmethod
    def locate_target(self, text: str, example: Example) -> DecoderTarget:
        """Locate the tokens of a target, and the places whose logits predict them."""

    def matches(
        self, pair: ContextPair, original: Example, perturbed: Example, robust: RobustTable
    ) -> PlacePairs:
        """Find the places whose logits predict what both targets say alike."""
        first = self.locate_target(pair.original.target.strip(), original)
        second = self.locate_target(pair.perturbed.target.strip(), perturbed)
        return align_targets(pair, first, second, robust, self.tokens)

    def gather(
        self, outputs: torch.Tensor, rows: torch.Tensor, places: torch.Tensor, robust: RobustTable
    ) -> tuple[torch.Tensor]:
        """Gather the logits of some places, (places, vocabulary)."""
        return (outputs[rows, places],)


class DecoderTask(TargetTask[DecoderExample]):
    """Learns to write targets with an encoder-decoder."""

    positions = 0
    """Most tokens that the decoder can be at; 0 where there is no bound."""
    truncates = False
    """Whether pairs that are too long are cut; else they are dropped. Both are counted."""

    def __init__(self, config: RunConfig, table: DecoderTable, encoding: Encoding) -> None:
        """Take the run's configuration, its `model` table, and the encoding of texts."""
        super().__init__(config, table.defaults(), f"longer than {table.max_length} tokens")
        self.table = table
        self.encoding = encoding

    @abstractmethod
    def outputs(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the logits of the target tokens, (sentences, positions, vocabulary)."""

    @abstractmethod
    def search(self, options: Any) -> Search:
        """Wrap the network as it is now in a search for answers."""

    def encode(self, source: str, target: str, counts: Counter[str]) -> DecoderExample | None:
        """Encode a pair; None where it is too long and not to be cut."""
        longest, specials = self.table.max_length, self.encoding.specials
        ids: Sequence[int] = self.encoding.source_ids(source)
        target_ids: Sequence[int] = self.encoding.target_ids(target)
        if max(len(ids), len(target_ids)) > longest:
            if not self.truncates:
                return None
            counts[f"pairs cut to {longest} tokens"] += 1
            ids = _truncate(ids, longest, specials.after)
            target_ids = _truncate(target_ids, longest, (specials.end,))
        if specials.unknown is not None:
            for name, side in (("sources", ids), ("targets", target_ids)):
                if unknown := side.count(specials.unknown):
                    counts[f"unknown tokens in {name}"] += unknown
        return DecoderExample(array("i", ids), array("i", target_ids))

    def length(self, example: DecoderExample) -> int:
        """Count how many positions the longer side of an example has."""
        return max(len(example.source), len(example.target))

    def collate(self, examples: Sequence[DecoderExample]) -> Batch:
        """Build the tensors that transformers calls so, each (sentences, positions).

        The decoder reads what it is to write one step later.
        """
        pad, start = self.encoding.specials.pad, self.encoding.specials.start
        sources, targets = [e.source for e in examples], [e.target for e in examples]
        return {
            "input_ids": pad_tensor(sources, pad),
            "attention_mask": mask_tensor(sources),
            "decoder_input_ids": pad_tensor([(start, *target[:-1]) for target in targets], pad),
            "labels": pad_tensor(targets, IGNORED),
        }

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the summed cross entropy of the target tokens, smoothed."""
        return self.likelihood(self.outputs(module, batch), batch)

    def likelihood(self, outputs: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Compute the summed cross entropy of the target tokens, smoothed."""
        return target_loss(outputs, batch["labels"], smoothing=self.table.label_smoothing)

    def corrector(self) -> Seq2Seq:
        """Wrap the network as it is now."""
        return build_corrector(
            self.search,
            self.table.correcting,
            self.encoding,
            self.card({}),
            name=self.config.name,
            signature={"model": "in training"},
            max_length=self.table.max_length,
            positions=self.positions,
        )


def _truncate(ids: Sequence[int], longest: int, end: tuple[int, ...]) -> Sequence[int]:
    """Cut ids where they are too long, but not their end."""
    return ids if len(ids) <= longest else (*ids[: longest - len(end)], *end)
