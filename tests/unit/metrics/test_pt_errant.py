"""pt-errant with a tiny network; expected numbers are those of gec-metrics 0.1.1 on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from messages import expect_error
from tiny_scorers import tiny_bert

from gecbench.backends.scorers import bert_score
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.metrics.pt_errant import PtErrant


def rewrite(*edits: tuple[int, int, str]) -> CaseRewrite:
    return CaseRewrite(
        edits=tuple(Edit(start, end, tuple(text.split()), "R") for start, end, text in edits)
    )


def case(source: str, hypothesis: CaseRewrite, *references: CaseRewrite) -> Case:
    return Case("1", (hypothesis,), references, source, edit_tokens=tuple(source.split()))


CASES = (
    case(
        "he go to school .",
        rewrite((1, 2, "goes")),
        rewrite((1, 2, "goes")),
        rewrite((1, 2, "went")),
    ),
    case(
        "the cats sat on an mat .",
        rewrite((1, 2, "cat"), (4, 5, "a"), (6, 6, ",")),
        rewrite((4, 5, "a")),
        rewrite((1, 2, "cat"), (2, 3, "sits"), (4, 5, "the")),
    ),
    case("she went home .", rewrite(), rewrite(), rewrite((2, 2, "to"))),
    case(
        "a cat sits",
        rewrite((0, 1, "the"), (3, 3, "on the mat .")),
        rewrite((3, 3, ".")),
        rewrite((0, 1, "the"), (1, 2, "cats")),
    ),
    case(
        "they goes to to home",
        rewrite((2, 4, "")),
        rewrite((1, 2, "go"), (2, 4, "")),
        rewrite((1, 2, "go"), (3, 4, "the")),
    ),
)


@pytest.fixture(scope="session")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("encoder") / "encoder", 9)


@pytest.fixture
def metric(network: Path) -> PtErrant:
    return PtErrant(model=str(network), layer=2)


def close(*values: float):
    return pytest.approx(values, abs=1e-5)


@pytest.mark.parametrize(
    ("layer", "f", "parts"),
    [
        (2, 0.8535702, (0.8634273, 0.8162942, 0.5844591, 0.0924469, 0.1315316)),
        (1, 0.8414744, (0.8864225, 0.6995794, 0.2820467, 0.0361387, 0.1211194)),
    ],
)
def test_the_score_of_a_corpus_equals_gec_metrics(network: Path, layer: int, f: float, parts):
    metric = PtErrant(model=str(network), layer=layer)
    score = metric.aggregate(metric.stats_of(CASES))
    assert score.value == pytest.approx(f, abs=1e-5)
    names = ("precision", "recall", "tp", "fp", "fn")
    assert tuple(score.parts[name] for name in names) == close(*parts)


def test_sentences_and_weights_equal_gec_metrics(metric: PtErrant):
    rows = metric.stats_of(CASES)
    values = [sentence["value"] for sentence in metric.sentences(rows)]
    # Weights are differences of float32 similarities: the second moves by 2e-5 between CPUs.
    assert tuple(values) == pytest.approx((1, 0.2338812, 1, 0.0097667, 0.9989682), abs=4e-5)
    assert rows[1].candidates[1] == close(0.0012051, 0.0087798, 0.0328555)


def test_bertscore_equals_bert_score(network: Path):
    pairs = [("he go", "he goes"), ("he went", "a"), ("cat sat a mat", "the cat sat"), ("on", "on")]
    values = bert_score(str(network), 2).values(pairs)
    assert tuple(values) == close(0.9932607, 0.9217566, 0.8703724, 1)


def test_a_text_without_words_is_like_nothing(network: Path):
    assert bert_score(str(network), 2).values([("", "he goes"), ("he", "")]) == [0, 0]


def test_detected_errors_and_impossible_references_take_no_part(metric: PtErrant):
    detected = CaseRewrite(edits=(Edit(0, 1, None, "UNK"),))
    impossible = CaseRewrite(unannotatable=True)
    assert metric.stats(case("he go", detected, impossible)) is None
    row = metric.stats(case("he go", detected, impossible, rewrite((1, 2, "goes"))))
    ((tp, fp, fn),) = row.candidates
    assert (tp, fp) == (0, 0)
    assert fn > 0


def test_a_resample_is_the_score_of_its_sentences(metric: PtErrant):
    rows = metric.stats_of(CASES)
    draws = np.random.default_rng(1).integers(0, 5, (20, 5))
    slow = [metric.aggregate([rows[at] for at in draw]).value for draw in draws]
    assert metric.resample(rows, draws).tolist() == pytest.approx(slow, abs=1e-12)


def test_wrong_options_are_refused(network: Path):
    with expect_error(UsageError, "pt-errant.beta"):
        PtErrant(beta=0)
    with expect_error(GecbenchError, str(network), "2", "9"):
        PtErrant(model=str(network)).stats(CASES[0])


def test_what_an_edit_makes_too_long_is_named(network: Path):
    """The source and the reference are short; the text with one edit of the hypothesis is not."""
    long = case("he go", rewrite((1, 2, "goes " * 40)), rewrite((1, 2, "goes")))
    rows = PtErrant(model=str(network), layer=2).stats_of([CASES[0], long])
    assert [row.cut for row in rows if row] == [False, True]
