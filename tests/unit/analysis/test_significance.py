"""Tests of significance: what p, intervals and groups say, and what is refused."""

from __future__ import annotations

import itertools
import math
import random
import sys
from dataclasses import replace

import numpy as np
import pytest
from messages import expect_error
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from scipy import stats
from scipy.stats import false_discovery_control
from score_corpus import COPY, CORPUS, GOOD, texts

import gecbench
from gecbench.analysis import significance
from gecbench.analysis.options import Plan
from gecbench.analysis.significance import TooManyGroups, compare, correct_p_values, groups
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.errors import CorpusError, MissingExtraError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Sample, SystemOutput
from gecbench.reports.compare import build_report
from gecbench.scoring.resample import draws

QUICK = Plan(resamples=500)


def corpus_of(right: dict[str, str]):
    """Systems that are right on the sentences marked 1, for sentence accuracy."""
    size = len(next(iter(right.values())))
    samples = tuple(Sample(str(n), "错", texts("对")) for n in range(size))
    systems = [
        SystemOutput(
            name, {str(n): texts("对" if mark == "1" else "错") for n, mark in enumerate(outcomes)}
        )
        for name, outcomes in right.items()
    ]
    return Corpus("made", samples, "zh"), systems


def accuracy(right: dict[str, str], plan: Plan = QUICK):
    corpus, systems = corpus_of(right)
    run_stats = collect_stats(corpus, systems, options=Options(metrics=("sentence-accuracy",)))
    return compare(run_stats, "sentence-accuracy", plan)


@pytest.fixture(scope="module")
def english():
    corpus = gecbench.load(gecbench.sample("en", "corpus.jsonl"))
    systems = [
        gecbench.load_system(gecbench.sample("en", f"{name}.txt"), corpus)
        for name in ("cautious", "eager", "fluent")
    ]
    metrics = ("char-bleu", "mp-prime", "sentence-accuracy", "gleu")
    settings = {"gleu.iterations": "5"}
    return (
        corpus,
        systems,
        collect_stats(corpus, systems, options=Options(metrics=metrics, settings=settings)),
    )


def few(sentences: int) -> str:
    return (
        f"sentence-accuracy: {sentences} sentences only: intervals of the bootstrap are too narrow "
        "and its p can be too small; go by randomisation, and by more sentences"
    )


def test_equal_outputs_have_p_one_and_share_a_group():
    comparison = accuracy({"A": "1100", "B": "1100"})
    (pair,) = comparison.pairs
    assert pair.p == {"bootstrap": 1.0, "randomisation": 1.0}
    assert (pair.difference, pair.interval.low, pair.interval.high) == (0, 0, 0)
    assert pair.first_better == 0.5
    assert comparison.groups == (("A", "B"),)
    assert comparison.notes == (
        few(4),
        "sentence-accuracy: the same score in every resample, which is no test of anything: A – B",
    )


def test_randomisation_finds_the_p_of_all_permutations():
    first, second = "111111011101", "001010011000"
    comparison = accuracy({"A": first, "B": second}, Plan(resamples=20_000))
    differences = [int(a) - int(b) for a, b in zip(first, second, strict=True)]
    exact = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=math.inf
    )
    (pair,) = comparison.pairs
    assert pair.p["randomisation"] == pytest.approx(exact.pvalue, abs=0.005)
    assert pair.difference == pytest.approx(sum(differences) / 12)


def test_the_bootstrap_of_a_mean_agrees_with_the_normal_one():
    dice = np.random.default_rng(3)
    first, second = (
        "".join(map(str, dice.integers(0, 2, 400) | (dice.random(400) < more).astype(int)))
        for more in (0.12, 0.0)
    )
    (pair,) = accuracy({"A": first, "B": second}, Plan(resamples=4000)).pairs
    differences = [int(a) - int(b) for a, b in zip(first, second, strict=True)]
    error = np.std(differences) / 20
    assert pair.p["bootstrap"] == pytest.approx(
        2 * stats.norm.sf(abs(pair.difference) / error), abs=0.015
    )
    ends = pair.difference - 1.96 * error, pair.difference + 1.96 * error
    assert (pair.interval.low, pair.interval.high) == pytest.approx(ends, abs=0.006)


def sacrebleus_p(run_stats, kind: str) -> float:
    """What sacrebleu's own paired test says of the first two systems."""
    cases = {
        name: [case for case in cases if any(not v.unannotatable for v in case.references)]
        for name, cases in run_stats.cases.items()
    }
    versions = [[v.text for v in case.references if not v.unannotatable] for case in cases["eager"]]
    references = [
        [version[r] if r < len(version) else None for version in versions]
        for r in range(max(map(len, versions)))
    ]
    named = [(name, [case.hypotheses[0].text for case in some]) for name, some in cases.items()]
    bleu = BLEU(tokenize="char", smooth_method="none", references=references)
    _, scores = PairedTest(named[:2], {"BLEU": bleu}, None, kind, n_samples=3000)()
    return scores["BLEU"][1].p_value


def test_p_of_randomisation_is_sacrebleus(english):
    _, _, run_stats = english
    pair = compare(run_stats, "char-bleu", Plan(resamples=3000)).pair("eager", "cautious")
    assert pair.p["randomisation"] == pytest.approx(sacrebleus_p(run_stats, "ar"), abs=0.04)


def test_p_of_the_bootstrap_differs_from_sacrebleus_by_its_shift_of_absolute_values_alone(english):
    """It takes absolute values before the mean, so that chance is found far too seldom."""
    _, _, run_stats = english
    metric, places = run_stats.metrics["char-bleu"], run_stats.indices_of("char-bleu")
    drawn = draws(len(places), resamples=3000, seed=0)
    first, second = (
        metric.resample([run_stats.rows[name, "char-bleu"][at] for at in places], drawn)
        for name in ("cautious", "eager")
    )
    pair = compare(run_stats, "char-bleu", Plan(resamples=3000)).pair("cautious", "eager")
    absolute = abs(first - second)
    theirs = float((absolute - absolute.mean() > abs(pair.difference)).mean())
    assert theirs == pytest.approx(sacrebleus_p(run_stats, "bs"), abs=0.04)
    assert pair.p["bootstrap"] == pytest.approx(pair.p["randomisation"], abs=0.04)
    assert pair.p["bootstrap"] > 2 * theirs
    # The figures of docs/analysis/compare.md.
    assert pair.p["randomisation"] == pytest.approx(0.60, abs=0.03)
    assert pair.p["bootstrap"] == pytest.approx(0.62, abs=0.03)
    assert theirs == pytest.approx(0.23, abs=0.03)


def test_intervals_of_scores_are_those_of_score(english):
    corpus, systems, run_stats = english
    options = Options(metrics=("char-bleu",), resamples=500)
    report = gecbench.score(corpus, systems, options=options)
    comparison = compare(run_stats, "char-bleu", QUICK)
    assert {r.system: r.score.interval for r in report.results} == comparison.intervals
    assert {r.system: r.score.value for r in report.results} == comparison.values


@pytest.mark.parametrize("metric", ["char-bleu", "mp-prime", "gleu"])
def test_another_order_of_systems_changes_nothing_but_order(english, metric: str):
    _, _, run_stats = english
    turned = replace(run_stats, systems=dict(reversed(run_stats.systems.items())))
    first, second = compare(run_stats, metric, QUICK), compare(turned, metric, QUICK)
    assert first.groups == second.groups
    assert first.ranked == second.ranked
    assert list(second.values) == list(first.values)[::-1]
    for pair in first.pairs:
        other = second.pair(pair.first, pair.second)
        assert other.p == pytest.approx(pair.p)
        assert other.corrected == pytest.approx(pair.corrected)
        assert other.difference == pytest.approx(pair.difference)
        assert other.first_better == pytest.approx(pair.first_better)
        assert other.interval.low == pytest.approx(pair.interval.low)
        assert other.interval.high == pytest.approx(pair.interval.high)


def test_blocks_of_memory_change_nothing(english, monkeypatch):
    _, _, run_stats = english
    whole = compare(run_stats, "mp-prime", QUICK)
    monkeypatch.setattr("gecbench.scoring.resample._AT_ONCE", 1000)
    parts = compare(run_stats, "mp-prime", QUICK)
    for pair, other in zip(parts.pairs, whole.pairs, strict=True):
        assert pair.p == other.p
        assert pair.interval.low == pytest.approx(other.interval.low, abs=1e-12)


@pytest.mark.slow
def test_several_processes_find_what_one_finds(english, monkeypatch):
    _, _, run_stats = english
    alone = compare(run_stats, "gleu", QUICK)
    monkeypatch.setattr(significance, "_PAYS", 1)
    monkeypatch.setattr(significance, "cores", lambda: 2)
    assert compare(run_stats, "gleu", QUICK, jobs=None) == alone
    with expect_error(UsageError, "jobs", "0"):
        compare(run_stats, "gleu", QUICK, jobs=0)


def test_where_lower_is_better_the_lower_is_the_better(english):
    _, _, run_stats = english
    comparison = compare(run_stats, "mp-prime", QUICK)
    assert comparison.values[comparison.ranked[0]] == min(comparison.values.values())
    pair = comparison.pair(comparison.ranked[0], comparison.ranked[-1])
    assert pair.difference < 0
    assert pair.first_better > 0.5


def test_a_seed_gives_the_same_and_another_another():
    outcomes = {"A": "110110111011", "B": "100110011001"}
    comparison = accuracy(outcomes)
    assert accuracy(outcomes) == comparison
    assert accuracy(outcomes, replace(QUICK, seed=1)).pairs[0].p != comparison.pairs[0].p


def test_a_pair_is_significant_where_corrected_p_of_the_main_test_is():
    outcomes = {"A": "1" * 40, "B": "1" * 33 + "0" * 7, "C": "0" * 40}
    for plan in (QUICK, replace(QUICK, tests=("bootstrap",)), replace(QUICK, correction="none")):
        comparison = accuracy(outcomes, plan)
        for pair in comparison.pairs:
            assert pair.significant == (pair.corrected[plan.main_test] <= plan.alpha)
        assert [pair.significant for pair in comparison.pairs] == [True] * 3
        assert comparison.groups == (("A",), ("B",), ("C",))
    strict = accuracy(outcomes, replace(QUICK, alpha=0.01))
    assert strict.groups == (("A", "B"), ("C",))


def test_p_is_never_nothing():
    comparison = accuracy({"A": "1" * 40, "B": "0" * 40})
    assert comparison.pairs[0].p == {"bootstrap": 1 / 501, "randomisation": 1 / 501}


def test_with_a_baseline_only_its_pairs_are_tested_and_there_are_no_groups():
    outcomes = {"A": "1111", "B": "0000", "C": "1010"}
    comparison = accuracy(outcomes, replace(QUICK, baseline="B"))
    assert [(pair.first, pair.second) for pair in comparison.pairs] == [("A", "B"), ("C", "B")]
    assert comparison.groups == ()
    with expect_error(UnknownNameError, "'A - C'"):
        comparison.pair("A", "C")


def test_too_few_resamples_for_the_number_of_pairs_are_said():
    outcomes = {f"s{n}": "1" * n + "0" * (12 - n) for n in range(5)}
    comparison = accuracy(outcomes, Plan(resamples=100))
    assert comparison.notes == (
        "sentence-accuracy: 100 resamples cannot find p below 0.0099, which is 0.099 for 10 pairs, "
        "so that nothing can be significant at 0.05; take --resamples 200 or more",
        few(12),
    )
    assert accuracy(outcomes, Plan(resamples=200)).notes == (few(12),)
    for correction in ("none", "bh"):
        assert accuracy(outcomes, Plan(resamples=100, correction=correction)).notes == (few(12),)
        comparison = accuracy(outcomes, Plan(resamples=100, correction=correction, alpha=0.009))
        assert comparison.notes[0] == (
            "sentence-accuracy: 100 resamples cannot find p below 0.0099, so that nothing can be "
            "significant at 0.009; take --resamples 112 or more"
        )
        assert not any(pair.significant for pair in comparison.pairs)
        assert (
            few(12)
            == accuracy(outcomes, Plan(resamples=112, correction=correction, alpha=0.009)).notes[0]
        )


def test_one_sentence_and_two_show_nothing():
    for size, least in ((1, 1.0), (2, 0.5), (6, 1 / 32)):
        (pair,) = accuracy({"A": "1" * size, "B": "0" * size}).pairs
        assert pair.p["bootstrap"] == least
        assert pair.p["randomisation"] == pytest.approx(least, abs=0.02)


def test_too_many_groups_are_said_and_leave_the_pairs(monkeypatch):
    monkeypatch.setattr("gecbench.analysis.significance.MOST_STEPS", 1)
    comparison = accuracy({"A": "1" * 40, "B": "0" * 40, "C": "01" * 20})
    assert comparison.groups == ()
    assert comparison.notes == (
        "sentence-accuracy: too many groups of systems to show; see the pairs",
    )
    shown = build_report("made", [comparison])
    assert [table.name for table in shown.tables] == ["systems", "pairs", "p-sentence-accuracy"]
    assert shown.tables[0].title.en == "Scores"
    assert "groups" not in shown.figures[0].alt.en
    assert len(shown.figures) == 3


def test_a_plan_refuses_what_means_nothing():
    for values, why in (
        ({"tests": ()}, r"tests \(\) must be one or both of bootstrap, randomisation"),
        ({"tests": ("t",)}, "must be one or both"),
        ({"correction": "holms"}, "correction is 'holms'; it is one of none, holm, bh"),
        ({"resamples": 99}, "resamples is 99; it must be a whole number of at least 100"),
        ({"resamples": 10**11}, "resamples 100000000000 must be at most 1000000"),
        ({"alpha": 0.0}, "alpha 0 must be above 0 and at most 0.5"),
        ({"confidence": 1.0}, "confidence 1 must be between 0 and 1"),
    ):
        with pytest.raises(UsageError, match=why):
            Plan(**values)


def test_what_cannot_be_compared_is_refused():
    options = Options(metrics=("sentence-accuracy", "errant"))
    run_stats = collect_stats(CORPUS, [COPY, GOOD], options=options)
    with expect_error(UsageError, "errant", "en", "'dev'", "zh"):
        compare(run_stats, "errant")
    with expect_error(UnknownNameError, "'gleu'"):
        compare(run_stats, "gleu")
    with expect_error(UnknownNameError, "'god'", "good"):
        compare(run_stats, "sentence-accuracy", Plan(baseline="god"))
    item = collect_stats(CORPUS, [GOOD], options=Options(metrics=("sentence-accuracy",)))
    with expect_error(UsageError, "two systems", "good"):
        compare(item, "sentence-accuracy")


def test_a_corpus_that_nobody_could_correct_has_nothing_to_compare():
    only = replace(CORPUS, samples=CORPUS.samples[3:4])
    systems = [SystemOutput(name, {"4": texts("口口")}) for name in "ab"]
    run_stats = collect_stats(only, systems, options=Options(metrics=("sentence-accuracy",)))
    with expect_error(CorpusError, "sentence-accuracy", "dev"):
        compare(run_stats, "sentence-accuracy")


def test_files_and_options_become_comparisons_by_every_metric_that_applies():
    options = Options(metrics=("sentence-accuracy", "errant", "mp-prime"), part=(0, 4))
    shown: list[str] = []

    def watch(what: str, pairs):
        shown.append(what)
        return pairs

    comparison = gecbench.compare(
        CORPUS, [COPY, GOOD], options=options, plan=QUICK, watch_pairs=watch
    )
    assert [metric.metric for metric in comparison.metrics] == ["sentence-accuracy", "mp-prime"]
    loops = ("bootstrap", "pairs")
    metrics = ("sentence-accuracy", "mp-prime")
    assert shown == [f"{metric}: {loop}" for metric in metrics for loop in loops]
    assert comparison.corpus == "dev"
    assert "n/a: errant is for language en, corpus 'dev' is in zh" in comparison.notes
    assert "1 sentence left out: outside the range" in comparison.notes
    assert comparison.metrics[0].sentences == 3
    with expect_error(UsageError, "two systems", "1"):
        gecbench.compare(CORPUS, [GOOD])


SOME = [0.01, 0.04, 0.03, 0.005, 0.5]


def test_holm_multiplies_by_the_number_still_in_question_and_never_falls():
    # By hand: 0.005 x 5, 0.01 x 4, 0.03 x 3, 0.04 x 2 = 0.08 raised to 0.09, 0.5 x 1.
    assert correct_p_values(SOME, "holm") == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.5])


def test_holm_ends_at_one():
    assert correct_p_values([0.6, 0.7], "holm") == [1.0, 1.0]


def test_benjamini_and_hochberg_is_scipys():
    assert correct_p_values(SOME, "bh") == false_discovery_control(SOME).tolist()
    assert correct_p_values(SOME, "bh") == pytest.approx([0.025, 0.05, 0.05, 0.025, 0.5])


def test_one_value_or_no_correction_changes_nothing():
    assert correct_p_values(SOME, "none") == SOME
    assert all(correct_p_values([0.2], how) == [0.2] for how in ("none", "holm", "bh"))


def test_corrections_follow_their_values_wherever_these_stand():
    for how in ("holm", "bh"):
        for order in itertools.permutations(range(len(SOME))):
            corrected = correct_p_values([SOME[at] for at in order], how)
            assert corrected == [correct_p_values(SOME, how)[at] for at in order]


def test_without_scipy_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with expect_error(MissingExtraError, "scipy", "gecbench[statistics]"):
        correct_p_values(SOME, "bh")


def test_two_systems_share_a_group_just_if_they_do_not_differ():
    dice = random.Random(1)
    for number in range(1, 9):
        names = [f"s{n}" for n in range(number)]
        pairs = [frozenset(pair) for pair in itertools.combinations(names, 2)]
        for share in (0, 0.3, 0.7, 1):
            different = {pair for pair in pairs if dice.random() < share}
            actual_groups = groups(names, different)
            together = {
                frozenset(pair)
                for group in actual_groups
                for pair in itertools.combinations(group, 2)
            }
            assert together == set(pairs) - different
            assert {name for group in actual_groups for name in group} == set(names)
            assert not any(set(a) <= set(b) for a, b in itertools.permutations(actual_groups, 2))


def test_more_groups_than_can_be_read_are_given_up():
    """Triples whose members all differ: a group takes one of each, so there are 3 ** 20."""
    names = [f"{n}{letter}" for n in range(20) for letter in "abc"]
    triples = (names[at : at + 3] for at in range(0, 60, 3))
    different = {frozenset(pair) for some in triples for pair in itertools.combinations(some, 2)}
    with pytest.raises(TooManyGroups):
        groups(names, different)
    # Systems on a scale have few, however many they are.
    near = {
        frozenset((first, two))
        for (m, first), (n, two) in itertools.combinations(enumerate(names), 2)
        if n - m > 7
    }
    assert len(groups(names, near)) == 53


def test_groups_begin_with_the_best():
    assert groups("DBA", {frozenset("DA")}) == (("D", "B"), ("B", "A"))
    assert groups("DBA", set()) == (("D", "B", "A"),)
    assert groups((), set()) == ()
