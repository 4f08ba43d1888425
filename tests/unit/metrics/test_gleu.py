"""GLEU by hand: rewards, zeros, roots, and one draw after another."""

from __future__ import annotations

import math
import random
import tracemalloc

import numpy as np
import pytest
from messages import expect_error
from text_cases import IMPOSSIBLE, case, score, stats, values

from gecbench.core.errors import UsageError
from gecbench.metrics.gleu import (
    GENERATORS,
    Gleu,
    GleuFrequency,
    Matches,
    SentenceGleu,
    draw,
    draw_for,
)

METRICS = [Gleu, GleuFrequency, SentenceGleu]
SAMPLED = [Gleu, GleuFrequency]


def test_matches_are_rewarded_and_what_the_reference_dropped_is_punished():
    # Shared with the reference: a c; kept although dropped there: b.
    stats = Gleu(order=2).stats(case("a b c", "a b c", "a c d"))
    assert stats == Matches(3, (3,), ((2 - 1, 0),))


def test_the_official_penalty_forgives_what_the_reference_has_once():
    twice = case("the the cat", "the the cat", "the cat")
    assert Gleu(order=2).stats(twice).rewards == ((2, 1 - 1),)
    assert GleuFrequency(order=2).stats(twice).rewards == ((2 - 1, 1 - 1),)


def test_matches_fall_below_nothing_in_the_frequency_reading_alone():
    worse = case("a b", "a b", "c")
    assert Gleu(order=1).stats(worse).rewards == ((0,),)
    assert GleuFrequency(order=1).stats(worse).rewards == ((-2,),)


@pytest.mark.parametrize("metric", METRICS)
def test_a_sentence_that_nobody_could_correct_is_left_out(metric: type):
    assert metric().stats(case("a", "a", IMPOSSIBLE, IMPOSSIBLE)) is None
    assert metric().stats(case("a", "a", IMPOSSIBLE, "b")).lengths == (1,)


def test_the_first_version_counts():
    two = case("a", "b", "b")
    two = type(two)("1", (*two.hypotheses, *case("", "c").hypotheses), two.references, "a")
    assert Gleu().stats(two) == Gleu().stats(case("a", "b", "b"))


@pytest.mark.parametrize(("cases", "length", "references"), [(30, 800, 5), (120, 100, 17)])
def test_memory_is_bounded_by_text_not_by_sentences(
    cases: int, length: int, references: int, monkeypatch: pytest.MonkeyPatch
):
    """Essays, and sentences with many references; a tenth of what is counted together else."""
    monkeypatch.setattr("gecbench.metrics.gleu._CHARACTERS", 20_000)
    alphabet = [chr(0x4E00 + n) for n in range(3000)]
    lot = random.Random(1)
    texts = ["".join(lot.choices(alphabet, k=length)) for _ in range(2 + references)]
    corpus = [case(*texts[at % 7 :], *texts[: at % 7]) for at in range(cases)]
    tracemalloc.start()
    rows = Gleu(unit="character").stats_of(corpus)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6e6
    assert [row.length for row in rows] == [length] * cases


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_counted_together_changes_no_number(metric: type, monkeypatch: pytest.MonkeyPatch):
    words = random.Random(2).choices("abc ", k=400)
    texts = ["".join(words[at : at + 9]) for at in range(0, 400, 3)]
    corpus = [case(*texts[at : at + 3 + at % 4]) for at in range(90)]
    together = metric().stats_of(corpus)
    monkeypatch.setattr("gecbench.metrics.gleu._CHARACTERS", 40)
    assert metric().stats_of(corpus) == together == [metric().stats(one) for one in corpus]


def test_one_reference_gives_the_mean_alone():
    result = score(Gleu(), case("a b c d e", "a b c d f", "a b c d f"))
    assert (result.value, result.parts, result.sentences) == (1.0, {}, 1)


def test_the_root_is_the_fourth_whatever_the_order():
    # Of 5 words 4 match and e is kept, of 4 pairs 3 match and one is kept.
    single_case = case("a b c d e", "a b c d e", "a b c d f")
    assert score(Gleu(order=2), single_case).value == pytest.approx((3 / 5 * 2 / 4) ** 0.25)
    assert score(GleuFrequency(order=2), single_case).value == pytest.approx((3 / 5 * 2 / 4) ** 0.5)


def test_a_short_hypothesis_is_penalised_and_a_long_one_is_not():
    words = "a b c d e f g h"
    assert score(Gleu(), case("x", "a b c d", words)).value == pytest.approx(math.exp(1 - 8 / 4))
    longer = score(Gleu(order=1), case("x", words, "a b c d"))
    assert longer.value == pytest.approx((4 / 8) ** 0.25)


@pytest.mark.parametrize("metric", SAMPLED)
@pytest.mark.parametrize("hypothesis", ["", "x y z w v"])
def test_a_hypothesis_without_matches_has_0(metric: type, hypothesis: str):
    assert score(metric(), case("x y", hypothesis, "a b c d e")).value == 0


def test_an_order_without_ngrams_has_0_or_precision_1():
    short = case("a b", "a b c", "a b c")
    assert score(Gleu(), short).value == 0
    assert score(GleuFrequency(), short).value == 1
    assert score(SentenceGleu(), short).value == 1
    assert values(Gleu(), short) == [1]
    assert values(GleuFrequency(), case("a b", "a b", "a b c")) == [pytest.approx(math.exp(-1 / 2))]


def test_single_sentences_have_1_for_every_0():
    # One word of two matches, no pair of one does, and there are no longer n-grams.
    single_case = case("x", "a b", "a c")
    assert values(Gleu(), single_case) == [pytest.approx((1 / 2 * 1 / 1) ** 0.25)]
    assert values(GleuFrequency(), single_case) == [0]
    assert score(SentenceGleu(), single_case).value == values(SentenceGleu(), single_case)[0]


def test_single_sentences_are_the_mean_over_their_references():
    first, second = case("x", "a b c d e", "a b c d e"), case("x", "a b c d e", "a b c d f")
    both = case("x", "a b c d e", "a b c d e", "a b c d f")
    apart = [*values(Gleu(), first), *values(Gleu(), second)]
    assert values(Gleu(), both, first) == [pytest.approx(sum(apart) / 2), 1.0]
    assert score(SentenceGleu(), both, first).value == pytest.approx((sum(apart) / 2 + 1) / 2)


WORDS = ["a", "b", "c", "d", "e", "f"]


def random_case(dice: random.Random, references: int):
    """A sentence of which everybody changed a word or two."""
    words = dice.choices(WORDS, k=dice.randrange(6, 14))
    texts = []
    for _ in range(references + 2):
        changed = list(words)
        for _ in range(dice.randrange(3)):
            changed[dice.randrange(len(changed))] = dice.choice(WORDS)
        texts.append(" ".join(changed[: len(changed) - dice.randrange(2)]))
    return case(*texts)


@pytest.mark.parametrize("metric", SAMPLED)
def test_the_mean_is_over_official_draws_one_after_another(metric: type):
    dice = random.Random(5)
    all_stats = [metric().stats(random_case(dice, 3)) for _ in range(40)]
    rounds = []
    for at in range(30):
        random.seed(at * 101)
        chosen = [random.randint(0, 2) for _ in all_stats]
        drawn = [
            Matches(all_stat.length, (all_stat.lengths[k],), (all_stat.rewards[k],))
            for all_stat, k in zip(all_stats, chosen, strict=True)
        ]
        rounds.append(metric().aggregate(drawn).value)
    result = metric(iterations=30).aggregate(all_stats)
    assert metric(iterations=30).rounds(all_stats).tolist() == rounds
    assert result.value == pytest.approx(sum(rounds) / 30, abs=1e-15)
    deviation = np.std(rounds)
    assert result.parts["deviation"] == pytest.approx(deviation)
    assert result.parts["high"] - result.value == pytest.approx(1.95996398 * deviation)
    assert result.value - result.parts["low"] == pytest.approx(1.95996398 * deviation)
    assert deviation > 0


@pytest.mark.parametrize("metric", SAMPLED)
@pytest.mark.parametrize("draws", ["python3", "python2"])
def test_in_a_resample_each_sentence_keeps_its_reference(metric: type, draws: str):
    dice = random.Random(6)
    new_metric = metric(iterations=20, draws=draws)
    all_stats = [new_metric.stats(random_case(dice, dice.randrange(1, 5))) for _ in range(30)]
    places = np.random.default_rng(0).integers(0, 30, (7, 30))
    counts = [len(all_stat.lengths) for all_stat in all_stats]
    rounds = []
    for at in range(20):
        chosen = draw_for(counts, at * 101, draws)
        drawn = [
            Matches(all_stat.length, (all_stat.lengths[k],), (all_stat.rewards[k],))
            for all_stat, k in zip(all_stats, chosen, strict=True)
        ]
        rounds.append([new_metric.aggregate([drawn[k] for k in row]).value for row in places])
    mean = np.mean(rounds, axis=0)
    assert new_metric.resample(all_stats, places) == pytest.approx(mean, abs=1e-12)
    assert len(set(mean)) == 7
    whole = new_metric.resample(all_stats, np.arange(30)[None]).tolist()
    assert whole == pytest.approx([new_metric.aggregate(all_stats).value], abs=1e-12)


def test_large_resamples_are_made_in_blocks(monkeypatch: pytest.MonkeyPatch):
    dice = random.Random(7)
    metric = Gleu(iterations=20)
    all_stats = [metric.stats(random_case(dice, 2)) for _ in range(30)]
    places = np.random.default_rng(0).integers(0, 30, (7, 30))
    at_once = metric.resample(all_stats, places).tolist()
    monkeypatch.setattr("gecbench.metrics.gleu._AT_ONCE", 300)
    assert metric.resample(all_stats, places).tolist() == at_once


def test_sums_that_small_floats_cannot_hold_are_exact():
    matches = [Matches(2**24 + 2, (2**24 + 3,), ((2**24 + 1,),))]
    metric = Gleu(order=1)
    value = metric.aggregate(matches).value
    assert metric.resample(matches, np.zeros((1, 1), dtype=int)).tolist() == [value]


def test_means_of_sentences_can_be_resampled():
    cases = [case("x", "a b c d e", "a b c d e"), case("x", "a b c d e", "a b c d f")]
    result = stats(SentenceGleu(), *cases)
    places = np.array([[0, 0], [0, 1], [1, 1]])
    values = [SentenceGleu().aggregate([result[k] for k in row]).value for row in places]
    assert SentenceGleu().resample(result, places) == pytest.approx(values)


def test_uneven_references_are_noted():
    first, second = case("a", "a", "a"), case("a", "a", "a", "b")
    assert Gleu().notes(stats(Gleu(), first, first)) == ()
    assert Gleu().notes(stats(Gleu(), first, second)) == (
        "gleu: sentences have from 1 to 2 references; each draws from its own, which the "
        "official script cannot",
    )


@pytest.mark.parametrize("metric", METRICS)
def test_no_sentence_at_all_has_0(metric: type):
    assert metric().aggregate([]).value == 0
    assert list(metric().sentences([])) == []


def test_characters_are_counted_without_white_space():
    spaced = case("我 去 学 校", "我去了学校", "我 去 了 学校")
    assert score(Gleu(unit="character"), spaced).value == 1
    assert score(Gleu(unit="spaced-character"), spaced).value < 1


def test_signatures_say_how():
    assert str(Gleu(unit="character", context={"normal": "nfkc"}).signature) == (
        "metric:gleu|normal:nfkc|unit:character|order:4|iterations:500|draws:python3"
    )
    assert str(GleuFrequency().signature).startswith("metric:gleu-frequency|unit:word|")
    assert str(SentenceGleu(order=2).signature) == "metric:sent-gleu|unit:word|order:2"


@pytest.mark.parametrize("metric", METRICS)
def test_options_that_mean_nothing_are_refused(metric: type):
    name = metric.name
    with expect_error(UsageError, f"{name}.order", "0", "1 to 20"):
        metric(order=0)
    message = rf"^{name}\.unit is 'letter'; it is one of word, character, spaced-character$"
    with pytest.raises(UsageError, match=message):
        metric(unit="letter")


@pytest.mark.parametrize("metric", SAMPLED)
def test_draws_that_mean_nothing_are_refused(metric: type):
    name = metric.name
    with expect_error(UsageError, f"{name}.iterations", "0", "1"):
        metric(iterations=0)
    with expect_error(UsageError, f"{name}.draws", "'dice'", "python3"):
        metric(draws="dice")


@pytest.mark.parametrize("references", [2, 3, 4, 5, 7, 8, 9, 100])
@pytest.mark.parametrize("seed", [0, 101, 49899])
def test_python3_draws_what_randint_gives(seed: int, references: int):
    dice = random.Random(seed)
    randints = [dice.randint(0, references - 1) for _ in range(1000)]
    assert draw(seed, 1000, references, "python3").tolist() == randints


@pytest.mark.parametrize("references", [2, 3, 4, 5, 7, 8, 9, 100])
@pytest.mark.parametrize("seed", [0, 101, 49899])
def test_python2_draws_a_share_of_a_random_fraction(seed: int, references: int):
    dice = random.Random(seed)
    expected = [int(dice.random() * references) for _ in range(1000)]
    assert draw(seed, 1000, references, "python2").tolist() == expected


def test_python2_fractions_have_all_their_bits():
    dice = random.Random(5)
    expected = [int(dice.random() * 2**52) for _ in range(100)]
    assert draw(5, 100, 2**52, "python2").tolist() == expected


@pytest.mark.parametrize("generator", GENERATORS)
def test_nothing_is_drawn_for_nobody(generator: str):
    assert draw(0, 0, 3, generator).tolist() == []
    assert draw_for([], 0, generator).tolist() == []


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_sentence_draws_as_if_all_had_its_number(generator: str):
    counts = [1, 4, 2, 3, 3, 1, 4, 2] * 20
    alone = {k: draw(101, len(counts), k, generator) for k in (2, 3, 4)}
    expected = [0 if k == 1 else int(alone[k][at]) for at, k in enumerate(counts)]
    assert draw_for(counts, 101, generator).tolist() == expected


@pytest.mark.parametrize("generator", GENERATORS)
def test_where_all_have_one_number_it_is_the_official_draw(generator: str):
    assert draw_for([3] * 50, 7, generator).tolist() == draw(7, 50, 3, generator).tolist()
