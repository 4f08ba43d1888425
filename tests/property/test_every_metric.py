"""What every metric promises, whatever it is: the table of metrics is gone through."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import get_args

import pytest

from gecbench.core.case import CHOICES, LEVELS, Case, CaseRewrite, Part
from gecbench.core.edit import Edit, apply
from gecbench.core.registry import resolve
from gecbench.metrics import METRICS
from gecbench.metrics.cleme import ChunkMetric
from gecbench.metrics.gleu import SampledGleu
from gecbench.metrics.m2 import M2
from gecbench.metrics.pt_errant import PtErrant
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import draws
from gecbench.scoring.spans import SpanF

SOURCE = ("the", "cats", "sat", "on", "an", "mat", "yesterday", "night")


def version(places: str) -> CaseRewrite:
    """A rewrite that deletes the tokens at these places."""
    edits = tuple(Edit(int(p), int(p) + 1, (), "R") for p in places)
    tokens = apply(edits, SOURCE)
    return CaseRewrite(edits, text=" ".join(tokens), gold_edits=edits, tokens=tokens)


def case(name: str, hypothesis: CaseRewrite, *references: CaseRewrite) -> Case:
    return Case(name, (hypothesis,), references, " ".join(SOURCE), SOURCE, SOURCE)


TINY = [
    case(str(n), h, r)
    for n, (h, r) in enumerate(itertools.product([version("0"), version("")], repeat=2))
]
UNEVEN = [
    case("1", version("01"), version("0"), version("01234567"[:6])),
    case("2", version("01"), version("01"), version("0")),
    case("3", version("3"), version("12"), version("")),
]


pytestmark = pytest.mark.usefixtures("stub_networks")

MODELS = {
    "some": dict.fromkeys(("grammaticality", "fluency", "meaning"), "stub"),
    "llm-judge": {"profile": "stub@http://127.0.0.1:9/v1"},
}
"""Options without which a metric cannot be made."""


def metrics_named(name: str) -> list:
    """A metric in each of its forms that promises something else."""
    make = resolve("metric", name, METRICS)
    if issubclass(make, SpanF):
        return [make(choice=choice, level=level) for choice in CHOICES for level in LEVELS]
    return [make(**MODELS.get(name, {}))]


ALL = [
    pytest.param(metric, id=f"{name}-{n}")
    for name in METRICS
    for n, metric in enumerate(metrics_named(name))
]


def rows_of(metric, some: list[Case]) -> list:
    return [row for row in map(metric.stats, some) if row is not None]


def score(metric, some: list[Case]):
    return metric.aggregate(rows_of(metric, some))


@pytest.mark.parametrize("metric", ALL)
def test_every_metric_makes_every_promise(metric):
    for promise in ("higher_is_better", "needs_references"):
        assert isinstance(getattr(metric, promise), bool), promise
    assert metric.needs in get_args(Part)
    assert all(len(code) == 2 for code in metric.languages)
    assert metric.perfect is None or math.isfinite(metric.perfect)
    assert METRICS[metric.name]
    promises = {name for name in vars(Metric) if not name.startswith("_")}
    assert all(hasattr(metric, name) for name in promises)


@pytest.mark.parametrize("metric", ALL)
def test_every_metric_bears_no_sentences_and_the_shortest(metric):
    for some in ([], TINY, *([case] for case in TINY), UNEVEN):
        actual_score = score(metric, some)
        assert math.isfinite(actual_score.value)
        assert actual_score.sentences == len(some)
        assert str(actual_score.signature).partition("|")[0] == f"metric:{metric.name}"
    assert all(metric.stats(case) is not None for case in TINY)


@pytest.mark.parametrize("metric", ALL)
def test_every_metric_leaves_out_what_nobody_could_correct(metric):
    unsaid = CaseRewrite(unannotatable=True)
    assert metric.stats(case("1", version("0"), unsaid)) is None


@pytest.mark.parametrize("metric", ALL)
def test_order_matters_only_where_references_are_drawn_or_chosen_by_sums_so_far(metric):
    values = {
        round(score(metric, list(order)).value, 12) for order in itertools.permutations(UNEVEN)
    }
    greedy = isinstance(metric, SpanF) and metric.choice == "corpus-greedy"
    greedy = greedy or (isinstance(metric, ChunkMetric) and metric.running)
    if not (greedy or isinstance(metric, (SampledGleu, M2, PtErrant))):
        assert len(values) == 1


@pytest.mark.parametrize(
    "metric", [metric for metric in ALL if metric.values[0].perfect is not None]
)
def test_every_metric_keeps_its_word_on_perfection(metric):
    equal = [replace(c, hypotheses=c.references[:1], references=c.references[:1]) for c in UNEVEN]
    assert score(metric, equal).value == pytest.approx(metric.perfect, abs=1e-12)
    worst = score(metric, [case("1", version("012"), version("6"))]).value
    assert (worst < metric.perfect) == metric.higher_is_better


@pytest.mark.parametrize("metric", ALL)
def test_every_metric_says_something_of_each_sentence(metric):
    rows = rows_of(metric, UNEVEN)
    sentence_rows = metric.sentences(rows)
    assert len(sentence_rows) == len(rows)
    assert all(sentence_rows)


@pytest.mark.parametrize("metric", ALL)
def test_every_metric_resamples_to_what_the_resample_scores(metric):
    rows = rows_of(metric, UNEVEN + TINY)
    places = draws(len(rows), resamples=30, seed=1)
    resampled = metric.resample(rows, places)
    assert resampled.shape == (30,)
    if type(metric).__name__ in ("Gleu", "GleuFrequency"):
        return  # a sentence keeps its drawn references in a resample; its own tests say how
    slow = [metric.aggregate([rows[at] for at in row]).value for row in places.tolist()]
    assert resampled.tolist() == pytest.approx(slow, abs=1e-12)
