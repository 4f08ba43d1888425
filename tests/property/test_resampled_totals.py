"""The greedy choice in many resamples at once is that of one resample after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.scoring import resample
from gecbench.scoring.resample import ErrantRule, MaxMatchRule, resample_totals


def one_after_the_other(candidates, places, rule):
    """Every sentence of every resample in turn, all candidates tried."""
    columns = []
    for row in places.tolist():
        total = np.zeros((3, 1))
        for place in row:
            total = rule(total + candidates[place][:, :, None])
        columns.append(total[:, 0])
    return np.array(columns).T.reshape(3, len(places))


RULES = {"errant": ErrantRule(0.5), "recall": ErrantRule(2.0), "maxmatch": MaxMatchRule(0.5)}


@pytest.mark.parametrize("name", RULES)
@given(data=st.data())
def test_all_resamples_at_once_are_one_after_the_other(name: str, data: st.DataObject):
    rule = RULES[name]
    sentences = data.draw(st.integers(1, 6))
    width = data.draw(st.integers(1, 4))
    small = st.integers(0, 3)
    numbers = data.draw(
        st.lists(small, min_size=width * 3 * sentences, max_size=width * 3 * sentences)
    )
    candidates = np.array(numbers, dtype=float).reshape(sentences, width, 3)
    if name == "maxmatch":  # whose counts are matched, and all that was proposed and gold
        candidates[..., 1:] += candidates[..., :1]
    row = st.lists(st.integers(0, sentences - 1), min_size=sentences, max_size=sentences)
    places = np.array(data.draw(st.lists(row, min_size=1, max_size=5)))
    values = resample_totals(candidates, places, rule)
    assert values.tolist() == one_after_the_other(candidates, places, rule).tolist()


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch):
    random = np.random.default_rng(3)
    candidates = random.integers(0, 5, (40, 3, 3)).astype(float)
    places = random.integers(0, 40, (30, 40))
    whole = resample_totals(candidates, places, ErrantRule(0.5))
    monkeypatch.setattr(resample, "_SENTENCES_AT_ONCE", 100)
    assert (resample_totals(candidates, places, ErrantRule(0.5)) == whole).all()


def test_no_resample_and_no_sentence_have_totals_of_nothing():
    nothing = np.zeros((0, 2, 3))
    assert (
        resample_totals(nothing, np.zeros((4, 0), dtype=int), ErrantRule(0.5)).tolist()
        == [[0.0] * 4] * 3
    )
    some = np.ones((1, 2, 3))
    assert resample_totals(some, np.zeros((0, 1), dtype=int), ErrantRule(0.5)).shape == (3, 0)
