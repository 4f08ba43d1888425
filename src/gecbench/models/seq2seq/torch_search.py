"""Beam search by transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from transformers import (
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedModel,
)

from gecbench.models.seq2seq.encoding import Specials
from gecbench.models.seq2seq.options import Options
from gecbench.models.seq2seq.searching import Answer, normalised, ranked


class TorchSearch:
    """Searches with a network of transformers."""

    def __init__(self, network: PreTrainedModel, specials: Specials, options: Options) -> None:
        """Take a network as it is; where it learns, answers are those of the moment."""
        self._network: PreTrainedModel | None = network
        self._specials = specials
        self._wanted = options.alternatives + 1
        self._penalty = options.length_penalty
        self._beams = options.beams
        self._neutral = GenerationConfig()  # type: ignore[no-untyped-call]
        self._config = GenerationConfig(  # type: ignore[no-untyped-call]
            num_beams=options.beams,
            num_return_sequences=options.beams,
            # By probability alone: see `ranked`.
            length_penalty=0.0,
            early_stopping=False,
            do_sample=False,
            eos_token_id=specials.end,
            pad_token_id=specials.pad,
            decoder_start_token_id=specials.start,
            use_cache=True,
        )

    def answers(self, sources: Sequence[Sequence[int]], most: int) -> list[list[Answer]]:
        """Return for each source the best answers, best first."""
        network = self._network
        if network is None:
            raise RuntimeError("the corrector is closed")
        learning, of_hub = network.training, network.generation_config
        network.train(False)
        # What a checkpoint asks for elsewhere (facebook/bart-large: no 3-gram twice, an end
        # forced at the limit) must not get into ours: transformers fills gaps from it.
        network.generation_config = self._neutral
        try:
            return self._searched(network, sources, most)
        finally:
            network.generation_config = of_hub
            network.train(learning)

    def close(self) -> None:
        """Let go of the network."""
        self._network = None

    def _searched(
        self, network: PreTrainedModel, sources: Sequence[Sequence[int]], most: int
    ) -> list[list[Answer]]:
        model: Any = network
        follower = _Follower(self._specials, self._beams)
        made = model.generate(
            input_ids=_padded(sources, self._specials.pad, network.device),
            attention_mask=_padded([[1] * len(each) for each in sources], 0, network.device),
            generation_config=self._config,
            max_new_tokens=most,
            logits_processor=LogitsProcessorList([follower]),
        )
        rows: list[list[int]] = made.tolist()
        step = self._beams
        return [
            ranked([self._answer(row, at, follower) for row in rows[k : k + step]], self._wanted)
            for at, k in enumerate(range(0, len(rows), step))
        ]

    def _answer(self, row: list[int], sentence: int, follower: _Follower) -> Answer:
        """Return an answer from a row that opens with the start and may be filled up."""
        end = self._specials.end
        last = row.index(end, 1) if end in row[1:] else len(row) - 1
        said = tuple(row[: last + 1])
        score = normalised(follower.total(sentence, said), last, self._penalty)
        ended = said[-1] == end
        return Answer(said[1 : -1 if ended else None], score, ended)


_NEVER = float("-inf")


class _Follower(LogitsProcessor):
    """Rules how answers begin, and remembers what each is worth.

    They begin with given tokens, at no cost, and not with the end. The search knows what answers
    are worth, but tells it only together with the logits of all its steps, which is gigabytes;
    reading them once more would take as long as the search.
    """

    def __init__(self, specials: Specials, beams: int) -> None:
        self._forced = specials.forced
        self._end = specials.end
        self._beams = beams
        self._rows: dict[tuple[int, tuple[int, ...]], int] = {}
        self._totals: list[float] = []
        self._logs = torch.empty(0)
        self._ended: dict[tuple[int, tuple[int, ...]], float] = {}

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Return the log-probabilities of the next token.

        Args:
            input_ids: What is said so far, the start included: (sentences x beams, length).
            scores: Log-probabilities; logits in a search without beams.
        """
        logs = self._opened(scores, input_ids.shape[1] - 1)
        keys = [(at // self._beams, tuple(row)) for at, row in enumerate(input_ids.tolist())]
        if self._rows:
            self._totals = self._said(keys)
        else:
            self._totals = [0.0] * len(keys)
        # Equal rows, as all are at the start, are worth the same.
        self._rows = {key: at for at, key in enumerate(keys)}
        self._logs = logs
        ends = logs[:, self._end].tolist()
        for at, key in enumerate(keys):
            self._ended[key] = self._totals[at] + ends[at]
        return logs

    def total(self, sentence: int, said: tuple[int, ...]) -> float:
        """Return the log-probability of an answer, its start and its end included."""
        if said[-1] == self._end:
            return self._ended.get((sentence, said[:-1]), _NEVER)
        if (sentence, said[:-1]) not in self._rows:
            return _NEVER  # a place that the search had no answer for
        return self._said([(sentence, said)])[0]

    def _said(self, keys: Sequence[tuple[int, tuple[int, ...]]]) -> list[float]:
        """Return what answers are worth that are one token longer than those of the last step."""
        before = [self._rows[sentence, said[:-1]] for sentence, said in keys]
        logs = self._logs[before, [said[-1] for _, said in keys]].tolist()
        return [self._totals[row] + each for row, each in zip(before, logs, strict=True)]

    def _opened(self, scores: torch.FloatTensor, step: int) -> torch.FloatTensor:
        """Return log-probabilities in which only what may be said is left."""
        free = len(self._forced)
        if step > free and self._beams > 1:
            return scores
        found = scores.clone()
        if step == free:
            found[:, self._end] = float("-inf")
        if step >= free:
            return cast("torch.FloatTensor", found.log_softmax(-1))
        found[:] = float("-inf")
        found[:, self._forced[step]] = 0
        return cast("torch.FloatTensor", found)


def _padded(rows: Sequence[Sequence[int]], fill: int, device: torch.device) -> torch.Tensor:
    """Return rows as a matrix as wide as the longest."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows], device=device)
