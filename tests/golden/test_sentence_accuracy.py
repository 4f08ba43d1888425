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
    wanted = json.loads(path.read_text("utf-8"))[name]
    cases, metric = chinese(shared, name), SentenceAccuracy()
    assert len(cases) == wanted["sentences"]
    assert sum(len(case.references) for case in cases) == wanted["references"]
    score = metric.aggregate([metric.stats(case) for case in cases])
    assert (score.value, score.parts["right"]) == (wanted["Acc_sen"], wanted["valid"])


def test_single_sentences_are_those_counted(shared: Path) -> None:
    path = shared / "golden/cgec/char_metrics.json"
    wanted = json.loads(path.read_text("utf-8"))["first20"]
    cases = chinese(shared, "MuCGEC_dev example_pred")[: len(wanted)]
    found = [SentenceAccuracy().stats(case) for case in cases]
    assert found == [one["in_references"] for one in wanted]


def test_edge_cases_are_those_counted(shared: Path) -> None:
    wanted = json.loads((shared / "golden/cgec/edge_cases.json").read_text("utf-8"))["cases"]
    for one in wanted:
        references = tuple(CaseRewrite(text=text) for text in one["references"])
        case = Case("1", (CaseRewrite(text=one["hypothesis"]),), references, one["source"])
        assert SentenceAccuracy().stats(case) == one["in_references"], one["hypothesis"]
