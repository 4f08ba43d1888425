"""The greedy choice in many corpora at once is that of one corpus after the other.

By the compiled kernel and in Python, to the last bit.
"""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.score import f_score
from gecbench.scoring import resample
from gecbench.scoring.resample import (
    ErrantRule,
    MaxMatchRule,
    exchange_totals,
    resample_totals,
)

BETAS = (0.5, 1.0, 2.0, 0.001, 95.97, 1000.0)
RULES = [rule(beta) for rule in (ErrantRule, MaxMatchRule) for beta in BETAS]


def with_each_kernel() -> Iterator[str]:
    """Python first, then the kernel where there is one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resample, "compiled", None)
        yield resample.kernel_name()
    if resample.compiled is not None:
        yield resample.kernel_name()


def walk(rows, rule):
    """The totals of one corpus: every sentence in turn, all candidates tried."""
    total = np.zeros((3, 1))
    for row in rows:
        total = rule(total + row[:, :, None])
    return total[:, 0].tolist()


def one_after_the_other(candidates, places, rule):
    return np.array([walk(candidates[row], rule) for row in places]).T.reshape(3, len(places))


@st.composite
def candidates_of(draw: st.DrawFn, rule, sentences: int):
    width = draw(st.integers(1, 4))
    # Large counts make F of candidates nearly, and with 4 decimals often just, the same.
    small = st.integers(0, 3) if draw(st.booleans()) else st.integers(0, 20_000)
    numbers = draw(st.lists(small, min_size=width * 3 * sentences, max_size=width * 3 * sentences))
    candidates = np.array(numbers, dtype=float).reshape(sentences, width, 3)
    if isinstance(rule, MaxMatchRule):  # whose counts are matched, and all proposed and gold
        candidates[..., 1:] += candidates[..., :1]
    return candidates


def test_the_compiled_kernel_is_tested_wherever_it_could_be_built():
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if shutil.which("g++") and header.exists():
        assert resample.kernel_name() == "compiled"
    assert next(with_each_kernel()) == "python"


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(data=st.data())
def test_all_resamples_at_once_are_one_after_the_other(rule, data: st.DataObject):
    sentences = data.draw(st.integers(1, 6))
    candidates = data.draw(candidates_of(rule, sentences))
    row = st.lists(st.integers(0, sentences - 1), min_size=sentences, max_size=sentences)
    places = np.array(data.draw(st.lists(row, min_size=1, max_size=5)))
    slow = one_after_the_other(candidates, places, rule).tolist()
    for _ in with_each_kernel():
        assert resample_totals(candidates, places, rule).tolist() == slow


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(data=st.data())
def test_all_permutations_at_once_are_one_after_the_other(rule, data: st.DataObject):
    sentences = data.draw(st.integers(1, 6))
    first, second = (data.draw(candidates_of(rule, sentences)) for _ in range(2))
    coin_row = st.lists(st.booleans(), min_size=sentences, max_size=sentences)
    swaps = np.array(data.draw(st.lists(coin_row, min_size=1, max_size=20)))
    slow: tuple[list, list] = ([], [])
    for coins in swaps:
        mixed = [
            (b, a) if coin else (a, b) for a, b, coin in zip(first, second, coins, strict=True)
        ]
        for totals, rows in zip(slow, zip(*mixed, strict=True), strict=True):
            totals.append(walk(rows, rule))
    for _ in with_each_kernel():
        left, right = exchange_totals(first, second, swaps, rule)
        assert (left.T.tolist(), right.T.tolist()) == slow


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_both_kernels_agree_on_long_corpora(rule):
    random = np.random.default_rng(7)
    size = 400
    first, second = (random.integers(0, 4, (size, width, 3)).astype(float) for width in (3, 4))
    for side in (first, second):
        side[random.random(size) < 0.6] = side[0, 0]  # nothing to choose, as mostly
        if isinstance(rule, MaxMatchRule):
            side[..., 1:] += side[..., :1]
    places = np.sort(random.integers(0, size, (50, size)), axis=1)
    swaps = random.random((50, size)) < 0.5
    results = [
        (resample_totals(first, places, rule), *exchange_totals(first, second, swaps, rule))
        for _ in with_each_kernel()
    ]
    for totals in results:
        assert [part.tolist() for part in totals] == [part.tolist() for part in results[0]]


@pytest.mark.parametrize("beta", BETAS)
def test_f_halfway_between_two_decimals_is_rounded_as_python_does(beta: float):
    """Of each n: a candidate with F of n + 1/2 ten thousandths, one with n and more matches."""
    n = np.arange(1, 10_000)
    half = np.stack([2 * n + 1, 19_999 - 2 * n, 19_999 - 2 * n], axis=1)
    lower = np.stack([4 * n, 40_000 - 4 * n, 40_000 - 4 * n], axis=1)
    candidates = np.stack([half, lower], axis=1).astype(float)
    goes_up = [
        round(f_score(tp / 20_000, tp / 20_000, beta), 4)
        > round(f_score(at / 1e4, at / 1e4, beta), 4)
        for tp, at in zip((2 * n + 1).tolist(), n.tolist(), strict=True)
    ]
    assert 2_000 < sum(goes_up) < 8_000
    for _ in with_each_kernel():
        totals = resample_totals(candidates, n[:, None] - 1, ErrantRule(beta))
        assert (totals[0] == 2 * n + 1).tolist() == goes_up


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch):
    random = np.random.default_rng(3)
    candidates = random.integers(0, 5, (40, 3, 3)).astype(float)
    places = random.integers(0, 40, (30, 40))
    whole = resample_totals(candidates, places, ErrantRule(0.5))
    monkeypatch.setattr(resample, "_SENTENCES_AT_ONCE", 100)
    monkeypatch.setattr(resample, "_COMPILED_AT_ONCE", 100)
    for _ in with_each_kernel():
        assert (resample_totals(candidates, places, ErrantRule(0.5)) == whole).all()


@pytest.mark.parametrize("place", [-1, 2, 2**32])
def test_a_place_of_no_sentence_is_refused(place: int):
    for _ in with_each_kernel():
        with pytest.raises(IndexError, match=str(place)):
            resample_totals(np.ones((2, 2, 3)), np.array([[0, place]]), ErrantRule(0.5))


def test_ctrl_c_is_heard_between_blocks(monkeypatch: pytest.MonkeyPatch):
    """A signal is answered by Python, so no call of the kernel may take all resamples."""
    if resample.compiled is None:
        pytest.skip("the compiled kernel could not be built")
    sizes = []
    call = resample.compiled.resample_totals

    def record(*arguments):
        sizes.append(arguments[4])
        return call(*arguments)

    monkeypatch.setattr(resample, "compiled", SimpleNamespace(resample_totals=record))
    monkeypatch.setattr(resample, "_COMPILED_AT_ONCE", 100)
    resample_totals(np.ones((40, 2, 3)), np.zeros((5, 40), np.int32), ErrantRule(0.5))
    assert sizes == [2, 2, 1]


def test_no_resample_and_no_sentence_have_totals_of_nothing():
    nothing, some, rule = np.zeros((0, 2, 3)), np.ones((1, 2, 3)), ErrantRule(0.5)
    for _ in with_each_kernel():
        empty = resample_totals(nothing, np.zeros((4, 0), dtype=int), rule)
        assert empty.tolist() == [[0.0] * 4] * 3
        assert resample_totals(some, np.zeros((0, 1), dtype=int), rule).shape == (3, 0)
        left, right = exchange_totals(nothing, nothing, np.zeros((4, 0), dtype=bool), rule)
        assert left.tolist() == right.tolist() == [[0.0] * 4] * 3
        left, right = exchange_totals(some, some, np.zeros((0, 1), dtype=bool), rule)
        assert left.shape == right.shape == (3, 0)
