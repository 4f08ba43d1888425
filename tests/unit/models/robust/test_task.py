"""The divergence: the formula, its gradient, its zero, and parts that change nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from robust_cases import symmetric

from gecbench.models.robust.pairs import align_tokens
from gecbench.models.robust.task import divergence


def logits(seed: int, places: int = 5, classes: int = 7, **more) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(2, places, classes, generator=generator, dtype=torch.float64, **more)


def slow(both: torch.Tensor) -> float:
    return sum(symmetric(first, second) for first, second in zip(*both.tolist(), strict=True))


@pytest.mark.parametrize("at_once", [1, 14, 20, 10_000])
def test_it_is_the_formula_however_many_places_are_held_at_once(at_once) -> None:
    both = logits(1) * 4
    assert float(divergence(both, chunk=at_once)) == pytest.approx(slow(both), rel=1e-12)


@pytest.mark.parametrize("at_once", [1, 20, 10_000])
def test_its_gradient_is_the_numerical_one(at_once) -> None:
    both = logits(2).requires_grad_()
    assert torch.autograd.gradcheck(lambda logits: divergence(logits, chunk=at_once), (both,))


def test_its_gradient_is_what_autograd_makes_of_the_formula() -> None:
    both = logits(3, 40, 11).float().requires_grad_()
    log_p, log_q = both.log_softmax(-1)
    plain = ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum() / 2
    (gradient,) = torch.autograd.grad(plain * 3, both)
    (result,) = torch.autograd.grad(divergence(both, chunk=50) * 3, both)
    assert torch.allclose(result, gradient, atol=1e-6)


def test_equal_logits_have_none_exactly_and_no_gradient() -> None:
    first = logits(4)[0].float() * 30
    both = torch.stack((first, first)).requires_grad_()
    value = divergence(both, chunk=8)
    value.backward()
    assert value.item() == 0.0
    assert not both.grad.any()


def test_no_places_have_none() -> None:
    both = torch.zeros(2, 0, 9, requires_grad=True)
    value = divergence(both)
    value.backward()
    assert value.item() == 0.0


def test_half_precision_is_computed_in_32_bits() -> None:
    both = (logits(5) * 5).bfloat16().requires_grad_()
    value = divergence(both)
    value.backward()
    assert value.dtype == torch.float32
    assert both.grad.dtype == torch.bfloat16
    assert value.item() == pytest.approx(slow(both.detach().float()), rel=1e-5)


def test_probabilities_that_vanish_leave_numbers() -> None:
    both = torch.tensor([[[400.0, 0.0]], [[0.0, 400.0]]], requires_grad=True)
    value = divergence(both)
    value.backward()
    assert value.item() == pytest.approx(400)
    assert bool(torch.isfinite(both.grad).all())


words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9)


@given(words, words, st.integers(0, 3))
def test_matched_tokens_are_equal_ascend_and_are_fewer_the_more_are_skipped(
    first, second, skip
) -> None:
    whole, less = align_tokens(first, second), align_tokens(first, second, skip_after=skip)
    assert all(first[i] == second[j] for i, j in whole)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(whole))
    assert set(less) <= set(whole)
    if not skip:
        assert less == whole
    if first == second:
        assert less == whole == tuple((k, k) for k in range(len(first)))


def test_what_follows_a_change_is_skipped_and_only_that() -> None:
    first, second = "我们看见猫在垫上", "我们看见老黑猫在垫上"
    assert align_tokens(first, second) == tuple((k, k if k < 4 else k + 2) for k in range(8))
    assert align_tokens(first, second, skip_after=2) == tuple(
        (k, k if k < 4 else k + 2) for k in (0, 1, 2, 3, 6, 7)
    )
    # What is deleted leaves its place behind, too.
    assert align_tokens(second, first, skip_after=3) == ((0, 0), (1, 1), (2, 2), (3, 3), (9, 7))
