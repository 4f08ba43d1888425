"""The heads, what they lose, and what is decided from their logits."""

from __future__ import annotations

import math

import pytest
import torch

from gecbench.models.tagger.network import (
    Logits,
    Tagger,
    decide,
    loss_weight,
    probabilities,
    tagging_loss,
)
from gecbench.models.training.task import IGNORED

KEEP = 2


def slow_loss(logits: Logits, labels, smoothing: float, reduction: str) -> float:
    """Sums over tokens in plain Python."""
    total = 0.0
    for row, sentence in enumerate(labels.tolist()):
        each = []
        for place, gold in enumerate(sentence):
            if gold == IGNORED:
                continue
            of_labels = logits.labels[row, place].double().log_softmax(-1).tolist()
            of_errors = logits.detection[row, place].double().log_softmax(-1).tolist()
            n = len(of_labels)
            smooth = -sum(of_labels) / n
            each.append(
                (1 - smoothing) * -of_labels[gold]
                + smoothing * smooth
                - of_errors[0 if gold == KEEP else 1]
            )
        total += sum(each) if reduction == "token" else sum(each) / len(each)
    return total


@pytest.mark.parametrize("reduction", ["token", "sentence"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_sum_over_first_pieces(reduction, smoothing):
    torch.manual_seed(0)
    logits = Logits(torch.randn(3, 4, 5), torch.randn(3, 4, 2))
    labels = torch.tensor([[2, 2, 0, 1], [4, 2, IGNORED, IGNORED], [2, IGNORED, IGNORED, IGNORED]])
    loss = tagging_loss(logits, labels, keep=KEEP, smoothing=smoothing, reduction=reduction)
    assert loss.item() == pytest.approx(slow_loss(logits, labels, smoothing, reduction), rel=1e-5)
    assert loss_weight(labels, reduction) == (7 if reduction == "token" else 3)


def test_halves_of_a_batch_add_up():
    torch.manual_seed(0)
    logits = Logits(torch.randn(4, 4, 5), torch.randn(4, 4, 2))
    labels = torch.randint(0, 5, (4, 4))
    for reduction in ("token", "sentence"):
        options = {"keep": KEEP, "smoothing": 0.1, "reduction": reduction}
        whole = tagging_loss(logits, labels, **options)
        halves = [
            tagging_loss(Logits(logits.labels[k], logits.detection[k]), labels[k], **options)
            for k in (slice(0, 2), slice(2, 4))
        ]
        assert whole.item() == pytest.approx(sum(h.item() for h in halves), rel=1e-6)


def test_the_unknown_label_is_never_predicted_and_takes_no_probability():
    logits = Logits(torch.tensor([[[0.0, 50.0, 1.0]]]), torch.zeros(1, 1, 2))
    distribution, errors = probabilities(logits, unknown=1)
    assert distribution[0, 0, 1] == 0
    assert distribution.sum().item() == pytest.approx(1)
    assert distribution[0, 0, 2].item() == pytest.approx(1 / (1 + math.exp(-1)))
    assert errors.item() == 0.5
    labels, _ = decide(distribution, 0, -1, torch.tensor(0.0), torch.tensor(0.0))
    assert labels.item() == 2


def test_biases_are_added_to_probabilities_by_name():
    probabilities = torch.tensor([[[0.1, 0.3, 0.6]]])
    none = torch.tensor(0.0)
    assert [t.item() for t in decide(probabilities, 1, 0, none, none)] == pytest.approx([2, 0.6])
    found = decide(probabilities, 1, 0, torch.tensor(0.4), none)
    assert [t.item() for t in found] == pytest.approx([1, 0.7])
    found = decide(probabilities, 1, 0, torch.tensor(0.4), torch.tensor(0.7))
    assert [t.item() for t in found] == pytest.approx([0, 0.8])
    found = decide(probabilities, 1, -1, none, torch.tensor(1.0))
    assert [t.item() for t in found] == pytest.approx([2, 0.6])


def test_only_first_pieces_reach_the_heads():
    seen = []

    class Echo(torch.nn.Module):
        def forward(self, ids, mask):
            seen.append(mask)
            return torch.nn.functional.one_hot(ids, 6).float()

    network = Tagger(Echo(), 6, 6, 0.0)
    with torch.no_grad():
        network.labels.weight.copy_(torch.eye(6))
    ids = torch.tensor([[5, 4, 3, 2], [1, 2, 0, 0]])
    firsts = torch.tensor([[0, 2, 3], [1, 0, 0]])
    found = network(ids=ids, mask=(ids > 0).long(), firsts=firsts).labels.argmax(-1)
    assert found.tolist() == [[5, 3, 2], [2, 1, 1]]
    assert seen[0].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
