"""The corrector that is a local causal model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from gecbench.core.corrector import Correction, CorrectorInfo
from gecbench.models.batches import batches
from gecbench.models.causal.asking import Asking
from gecbench.models.causal.config import Options
from gecbench.models.chat.answers import is_whole, judged, kept

_SPARE = 16
"""New tokens beyond those that the longest legal answer is expected to take."""


@dataclass(slots=True)
class Causal:
    """Writes corrections token by token, the likeliest first.

    Args:
        info: What it is.
        network: With `generate`; on its device.
        asking: How it is asked.
        options: Of inference.
        positions: Tokens that the network can see at once; 0 where it does not say.
    """

    info: CorrectorInfo
    network: Any
    asking: Asking
    options: Options
    positions: int

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return a correction for each text; equal ones are asked once."""
        found = {text: Correction(text, text) for text in texts if not text.strip()}
        # No tokenizer takes half a character.
        found |= {text: kept(text, "failed") for text in texts if not is_whole(text)}
        questions: dict[str, list[int]] = {}
        for text in dict.fromkeys(texts):
            if text in found:
                continue
            ids = self.asking.question(text.strip())
            if self.positions and len(ids) + self._limit(text) > self.positions:
                found[text] = kept(text, "too long")
            else:
                questions[text] = ids
        training = self.network.training
        self.network.eval()
        for group in self._groups(list(questions)):
            lengths = [len(questions[text]) for text in group]
            for batch in batches(lengths, self.options.batch_size, self.options.batch_tokens):
                asked = [group[place] for place in batch]
                answers = self._answers([questions[text] for text in asked], asked)
                found |= dict(zip(asked, answers, strict=True))
        self.network.train(training)
        return [found[text] for text in texts]

    def _groups(self, texts: Sequence[str]) -> list[list[str]]:
        """Return texts that may stand in one batch.

        A greedy answer can be cut at its own limit afterwards. Which beam is best depends on how
        far the search may go, so with beams only texts of one limit go together.
        """
        if self.options.beams == 1:
            return [list(texts)]
        groups: dict[int, list[str]] = {}
        for text in texts:
            groups.setdefault(self._limit(text), []).append(text)
        return list(groups.values())

    def close(self) -> None:
        """Let go of the network."""
        self.network = None

    def _limit(self, text: str) -> int:
        """Return how many tokens the answer to a text may take.

        It is the text's own, whatever stands beside it in a batch.
        """
        return math.ceil(self.options.longest * len(self.asking.answer(text.strip()))) + _SPARE

    def _answers(self, questions: Sequence[list[int]], texts: Sequence[str]) -> list[Correction]:
        """Return the corrections of texts whose questions make one batch."""
        limits = [self._limit(text) for text in texts]
        width = max(map(len, questions))
        device = next(self.network.parameters()).device
        rows = [[self.asking.pad] * (width - len(ids)) + ids for ids in questions]
        seen = [[0] * (width - len(ids)) + [1] * len(ids) for ids in questions]
        with torch.inference_mode():
            said = self.network.generate(
                input_ids=torch.tensor(rows, device=device),
                # Positions follow from it: padding on the left takes none.
                attention_mask=torch.tensor(seen, device=device),
                max_new_tokens=max(limits),
                do_sample=False,
                num_beams=self.options.beams,
                eos_token_id=list(self.asking.ends),
                pad_token_id=self.asking.pad,
            )
        answers = said[:, width:].tolist()
        return [self._judged(*row) for row in zip(texts, answers, limits, strict=True)]

    def _judged(self, text: str, answer: list[int], limit: int) -> Correction:
        said, ended = self.asking.said(answer[:limit])
        return judged(
            text,
            said,
            tokens=self.info.languages[0],
            bounds=self.options.bounds(),
            finish="stop" if ended else "length",
        )
