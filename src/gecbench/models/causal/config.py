"""Options of local causal models, and the configuration of fine-tuning one by LoRA."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gecbench.models.chat.answers import Bounds
from gecbench.models.chat.prompts import Example
from gecbench.models.chat.spacing import Spacing
from gecbench.models.training.config import Count, Positive, RunConfig, Share

Style = Literal["auto", "chat", "plain"]
Precision = Literal["fp32", "bf16", "fp16"]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of inference.

    Args:
        language: zh or en; "" takes the model's own, or the prompt's.
        prompt: Name of a packaged prompt or path of a file; "" takes what the model was trained
            with.
        style: "chat" puts the prompt into the tokenizer's chat template, "plain" into text;
            "auto" takes the template where there is one. A fine-tuned model knows its own.
        base: Of an adapter: the folder or hub name of its base, where it has moved.
        beams: 1 decodes greedily.
        batch_size: Sentences at once, at most.
        batch_tokens: Positions of prompts at once, at most; 0 does not bound them.
        device: cpu, cuda, cuda:1, mps; "" is a GPU if there is one.
        precision: Of the weights.
        shortest: Least length of an answer, as a share of its source's.
        longest: Greatest; it bounds the new tokens, too.
        most_changed: Share of the tokens that may be changed.
        spacing: auto, source or answer: whose white space counts.
    """

    language: Literal["", "zh", "en"] = ""
    prompt: str = ""
    style: Style = "auto"
    base: str = ""
    beams: Positive = 1
    batch_size: Positive = 16
    batch_tokens: Count = 0
    device: str = ""
    precision: Precision = "fp32"
    shortest: Share = 0.5
    longest: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    most_changed: Share = 0.8
    spacing: Spacing = "auto"

    def bounds(self) -> Bounds:
        """Return what an answer may be."""
        return Bounds(self.shortest, self.longest, self.most_changed, self.spacing)


class CausalTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model table of a run.

    Args:
        base: The model to fine-tune: a folder or a name on the hub. It stays as it is.
        prompt: The instruction; "" takes the short one of the language.
        style: As in `Options`.
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
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.05
    targets: tuple[str, ...] = ("q_proj", "v_proj")
    max_length: Annotated[int, msgspec.Meta(ge=16)] = 512
    precision: Precision = "fp32"
    correcting: Options = Options()


class CausalConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that fine-tunes a causal model.

    Args:
        model: What is trained.
    """

    model: CausalTable


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the card of a causal model says of how it is loaded.

    Args:
        system: Of the prompt it was trained with.
        user: Of the prompt, with `{text}`.
        prompt: The prompt's name.
        examples: Of the prompt.
        style: chat or plain.
        base: Of an adapter: folder (absolute, or counted from the model's) or hub name of its
            base; "" for a whole model.
        base_hash: Of the base's files or hub revision; "" where it is not known.
    """

    system: str
    user: str
    prompt: str
    style: Literal["chat", "plain"]
    examples: tuple[Example, ...] = ()
    base: str = ""
    base_hash: str = ""
