"""Beam search against all that can be said."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from tiny_scratch import ARCHITECTURES, SOURCES, batch, network

from gecbench.models.scratch.encoding import END, SPECIALS
from gecbench.models.scratch.model import BeamSearch
from gecbench.models.scratch.network import EncoderDecoder
from gecbench.models.seq2seq.corrector import Decoding


def small(architecture: str, seed: int) -> EncoderDecoder:
    """Return a network that is surer of itself than one with random weights."""
    made = network(architecture, seed=seed, layers=1)
    with torch.no_grad():
        made.embedding.weight *= 2
    return made


@torch.no_grad()
def worth(
    made: EncoderDecoder, source: list[int], said: tuple[int, ...], *, ended: bool = True
) -> float:
    """Return the log-probability of an answer with its end, by the plain forward pass."""
    logits = made(*batch([source]), torch.tensor([[1, *said]]))[0]
    logits[:, :2] = float("-inf")
    logits[0, END] = float("-inf")
    logs = logits.log_softmax(-1)
    return sum(float(logs[k, each]) for k, each in enumerate((*said, END) if ended else said))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_wide_search_finds_the_most_probable_of_all_answers(architecture) -> None:
    made = small(architecture, 1)
    every = [said for size in (1, 2) for said in product(range(3, 13), repeat=size)]
    search = BeamSearch(made, SPECIALS, Decoding(beams=120, length_penalty=0.0))
    for source, (best, *_) in zip(SOURCES, search.answers(SOURCES, 3), strict=True):
        found = {said: worth(made, source, said) for said in every if END not in said}
        assert best.ids == max(found, key=lambda said: found[said])
        assert best.score == pytest.approx(found[best.ids], abs=1e-4)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_scores_are_those_of_the_plain_pass_whatever_the_batch(architecture) -> None:
    made = small(architecture, 2)
    options = Decoding(beams=3, length_penalty=0.7, alternatives=2)
    search = BeamSearch(made, SPECIALS, options)
    together = search.answers(SOURCES, 12)
    assert together == search.answers(SOURCES, 12)
    for source, answers in zip(SOURCES, together, strict=True):
        (alone,) = search.answers([source], 12)
        assert [each.ids for each in alone] == [each.ids for each in answers]
        for one, two in zip(alone, answers, strict=True):
            assert one.score == pytest.approx(two.score, abs=1e-4)
        for each in answers:
            total = worth(made, source, each.ids, ended=each.complete)
            by_hand = total / (len(each.ids) + each.complete) ** 0.7
            assert each.score == pytest.approx(by_hand, abs=1e-4)
        assert [each.score for each in answers] == sorted((a.score for a in answers), reverse=True)


@torch.no_grad()
def searched(made: EncoderDecoder, source: list[int], beams: int, most: int) -> list[float]:
    """Return the scores of what a plain search finds, which begins again at every step."""
    going, ended = {(): 0.0}, {}
    for _ in range(most):
        found = {}
        for said, total in going.items():
            logits = made(*batch([source]), torch.tensor([[1, *said]]))[0, -1]
            logits[: 2 if said else 3] = float("-inf")
            for each, log in enumerate(logits.log_softmax(-1).tolist()):
                found[*said, each] = total + log
        best = sorted(found, key=lambda said: -found[said])[: 2 * beams]
        ended |= {said: found[said] for said in best[:beams] if said[-1] == END}
        kept = sorted(ended, key=lambda said: -ended[said])[:beams]
        ended = {said: ended[said] for said in kept}
        going = {said: found[said] for said in [s for s in best if s[-1] != END][:beams]}
        if len(ended) == beams and min(ended.values()) >= max(going.values()):
            break
    return sorted((v / len(said) for said, v in (ended or going).items()), reverse=True)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_the_search_is_the_plain_one(architecture) -> None:
    ends = 0
    for seed in range(6):
        made = network(architecture, seed=seed, layers=1)
        # Whatever comes, the end is nearly as probable.
        made.embedding.weight[END] = 0.8 * made.embedding.weight[4:].sum(0)
        options = Decoding(beams=3, alternatives=2)
        for source, answers in zip(
            SOURCES, BeamSearch(made, SPECIALS, options).answers(SOURCES, 9), strict=True
        ):
            by_hand = searched(made, source, 3, 9)
            assert [each.score for each in answers] == pytest.approx(by_hand, abs=1e-4)
            ends += sum(each.complete for each in answers)
    assert ends > 5


@torch.no_grad()
def test_one_beam_takes_the_best_each_time() -> None:
    made = small("recurrent", 3)
    search = BeamSearch(made, SPECIALS, Decoding(beams=1))
    for source, (answer,) in zip(SOURCES, search.answers(SOURCES, 20), strict=True):
        said: list[int] = []
        while len(said) < 20:
            logits = made(*batch([source]), torch.tensor([[1, *said]]))[0, -1]
            logits[: 2 if said else 3] = float("-inf")
            if int(logits.argmax()) == END:
                break
            said.append(int(logits.argmax()))
        assert list(answer.ids) == said


@torch.no_grad()
def test_what_never_ends_is_cut_and_has_no_end() -> None:
    made = small("recurrent", 1)
    made.embedding.weight[END] = 0
    made.embedding.weight[5] = 9.0
    made.body.join.bias += 3
    search = BeamSearch(made, SPECIALS, Decoding(beams=2))
    (answer,) = search.answers([SOURCES[0]], 6)[0]
    assert answer.ids == (5,) * 6
    assert not answer.complete
    assert -0.01 < answer.score <= 0


def test_an_answer_is_never_empty_and_never_padding() -> None:
    made = small("transformer", 1)
    with torch.no_grad():
        for row in (0, 1, END):
            made.embedding.weight[row] = 5 * made.embedding.weight[4]
    for answers in BeamSearch(made, SPECIALS, Decoding(beams=13)).answers(SOURCES, 5):
        assert all(each.ids and min(each.ids) > END for each in answers)


def test_the_network_is_left_as_it_was() -> None:
    made = small("recurrent", 1).train()
    search = BeamSearch(made, SPECIALS, Decoding())
    search.answers(SOURCES, 4)
    assert made.training
