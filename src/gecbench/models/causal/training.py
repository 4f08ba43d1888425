"""Fine-tuning a causal model by LoRA: its configuration, and its task.

The base stays as it is; only the two small factors that LoRA adds to some matrices learn (Hu et
al. 2022). The loss is that of the answer's tokens alone: the prompt is never to be written.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import torch

from gecbench.backends import need
from gecbench.backends.transformers import load_tokenizer
from gecbench.core.errors import UsageError
from gecbench.core.seeding import number
from gecbench.lang import language_of
from gecbench.models.batches import SentencePair
from gecbench.models.causal.corrector import (
    Causal,
    CausalOptions,
    Precision,
    Question,
    Style,
    build_question,
    describe_corrector,
)
from gecbench.models.causal.loading import (
    CausalSettings,
    answer_ends,
    load_base,
    model_hash,
    new_adapter,
)
from gecbench.models.chat.prompts import load_prompt
from gecbench.models.folder import non_default_options, write_card
from gecbench.models.robust.pairs import (
    DecoderTarget,
    check_decoder,
    check_dropout,
)
from gecbench.models.training.config import Below1, Positive, RunConfig
from gecbench.models.training.decoder import ComparableTargetTask, mask_tensor, pad_tensor
from gecbench.models.training.task import IGNORED, Batch, TrainingKind
from gecbench.models.weights import target_loss

if TYPE_CHECKING:
    from peft import PeftModel


class CausalTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model table of a run.

    Args:
        base: The model to fine-tune: a folder or a name on the hub. It stays as it is.
        prompt: The instruction; "" takes the short one of the language.
        style: As in `CausalOptions`.
        rank: Of the two factors that LoRA adds to a matrix (RobustGEC's LLaMA: 8 to 16).
        alpha: What they learn is scaled by alpha / rank.
        dropout: Of what enters them.
        targets: Modules that get them, by the ends of their names.
        max_length: Longest prompt and answer together in tokens; longer pairs are dropped.
        precision: Of the base; what LoRA adds stays in 32 bits.
        correcting: Options of inference, while scoring on dev and as defaults afterwards.
    """

    base: str
    prompt: str = ""
    style: Style = "auto"
    rank: Positive = 8
    alpha: Positive = 16
    dropout: Below1 = 0.05
    targets: tuple[str, ...] = ("q_proj", "v_proj")
    max_length: Annotated[int, msgspec.Meta(ge=16)] = 512
    precision: Precision = "fp32"
    correcting: CausalOptions = CausalOptions()


class CausalConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that fine-tunes a causal model.

    Args:
        model: What is trained.
    """

    model: CausalTable


class CausalExample(NamedTuple):
    """A pair in token ids.

    Args:
        ids: Of the question and the answer with its end.
        start: Where the answer begins.
    """

    ids: array[int]
    start: int


class CausalTask(ComparableTargetTask[CausalExample]):
    """Learns to answer an instruction with the corrected sentence."""

    def __init__(self, config: CausalConfig, module: PeftModel, question: Question) -> None:
        """Take a network with a new adapter, and how it is asked."""
        super().__init__(
            config,
            non_default_options(config.model.correcting),
            f"longer than {config.model.max_length} tokens with the prompt",
        )
        self._table = config.model
        self._module = module
        self._question = question
        self._base_hash = ""

    @property
    def module(self) -> PeftModel:
        """The base and the adapter; only the adapter's parameters ever learn."""
        return self._module

    def encode(self, source: str, target: str, counts: Counter[str]) -> CausalExample | None:
        """Encode question and answer; None where they are too long."""
        question = self._question.encode(source)
        ids = [*question, *self._question.encode_answer(target)]
        if len(ids) > self._table.max_length:
            return None
        return CausalExample(array("i", ids), len(question))

    def length(self, example: CausalExample) -> int:
        """Count how many tokens question and answer have."""
        return len(example.ids)

    def collate(self, examples: Sequence[CausalExample]) -> Batch:
        """Build ids, mask and labels, each (sentences, positions), padded on the right."""
        rows = [example.ids for example in examples]
        labels = [(*[IGNORED] * start, *ids[start:]) for ids, start in examples]
        return {
            "input_ids": pad_tensor(rows, self._question.pad),
            "attention_mask": mask_tensor(rows),
            "labels": pad_tensor(labels, IGNORED),
        }

    def outputs(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the logits, (sentences, positions, vocabulary), in the base's precision."""
        logits: torch.Tensor = module(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], use_cache=False
        ).logits
        return logits

    def likelihood(self, outputs: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Compute the summed cross entropy of the answers' tokens."""
        labels = batch["labels"][:, 1:]
        in_answer = labels != IGNORED
        # Chosen before they become 32-bit floats: with large vocabularies logits are most of it.
        logits = outputs[:, :-1][in_answer]
        return target_loss(logits, labels[in_answer])

    def locate_target(self, text: str, example: CausalExample) -> DecoderTarget:
        """Locate the tokens of an answer in its example, which is never cut.

        The logits of a place predict the token after it; those of the question predict nothing that
        is learnt.
        """
        options = {**self._question.text_options(text), "return_offsets_mapping": True}
        spans = self._question.tokenizer(text, **options)["offset_mapping"]
        first, end = example.start - 1, len(example.ids) - 2
        return DecoderTarget(
            text, example.ids[example.start : -1], spans, first, end, complete=True
        )

    def corrector(self) -> Causal:
        """Wrap the network as it is now."""
        config, options = self.config, self._table.correcting
        info = describe_corrector(
            name=config.name,
            language=config.language,
            about=config.about,
            weights="in training",
            question=self._question,
            options=options,
        )
        return Causal(info, self._module, self._question, options)

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the adapter, its tokenizer and a card that names the base."""
        table = self._table
        self._base_hash = self._base_hash or model_hash(table.base)
        self._module.save_pretrained(str(folder), safe_serialization=True)
        (folder / "README.md").unlink(missing_ok=True)  # peft's form, filled in by nobody
        self._question.tokenizer.save_pretrained(str(folder))
        base, prompt = Path(table.base), self._question.prompt
        settings = CausalSettings(
            system=prompt.system,
            user=prompt.user,
            prompt=prompt.name,
            style=self._question.style,
            examples=prompt.examples,
            base=str(base.resolve()) if base.is_dir() else table.base,
            base_hash=self._base_hash,
        )
        write_card(folder, self.card(provenance, **msgspec.to_builtins(settings)))


def build(
    config: CausalConfig,
    pairs: Sequence[SentencePair],  # noqa: ARG001 (other kinds build vocabularies of pairs)
    checkpoint: Path | None,
) -> CausalTask:
    """Build the task of a run; the seed decides the adapter's first weights.

    Raises:
        GecbenchError: The base cannot be loaded.
        MissingExtraError: peft is not installed.
        UsageError: The base lacks the modules that are to learn.
    """
    need("lora", "peft")
    table = config.model
    tokenizer = load_tokenizer(str(checkpoint or table.base))
    name = table.prompt or language_of(config.language).instruction
    if not name:
        raise UsageError(
            f"there is no prompt for language {config.language!r}; set model.prompt to a file"
        )
    prompt = load_prompt(name)
    base = load_base(table.base, table.precision)
    check_dropout(config.robust, base.config.to_dict(), table.dropout)
    ends = answer_ends(base)
    question = build_question(tokenizer, prompt, table.style, ends=ends, place=table.base)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "lora weights"))
        module = new_adapter(
            base,
            rank=table.rank,
            alpha=table.alpha,
            dropout=table.dropout,
            targets=table.targets,
        )
    return CausalTask(config, module, question)


KIND = TrainingKind(
    CausalConfig,
    build,
    paths=("base", "prompt"),
    check_robust=lambda config: check_decoder(config.robust),
)
