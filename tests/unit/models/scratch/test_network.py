"""Laws of all three architectures: padding, order in time, and steps that equal the whole."""

from __future__ import annotations

import pytest
import torch
from tiny_scratch import ARCHITECTURES, SOURCES, batch, network, task_of
from tiny_seq2seq import ZH_PAIRS

from gecbench.formats.validation import convert
from gecbench.models.batches import SentencePair
from gecbench.models.scratch.network import Shape
from gecbench.models.training.decoder import pad_tensor

READS = [[1, 7, 5], [1, 9, 9, 4, 8, 6], [1]]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_padding_changes_nothing(architecture) -> None:
    net = network(architecture)
    together = net(*batch(SOURCES), pad_tensor(READS, 0))
    for k, (source, reads) in enumerate(zip(SOURCES, READS, strict=True)):
        alone = net(*batch([source]), torch.tensor([reads]))
        assert torch.allclose(together[k, : len(reads)], alone[0], atol=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_nothing_later_is_seen(architecture) -> None:
    net = network(architecture)
    source = batch([SOURCES[0]])
    reads = torch.tensor([[1, 7, 5, 6, 9, 4]])
    before = net(*source, reads)
    for place in range(1, reads.shape[1]):
        other = reads.clone()
        other[0, place] = 11
        after = net(*source, other)
        assert torch.equal(before[0, :place], after[0, :place])
        assert not torch.allclose(before[0, place], after[0, place], atol=1e-3)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_all_of_the_source_and_its_order_are_seen(architecture) -> None:
    net = network(architecture)
    reads = torch.tensor([[1, 7]])
    before = net(*batch([SOURCES[0]]), reads)
    for other in ([5, 6, 7, 9, 2], [10, 6, 7, 8, 2], [6, 5, 7, 8, 2]):
        assert not torch.allclose(before, net(*batch([other]), reads), atol=1e-4)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_steps_equal_the_whole(architecture) -> None:
    net = network(architecture)
    reads = torch.tensor([[1, 7, 5, 6, 9], [1, 4, 4, 12, 8], [1, 9, 7, 5, 11]])
    whole = net(*batch(SOURCES), reads)
    fixed, state = net.begin(*batch(SOURCES))
    order = torch.arange(3)
    for at in range(reads.shape[1]):
        logits, state = net.step(fixed, state, reads[order, at], at)
        assert torch.allclose(logits, whole[order, at], atol=1e-5)
        # Beams change their rows from step to step.
        turned = torch.tensor([1, 2, 0])
        order = order[turned]
        fixed, state = (tuple(side[turned] for side in some) for some in (fixed, state))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_weight_learns(architecture) -> None:
    net = network(architecture).train()
    net(*batch(SOURCES), pad_tensor(READS, 0)).square().sum().backward()
    still = [n for n, p in net.named_parameters() if p.grad is None or not p.grad.any()]
    # A softmax does not see what is added to all scores alike: the bias of the keys is in
    # in_proj_bias with others, so that nothing is left out.
    assert still == []


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_dropout_works_while_it_learns_and_only_then(architecture) -> None:
    net = network(architecture, dropout=0.4)
    pairs = (*batch(SOURCES), pad_tensor(READS, 0))
    assert torch.equal(net(*pairs), net(*pairs))
    net.train()
    assert not torch.equal(net(*pairs), net(*pairs))


def test_layers_begin_with_weights_of_their_own() -> None:
    first, second = network("transformer").body.reader.layers
    assert not torch.equal(first.linear1.weight, second.linear1.weight)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_loss_of_a_pair_does_not_depend_on_its_neighbours(architecture) -> None:
    task = task_of(architecture, ZH_PAIRS, label_smoothing=0.1)
    task.module.eval()
    examples = task.prepare([SentencePair(*pair) for pair in ZH_PAIRS]).examples
    together = task.collate(examples)
    alone = [task.collate([example]) for example in examples]
    assert task.weight(together) == sum(map(task.weight, alone))
    assert task.weight(together) == sum(len(target) + 1 for _, target in ZH_PAIRS)
    losses = [task.loss(task.module, correction).item() for correction in alone]
    assert task.loss(task.module, together).item() == pytest.approx(sum(losses), rel=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_the_loss_is_the_smoothed_cross_entropy(architecture) -> None:
    task = task_of(architecture, ZH_PAIRS, label_smoothing=0.1)
    task.module.eval()
    result = task.collate(task.prepare([SentencePair(*pair) for pair in ZH_PAIRS[:3]]).examples)
    logits = task.module(result["input_ids"], result["attention_mask"], result["decoder_input_ids"])
    total = 0.0
    for row, labels in zip(logits.log_softmax(-1), result["labels"].tolist(), strict=True):
        for logs, label in zip(row, labels, strict=True):
            if label >= 0:
                total -= 0.9 * float(logs[label]) + 0.1 * float(logs.mean())
    assert task.loss(task.module, result).item() == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"architecture": "recurrent", "width": 15}, "width 15 is odd"),
        (
            {"architecture": "transformer", "width": 16, "heads": 3, "feedforward": 8},
            "width 16 cannot be divided into 3 heads",
        ),
        ({"architecture": "transformer", "width": 16, "heads": 2}, "feedforward is 0"),
        ({"architecture": "convolutional", "width": 16, "kernel": 4}, "kernel 4 is even"),
    ],
)
def test_sizes_that_do_not_go_together(sizes, message) -> None:
    with pytest.raises(Exception, match=message):
        convert("card", {"vocabulary": 9, "layers": 1, **sizes}, Shape)
