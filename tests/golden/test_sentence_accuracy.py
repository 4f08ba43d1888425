"""Sentence accuracy on real corpora."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from text_inputs import MUCGEC, NLPCC, chinese

from gecbench.core.case import Case, CaseRewrite
from gecbench.metrics.sentence_accuracy import SentenceAccuracy

pytestmark = pytest.mark.golden


@pytest.mark.parametrize("name", [*MUCGEC, *NLPCC])
def test_share_and_number_are_those_counted(shared: Path, name: str) -> None:
    path = shared / "golden/cgec/char_metrics.json"
    item = json.loads(path.read_text("utf-8"))[name]
    cases, metric = chinese(shared, name), SentenceAccuracy()
    assert len(cases) == item["sentences"]
    assert sum(len(case.references) for case in cases) == item["references"]
    score = metric.aggregate([metric.stats(case) for case in cases])
    assert (score.value, score.parts["right"]) == (item["Acc_sen"], item["valid"])


def test_single_sentences_are_those_counted(shared: Path) -> None:
    path = shared / "golden/cgec/char_metrics.json"
    rows = json.loads(path.read_text("utf-8"))["first20"]
    cases = chinese(shared, "MuCGEC_dev example_pred")[: len(rows)]
    all_stats = [SentenceAccuracy().stats(case) for case in cases]
    assert all_stats == [row["in_references"] for row in rows]


def test_edge_cases_are_those_counted(shared: Path) -> None:
    cases = json.loads((shared / "golden/cgec/edge_cases.json").read_text("utf-8"))["cases"]
    for row in cases:
        references = tuple(CaseRewrite(text=text) for text in row["references"])
        case = Case("1", (CaseRewrite(text=row["hypothesis"]),), references, row["source"])
        assert SentenceAccuracy().stats(case) == row["in_references"], row["hypothesis"]
