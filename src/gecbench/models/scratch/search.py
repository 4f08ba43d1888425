"""Beam search, a batch at once, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from gecbench.core.errors import GecbenchError
from gecbench.models.scratch.network import EncoderDecoder
from gecbench.models.seq2seq.encoding import Specials
from gecbench.models.seq2seq.examples import padded
from gecbench.models.seq2seq.options import Decoding
from gecbench.models.seq2seq.searching import Answer, normalised, ranked

_NEVER = float("-inf")


class _Beam(NamedTuple):
    """What is said so far.

    Args:
        total: Its log-probability, the end included where it has ended.
        row: Of the batch before, which it goes on from.
        said: Its ids, without start and end.
    """

    total: float
    row: int
    said: tuple[int, ...]


@dataclass(slots=True)
class _Sentence:
    """A sentence that is searched for.

    Args:
        place: In the batch.
        beams: The best that go on, best first; always as many.
        ended: The most probable that have ended.
    """

    place: int
    beams: list[_Beam]
    ended: list[_Beam] = field(default_factory=list)

    def over(self, wanted: int) -> bool:
        """Say whether nothing more probable can come: what goes on only loses."""
        if self.beams[0].total == _NEVER:
            return True
        return len(self.ended) >= wanted and self.beams[0].total <= self.ended[-1].total


class BeamSearch:
    """Searches with one of our networks; fulfils `seq2seq.searching.Search`.

    By probability, as `ranked` says why; the length penalty chooses among what has ended.
    """

    def __init__(self, network: EncoderDecoder, specials: Specials, options: Decoding) -> None:
        """Take a network as it is; where it learns, answers are those of the moment."""
        self._network: EncoderDecoder | None = network
        self._specials = specials
        self._beams = options.beams
        self._wanted = options.alternatives + 1
        self._penalty = options.length_penalty

    def answers(self, sources: Sequence[Sequence[int]], most: int) -> list[list[Answer]]:
        """Return for each source the best answers, best first."""
        network = self._network
        if network is None:
            raise RuntimeError("the corrector is closed")
        learning = network.training
        network.train(False)
        try:
            with torch.inference_mode():
                found = self._searched(network, sources, most)
        finally:
            network.train(learning)
        return [self._ranked(sentence) for sentence in found]

    def close(self) -> None:
        """Let go of the network."""
        self._network = None

    def _searched(
        self, network: EncoderDecoder, sources: Sequence[Sequence[int]], most: int
    ) -> list[_Sentence]:
        """Return what the search found for each source."""
        device = network.embedding.weight.device
        ids = padded(sources, self._specials.pad).to(device)
        there = padded([[1] * len(each) for each in sources], 0).to(device)
        fixed, state = network.begin(ids, there)
        fixed = tuple(each.repeat_interleave(self._beams, 0) for each in fixed)
        state = tuple(each.repeat_interleave(self._beams, 0) for each in state)
        every = [_Sentence(place, self._first()) for place in range(len(sources))]
        live = every
        last = [self._specials.start] * len(live) * self._beams
        for at in range(most):
            reads = torch.tensor(last, device=device)
            logits, state = network.step(fixed, state, reads, at)
            self._go_on(live, self._logs(logits, first=at == 0))
            left = [k for k, each in enumerate(live) if not each.over(self._beams)]
            if not left:
                break
            kept = [live[k] for k in left]
            rows = [k * self._beams + beam.row for k in left for beam in live[k].beams]
            state = _chosen(state, rows, device)
            if len(left) < len(live):
                fixed = _chosen(fixed, rows, device)
            live = kept
            last = [beam.said[-1] for each in live for beam in each.beams]
        return every

    def _first(self) -> list[_Beam]:
        """Return the beams of a sentence of which nothing is said: all the same, so one counts."""
        return [_Beam(_NEVER if k else 0.0, k, ()) for k in range(self._beams)]

    def _logs(self, logits: Tensor, *, first: bool) -> Tensor:
        """Return log-probabilities of what may be said: no padding, no start, no empty answer."""
        closed = [self._specials.pad, self._specials.start]
        logits = logits.float()
        logits[:, closed + ([self._specials.end] if first else [])] = _NEVER
        return logits.log_softmax(-1)

    def _go_on(self, live: Sequence[_Sentence], logs: Tensor) -> None:
        """Let the beams of each sentence say one more."""
        count = min(2 * self._beams, logs.shape[1])
        best, ids = logs.topk(count)
        step = self._beams
        all_best, all_ids = best.tolist(), ids.tolist()
        for k, sentence in enumerate(live):
            rows = slice(k * step, (k + 1) * step)
            self._choose(sentence, all_best[rows], all_ids[rows])

    def _choose(
        self, sentence: _Sentence, best: Sequence[Sequence[float]], ids: Sequence[Sequence[int]]
    ) -> None:
        """Choose what goes on and what has ended, of all that a sentence's beams may say.

        Args:
            sentence: Changed.
            best: Log-probabilities of what each beam may say, best first.
            ids: What it is.

        Raises:
            GecbenchError: Nothing is probable, since the network computes no numbers.
        """
        found = [
            (beam.total + log, row, each)
            for row, beam in enumerate(sentence.beams)
            for log, each in zip(best[row], ids[row], strict=True)
            if beam.total + log > _NEVER
        ]
        if not found and sentence.beams[0].total > _NEVER:
            raise GecbenchError(
                "the model's weights give no numbers; copy its folder again, whole, or take "
                "precision=float32"
            )
        found.sort(key=lambda one: (-one[0], one[1], one[2]))
        going: list[_Beam] = []
        for rank, (total, row, each) in enumerate(found[: 2 * self._beams]):
            said = sentence.beams[row].said
            if each != self._specials.end:
                going.append(_Beam(total, row, (*said, each)))
            elif rank < self._beams:
                sentence.ended.append(_Beam(total, row, said))
        sentence.ended.sort(key=lambda beam: -beam.total)
        del sentence.ended[self._beams :]
        # Where fewer may go on than there are rows, the others say padding that never counts.
        spare = _Beam(_NEVER, 0, (self._specials.pad,))
        sentence.beams = [*going, *[spare] * self._beams][: self._beams]

    def _ranked(self, sentence: _Sentence) -> list[Answer]:
        """Return the answers of a sentence; cut ones where none has ended."""
        if sentence.ended:
            made = [self._answer(beam, ended=True) for beam in sentence.ended]
        else:
            going = [beam for beam in sentence.beams if beam.total > _NEVER]
            made = [self._answer(beam, ended=False) for beam in going]
        return ranked(made, self._wanted)

    def _answer(self, beam: _Beam, *, ended: bool) -> Answer:
        length = len(beam.said) + ended
        return Answer(beam.said, normalised(beam.total, length, self._penalty), ended)


def _chosen(
    tensors: tuple[Tensor, ...], rows: list[int], device: torch.device
) -> tuple[Tensor, ...]:
    """Return some rows of tensors."""
    chosen = torch.tensor(rows, device=device)
    return tuple(each.index_select(0, chosen) for each in tensors)
