"""gleu-frequency is gec-metrics' "gleu"."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from text_inputs import conll

from gecbench.metrics.gleu import GleuFrequency

pytestmark = pytest.mark.golden


@cache
def stats_of(shared: Path, unit: str, *annotators: int) -> list:
    """The statistics of T5's sentences, in which iterations play no part."""
    metric = GleuFrequency(unit=unit)
    return [metric.stats(case) for case in conll(shared, *annotators)]


@pytest.mark.parametrize(
    ("name", "annotators", "options"),
    [
        ("corpus", (0, 1), {}),
        ("ref0_only", (0,), {}),
        ("ref1_only", (1,), {}),
        ("iter1", (0, 1), {"iterations": 1}),
        pytest.param("unit_char", (0, 1), {"unit": "spaced-character"}, marks=pytest.mark.slow),
    ],
)
def test_scores_of_the_corpus_are_theirs(
    shared: Path, name: str, annotators: tuple[int, ...], options: dict
) -> None:
    path = shared / "golden/gecmetrics/scores.json"
    figures = json.loads(path.read_text("utf-8"))["T5"]["gleu"]
    metric = GleuFrequency(**options)
    stats = stats_of(shared, metric.unit, *annotators)
    assert metric.aggregate(stats).value == pytest.approx(figures[name], abs=1e-12)


def test_scores_of_sentences_are_theirs(shared: Path) -> None:
    path = shared / "golden/gecmetrics/scores.json"
    figures = json.loads(path.read_text("utf-8"))["T5"]["gleu"]
    metric = GleuFrequency()
    sentences = metric.sentences(stats_of(shared, metric.unit, 0, 1))
    values = [sentence["value"] for sentence in sentences]
    assert values[:10] == pytest.approx(figures["first10_sentence"], abs=1e-12)
    assert sum(values) / len(values) == pytest.approx(figures["mean_sentence"], abs=1e-12)
