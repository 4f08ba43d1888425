"""meaning-preservation and mp-prime on real corpora, in every reading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from text_inputs import MUCGEC, NLPCC, chinese

from gecbench.metrics.meaning_preservation import (
    MATCHINGS,
    MeaningPreservation,
    MpPrime,
    preservation,
)
from gecbench.scoring.texts import characters

pytestmark = pytest.mark.golden

READINGS = {
    "multiset": "multiset",
    "lcs": "lcs",
    "blocks": "difflib_blocks",
    "position": "same_position",
}
CLOSE = 1e-13


def golden(shared: Path) -> dict:
    return json.loads((shared / "golden/cgec/char_metrics.json").read_text("utf-8"))


def check(figures: dict, cases: list, matching: str, t: float) -> None:
    """Compare every figure of one reading."""
    metric = MeaningPreservation(matching, t)
    actual_score = metric.aggregate([metric.stats(case) for case in cases])
    assert actual_score.value == pytest.approx(figures["MP"], abs=CLOSE)
    stats = [MpPrime(matching, t).stats(case) for case in cases]
    for averaging, difference, mean, distance in (
        ("pairs", "means", "MP_average_pairs", "MP'"),
        ("sentences", "means", "MP_average_per_sentence", "MP'_per_sentence"),
        ("sentences", "sentences", None, "MP'_mean_of_sentence_differences"),
    ):
        score = MpPrime(matching, t, averaging, difference).aggregate(stats)
        assert score.value == pytest.approx(figures[distance], abs=CLOSE)
        assert score.parts["hypotheses"] == pytest.approx(figures["MP"], abs=CLOSE)
        if mean:
            assert score.parts["references"] == pytest.approx(figures[mean], abs=CLOSE)


@pytest.mark.parametrize("matching", READINGS)
@pytest.mark.parametrize("name", [*MUCGEC, *NLPCC])
def test_every_reading_has_the_figures(shared: Path, name: str, matching: str) -> None:
    check(golden(shared)[name]["MP"][READINGS[matching]], chinese(shared, name), matching, 0.85)


@pytest.mark.parametrize("t", [0.5, 0.9])
def test_other_weights_have_the_figures(shared: Path, t: float) -> None:
    figures = golden(shared)["MuCGEC_dev t=0.5 / t=0.9 multiset"][str(t)]
    check(figures, chinese(shared, "MuCGEC_dev example_pred"), "multiset", t)


def test_single_sentences_have_the_figures(shared: Path) -> None:
    rows = golden(shared)["first20"]
    cases = chinese(shared, "MuCGEC_dev example_pred")[: len(rows)]
    for row, case in zip(rows, cases, strict=True):
        source, text = row["source"], row["hypothesis"]
        assert (case.source, case.hypotheses[0].text) == (source, text)
        assert (len(characters(text)), len(characters(source))) == (row["len_c"], row["len_o"])
        for matching in ("multiset", "lcs"):
            matched = MATCHINGS[matching](characters(source), characters(text))
            assert matched == row[f"m_{matching}"]
            value = preservation(source, text, matching=matching, t=0.85)
            assert value == pytest.approx(row[f"S_CM_{matching}"], abs=CLOSE)
        references = list(MpPrime().stats(case).references)
        assert references == pytest.approx(row["S_CM_references_multiset"], abs=CLOSE)


def test_the_two_main_readings_differ_where_they_should(shared: Path) -> None:
    cases = chinese(shared, "MuCGEC_dev example_pred")
    pairs = [(characters(c.source), characters(c.hypotheses[0].text)) for c in cases]
    unequal = sum(MATCHINGS["multiset"](*pair) != MATCHINGS["lcs"](*pair) for pair in pairs)
    assert [unequal, len(cases)] == golden(shared)["sentences_where_multiset_and_lcs_differ"]


@pytest.mark.parametrize("matching", READINGS)
def test_edge_cases_have_the_figures(shared: Path, matching: str) -> None:
    cases = json.loads((shared / "golden/cgec/edge_cases.json").read_text("utf-8"))["cases"]
    for case in cases:
        source, text = case["source"], case["hypothesis"]
        matched = MATCHINGS[matching](characters(source), characters(text))
        assert matched == case[f"m_{READINGS[matching]}"]
        value = preservation(source, text, matching=matching, t=0.85)
        assert value == pytest.approx(case[f"S_CM_{READINGS[matching]}"], abs=CLOSE)
