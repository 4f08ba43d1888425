"""The class for gec-metrics, without gec-metrics: it has the same methods and their shapes."""

from __future__ import annotations

import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import UsageError
from gecbench.integrations.gec_metrics import GecbenchMetric

SOURCES = ["He go to school .", "It works .", "They was here ."]
SYSTEMS = [
    ["He goes to school .", "It works .", "They was here ."],
    ["He go to school .", "It worked .", "They were here ."],
]
REFERENCES = [
    ["He goes to school .", "It works .", "They were here ."],
    ["He went to school .", "It works .", "They are here ."],
]


def metric(name: str = "edits", **options: object) -> GecbenchMetric:
    """A metric on plain edits, which needs no pipeline."""
    return GecbenchMetric(GecbenchMetric.Config(metric=name, scheme="xx-word", **options))


def test_scores_are_those_of_score_texts():
    report = gecbench.score_texts(
        SOURCES,
        {"a": SYSTEMS[0], "b": SYSTEMS[1]},
        list(zip(*REFERENCES, strict=True)),
        lang="en",
        metrics=["edits"],
        scheme="xx-word",
    )
    scores = [result.score.value for result in report.results]
    assert metric().rank_systems(SOURCES, SYSTEMS, REFERENCES) == scores
    assert metric().score_corpus(SOURCES, SYSTEMS[1], REFERENCES) == scores[1]


def test_options_are_those_of_gecbench():
    plain, recall = metric(), metric(options=gecbench.Options(beta=2))
    corpora = [metric.score_corpus(SOURCES, SYSTEMS[0], REFERENCES) for metric in (plain, recall)]
    assert corpora == pytest.approx([5 / 6, 5 / 9])  # precision 1, recall 1/2


def test_a_sentence_is_scored_by_itself_with_its_best_reference():
    values = metric().score_sentence(SOURCES, SYSTEMS[0], REFERENCES)
    assert values == [1.0, 1.0, 0.0]


def test_systems_are_compared_sentence_by_sentence():
    scores = metric().score_pairwise(SOURCES, SYSTEMS, REFERENCES)
    assert scores == [[[0, 1], [-1, 0]], [[0, 1], [-1, 0]], [[0, -1], [1, 0]]]


@pytest.mark.parametrize(
    ("name", "references", "aggregation", "named"),
    [
        ("edits", [["He goes ."]], "default", "references[0] has 1 item, sources 3"),
        ("mp-prime", REFERENCES, "default", "mp-prime"),
        ("cherrant", REFERENCES, "default", "cherrant"),
        ("edits", REFERENCES, "median", "'median'"),
    ],
)
def test_what_cannot_be_scored_is_refused(name, references, aggregation: str, named: str):
    with expect_error(UsageError, named):
        metric(name).rank_systems(SOURCES, SYSTEMS, references, aggregation=aggregation)
