"""Laws of scores against the number of references."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_breakdown_properties import PLACES, run_stats_of, runs
from test_every_metric import UNEVEN, version

from gecbench.analysis.options import Sweep
from gecbench.analysis.references import curves, references_in
from gecbench.core.score import Score, Signature
from gecbench.metrics.char_bleu import CharBleu
from gecbench.metrics.sentence_accuracy import SentenceAccuracy
from gecbench.scoring.results import RunStats

# A reference declared impossible is none for curves, and one for `score`.
POSSIBLE = PLACES.map(version)


@given(runs(POSSIBLE), st.sampled_from(["subsets", "first"]))
def test_with_all_references_the_score_is_the_score(run: RunStats, taking):
    metric = run.metrics["cherrant"]
    for curve in curves(run, Sweep(taking=taking)):
        rows = run.rows[curve.system, "cherrant"]
        last = curve.points[-1]
        assert last.mean == last.low == last.high == metric.aggregate(rows).value
        assert (last.cut, last.subsets, last.of) == (0, 1, 1)


@given(runs(POSSIBLE))
def test_the_first_k_are_max_references(run: RunStats):
    metric = run.metrics["cherrant"]
    for curve in curves(run, Sweep(taking="first")):
        for point in curve.points:
            cases = run.cases[curve.system]
            cut = [
                type(case)(case.id, case.hypotheses, case.references[: point.k]) for case in cases
            ]
            assert point.mean == metric.aggregate([metric.stats(case) for case in cut]).value


@given(st.integers(1, 5), st.integers(1, 6), st.data())
def test_a_sentence_keeps_as_many_references_as_it_can(count: int, width: int, data: st.DataObject):
    size = data.draw(st.integers(1, width))
    subset = data.draw(st.sampled_from(list(combinations(range(width), size))))
    chosen = references_in(range(count), subset)
    assert len(set(chosen)) == len(chosen) == min(count, size)
    assert set(chosen) <= set(range(count))
    if count > max(subset):
        assert chosen == subset or count <= size


@pytest.mark.parametrize(("count", "width"), [(1, 4), (2, 4), (3, 6), (4, 4)])
def test_single_references_are_taken_equally_often_where_places_go_round(count: int, width: int):
    chosen = [references_in(range(count), (place,)) for place in range(width)]
    assert {chosen.count((r,)) for r in range(count)} == {width // count}


class Constant:
    """A metric of one value, the mean of three of which is another by its last digit."""

    name = "constant"
    needs_references = True

    def stats(self, case):
        return case

    def aggregate(self, rows):
        return Score(0.3915906845956697, Signature({}), len(rows))


def test_the_mean_of_equal_scores_is_that_score():
    three = [replace(case, references=case.references[:1] * 3) for case in UNEVEN]
    run = run_stats_of({"one": three}, Constant())
    (curve,) = curves(run)
    assert {(p.low, p.mean, p.high) for p in curve.points} == {(0.3915906845956697,) * 3}


def test_more_references_never_lower_sentence_accuracy_nor_its_bounds():
    run = run_stats_of({"one": UNEVEN}, SentenceAccuracy())
    (curve,) = curves(run)
    means = [point.mean for point in curve.points]
    assert means == sorted(means)
    assert all(p.low <= p.mean <= p.high for p in curve.points)


def test_a_drawn_subset_is_the_same_for_the_same_seed_and_not_for_another():
    references = [case.references for case in UNEVEN]
    wide = [
        type(case)(
            case.id, case.hypotheses, own_references + references[0] + references[1], case.source
        )
        for case, own_references in zip(UNEVEN, references, strict=True)
    ]
    run = run_stats_of({"one": wide}, CharBleu())

    def points(seed: int, most: int):
        (curve,) = curves(run, Sweep(most=most, seed=seed))
        return curve.points

    assert points(0, 3) == points(0, 3)
    assert any(points(0, 3) != points(seed, 3) for seed in range(1, 6))
    drawn, every = points(0, 3)[2], points(0, 99)[2]
    assert (drawn.subsets, drawn.of, every.subsets, every.of) == (3, 20, 20, 20)
    assert every.low <= drawn.low <= drawn.high <= every.high
