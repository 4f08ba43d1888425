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
from gecbench.models.seq2seq.encoding import EncoderInput


def inputs(sources: list[list[int]]) -> list[EncoderInput]:
    return [EncoderInput(tuple(source), ()) for source in sources]


def small(architecture: str, seed: int) -> EncoderDecoder:
    """Return a network that is surer of itself than one with random weights."""
    net = network(architecture, seed=seed, layers=1)
    with torch.no_grad():
        net.embedding.weight *= 2
    return net


@torch.no_grad()
def worth(
    model: EncoderDecoder, source: list[int], items: tuple[int, ...], *, ended: bool = True
) -> float:
    """Return the log-probability of an answer with its end, by the plain forward pass."""
    logits = model(*batch([source]), torch.tensor([[1, *items]]))[0]
    logits[:, :2] = float("-inf")
    logits[0, END] = float("-inf")
    logs = logits.log_softmax(-1)
    return sum(float(logs[k, item]) for k, item in enumerate((*items, END) if ended else items))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_wide_search_finds_the_most_probable_of_all_answers(architecture) -> None:
    model = small(architecture, 1)
    every = [items for size in (1, 2) for items in product(range(3, 13), repeat=size)]
    search = BeamSearch(model, SPECIALS, Decoding(beams=120, length_penalty=0.0))
    for source, (best, *_) in zip(SOURCES, search.answers(inputs(SOURCES), 3), strict=True):
        result = {items: worth(model, source, items) for items in every if END not in items}
        assert best.ids == max(result, key=lambda items: result[items])
        assert best.score == pytest.approx(result[best.ids], abs=1e-4)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_scores_are_those_of_the_plain_pass_whatever_the_batch(architecture) -> None:
    model = small(architecture, 2)
    options = Decoding(beams=3, length_penalty=0.7, alternatives=2)
    search = BeamSearch(model, SPECIALS, options)
    together = search.answers(inputs(SOURCES), 12)
    assert together == search.answers(inputs(SOURCES), 12)
    for source, answers in zip(SOURCES, together, strict=True):
        (alone,) = search.answers(inputs([source]), 12)
        assert [item.ids for item in alone] == [item.ids for item in answers]
        for first, second in zip(alone, answers, strict=True):
            assert first.score == pytest.approx(second.score, abs=1e-4)
        for item in answers:
            total = worth(model, source, item.ids, ended=item.complete)
            by_hand = total / (len(item.ids) + item.complete) ** 0.7
            assert item.score == pytest.approx(by_hand, abs=1e-4)
        assert [item.score for item in answers] == sorted((a.score for a in answers), reverse=True)


@torch.no_grad()
def search_scores(model: EncoderDecoder, source: list[int], beams: int, most: int) -> list[float]:
    """Return the scores of what a plain search finds, which begins again at every step."""
    going, finished = {(): 0.0}, {}
    for _ in range(most):
        result = {}
        for items, total in going.items():
            logits = model(*batch([source]), torch.tensor([[1, *items]]))[0, -1]
            logits[: 2 if items else 3] = float("-inf")
            for item, log in enumerate(logits.log_softmax(-1).tolist()):
                result[*items, item] = total + log
        best = sorted(result, key=lambda items: -result[items])[: 2 * beams]
        finished |= {items: result[items] for items in best[:beams] if items[-1] == END}
        rest = sorted(finished, key=lambda items: -finished[items])[:beams]
        finished = {items: finished[items] for items in rest}
        going = {items: result[items] for items in [s for s in best if s[-1] != END][:beams]}
        if len(finished) == beams and min(finished.values()) >= max(going.values()):
            break
    return sorted((v / len(items) for items, v in (finished or going).items()), reverse=True)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_the_search_is_the_plain_one(architecture) -> None:
    ends = 0
    for seed in range(6):
        net = network(architecture, seed=seed, layers=1)
        # Whatever comes, the end is nearly as probable.
        net.embedding.weight[END] = 0.8 * net.embedding.weight[4:].sum(0)
        options = Decoding(beams=3, alternatives=2)
        for source, answers in zip(
            SOURCES, BeamSearch(net, SPECIALS, options).answers(inputs(SOURCES), 9), strict=True
        ):
            by_hand = search_scores(net, source, 3, 9)
            assert [answer.score for answer in answers] == pytest.approx(by_hand, abs=1e-4)
            ends += sum(answer.complete for answer in answers)
    assert ends > 5


@torch.no_grad()
def test_one_beam_takes_the_best_each_time() -> None:
    model = small("recurrent", 3)
    search = BeamSearch(model, SPECIALS, Decoding(beams=1))
    for source, (answer,) in zip(SOURCES, search.answers(inputs(SOURCES), 20), strict=True):
        text: list[int] = []
        while len(text) < 20:
            logits = model(*batch([source]), torch.tensor([[1, *text]]))[0, -1]
            logits[: 2 if text else 3] = float("-inf")
            if int(logits.argmax()) == END:
                break
            text.append(int(logits.argmax()))
        assert list(answer.ids) == text


@torch.no_grad()
def test_what_never_ends_is_cut_and_has_no_end() -> None:
    model = small("recurrent", 1)
    model.embedding.weight[END] = 0
    model.embedding.weight[5] = 9.0
    model.body.join.bias += 3
    search = BeamSearch(model, SPECIALS, Decoding(beams=2))
    (answer,) = search.answers(inputs([SOURCES[0]]), 6)[0]
    assert answer.ids == (5,) * 6
    assert not answer.complete
    assert -0.01 < answer.score <= 0


def test_an_answer_is_never_empty_and_never_padding() -> None:
    model = small("transformer", 1)
    with torch.no_grad():
        for row in (0, 1, END):
            model.embedding.weight[row] = 5 * model.embedding.weight[4]
    for answers in BeamSearch(model, SPECIALS, Decoding(beams=13)).answers(inputs(SOURCES), 5):
        assert all(answer.ids and min(answer.ids) > END for answer in answers)


def test_the_network_is_left_as_it_was() -> None:
    net = small("recurrent", 1).train()
    search = BeamSearch(net, SPECIALS, Decoding())
    search.answers(inputs(SOURCES), 4)
    assert net.training
