"""i-measure on sentences small enough to align by hand; see specs for where numbers come from."""

from __future__ import annotations

import numpy as np
import pytest

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.metrics.i_measure import (
    IMeasure,
    combinations,
    errors,
    mix_alternatives,
    texts_of_annotators,
)


def case(source: str, hypothesis: str, *references: tuple[Edit, ...]) -> Case:
    tokens = tuple(source.split())
    rewrite = CaseRewrite(tokens=tuple(hypothesis.split()))
    return Case(
        "1", (rewrite,), tuple(CaseRewrite(gold_edits=r) for r in references), source, tokens
    )


def score(case: Case, **options: object) -> float:
    metric = IMeasure(**options)
    return metric.aggregate([metric.stats(case)]).value


B_TO_X = (Edit(1, 2, ("x",)),)
ENDS = (Edit(0, 0, ("x",)), Edit(3, 3, ("y",)))
FIRST = (Edit(0, 1, ("x",)), Edit(3, 4, ("y",)))
SECOND = (Edit(0, 1, ("z",)), Edit(2, 3, ("w",)))


@pytest.mark.parametrize(
    ("case", "options", "value"),
    [
        (case("a b c", "a y c", B_TO_X), {}, -0.1429),
        (case("a b c", "a y c", B_TO_X), {"weight": 1.0}, 0.0),
        (case("a b c", "a y c", B_TO_X), {"aspect": "detection"}, 1.0),
        (case("a b c", "a b c", B_TO_X), {}, 0.0),
        (case("a b c", "a x c", B_TO_X), {}, 1.0),
        (case("a b c", "a x c", ()), {}, -0.5),
        (case("a b c", "a b c", ()), {}, 1.0),
        (case("a b c", "z a b c y", ENDS), {}, 0.4231),
        (case("a b c d", "z b c y", FIRST, SECOND), {}, 1.0),
        (case("a b c d", "z b c y", FIRST, SECOND), {"mix": False}, 0.4545),
    ],
)
def test_worked_examples(case: Case, options: dict, value: float):
    assert score(case, **options) == pytest.approx(value, abs=5e-5)


def test_changes_that_overlap_are_one_error_and_the_rims_of_a_span_are_outside():
    def spans(*annotations: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
        error_rows = errors([[(*span, ("x",)) for span in changes] for changes in annotations])
        return [[c[:2] for row in error for c in row.changes] for error in error_rows]

    assert spans([(0, 2)], [(1, 3)]) == [[(0, 2), (1, 3)]]
    assert spans([(0, 2)], [(2, 2)]) == [[(0, 2)], [(2, 2)]]
    assert spans([(0, 2)], [(1, 1)]) == [[(0, 2), (1, 1)]]
    assert spans([(1, 1)], [(1, 1)]) == [[(1, 1), (1, 1)]]
    # A long change of one annotator bridges two of another.
    assert spans([(0, 1), (2, 3)], [(0, 3)]) == [[(0, 1), (2, 3), (0, 3)]]


def test_references_mix_alternatives_or_are_those_of_annotators():
    source = tuple("abcd")
    error_rows = errors([[(0, 1, ("x",)), (3, 4, ("y",))], [(0, 1, ("z",))]])
    assert combinations(error_rows, 2) == 4
    texts = {" ".join(text) for text in mix_alternatives(source, error_rows, 2)}
    assert texts == {"x b c y", "z b c y", "x b c d", "z b c d"}
    assert [" ".join(text) for text in texts_of_annotators(source, error_rows, 2)] == [
        "x b c y",
        "z b c d",
    ]
    assert list(texts_of_annotators(source, [], 1)) == [source]


def test_a_change_that_would_leave_nothing_is_not_made():
    assert score(case("a", "a", (Edit(0, 1, ()),))) == 1.0


def test_what_can_be_mixed_in_too_many_ways_is_not_and_says_so():
    sentence = case("a b c d", "z b c y", FIRST, SECOND)
    metric = IMeasure(most=1)
    (stats,) = [metric.stats(sentence)]
    assert metric.is_approximate(stats)
    assert metric.aggregate([stats]).value == pytest.approx(score(sentence, mix=False))
    assert not IMeasure().is_approximate(IMeasure().stats(sentence))


def test_only_annotators_who_could_correct_are_references():
    tokens = ("a", "b", "c")
    unsaid = CaseRewrite(unannotatable=True)
    rewrite = CaseRewrite(gold_edits=B_TO_X)
    mine = CaseRewrite(tokens=("a", "b", "c"))
    both = Case("1", (mine,), (rewrite, unsaid), "a b c", tokens)
    assert IMeasure().stats(both) == IMeasure().stats(case("a b c", "a b c", B_TO_X))
    assert IMeasure().stats(Case("1", (mine,), (unsaid,), "a b c", tokens)) is None


@pytest.mark.parametrize("optimise", ["sentence", "corpus"])
def test_resamples_score_what_they_draw(optimise: str):
    metric = IMeasure(optimise=optimise, mix=False)
    rows = [
        metric.stats(case("a b c d", text, FIRST, SECOND))
        for text in ("z b c y", "x b c d", "a b w d", "z b w d e")
    ]
    draws = np.array([[0, 1, 2, 3], [0, 0, 3, 3], [1, 1, 1, 2]])
    slow = [metric.aggregate([rows[at] for at in row]).value for row in draws]
    assert metric.resample(rows, draws).tolist() == pytest.approx(slow)


@pytest.mark.parametrize(
    "options",
    [
        {"aspect": "both"},
        {"maximise": "fpn"},
        {"optimise": "all"},
        {"most": 0},
        {"weight": -1.0},
        {"recall_weight": 0.0},
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict):
    with pytest.raises(UsageError):
        IMeasure(**options)
