"""Fine-tuning a causal model by LoRA: what it brings to the training loop.

The base stays as it is; only the two small factors that LoRA adds to some matrices learn (Hu et
al. 2022). The loss is that of the answer's tokens alone: the prompt is given, never to be said.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import torch
from torch.nn.functional import cross_entropy

from gecbench.backends.hf import tokenizer_of
from gecbench.core.corrector import Corrector
from gecbench.core.seeding import number
from gecbench.models.causal.asking import Asking, asking_of
from gecbench.models.causal.config import CausalConfig, Settings
from gecbench.models.causal.corrector import Causal
from gecbench.models.causal.loading import info_of, positions_of
from gecbench.models.causal.network import base_network, ends_of, hash_of, need_peft, new_adapter
from gecbench.models.chat.prompts import prompt_of
from gecbench.models.folder import Card, write_card
from gecbench.models.pairs import Pair
from gecbench.models.robust.comparable import Twin
from gecbench.models.robust.targets import (
    Said,
    places_of,
    refuse_for_targets,
    refuse_without_dropout,
)
from gecbench.models.training.config import Robust
from gecbench.models.training.kinds import Kind
from gecbench.models.training.task import Batch, Prepared

if TYPE_CHECKING:
    from peft import PeftModel

_IGNORED = -100


class Example(NamedTuple):
    """A pair in token ids.

    Args:
        ids: Of the question and the answer with its end.
        question: How many of them are the question's.
    """

    ids: array[int]
    question: int


class CausalTask:
    """Learns to answer an instruction with the corrected sentence."""

    def __init__(self, config: CausalConfig, module: PeftModel, asking: Asking) -> None:
        """Take a network with a new adapter, and how it is asked."""
        self._config = config
        self._module = module
        self._asking = asking
        self._base_hash = ""

    @property
    def module(self) -> PeftModel:
        """The base and the adapter; only the adapter's parameters ever learn."""
        return self._module

    def prepare(self, pairs: Sequence[Pair]) -> Prepared[Example]:
        """Return an example of each pair that is short enough."""
        longest = self._config.model.max_length
        examples: list[Example] = []
        places: list[int] = []
        dropped: Counter[str] = Counter()
        for place, pair in enumerate(pairs):
            if not pair.source.strip() or not pair.target.strip():
                dropped["empty source or target"] += 1
                continue
            question = self._asking.question(pair.source.strip())
            ids = [*question, *self._asking.answer(pair.target.strip())]
            if len(ids) > longest:
                dropped[f"longer than {longest} tokens with the prompt"] += 1
            else:
                examples.append(Example(array("i", ids), len(question)))
                places.append(place)
        return Prepared(examples, dropped, places=places)

    def length(self, example: Example) -> int:
        """Return how many tokens question and answer have."""
        return len(example.ids)

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Return ids, mask and labels, each (sentences, positions), padded on the right."""
        width = max(len(each.ids) for each in examples)
        rows, seen, labels = [], [], []
        for ids, question in examples:
            spare = width - len(ids)
            rows.append([*ids, *[self._asking.pad] * spare])
            seen.append([1] * len(ids) + [0] * spare)
            labels.append([_IGNORED] * question + list(ids[question:]) + [_IGNORED] * spare)
        return {
            "input_ids": torch.tensor(rows),
            "attention_mask": torch.tensor(seen),
            "labels": torch.tensor(labels),
        }

    def weight(self, batch: Batch) -> float:
        """Return the number of answer tokens."""
        return float((batch["labels"] != _IGNORED).sum())

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the summed cross entropy of the answers' tokens."""
        return self.likelihood(self.outputs(module, batch), batch)

    def outputs(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the logits, (sentences, positions, vocabulary), as the base computes them."""
        logits: torch.Tensor = module(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], use_cache=False
        ).logits
        return logits

    def likelihood(self, outputs: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Return the summed cross entropy of the answers' tokens."""
        labels = batch["labels"][:, 1:]
        answered = labels != _IGNORED
        # Chosen before they become 32-bit floats: with large vocabularies logits are most of it.
        chosen = outputs[:, :-1][answered]
        wide = torch.promote_types(chosen.dtype, torch.float32)
        return cross_entropy(chosen.to(wide), labels[answered], reduction="sum")

    def matches(
        self, twin: Twin, one: Example, two: Example, robust: Robust
    ) -> tuple[tuple[int, int], ...]:
        """Return the places whose logits predict what both answers say alike.

        Never those of the question, where nothing is learnt; the logits of a place predict the
        token after it.
        """
        original = self._said(twin.original.target, one)
        perturbed = self._said(twin.perturbed.target, two)
        found = places_of(twin, original, perturbed, robust, self._config.language)
        return tuple((i - 1, j - 1) for i, j in found)

    def _said(self, target: str, example: Example) -> Said:
        """Return how an answer stands in its example, which is never cut."""
        text = target.strip()
        # What spells a special token is text in an answer, as `Asking.answer` has it.
        spells = any(special in text for special in self._asking.specials)
        told = {"split_special_tokens": True} if spells else {}
        found = self._asking.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, **told
        )
        ids = example.ids[example.question : -1]
        return Said(
            text, ids, found["offset_mapping"], example.question, len(example.ids) - 1, ended=True
        )

    def rows(
        self, outputs: torch.Tensor, rows: torch.Tensor, places: torch.Tensor, robust: Robust
    ) -> tuple[torch.Tensor]:
        """Return the logits of some places, (places, vocabulary)."""
        return (outputs[rows, places],)

    def freeze(self, *, cold: bool) -> None:
        """Leave everything as peft has set it: all that learns is new."""

    def corrector(self) -> Corrector:
        """Return what corrects with the network as it is now."""
        table = self._config.model
        info = info_of(
            name=self._config.name,
            language=self._config.language,
            about=self._config.about,
            weights="in training",
            prompt=f"{self._asking.prompt.name}:{self._asking.prompt.hash()}:{self._asking.style}",
            options=table.correcting,
        )
        positions = positions_of(self._module)
        return Causal(info, self._module, self._asking, table.correcting, positions)

    def save(self, folder: Path, made: Mapping[str, object]) -> None:
        """Write the adapter, its tokenizer and a card that names the base."""
        table = self._config.model
        self._base_hash = self._base_hash or hash_of(table.base)
        self._module.save_pretrained(str(folder), safe_serialization=True)
        (folder / "README.md").unlink(missing_ok=True)  # peft's form, filled in by nobody
        self._asking.tokenizer.save_pretrained(str(folder))
        base = Path(table.base)
        settings = Settings(
            system=self._asking.prompt.system,
            user=self._asking.prompt.user,
            prompt=self._asking.prompt.name,
            style=self._asking.style,
            examples=self._asking.prompt.examples,
            base=str(base.resolve()) if base.is_dir() else table.base,
            base_hash=self._base_hash,
        )
        card = Card(
            kind="causal",
            languages=(self._config.language,),
            tokens=self._config.language,
            settings=msgspec.to_builtins(settings),
            defaults=_changed(table.correcting),
            about=self._config.about,
            made=made,
        )
        write_card(folder, card)


def _changed(options: msgspec.Struct) -> dict[str, object]:
    """Return the options that differ from what they are by default."""
    usual, built = msgspec.to_builtins(type(options)()), msgspec.to_builtins(options)
    return {name: value for name, value in built.items() if value != usual[name]}


def build(
    config: CausalConfig,
    pairs: Sequence[Pair],  # noqa: ARG001 (other kinds make vocabularies of them)
    kept: Path | None,
) -> CausalTask:
    """Return the task of a run; the seed decides the adapter's first weights.

    Raises:
        GecbenchError: The base cannot be loaded.
        MissingExtraError: peft is not installed.
        UsageError: The base lacks the modules that are to learn.
    """
    need_peft()
    table = config.model
    tokenizer = tokenizer_of(str(kept) if kept else table.base)
    prompt = prompt_of(table.prompt or f"{config.language}-instruction")
    base = base_network(table.base, table.precision)
    refuse_without_dropout(config.robust, base.config.to_dict(), table.dropout)
    asking = asking_of(tokenizer, prompt, table.style, ends=ends_of(base), place=table.base)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "lora weights"))
        module = new_adapter(
            base,
            rank=table.rank,
            alpha=table.alpha,
            dropout=table.dropout,
            targets=table.targets,
        )
    return CausalTask(config, module, asking)


def check_robust(config: CausalConfig) -> None:
    """Refuse what a causal model cannot honour of the `[robust]` table.

    Raises:
        UsageError: Names the option.
    """
    if config.robust is not None:
        refuse_for_targets(config.robust)


KIND = Kind(CausalConfig, build, places=("base", "prompt"), check_robust=check_robust)
