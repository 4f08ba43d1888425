"""m2 and sent-m2: the choice of the annotator, totals, resampling, options."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from messages import expect_error

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.core.registry import resolve
from gecbench.core.score import Counts
from gecbench.metrics import METRICS
from gecbench.metrics.m2 import M2, Candidate, SentenceM2, choose, f_of

X, Y = Edit(0, 1, ("x",)), Edit(1, 2, ("y",))


def case(hypotheses: list[str], *annotators: tuple[Edit, ...] | None) -> Case:
    references = tuple(
        CaseRewrite(unannotatable=True) if golds is None else CaseRewrite(gold_edits=golds)
        for golds in annotators
    )
    versions = tuple(CaseRewrite(tokens=tuple(text.split())) for text in hypotheses)
    return Case("1", versions, references, "a b", ("a", "b"))


def row(*counts: tuple[int, int, int]) -> tuple[Candidate, ...]:
    return tuple(Candidate(0, r, *count) for r, count in enumerate(counts))


def test_each_annotator_is_a_candidate() -> None:
    stats = M2().stats(case(["x b"], (X,), (Y,), ()))
    assert [(c.reference, c.matched, c.proposed, c.gold) for c in stats] == [
        (0, 1, 1, 1),
        (1, 0, 1, 1),
        (2, 0, 1, 0),
    ]


def test_versions_of_a_hypothesis_are_further_candidates() -> None:
    stats = M2().stats(case(["a b", "x b"], (X,), (Y,)))
    assert [(c.hypothesis, c.reference, c.matched) for c in stats] == [
        (0, 0, 0),
        (0, 1, 0),
        (1, 0, 1),
        (1, 1, 0),
    ]
    assert M2().choose([stats]) == (stats[2],)


def test_who_cannot_annotate_takes_no_part() -> None:
    stats = M2().stats(case(["x b"], None, (X,)))
    assert [(c.reference, c.matched) for c in stats] == [(1, 1)]
    assert M2().stats(case(["x b"], None, None)) is None


def test_an_edit_written_twice_gives_a_precision_of_two() -> None:
    metric = M2()
    score = metric.aggregate([metric.stats(case(["x b"], (X, X)))])
    assert score.counts == Counts(2, -1, 0)
    assert (score.counts.precision, score.counts.recall) == (2.0, 1.0)
    assert score.value == pytest.approx(5 / 3)


def test_f_is_one_where_there_is_nothing_and_nothing_was_done() -> None:
    assert f_of(0, 0, 0, 0.5) == 1.0
    assert f_of(0, 1, 0, 0.5) == 0.0
    assert f_of(1, 2, 3, 0.5) == pytest.approx(1.25 / 2.75)


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        ([row((0, 1, 1), (1, 1, 1))], [1]),
        ([row((1, 1, 1), (2, 2, 2))], [1]),  # the same F: more matches
        ([row((0, 2, 0), (0, 1, 0))], [1]),  # and as many: less weight
        ([row((0, 1, 0), (0, 0, 4))], [0]),  # the same weight: the first
        ([row((0, 0, 0), (0, 0, 1))], [0]),
        ([row((0, 0, 0)), row((0, 0, 2), (1, 4, 2))], [0, 1]),
        ([row((9, 9, 90)), row((0, 0, 0), (1, 2, 1))], [0, 1]),
        ([row((90, 90, 90)), row((0, 0, 0), (1, 2, 1))], [0, 0]),
    ],
)
def test_the_annotator_who_raises_f_of_all_so_far_is_chosen(rows: list, chosen: list[int]) -> None:
    assert [candidate.reference for candidate in M2().choose(rows)] == chosen


def test_the_running_choice_is_not_the_choice_of_each_sentence_alone() -> None:
    rows = [row((90, 90, 90)), row((0, 1, 0), (1, 4, 4))]
    assert choose(rows, 0.5, running=True)[1].reference == 0
    assert choose(rows, 0.5, running=False)[1].reference == 1


def test_the_score_says_how_it_was_made() -> None:
    metric = M2(3, 1.0, True, context={"golds": "given"})
    assert str(metric.signature) == (
        "metric:m2|golds:given|max_unchanged_words:3|beta:1|ignore_whitespace_casing:yes"
    )
    assert str(SentenceM2().signature) == (
        "metric:sent-m2|max_unchanged_words:2|beta:0.5|ignore_whitespace_casing:no"
    )


@pytest.mark.parametrize("kind", [M2, SentenceM2])
@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"max_unchanged_words": -1}, ("max_unchanged_words is -1", "0")),
        ({"beta": 0.0}, ("beta is 0", "0.001 to 1000")),
    ],
)
def test_options_that_mean_nothing_are_refused(kind, options: dict, facts: tuple[str, ...]) -> None:
    option, limits = facts
    with expect_error(UsageError, f"{kind.name}.{option}", limits):
        kind(**options)


def test_options_reach_the_matching() -> None:
    sentence_case = case(["A b"], ())
    assert M2().stats(sentence_case)[0].proposed == 1
    assert M2(ignore_whitespace_casing=True).stats(sentence_case)[0].proposed == 0
    far = Case("1", (CaseRewrite(tokens=tuple("xbcy")),), (CaseRewrite(),), "", tuple("abcd"))
    assert M2().stats(far)[0].proposed == 1
    assert M2(max_unchanged_words=1).stats(far)[0].proposed == 2


def test_sentences_show_the_choice_and_its_edits() -> None:
    metric = M2()
    rows = [metric.stats(case(["x b c"], (Y,), (X,)))]
    (sentence,) = metric.sentences(rows)
    assert json.loads(json.dumps(sentence)) == {
        "chosen": 1,
        "level": "exact",
        "edits": [[0, 1, "a", "x"], [2, 2, "", "c"]],
        "matches": [[0, 1, "a", "x"]],
        "candidates": [
            {"hypothesis": 0, "reference": 0, "matched": 0, "proposed": 1, "gold": 1},
            {"hypothesis": 0, "reference": 1, "matched": 1, "proposed": 2, "gold": 1},
        ],
    }
    (value,) = SentenceM2().sentences(rows)
    assert value == {"value": 1.25 / 2.25, **sentence}


def test_the_sentence_metric_is_a_mean_and_none_is_nothing() -> None:
    metric = SentenceM2()
    rows = [row((1, 1, 1)), row((0, 1, 1), (0, 1, 0))]
    assert metric.aggregate(rows).value == 0.5
    assert metric.aggregate([]).value == 0.0
    assert metric.aggregate(rows).counts is None
    draws = np.array([[0, 0], [0, 1], [1, 1]])
    assert metric.resample(rows, draws).tolist() == [1.0, 0.5, 0.0]


def test_nothing_at_all_scores_as_the_official_program_scores_it() -> None:
    score = M2().aggregate([])
    assert (score.value, score.counts, score.sentences) == (1.0, Counts(), 0)


def random_rows(dice: random.Random) -> list[tuple[Candidate, ...]]:
    return [
        row(
            *(
                (min(result, gold, dice.randrange(4)), result, gold)
                for result, gold in ((dice.randrange(4), dice.randrange(4)) for _ in range(width))
            )
        )
        for width in (dice.randrange(1, 4) for _ in range(dice.randrange(1, 12)))
    ]


@pytest.mark.parametrize("seed", range(30))
def test_resampling_is_aggregating_each_resample(seed: int) -> None:
    dice = random.Random(seed)
    rows = random_rows(dice)
    metric = M2(beta=dice.choice((0.5, 1.0, 2.0)))
    draws = np.array([[dice.randrange(len(rows)) for _ in rows] for _ in range(40)])
    want = [metric.aggregate([rows[n] for n in places]).value for places in draws]
    assert metric.resample(rows, draws).tolist() == want
    sentence = SentenceM2(beta=metric.beta)
    want = [sentence.aggregate([rows[n] for n in places]).value for places in draws]
    assert sentence.resample(rows, draws).tolist() == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize(("name", "kind"), [("m2", M2), ("sent-m2", SentenceM2)])
def test_both_are_in_the_table(name: str, kind) -> None:
    assert resolve("metric", name, METRICS) is kind
    assert kind.name == name
    assert kind().needs == "gold_edits"
    assert kind().perfect is None
