"""A task small enough to train in a test: which letter stands after which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file

from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.models.batches import SentencePair
from gecbench.models.folder import Card, write_card
from gecbench.models.text import correction_between
from gecbench.models.training.config import RunConfig
from gecbench.models.training.task import Dataset, Task, TrainingKind

LETTERS = " abcdefgh"


class SmallConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A configuration without a model table."""


class _Network(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Embedding(len(LETTERS), 16)
        self.dropout = torch.nn.Dropout(0.2)
        self.head = torch.nn.Linear(16, len(LETTERS))
        self.frozen = torch.nn.Linear(2, 2)

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        return self.head(self.dropout(self.body(letters)))


class SmallTask(Task):
    """Learns to replace each letter by its target's."""

    poison = False

    def __init__(self) -> None:
        self.network = _Network()

    @property
    def module(self) -> _Network:
        return self.network

    def prepare(self, pairs: Sequence[SentencePair]) -> Dataset[tuple[list[int], list[int]]]:
        examples = [
            ([LETTERS.index(c) for c in p.source], [LETTERS.index(c) for c in p.target])
            for p in pairs
            if len(p.source) == len(p.target)
        ]
        dropped = len(pairs) - len(examples)
        return Dataset(examples, {"of two lengths": dropped} if dropped else {})

    def length(self, example: tuple[list[int], list[int]]) -> int:
        return len(example[0])

    def collate(
        self, examples: Sequence[tuple[list[int], list[int]]]
    ) -> Mapping[str, torch.Tensor]:
        longest = max(len(source) for source, _ in examples)
        pad = [(s + [0] * (longest - len(s)), t + [-100] * (longest - len(t))) for s, t in examples]
        return {
            "letters": torch.tensor([s for s, _ in pad]),
            "t": torch.tensor([t for _, t in pad]),
        }

    def weight(self, batch: Mapping[str, torch.Tensor]) -> float:
        return float((batch["t"] != -100).sum())

    def loss(self, module: torch.nn.Module, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
        scores = module(batch["letters"]).flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(
            scores, batch["t"].flatten(), reduction="sum", ignore_index=-100
        )
        return loss * float("nan") if self.poison else loss

    def freeze(self, *, cold: bool) -> None:
        for name, parameter in self.module.named_parameters():
            parameter.requires_grad = not name.startswith("frozen") and (
                not cold or name.startswith("head")
            )

    def corrector(self) -> SmallCorrector:
        return SmallCorrector(self.module)

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        save_file(
            {name: t.contiguous() for name, t in self.module.state_dict().items()},
            folder / "model.safetensors",
        )
        write_card(folder, Card(kind="small", provenance=provenance))


class SmallCorrector(Corrector):
    """Corrects with the network as it is."""

    info = CorrectorInfo("small", "test", (), "for tests")

    def __init__(self, module: torch.nn.Module) -> None:
        self.module = module

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        assert not self.module.training
        return [correction_between(text, self._one(text), tokens="zh") for text in texts]

    def _one(self, text: str) -> str:
        best = self.module(torch.tensor([[LETTERS.index(c) for c in text]])).argmax(-1)[0]
        return "".join(LETTERS[k] for k in best.tolist())


KIND = TrainingKind(SmallConfig, lambda _config, _pairs, _kept: SmallTask())
