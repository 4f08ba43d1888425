"""The corrector that is a local causal model: its options, how it is asked, and its answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from gecbench.chat.profile import Bounds
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.core.errors import UsageError
from gecbench.lang import language_of
from gecbench.models.batches import make_batches
from gecbench.models.chat.answers import is_encodable, keep_source, parse_answer
from gecbench.models.chat.prompts import Prompt
from gecbench.models.training.config import Count, Positive

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Style = Literal["auto", "chat", "plain"]
Precision = Literal["fp32", "bf16", "fp16"]

_RULES = "2"
"""Of asking and of taking answers: a new number where the same model may give another answer."""

_SIGNED = ("beams", "precision", "shortest", "longest", "most_changed", "spacing")
"""Options that answers depend on."""


class CausalOptions(Bounds, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options of inference, beside the bounds of answers; `longest` bounds the new tokens, too.

    Args:
        language: Code; "" takes the model's own, or the prompt's.
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
    """

    language: str = ""
    prompt: str = ""
    style: Style = "auto"
    base: str = ""
    beams: Positive = 1
    batch_size: Positive = 16
    batch_tokens: Count = 0
    device: str = ""
    precision: Precision = "fp32"


def describe_corrector(
    *,
    name: str,
    language: str,
    about: str,
    weights: str,
    question: Question,
    options: CausalOptions,
) -> CorrectorInfo:
    """Describe a causal corrector, with all that its answers depend on."""
    prompt = question.prompt
    return CorrectorInfo(
        name=name,
        kind="causal",
        languages=(language,),
        about=about or "A causal language model that writes the corrected sentence.",
        signature={
            "corrector": "causal",
            "rules": _RULES,
            "weights": weights,
            "language": language,
            "prompt": f"{prompt.name}:{prompt.hash()}:{question.style}",
            **{option: str(getattr(options, option)) for option in _SIGNED},
        },
        window=max(64, 8 * options.batch_size),
    )


_STAND_IN = "\ue000text\ue000"
"""Stands in a prompt where a text goes whose tokens are encoded by themselves."""


@dataclass(frozen=True, slots=True)
class Question:
    """How a causal model is asked: the same in training and afterwards, token for token.

    Args:
        tokenizer: Of the model.
        prompt: What it is told.
        style: "chat" by the tokenizer's template; "plain" as one text, turns apart by line ends.
        ends: Ids that end an answer.
        pad: The id that fills batches; attention never sees it.
        specials: How the tokenizer's special tokens are spelled; in a text they are text.
    """

    tokenizer: PreTrainedTokenizerBase
    prompt: Prompt
    style: Literal["chat", "plain"]
    ends: tuple[int, ...]
    pad: int
    specials: tuple[str, ...] = ()

    def encode(self, text: str) -> list[int]:
        """Encode all up to where the answer begins."""
        start = self.tokenizer.bos_token_id if self.style == "plain" else None
        ids = [] if start is None else [start]
        pieces = self._fill(_STAND_IN).split(_STAND_IN) if self.spells_special(text) else []
        if len(pieces) < 2:
            return [*ids, *self.tokenizer(self._fill(text), add_special_tokens=False)["input_ids"]]
        for k, piece in enumerate(pieces):
            ids += self._text_ids(text) if k else ()
            ids += self.tokenizer(piece, add_special_tokens=False)["input_ids"]
        return ids

    def encode_answer(self, text: str) -> list[int]:
        """Encode an answer with its end."""
        return [*self._text_ids(text), self.ends[0]]

    def decode_answer(self, ids: list[int]) -> tuple[str, bool]:
        """Decode an answer; whether it came to its end is the second value."""
        end = next((k for k, token in enumerate(ids) if token in self.ends), None)
        text = self.tokenizer.decode(
            ids[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return str(text), end is not None

    def text_options(self, text: str) -> dict[str, bool]:
        """Choose options by which the tokenizer takes no part of a text for a special token."""
        split = {"split_special_tokens": True} if self.spells_special(text) else {}
        return {"add_special_tokens": False, **split}

    def spells_special(self, text: str) -> bool:
        """Say whether a text spells a special token, as an essay about such models may."""
        return any(special in text for special in self.specials)

    def _fill(self, text: str) -> str:
        """Fill the prompt: all up to where the answer begins."""
        messages = self.prompt.single(text)
        if self.style == "chat":
            whole = self.tokenizer.apply_chat_template(
                [message._asdict() for message in messages],
                tokenize=False,
                add_generation_prompt=True,
            )
            return str(whole)
        # What users say is apart from what they are answered by one line end.
        plain = "\n\n".join(f"{m.content}" for m in messages if m.role == "system")
        turns = "".join(f"{m.content}\n" for m in messages if m.role != "system")
        return f"{plain}\n\n" * bool(plain) + turns

    def _text_ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, **self.text_options(text))["input_ids"])


def build_question(
    tokenizer: PreTrainedTokenizerBase,
    prompt: Prompt,
    style: Style,
    *,
    ends: tuple[int, ...] = (),
    place: str,
) -> Question:
    """Build the question of a model.

    Args:
        tokenizer: Of the model.
        prompt: What it is told.
        style: "auto" takes the chat template where the tokenizer has one.
        ends: Ids that end an answer beside the tokenizer's own, as its generation configuration
            says.
        place: What the model is called in failures.

    Raises:
        UsageError: The tokenizer has no chat template, or no token that ends an answer.
    """
    template = bool(tokenizer.chat_template)
    if style == "chat" and not template:
        raise UsageError(f"{place}: its tokenizer has no chat template; set style to plain")
    end, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
    all_ends = tuple(dict.fromkeys((*(() if end is None else (end,)), *ends)))
    if not all_ends:
        raise UsageError(f"{place}: its tokenizer has no token that ends an answer (eos_token)")
    form: Literal["chat", "plain"] = "chat" if template and style != "plain" else "plain"
    added = tokenizer.added_tokens_decoder.values()
    specials = tuple(token.content for token in added if token.special and token.content)
    first = all_ends[0] if pad is None else pad
    return Question(tokenizer, prompt, form, all_ends, first, specials)


_SPARE = 16
"""New tokens beyond those that the longest legal answer is expected to take."""


@dataclass
class Causal(Corrector):
    """Writes corrections token by token, the likeliest first.

    Args:
        info: What it is.
        network: With `generate`; on its device.
        question: How it is asked.
        options: Of inference.
    """

    info: CorrectorInfo
    network: Any
    question: Question
    options: CausalOptions

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text; equal ones are asked once."""
        positions = getattr(self.network.config, "max_position_embeddings", None) or 0
        corrections: dict[str, Correction] = {}
        questions: dict[str, list[int]] = {}
        for text in dict.fromkeys(texts):
            if not is_encodable(text):  # no tokenizer takes half a character
                corrections[text] = keep_source(text, "failed")
            elif not text.strip():
                corrections[text] = Correction(text, text)
            else:
                ids = self.question.encode(text.strip())
                if positions and len(ids) + self._limit(text) > positions:
                    corrections[text] = keep_source(text, "too long")
                else:
                    questions[text] = ids
        for group in self._groups(list(questions)):
            lengths = [len(questions[text]) for text in group]
            for batch in make_batches(lengths, self.options.batch_size, self.options.batch_tokens):
                together = [group[k] for k in batch]
                answers = self._answer([questions[text] for text in together], together)
                corrections |= dict(zip(together, answers, strict=True))
        return [corrections[text] for text in texts]

    def close(self) -> None:
        """Let go of the network."""
        self.network = None

    def _groups(self, texts: Sequence[str]) -> list[list[str]]:
        """Group texts that may stand in one batch.

        A greedy answer can be cut at its own limit afterwards. Which beam is best depends on how
        far the search may go, so with beams only texts of one limit go together.
        """
        groups: dict[int, list[str]] = {}
        for text in texts:
            groups.setdefault(0 if self.options.beams == 1 else self._limit(text), []).append(text)
        return list(groups.values())

    def _limit(self, text: str) -> int:
        """Count how many tokens the answer to a text may take, whatever stands beside it."""
        length = len(self.question.encode_answer(text.strip()))
        return math.ceil(self.options.longest * length) + _SPARE

    def _answer(self, questions: Sequence[list[int]], texts: Sequence[str]) -> list[Correction]:
        """Correct texts whose questions are one batch."""
        import torch

        from gecbench.models.weights import evaluation_mode

        limits = [self._limit(text) for text in texts]
        width = max(map(len, questions))
        device = next(self.network.parameters()).device
        rows = [[self.question.pad] * (width - len(ids)) + ids for ids in questions]
        mask = [[0] * (width - len(ids)) + [1] * len(ids) for ids in questions]
        with evaluation_mode(self.network), torch.inference_mode():
            answers = self.network.generate(
                input_ids=torch.tensor(rows, device=device),
                # Positions follow from it: padding on the left takes none.
                attention_mask=torch.tensor(mask, device=device),
                max_new_tokens=max(limits),
                do_sample=False,
                num_beams=self.options.beams,
                eos_token_id=list(self.question.ends),
                pad_token_id=self.question.pad,
            )[:, width:].tolist()
        return [
            self._correction(text, answer[:limit])
            for text, answer, limit in zip(texts, answers, limits, strict=True)
        ]

    def _correction(self, text: str, ids: list[int]) -> Correction:
        answer, complete = self.question.decode_answer(ids)
        return parse_answer(
            text,
            answer,
            tokens=language_of(self.info.languages[0]).tokens,
            bounds=self.options,
            finish="stop" if complete else "length",
        )
