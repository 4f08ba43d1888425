"""meaning-preservation and mp-prime by hand."""

from __future__ import annotations

import numpy as np
import pytest
from messages import expect_error
from text_cases import IMPOSSIBLE, case, score, stats, values

from gecbench.core.errors import UsageError
from gecbench.metrics.meaning_preservation import (
    MATCHINGS,
    MeaningPreservation,
    MpPrime,
    Overlaps,
    preservation,
)

CASES = (
    case("abcd", "abc", "abcd", "abcdx"),
    case("ab", "ab", "a"),
    case("a", "a", IMPOSSIBLE),
)


def plain(source: str, text: str, t: float = 0.85) -> float:
    return preservation(source, text, matching="multiset", t=t)


def test_the_formula_by_hand():
    assert plain("abcd", "abc") == pytest.approx(1 * 0.75 / (0.85 * 1 + 0.15 * 0.75))
    assert plain("的的的", "的") == pytest.approx(0.37037037037037035)


def test_deleting_costs_more_than_adding():
    assert plain("abcd", "abc") < plain("abc", "abcd")


def test_the_weight_leads_from_precision_to_recall():
    assert plain("abcd", "abx", 0) == pytest.approx(2 / 3)
    assert plain("abcd", "abx", 1) == pytest.approx(2 / 4)


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [("", "", 1), ("a", "", 0), ("", "a", 0), ("a", "b", 0), ("a b", "ab", 1), (" ", "", 1)],
)
def test_empty_texts_and_white_space(source: str, text: str, expected: float):
    assert plain(source, text) == expected


def test_the_mean_needs_no_references():
    metric = MeaningPreservation()
    without = case("ab", "ab")
    result = score(metric, CASES[0], without)
    assert result.value == pytest.approx((plain("abcd", "abc") + 1) / 2)
    assert values(metric, CASES[0], without) == [plain("abcd", "abc"), 1]
    assert metric.stats(CASES[2]) is None


def test_order_counts_in_one_reading_and_not_in_another():
    moved = case("我们去学校", "学校我们去", "我们去学校")
    assert score(MeaningPreservation(), moved).value == 1
    assert score(MeaningPreservation(matching="lcs"), moved).value == pytest.approx(0.6)


def test_means_are_over_pairs_or_over_sentences():
    first, second, third = plain("abcd", "abcdx"), plain("ab", "a"), plain("abcd", "abc")
    assert MpPrime().stats(CASES[0]) == Overlaps(third, (1, first))
    actual_score = score(MpPrime(), *CASES)
    people = (1 + first + second) / 3
    assert actual_score.parts == {
        "hypotheses": pytest.approx((third + 1) / 2),
        "references": pytest.approx(people),
    }
    assert actual_score.value == pytest.approx(abs((third + 1) / 2 - people))
    assert actual_score.sentences == 2
    people = ((1 + first) / 2 + second) / 2
    by_sentence = score(MpPrime(averaging="sentences"), *CASES)
    assert by_sentence.value == pytest.approx(abs((third + 1) / 2 - people))


def test_distances_are_of_means_or_means_of_distances():
    metric = MpPrime(averaging="sentences", difference="sentences")
    first, second, third = plain("abcd", "abcdx"), plain("ab", "a"), plain("abcd", "abc")
    apart = [abs(third - (1 + first) / 2), 1 - second]
    assert values(MpPrime(), *CASES) == pytest.approx(apart)
    assert score(metric, *CASES).value == pytest.approx(sum(apart) / 2)
    assert metric.sentences(stats(metric, *CASES))[0] == {
        "value": pytest.approx(apart[0]),
        "hypothesis": third,
        "references": [1, first],
    }


@pytest.mark.parametrize(
    "metric",
    [
        MeaningPreservation(),
        MpPrime(),
        MpPrime(averaging="sentences"),
        MpPrime(averaging="sentences", difference="sentences"),
    ],
)
def test_a_resample_is_the_score_of_these_sentences(metric):
    rows = stats(metric, *CASES)
    places = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    values = [metric.aggregate([rows[k] for k in row]).value for row in places]
    assert metric.resample(rows, places) == pytest.approx(values)
    assert len({round(value, 9) for value in values}) == 3


@pytest.mark.parametrize("metric", [MeaningPreservation(), MpPrime()])
def test_no_sentence_at_all_has_0(metric):
    assert metric.aggregate([]).value == 0


def test_the_reader_is_told_that_lower_is_better():
    assert MpPrime().notes(stats(MpPrime(), *CASES)) == (
        "mp-prime: lower is better, and it depends on the references; compare systems on the "
        "same data only",
    )


def test_signatures_say_how():
    assert str(MeaningPreservation().signature) == (
        "metric:meaning-preservation|matching:multiset|t:0.85"
    )
    assert str(MpPrime(t=0.5).signature) == (
        "metric:mp-prime|matching:multiset|t:0.5|averaging:pairs|difference:means"
    )


@pytest.mark.parametrize("metric", [MeaningPreservation, MpPrime])
def test_options_that_mean_nothing_are_refused(metric: type):
    name = metric.name
    message = rf"^{name}\.matching is 'x'; it is one of multiset, lcs, blocks, position$"
    with pytest.raises(UsageError, match=message):
        metric(matching="x")
    with expect_error(UsageError, f"{name}.t", "1.5", "0 to 1"):
        metric(t=1.5)


def test_options_of_distances_are_refused_alone_and_together():
    with expect_error(UsageError, "mp-prime.averaging", "'x'", "pairs"):
        MpPrime(averaging="x")
    with expect_error(UsageError, "mp-prime.difference", "'x'", "means"):
        MpPrime(difference="x")
    with expect_error(UsageError, "mp-prime.difference", "'sentences'"):
        MpPrime(difference="sentences")


@pytest.mark.parametrize(
    ("source", "text", "multiset", "lcs", "blocks", "position"),
    [
        ("", "", 0, 0, 0, 0),
        ("我", "", 0, 0, 0, 0),
        ("", "我", 0, 0, 0, 0),
        ("我爱你", "我爱你", 3, 3, 3, 3),
        ("我们去学校", "学校我们去", 5, 3, 3, 0),
        ("的的的", "的", 1, 1, 1, 1),
        ("abcd", "xabcd", 4, 4, 4, 0),
        ("ab😀", "😀ab", 3, 2, 2, 0),
        ("axbxcx", "abcxxx", 6, 4, 4, 3),
    ],
)
def test_four_readings_of_matching_characters(
    source: str, text: str, multiset: int, lcs: int, blocks: int, position: int
):
    matches = {name: match(source, text) for name, match in MATCHINGS.items()}
    expected = {"multiset": multiset, "lcs": lcs, "blocks": blocks, "position": position}
    assert matches == expected


def test_blocks_cannot_exchange_source_and_text():
    assert MATCHINGS["blocks"]("aba", "bca") == 2
    assert MATCHINGS["blocks"]("bca", "aba") == 1
