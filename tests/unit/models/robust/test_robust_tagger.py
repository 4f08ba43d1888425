"""Robust training of a tagger against a slow reference implementation, option by option."""

from __future__ import annotations

import math
from collections import Counter

import msgspec
import pytest
import torch
from messages import expect_error
from robust_cases import TEXTS, configuration, context_pairs, log_softmax, symmetric

from gecbench.core.errors import UsageError
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.robust.pairs import distinct_pairs
from gecbench.models.robust.task import RobustTask
from gecbench.models.tagger.training import KIND
from gecbench.models.training.task import IGNORED, ComparableTask


def build_task(robust=None, pairs=None, **model) -> RobustTask:
    config = configuration(robust, model=model)
    base: ComparableTask = KIND.build(config, distinct_pairs(pairs or context_pairs()), None)
    task = RobustTask(base, config.robust)
    task.module.double()
    torch.manual_seed(5)
    for parameter in task.module.parameters():  # far from uniform, so that sides differ
        parameter.data += torch.randn_like(parameter) * 0.3
    task.module.eval()
    return task


def batch_of(task: RobustTask, pairs=None):
    return task.collate(task.prepare(pairs or context_pairs()).examples)


def value(task: RobustTask, pairs=None) -> float:
    return task.loss(task.module, batch_of(task, pairs)).item()


def obvious(task: RobustTask, pairs, alpha: float, *, heads=1, skips=True) -> float:
    """Return the paper's sums, sentence by sentence and token by token."""
    base, total = task._task, 0.0
    for pair in pairs:
        item = [base.prepare([side]).examples[0] for side in pair]
        read = [base.outputs(task.module, base.collate([first])) for first in item]
        for example, logits in zip(item, read, strict=True):
            for k, label in enumerate(example.labels):
                total -= log_softmax(logits.labels[0, k].tolist())[label]
                wrong = int(label != base._model.vocabulary.keep)
                total -= log_softmax(logits.detection[0, k].tolist())[wrong]
        for i, j in _pairs_of_equal_tokens(*pair):
            if skips and item[0].labels[i] != item[1].labels[j]:
                continue
            for first, second in list(zip(*read, strict=True))[:heads]:
                total += alpha * symmetric(first[0, i].tolist(), second[0, j].tolist())
    return total


def _pairs_of_equal_tokens(
    first_pair: SentencePair, second_pair: SentencePair
) -> list[tuple[int, int]]:
    """Return $START and what one longest common subsequence of these sentences matches."""
    first, second = ["$START", *first_pair.source.split()], ["$START", *second_pair.source.split()]
    if len(first) == len(second):
        return [(k, k) for k in range(len(first)) if first[k] == second[k]]
    longer, shorter, turned = (
        (first, second, False) if len(first) > len(second) else (second, first, True)
    )
    (gap,) = [k for k in range(len(longer)) if longer[:k] + longer[k + 1 :] == shorter][
        -1:
    ]  # one word more
    result = [(k, k) if k < gap else (k + 1, k) for k in range(len(shorter))]
    return [(j, i) for i, j in result] if turned else result


ONE_WORD = [
    contexts
    for contexts in context_pairs()
    if abs(len(contexts.original.source.split()) - len(contexts.perturbed.source.split())) <= 1
    and not contexts.perturbed.source.startswith("Today")
]


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("heads", ["labels", "labels+detection"])
@pytest.mark.parametrize("disagreeing", ["skip", "keep"])
def test_the_loss_is_that_of_the_slow_reference(alpha, heads, disagreeing) -> None:
    pairs = [
        *ONE_WORD,
        ContextPair(
            SentencePair("I has a apple .", "I have an apple ."), SentencePair(*TEXTS[1][1])
        ),
    ]
    task = build_task({"alpha": alpha, "heads": heads, "disagreeing": disagreeing}, pairs)
    expected = obvious(task, pairs, alpha, heads=1 + ("+" in heads), skips=disagreeing == "skip")
    assert value(task, pairs) == pytest.approx(expected, rel=1e-9)


def test_alpha_nought_is_the_likelihood_of_both_sides() -> None:
    task = build_task({"alpha": 0.0})
    plain = task._task
    both = [side for pair in context_pairs() for side in pair]
    batch = plain.collate(plain.prepare(both).examples)
    assert value(task) == pytest.approx(plain.loss(task.module, batch).item(), rel=1e-9)
    assert task.weight(batch_of(task)) * 2 == plain.weight(batch)


def test_alpha_nought_computes_no_divergence(monkeypatch) -> None:
    task = build_task({"alpha": 0.0})
    monkeypatch.setattr(task, "_divergence", None)
    assert math.isfinite(value(task))


def test_gradients_of_the_whole_loss_are_the_numerical_ones() -> None:
    task = build_task({"heads": "labels+detection"}, convolution={"width": 4, "dilations": [1]})
    batch = batch_of(task, ONE_WORD[:3])
    parameters = {n: p for n, p in task.module.named_parameters() if n.startswith("labels")}
    names = [*parameters]

    def loss(*values: torch.Tensor) -> torch.Tensor:
        rest = dict(zip(names, values, strict=True))
        call = torch.func.functional_call

        def module(**tensors):
            return call(task.module, rest, kwargs=tensors)

        return task.loss(module, batch)

    values = tuple(parameters[name].detach().clone().requires_grad_() for name in names)
    assert torch.autograd.gradcheck(loss, values, fast_mode=True)


def test_the_same_sentence_twice_diverges_by_dropout_alone() -> None:
    pairs = [ContextPair(pair.original, pair.original) for pair in context_pairs()]
    robust = {"method": "r-drop", "cases": []}
    task = build_task(robust, pairs, dropout=0.4)
    batch = batch_of(task, pairs)
    outputs = task._task.outputs(task.module, batch)
    assert task._divergence(outputs, batch["matches"]).item() == 0.0
    loss, apart = task.measure(task.module, batch)
    assert apart.weight == 0  # on dev nothing drops out, and 0.0000 would say nothing
    assert loss.total.item() == pytest.approx(task._task.loss(task.module, batch).item())
    task.module.train()
    outputs = task._task.outputs(task.module, batch)
    assert task._divergence(outputs, batch["matches"]).item() > 0.1


def test_two_passes_without_dropout_are_refused() -> None:
    with expect_error(UsageError, "r-drop", "model.dropout"):
        build_task({"method": "r-drop", "cases": []})


def test_a_dev_sentence_that_nobody_perturbed_is_compared_with_nothing() -> None:
    task = build_task()
    pairs = [ContextPair(pair.original, pair.original) for pair in context_pairs()]
    dataset = task.prepare(pairs)
    assert dataset.counts["pairs without a place to compare"] == len(pairs)
    loss, apart = task.measure(task.module, task.collate(dataset.examples))
    assert apart.weight == 0
    assert loss.total.item() == pytest.approx(value(task, pairs))


def test_both_sides_learn_from_the_divergence() -> None:
    task = build_task({"alpha": 1.0})
    batch = batch_of(task)
    outputs = task._task.outputs(task.module, batch)
    outputs.labels.retain_grad()
    task._divergence(outputs, batch["matches"]).backward()
    half = len(outputs.labels) // 2
    assert outputs.labels.grad[:half].any()
    assert outputs.labels.grad[half:].any()
    matches = {(row, place) for row, place in batch["matches"].view(-1, 2).tolist()}
    reached = outputs.labels.grad.any(-1).nonzero().tolist()
    assert {tuple(path) for path in reached} <= matches


def test_reductions_divide_everything_alike() -> None:
    token, whole = build_task(), build_task({"reduction": "sentence-sum"})
    assert value(token) == pytest.approx(value(whole))
    batch = batch_of(token)
    assert whole.weight(batch_of(whole)) == len(context_pairs())
    assert token.weight(batch) == float((batch["labels"] != IGNORED).sum()) / 2


def test_parts_of_a_batch_add_up_to_the_whole() -> None:
    task = build_task({"alpha": 1.5})
    examples = task.prepare(context_pairs()).examples
    batches = [examples, examples[:5], examples[5:]]
    whole, first, second = (task.loss(task.module, task.collate(batch)).item() for batch in batches)
    assert whole == pytest.approx(first + second, rel=1e-9)
    weights = [task.weight(task.collate(batch)) for batch in batches]
    assert weights[0] == sum(weights[1:])


def test_heads_and_skips_change_what_is_compared_and_only_that() -> None:
    def compared(**robust) -> list[list[int]]:
        return [e.matches.tolist() for e in build_task(robust).prepare(context_pairs()).examples]

    usual = compared()
    assert compared(heads="labels+detection") == compared(alpha=3.0) == usual
    assert compared(reduction="sentence-sum") == usual
    counts = Counter(map(len, usual))
    after = Counter(map(len, compared(skip_after=1)))
    assert sum(n * k for n, k in after.items()) < sum(n * k for n, k in counts.items())
    likelihood = {
        name: value(build_task({"alpha": 0.0, **item}))
        for name, item in {
            "usual": {},
            "after": {"skip_after": 2},
            "all": {"disagreeing": "keep"},
        }.items()
    }
    assert len({round(item, 9) for item in likelihood.values()}) == 1


def test_gold_labels_that_differ_are_skipped_or_kept() -> None:
    # "a apple" becomes "an apple", "a red apple" stays: the same token with two labels.
    pairs = [ContextPair(SentencePair(*TEXTS[1][0]), SentencePair(*TEXTS[1][1]))]
    (skipped,) = build_task({}, pairs).prepare(pairs).examples
    (rest,) = build_task({"disagreeing": "keep"}, pairs).prepare(pairs).examples
    both = list(zip(rest.matches[::2], rest.matches[1::2], strict=True))
    left = list(zip(skipped.matches[::2], skipped.matches[1::2], strict=True))
    assert both == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (5, 6)]
    assert left == [side for side in both if side != (3, 3)]


def test_places_that_are_not_read_are_not_compared() -> None:
    task = build_task(max_tokens=4)
    dataset = task.prepare(context_pairs())
    for example in dataset.examples:
        assert all(i < len(example.original.labels) for i in example.matches[::2])
        assert all(j < len(example.perturbed.labels) for j in example.matches[1::2])
        assert max(example.matches) <= 4
    assert math.isfinite(value(task))


def test_a_twin_with_a_side_that_cannot_be_used_is_left_out_and_counted() -> None:
    pairs = [
        ContextPair(SentencePair(" ", "x"), SentencePair("x", "x")),
        ContextPair(SentencePair("a b", "a b"), SentencePair("a c", "a c")),
    ]
    dataset = build_task(None, pairs).prepare(pairs)
    assert len(dataset.examples) == 1
    assert dataset.dropped == {"pairs with a side that cannot be used": 1}
    assert dataset.counts["sentences left out: source without a token"] == 1
    assert dataset.counts["places compared"] == 2  # $START and a


def test_an_original_with_many_variants_is_held_once() -> None:
    examples = build_task().prepare(context_pairs()).examples
    assert examples[0].original is examples[1].original


def test_the_length_of_an_example_is_what_both_sides_take_in_a_batch() -> None:
    task = build_task()
    examples = task.prepare(context_pairs()).examples
    for example in examples:
        assert task.length(example) == task.collate([example])["ids"].numel()


def test_a_network_that_is_called_by_several_devices_is_called_once_a_batch() -> None:
    task, calls = build_task(), []
    task.module.register_forward_hook(lambda *_: calls.append(1))
    value(task)
    assert calls == [1]


def test_the_table_of_robust_training_survives_being_written() -> None:
    config = configuration({"alpha": 0.5})
    again = msgspec.convert(msgspec.to_builtins(config), type(config))
    assert again == config
