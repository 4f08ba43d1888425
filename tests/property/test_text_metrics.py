"""Laws of the metrics over texts, on texts so alike that ties and zeros abound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.registry import resolve
from gecbench.metrics import METRICS
from gecbench.metrics.char_bleu import CharBleu
from gecbench.metrics.gleu import Gleu, GleuFrequency, SentenceGleu
from gecbench.metrics.green import Green
from gecbench.metrics.meaning_preservation import MATCHINGS, MeaningPreservation, MpPrime
from gecbench.metrics.sentence_accuracy import SentenceAccuracy
from gecbench.scoring.texts import count, intersection, overlap, totals

ALL = [
    Gleu(iterations=3),
    GleuFrequency(iterations=3),
    SentenceGleu(),
    Green(),
    SentenceAccuracy(),
    CharBleu(),
    MeaningPreservation(),
    MpPrime(),
    MpPrime(matching="position", averaging="sentences", difference="sentences"),
]
RESAMPLED = [metric for metric in ALL if not isinstance(metric, (Gleu, GleuFrequency))]
"""Metrics that draw nothing themselves; of the others see their unit tests."""
ANY_REFERENCE = (SentenceGleu, SentenceAccuracy, CharBleu, MeaningPreservation, MpPrime)
"""Metrics for which the order of the references makes no difference."""

LETTERS = st.lists(st.sampled_from(["a", "b", "好", "😀"]), max_size=8)
TEXTS = LETTERS.map(" ".join)


@st.composite
def corpora(draw: st.DrawFn, *, references: int = 3) -> list[Case]:
    """Some sentences with up to so many references."""
    return [
        Case(
            str(n),
            (CaseRewrite(text=draw(TEXTS)),),
            tuple(CaseRewrite(text=text) for text in texts),
            draw(TEXTS),
        )
        for n, texts in enumerate(
            draw(st.lists(st.lists(TEXTS, min_size=1, max_size=references), min_size=1, max_size=3))
        )
    ]


def stats(metric, cases: list[Case]) -> list:
    return [metric.stats(case) for case in cases]


def value(metric, cases: list[Case]) -> float:
    return metric.aggregate(stats(metric, cases)).value


def written(case: Case, text: str) -> Case:
    """The same sentence, with something else made of it."""
    return Case(case.id, (CaseRewrite(text=text),), case.references, case.source)


def name(metric) -> str:
    return str(metric.signature)


def test_every_metric_over_texts_is_here():
    kinds = {resolve("metric", name, METRICS) for name in METRICS}
    experimental = {kind for kind in kinds if kind.experimental}  # of networks: any value
    over_texts = {kind for kind in kinds - experimental if kind.needs == "texts"}
    assert over_texts <= {type(metric) for metric in ALL}


# Corpora take longest to draw: each goes to all metrics.
@given(corpora())
def test_values_and_parts_are_in_range(cases: list[Case]):
    for metric in ALL:
        score = metric.aggregate(stats(metric, cases))
        assert 0 <= score.value <= 1, name(metric)
        assert score.sentences == len(cases), name(metric)
        assert all(np.isfinite(part) for part in score.parts.values()), name(metric)
        ones = metric.sentences(stats(metric, cases))
        assert all(0 <= row["value"] <= 1 for row in ones), name(metric)


@given(corpora(), st.randoms(use_true_random=False))
def test_a_resample_is_the_score_of_its_sentences(cases: list[Case], dice):
    places = [dice.choices(range(len(cases)), k=len(cases)) for _ in range(2)]
    places.append(list(range(len(cases))))
    for metric in RESAMPLED:
        rows = stats(metric, cases)
        values = [metric.aggregate([rows[k] for k in row]).value for row in places]
        resampled = metric.resample(rows, np.array(places))
        assert resampled == pytest.approx(values, abs=1e-12), name(metric)


@given(corpora(), st.randoms(use_true_random=False))
def test_order_of_sentences_does_not_matter_unless_references_are_drawn(cases: list[Case], dice):
    mixed = dice.sample(cases, len(cases))
    for metric in RESAMPLED:
        assert value(metric, mixed) == value(metric, cases), name(metric)


def test_order_of_sentences_matters_where_references_are_drawn():
    # Seed 0 draws the last of four references for the first sentence and the first for the third.
    texts = ["a b c d", "a b c e", "a b d c", "b a c d"]
    references = tuple(CaseRewrite(text=text) for text in texts)
    cases = [Case("1", (CaseRewrite(text=text),), references, "a") for text in texts]
    metrics = [metric for metric in ALL if metric not in RESAMPLED]
    assert all(value(metric, cases) != value(metric, cases[::-1]) for metric in metrics)


@given(corpora())
def test_order_of_references_does_not_matter(cases: list[Case]):
    turned = [Case(c.id, c.hypotheses, c.references[::-1], c.source) for c in cases]
    for metric in (metric for metric in ALL if isinstance(metric, ANY_REFERENCE)):
        approx = pytest.approx(value(metric, cases), abs=1e-15)
        assert value(metric, turned) == approx, name(metric)


@pytest.mark.parametrize("metric", [m for m in ALL if m.perfect is not None], ids=name)
@given(corpora(), st.randoms(use_true_random=False))
def test_a_reference_everywhere_is_perfect_where_promised(metric, cases: list[Case], dice):
    rewritten = [written(case, dice.choice(case.references).text) for case in cases]
    assert value(metric, rewritten) == metric.perfect
    assert all(
        sentence["value"] == metric.perfect
        for sentence in metric.sentences(stats(metric, rewritten))
    )


@given(corpora(), st.randoms(use_true_random=False))
def test_a_reference_everywhere_has_full_char_bleu_unless_all_is_short(cases: list[Case], dice):
    rewritten = [written(case, dice.choice(case.references).text) for case in cases]
    long = any(len(case.hypotheses[0].text.split()) > 3 for case in rewritten)
    assert value(CharBleu(), rewritten) == float(long)


@given(corpora(references=1))
def test_one_reference_everywhere_is_as_far_from_the_source_as_people(cases: list[Case]):
    rewritten = [written(case, case.references[0].text) for case in cases]
    assert value(MpPrime(), rewritten) == 0


@given(corpora())
def test_leaving_right_sentences_alone_is_perfect(cases: list[Case]):
    right = [
        Case(c.id, (CaseRewrite(text=c.source),), (CaseRewrite(text=c.source),), c.source)
        for c in cases
    ]
    assert value(SentenceGleu(), right) == pytest.approx(1)
    assert value(Green(), right) == 1


@given(corpora())
def test_an_unchanged_system_preserves_everything(cases: list[Case]):
    rewritten = [written(case, case.source) for case in cases]
    assert value(MeaningPreservation(), rewritten) == 1


@given(LETTERS, st.integers(0, 8))
def test_a_longer_right_beginning_never_scores_lower(words: list[str], length: int):
    def of(text: list[str]) -> Case:
        return Case(
            "1", (CaseRewrite(text=" ".join(text)),), (CaseRewrite(text=" ".join(words)),), "x"
        )

    for metric in (Gleu(), CharBleu(), CharBleu(smoothing="exp")):
        shorter, longer = (
            value(metric, [of(words[:length])]),
            value(metric, [of(words[: length + 1])]),
        )
        assert shorter <= longer


@given(LETTERS, LETTERS)
def test_longer_ngrams_are_shared_by_fewer(first: list[str], second: list[str]):
    overlaps = [overlap(*both) for both in zip(count(first, 5), count(second, 5), strict=True)]
    assert overlaps == sorted(overlaps, reverse=True)
    assert all(n <= total for n, total in zip(overlaps, totals(len(first), 5), strict=True))
    both = map(intersection, count(first, 5), count(second, 5))
    assert [sum(grams.values()) for grams in both] == overlaps


def slow_lcs(first: list[str], second: list[str]) -> int:
    row = [0] * (len(second) + 1)
    for letter in first:
        above = list(row)
        for at, other in enumerate(second, 1):
            row[at] = above[at - 1] + 1 if letter == other else max(above[at], row[at - 1])
    return row[-1]


@given(LETTERS, LETTERS)
def test_readings_of_matching_are_ordered(first: list[str], second: list[str]):
    matches = {name: match("".join(first), "".join(second)) for name, match in MATCHINGS.items()}
    assert matches["lcs"] == slow_lcs(first, second)
    assert (
        matches["position"] <= matches["lcs"] <= matches["multiset"] <= min(len(first), len(second))
    )
    assert matches["blocks"] <= matches["lcs"]


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.permutations("abcdefgh"))
def test_both_gleus_reward_alike_where_nothing_is_repeated(words: list[str], other: list[str]):
    case = Case(
        "1", (CaseRewrite(text=" ".join(words)),), (CaseRewrite(text=" ".join(other[:5])),), "a b c"
    )
    rewards = zip(
        Gleu().stats(case).rewards[0], GleuFrequency().stats(case).rewards[0], strict=True
    )
    assert all(first == max(second, 0) for first, second in rewards)


def rewards(case: Case, order: int, *, of_copies: bool) -> list[tuple[int, ...]]:
    """GLEU's matches with each reference, n-gram by n-gram: a slow reference implementation."""
    hypothesis, source = (
        count(text.split(), order) for text in (case.hypotheses[0].text, case.source)
    )
    rows = []
    for version in case.references:
        row = []
        for h, s, r in zip(hypothesis, source, count(version.text.split(), order), strict=True):
            if of_copies:
                dropped = sum(max(min(h[g], s[g]) - r[g], 0) for g in h)
                row.append(sum(min(h[g], r[g]) for g in h) - dropped)
            else:
                dropped = sum(min(h[g], s[g]) for g in h if not r[g])
                row.append(max(sum(min(h[g], r[g]) for g in h) - dropped, 0))
        rows.append(tuple(row))
    return rows


@given(corpora(), st.integers(1, 5))
def test_gleu_counts_the_ngrams_of_many_sentences_as_of_each_alone(cases: list[Case], order: int):
    for metric, of_copies in (
        (Gleu(order=order), False),
        (GleuFrequency(order=order), True),
        (SentenceGleu(order=order), False),
    ):
        together = metric.stats_of(cases)
        assert together == stats(metric, cases)
        assert [list(row.rewards) for row in together] == [
            rewards(case, order, of_copies=of_copies) for case in cases
        ]
        assert [(row.length, *row.lengths) for row in together] == [
            tuple(len(version.text.split()) for version in (*case.hypotheses, *case.references))
            for case in cases
        ]
