"""Taggers run by PyTorch: one, or several whose probabilities are averaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import torch

from gecbench.models.tagger.encoding import Encoding
from gecbench.models.tagger.network import Tagger, decided, distributions
from gecbench.models.tagger.runtime import (
    Arrays,
    Biases,
    Encoded,
    Judged,
    arrays_of,
    read_of,
)
from gecbench.models.tags.labels import DELETE
from gecbench.models.tags.vocabulary import LabelVocabulary

_BATCH = 32


class Member(NamedTuple):
    """A tagger in an ensemble.

    Args:
        encoding: How it reads.
        network: Its network.
        weight: Of its probabilities.
    """

    encoding: Encoding
    network: Tagger
    weight: float = 1.0


class Ids(NamedTuple):
    """The labels that decisions know by name.

    Args:
        keep: Of $KEEP, wherever it stands.
        delete: Of $DELETE; -1 where the vocabulary has none.
        unknown: Of those outside the vocabulary.
    """

    keep: int
    delete: int
    unknown: int

    @classmethod
    def of(cls, vocabulary: LabelVocabulary) -> Ids:
        """Look them up."""
        delete = vocabulary.id_of(DELETE)
        return cls(
            vocabulary.keep, -1 if delete == vocabulary.unknown else delete, vocabulary.unknown
        )


class TorchRuntime:
    """Runs networks where they are: on the CPU, a GPU, or in the middle of their training."""

    batch_size = _BATCH

    def __init__(self, members: Sequence[Member], ids: Ids) -> None:
        """Take members with the same labels.

        Args:
            members: At least one; their weights need not sum to one.
            ids: Of the labels that decisions know by name.
        """
        self.members = tuple(members)
        self.ids = ids
        self._total = sum(member.weight for member in members)

    @property
    def signature(self) -> dict[str, str]:
        """Version, device and precision."""
        first = next(self.members[0].network.parameters())
        return {
            "runtime": f"torch {torch.__version__}",
            "device": first.device.type,
            "precision": str(first.dtype).removeprefix("torch."),
        }

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoded]:
        """Return what each member reads."""
        found = [member.encoding.positions(sentences) for member in self.members]
        return list(zip(*found, strict=True)) if sentences else []

    def judge(self, batches: Iterable[Sequence[Encoded]], biases: Biases) -> Iterator[Judged]:
        """Yield what the members say together."""
        with self._evaluating():
            for batch in batches:
                yield self._judged(batch, biases)

    @torch.inference_mode()
    def _judged(self, batch: Sequence[Encoded], biases: Biases) -> Judged:
        labels, errors = self._averaged(batch)
        keep_bias, delete_bias = (torch.tensor(bias, device=labels.device) for bias in biases)
        found, values = decided(labels, self.ids.keep, self.ids.delete, keep_bias, delete_bias)
        return Judged(found.cpu().numpy(), values.cpu().numpy(), errors.cpu().numpy())

    def _averaged(self, batch: Sequence[Encoded]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the weighted means of probabilities, over the tokens that all members read."""
        read = max(read_of(encoded) for encoded in batch)
        labels: torch.Tensor | None = None
        errors: torch.Tensor | None = None
        for place, member in enumerate(self.members):
            positions = [encoded[place] for encoded in batch]
            arrays = arrays_of(positions, member.encoding.layout.pad)
            of_labels, of_errors = self._of(member, arrays)
            share = member.weight / self._total
            of_labels, of_errors = share * of_labels[:, :read], share * of_errors[:, :read]
            labels = of_labels if labels is None else labels + of_labels.to(labels.device)
            errors = of_errors if errors is None else errors + of_errors.to(errors.device)
        if labels is None or errors is None:
            raise ValueError("a runtime has at least one member")
        return labels, errors

    def _of(self, member: Member, arrays: Arrays) -> tuple[torch.Tensor, torch.Tensor]:
        device = next(member.network.parameters()).device
        tensors = (torch.from_numpy(array).to(device) for array in arrays)
        return distributions(member.network(*tensors), self.ids.unknown)

    @contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Switch dropout off, and back on where a network was learning."""
        with ExitStack() as stack:
            for member in self.members:
                stack.callback(member.network.train, member.network.training)
                member.network.eval()
            yield

    def close(self) -> None:
        """Drop the networks."""
        self.members = ()
