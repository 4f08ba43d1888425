"""Means, whose sums are not rounded on the way."""

from __future__ import annotations

import numpy as np
import pytest

from gecbench.scoring.resample import mean, means


def test_the_order_makes_no_difference():
    values = [0.1] * 10 + [1e16, -1e16]
    assert mean(values) == mean(values[::-1]) == 1 / 12


def test_nothing_has_the_mean_0():
    assert mean([]) == 0


def test_each_resample_has_its_mean():
    places = np.array([[0, 0], [0, 1], [1, 2]])
    assert means([0.5, 1.0, 0.0], places) == pytest.approx([0.5, 0.75, 0.5])
