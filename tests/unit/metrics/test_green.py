"""GREEN by hand."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from text_cases import IMPOSSIBLE, case, score, stats, values

from gecbench.core.errors import UsageError
from gecbench.core.score import Counts
from gecbench.metrics.green import Green


def counts_of(source: str, hypothesis: str, reference: str) -> tuple[int, int, int]:
    """Counts of single words, a letter each."""
    row = Green(order=1, unit="character").stats(case(source, hypothesis, reference))
    return row[0].tp, row[0].fp, row[0].fn


@pytest.mark.parametrize(
    ("source", "hypothesis", "reference", "expected"),
    [
        ("a", "a", "a", (1, 0, 0)),  # kept rightly
        ("a", "", "", (1, 0, 0)),  # deleted rightly
        ("", "a", "a", (1, 0, 0)),  # inserted rightly
        ("a", "", "a", (0, 1, 0)),  # deleted needlessly
        ("", "a", "", (0, 1, 0)),  # inserted needlessly
        ("a", "a", "", (0, 0, 1)),  # not deleted
        ("", "", "a", (0, 0, 1)),  # not inserted
        ("aaa", "aa", "a", (1 + 1, 0, 1)),
        ("a", "aaa", "aa", (1 + 1, 1, 0)),
        ("", "", "", (0, 0, 0)),
    ],
)
def test_what_was_done_with_each_copy(
    source: str, hypothesis: str, reference: str, expected: tuple
):
    assert counts_of(source, hypothesis, reference) == expected


def slowly(source: Counter, hypothesis: Counter, reference: Counter) -> Counts:
    """The seven cases of the paper, n-gram by n-gram."""
    tp = fp = fn = 0
    for gram in {*source, *hypothesis, *reference}:
        s, h, r = source[gram], hypothesis[gram], reference[gram]
        tp += max(s - max(h, r), 0) + max(min(h, r) - s, 0) + min(s, h, r)
        fp += max(min(s, r) - h, 0) + max(h - max(s, r), 0)
        fn += max(min(s, h) - r, 0) + max(r - max(s, h), 0)
    return Counts(tp, fp, fn)


def test_counts_are_those_of_the_paper_gram_by_gram():
    dice = random.Random(3)
    for _ in range(500):
        texts = ["".join(dice.choices("abc", k=dice.randrange(8))) for _ in range(3)]
        row = Green(unit="character").stats(case(*texts))
        for n, counts in enumerate(row, 1):
            grams = [
                Counter(text[at : at + n] for at in range(len(text) - n + 1)) for text in texts
            ]
            assert counts == slowly(*grams), texts


def test_f_is_of_geometric_means():
    # Words: 3 of 4 kept, one deleted needlessly; pairs: 2 kept, one deleted needlessly.
    metric = Green(order=2)
    sentence_case = case("a b c d", "a b c", "a b c d")
    assert metric.stats(sentence_case) == (Counts(3, 1, 0), Counts(2, 1, 0))
    precision = (3 / 4 * 2 / 3) ** 0.5
    actual_score = score(metric, sentence_case)
    assert actual_score.parts == {"precision": pytest.approx(precision), "recall": 1.0}
    assert actual_score.value == pytest.approx(5 * precision / (4 * precision + 1))
    assert score(Green(order=2, recall_weight=1), sentence_case).value == pytest.approx(
        2 * precision / (precision + 1)
    )


def test_an_order_without_a_hit_makes_the_mean_0():
    # The hypothesis inserts b needlessly, misses c, and leaves the pair out.
    actual_score = score(Green(order=1), case("", "b", "c"))
    assert (actual_score.value, actual_score.parts) == (0, {"precision": 0, "recall": 0})


def test_each_sentence_takes_its_best_reference_and_the_first_of_equals():
    metric = Green(order=1)
    assert metric.stats(case("a b", "a c", "a b", "a c")) == (Counts(2 + 1, 0, 0),)
    # Both references give F of 1 and differ in what was deleted.
    assert metric.stats(case("a", "b", "b", "b")) == (Counts(2, 0, 0),)
    assert metric.stats(case("a", "a", IMPOSSIBLE, "a")) == (Counts(1, 0, 0),)
    assert metric.stats(case("a", "a", IMPOSSIBLE)) is None


def test_counts_are_added_before_f():
    cases = [case("a b c d", "a b c", "a b c d"), case("a", "a", "b")]
    metric = Green(order=1)
    actual_score = score(metric, *cases)
    counts = Counts(3, 1, 2)
    assert actual_score.value == pytest.approx(counts.f(2))
    assert actual_score.sentences == 2
    assert values(metric, *cases) == [pytest.approx(Counts(3, 1, 0).f(2)), 0]
    assert metric.sentences(stats(metric, *cases))[0] == {
        "value": pytest.approx(Counts(3, 1, 0).f(2)),
        "tp": [3],
        "fp": [1],
        "fn": [0],
    }


def test_a_resample_is_the_score_of_these_sentences():
    dice = random.Random(4)
    metric = Green()
    texts = [[" ".join(dice.choices("abc", k=6)) for _ in range(3)] for _ in range(20)]
    rows = stats(metric, *(case(*three) for three in texts))
    places = np.random.default_rng(0).integers(0, 20, (9, 20))
    values = [metric.aggregate([rows[place] for place in row]).value for row in places]
    assert metric.resample(rows, places) == pytest.approx(values, abs=1e-14)
    nothing = stats(metric, case("", "b", "c"))
    assert metric.resample(nothing, np.zeros((2, 1), dtype=int)).tolist() == [0, 0]


def test_the_signature_says_how():
    assert str(Green().signature) == "metric:green|unit:word|order:4|beta:2"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, r"^green\.order is 0; it must be a number from 1 to 20$"),
        ({"unit": "letter"}, r"^green\.unit is 'letter'"),
        (
            {"recall_weight": 0},
            r"^green\.recall_weight is 0; it must be a number from 0\.001 to 1000$",
        ),
        (
            {"recall_weight": float("nan")},
            r"^green\.recall_weight is nan; it must be a number from ",
        ),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict, message: str):
    with pytest.raises(UsageError, match=message):
        Green(**options)
