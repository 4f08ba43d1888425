"""char-bleu by hand, and against sacrebleu."""

from __future__ import annotations

import builtins
import math
import random

import numpy as np
import pytest
import sacrebleu
from messages import expect_error
from text_cases import IMPOSSIBLE, case, score, stats, values

from gecbench.core.errors import MissingExtraError, UsageError
from gecbench.metrics import char_bleu
from gecbench.metrics.char_bleu import BleuCounts, CharBleu


def test_statistics_are_of_characters_against_all_references():
    row = CharBleu().stats(case("我 爱你们", "我爱 你们", "我爱他们", "我们爱他们"))
    assert row == BleuCounts((4, 4, 3, 1, 0, 0, 4, 3, 2, 1), (4, 4, 3, 1, 0, 0, 4, 3, 2, 1))


def test_of_two_equally_close_references_the_shorter_counts():
    row = CharBleu().stats(case("", "abcd", "abcde", "abc"))
    assert row.hypothesis[:2] == (4, 3)


def test_impossible_references_are_none():
    assert CharBleu().stats(case("a", "a", IMPOSSIBLE)) is None
    assert CharBleu().stats(case("a", "a", IMPOSSIBLE, "ab")).hypothesis[:2] == (1, 2)


def test_a_perfect_system_has_1_and_no_more():
    assert score(CharBleu(), case("x", "abcdefgh", "abcdefgh")).value == 1
    assert values(CharBleu(), case("x", "abcdefgh", "abcdefgh")) == [1]


def test_the_formula_by_hand():
    actual_score = score(CharBleu(), case("x", "abcde", "abcdef"))
    assert actual_score.value == pytest.approx(math.exp(1 - 6 / 5))
    assert actual_score.parts["brevity"] == pytest.approx(math.exp(1 - 6 / 5))
    assert actual_score.parts["precision-4"] == 1
    assert (actual_score.parts["length"], actual_score.parts["reference-length"]) == (5, 6)


@pytest.mark.parametrize("hypothesis", ["", "abc", "xyzw"])
def test_no_four_characters_or_no_match_has_0(hypothesis: str):
    for smoothing in ("none", "exp"):
        metric = CharBleu(smoothing=smoothing)
        assert score(metric, case("x", hypothesis, "abc")).value == 0
        assert values(metric, case("x", hypothesis, "abc")) == [0]


def test_smoothing_halves_for_each_order_without_a_match():
    sentence_case = case("我爱你们", "我爱你们", "我爱他们")
    expected = (3 / 4 * 1 / 3 * 1 / 2 / 2 * 1 / 4 / 1) ** 0.25
    assert score(CharBleu(), sentence_case).value == 0
    assert score(CharBleu(smoothing="exp"), sentence_case).value == pytest.approx(expected)


@pytest.mark.parametrize("smoothing", ["none", "exp"])
def test_sentences_and_resamples_are_sacrebleus(smoothing: str):
    dice = random.Random(9)
    texts = [["".join(dice.choices("ab", k=dice.randrange(9))) for _ in "1234"] for _ in range(30)]
    metric, official = CharBleu(smoothing=smoothing), sacrebleu.BLEU
    tool = official(tokenize="char", smooth_method=smoothing)
    rows = stats(metric, *(case(*four) for four in texts))
    for (_, hypothesis, *references), value in zip(texts, metric.sentences(rows), strict=True):
        score = (
            tool.corpus_score([hypothesis], [[reference] for reference in references]).score / 100
        )
        assert value["value"] == pytest.approx(score, abs=1e-14)
    places = np.random.default_rng(2).integers(0, 30, (5, 3))
    for row, value in zip(places, metric.resample(rows, places), strict=True):
        drawn = [texts[place] for place in row]
        columns = [[four[k] for four in drawn] for k in (2, 3)]
        score = tool.corpus_score([four[1] for four in drawn], columns).score / 100
        assert value == pytest.approx(score, abs=1e-14)
        assert metric.aggregate([rows[place] for place in row]).value == min(score, 1)


def test_the_reader_is_told_where_the_source_is_better():
    worse, better = case("abcdef", "abcdex", "abcdef"), case("abcdex", "abcdef", "abcdef")
    assert CharBleu().notes(stats(CharBleu(), better)) == ()
    assert CharBleu().notes(stats(CharBleu(), case("abcdef", "abcdef", "abcdex"))) == ()
    assert CharBleu().notes(stats(CharBleu(), worse)) == (
        "char-bleu: the unchanged source scores 1.0000 on these data, this system 0.7598; "
        "BLEU rewards leaving texts alone",
    )


def test_no_sentence_at_all_has_0():
    assert CharBleu().aggregate([]).value == 0
    assert list(CharBleu().sentences([])) == []


def test_the_signature_says_how():
    assert str(CharBleu().signature) == (
        f"metric:char-bleu|smoothing:none|sacrebleu:{sacrebleu.__version__}"
    )


def test_an_unknown_smoothing_is_refused():
    message = r"^char-bleu\.smoothing is 'floor'; it is one of none, exp$"
    with pytest.raises(UsageError, match=message):
        CharBleu(smoothing="floor")


def test_without_sacrebleu_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def absent(name: str, *rest: object, **named: object):
        if name.startswith("sacrebleu"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    char_bleu._bleu.cache_clear()
    with expect_error(MissingExtraError, "sacrebleu", "gecbench[bleu]"):
        CharBleu().stats(case("a", "a", "a"))
