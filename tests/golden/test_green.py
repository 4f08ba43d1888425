"""green is gec-metrics' "green"."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from text_inputs import conll

from gecbench.metrics.green import Green

pytestmark = pytest.mark.golden


@cache
def stats_of(shared: Path, **options) -> list:
    """The statistics of T5's sentences."""
    metric = Green(**options)
    return [metric.stats(case) for case in conll(shared, 0, 1)]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("corpus", {}),
        pytest.param("unit_char", {"unit": "spaced-character"}, marks=pytest.mark.slow),
        ("beta1", {"recall_weight": 1.0}),
    ],
)
def test_scores_of_the_corpus_are_theirs(shared: Path, name: str, options: dict) -> None:
    path = shared / "golden/gecmetrics/scores.json"
    figures = json.loads(path.read_text("utf-8"))["T5"]["green"]
    metric = Green(**options)
    stats = stats_of(shared, **options)
    assert metric.aggregate(stats).value == pytest.approx(figures[name], abs=1e-12)


def test_scores_of_sentences_are_theirs(shared: Path) -> None:
    path = shared / "golden/gecmetrics/scores.json"
    figures = json.loads(path.read_text("utf-8"))["T5"]["green"]
    metric = Green()
    sentences = metric.sentences(stats_of(shared))
    values = [sentence["value"] for sentence in sentences]
    assert values[:10] == figures["first10_sentence"]
    assert sum(values) / len(values) == pytest.approx(figures["mean_sentence"], abs=1e-12)
