"""char-bleu is sacrebleu's, and the paper's formula."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from text_inputs import MUCGEC, NLPCC, chinese

from gecbench.core.case import Case, CaseRewrite
from gecbench.metrics.char_bleu import CharBleu
from gecbench.scoring.texts import characters

pytestmark = pytest.mark.golden


def golden(shared: Path) -> dict:
    return json.loads((shared / "golden/cgec/char_metrics.json").read_text("utf-8"))


@cache
def stats_of(shared: Path, name: str) -> list:
    """The statistics of a run, in which smoothing plays no part."""
    metric = CharBleu()
    return [metric.stats(case) for case in chinese(shared, name)]


@pytest.mark.parametrize("name", [*MUCGEC, *NLPCC])
def test_scores_are_sacrebleus(shared: Path, name: str) -> None:
    figures, stats = golden(shared)[name], stats_of(shared, name)
    for smoothing in ("none", "exp"):
        score = CharBleu(smoothing=smoothing).aggregate(stats)
        official = figures[f"sacrebleu_char_{smoothing}"]
        assert score.value == min(official / 100, 1.0)
        assert score.value == pytest.approx(figures["BLEU_c"], abs=1e-12)
        parts = (score.parts["length"], score.parts["reference-length"], score.parts["brevity"])
        assert list(parts) == figures[f"sacrebleu_char_{smoothing}_lens"]
        bleu = figures["bleu"]
        for n, (right, total) in enumerate(zip(bleu["match"], bleu["total"], strict=True), 1):
            assert score.parts[f"precision-{n}"] == pytest.approx(right / total, abs=1e-12)


@pytest.mark.parametrize("name", [*MUCGEC, *NLPCC])
def test_with_the_first_reference_alone_it_is_sacrebleus_too(shared: Path, name: str) -> None:
    metric = CharBleu()
    cases = [replace(case, references=case.references[:1]) for case in chinese(shared, name)]
    score = metric.aggregate([metric.stats(case) for case in cases])
    official = golden(shared)[name]["sacrebleu_char_first_reference_only"]
    assert score.value == min(official / 100, 1.0)


def test_the_unchanged_source_beats_the_example_prediction(shared: Path) -> None:
    stats = stats_of(shared, "MuCGEC_dev example_pred")
    assert CharBleu().notes(stats) == (
        "char-bleu: the unchanged source scores 0.8360 on these data, this system 0.8321; "
        "BLEU rewards leaving texts alone",
    )


@pytest.mark.slow
def test_a_resample_is_sacrebleus_score_of_these_sentences(shared: Path) -> None:
    from sacrebleu.metrics.bleu import BLEU

    cases = chinese(shared, "MuCGEC_dev example_pred")
    places = np.sort(np.random.default_rng(1).integers(0, len(cases), (3, len(cases))), axis=1)
    width = max(len(case.references) for case in cases)
    for smoothing in ("none", "exp"):
        metric = CharBleu(smoothing=smoothing)
        actual_scores = metric.resample([metric.stats(case) for case in cases], places)
        for row, value in zip(places, actual_scores, strict=True):
            drawn = [cases[place] for place in row]
            texts = [[characters(r.text) for r in case.references] for case in drawn]
            official = BLEU(tokenize="char", smooth_method=smoothing).corpus_score(
                [characters(case.hypotheses[0].text) for case in drawn],
                [[dict(enumerate(text)).get(k) for text in texts] for k in range(width)],
            )
            assert value == pytest.approx(official.score / 100, abs=1e-14)


def test_edge_cases_are_sacrebleus(shared: Path) -> None:
    cases = json.loads((shared / "golden/cgec/edge_cases.json").read_text("utf-8"))["cases"]
    for row in cases:
        references = tuple(CaseRewrite(text=text) for text in row["references"])
        case = Case("1", (CaseRewrite(text=row["hypothesis"]),), references, row["source"])
        for smoothing in ("none", "exp"):
            metric = CharBleu(smoothing=smoothing)
            score = metric.aggregate([metric.stats(case)])
            assert score.value == min(row[f"sacrebleu_{smoothing}"] / 100, 1.0)
            lengths = [score.parts["length"], score.parts["reference-length"]]
            assert lengths == row["sacrebleu_lens"]
            assert [sentence["value"] for sentence in metric.sentences([metric.stats(case)])] == [
                pytest.approx(score.value, abs=1e-14)
            ]
        plain = CharBleu()
        assert plain.aggregate([plain.stats(case)]).value == pytest.approx(row["own_bleu"])
