"""From a sentence to the token ids that a causal model is to go on from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gecbench.core.errors import UsageError
from gecbench.models.causal.config import Style
from gecbench.models.chat.prompts import Prompt

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


_STAND_IN = "\ue000text\ue000"
"""Stands in a prompt where a text goes whose tokens are made by themselves."""


@dataclass(frozen=True, slots=True)
class Asking:
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

    def question(self, text: str) -> list[int]:
        """Return the ids up to where the answer begins."""
        start = self.tokenizer.bos_token_id if self.style == "plain" else None
        ids = [] if start is None else [start]
        pieces = self._asked(_STAND_IN).split(_STAND_IN) if self._spells(text) else []
        if len(pieces) < 2:
            return [*ids, *self._ids(self._asked(text))]
        for k, piece in enumerate(pieces):
            ids += [*(self._text_ids(text) if k else ()), *self._ids(piece)]
        return ids

    def answer(self, text: str) -> list[int]:
        """Return the ids of an answer with its end."""
        return [*(self._text_ids(text) if self._spells(text) else self._ids(text)), self.ends[0]]

    def said(self, ids: list[int]) -> tuple[str, bool]:
        """Return the text of an answer's ids, and whether it came to its end."""
        end = next((k for k, one in enumerate(ids) if one in self.ends), None)
        text = self.tokenizer.decode(
            ids[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return str(text), end is not None

    def _asked(self, text: str) -> str:
        """Return all that is said up to where the answer begins."""
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

    def _spells(self, text: str) -> bool:
        """Say whether a text spells a special token, as an essay about such models may."""
        return any(special in text for special in self.specials)

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _text_ids(self, text: str) -> list[int]:
        """Return the ids of a text none of whose characters is a special token."""
        found = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)
        return list(found["input_ids"])


def asking_of(
    tokenizer: PreTrainedTokenizerBase,
    prompt: Prompt,
    style: Style,
    *,
    ends: tuple[int, ...] = (),
    place: str,
) -> Asking:
    """Return how a model is asked.

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
    templated = bool(tokenizer.chat_template)
    if style == "chat" and not templated:
        raise UsageError(f"{place}: its tokenizer has no chat template; set style to plain")
    own = tokenizer.eos_token_id
    all_ends = tuple(dict.fromkeys((*(() if own is None else (own,)), *ends)))
    if not all_ends:
        raise UsageError(f"{place}: its tokenizer has no token that ends an answer (eos_token)")
    pad = tokenizer.pad_token_id
    chosen: Literal["chat", "plain"] = "chat" if templated and style != "plain" else "plain"
    added = tokenizer.added_tokens_decoder.values()
    specials = tuple(token.content for token in added if token.special and token.content)
    first = all_ends[0] if pad is None else pad
    return Asking(tokenizer, prompt, chosen, all_ends, first, specials)
