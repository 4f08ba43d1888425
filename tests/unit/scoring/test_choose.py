"""The choice of the reference: ChERRANT's, which depends on the order, and one that does not."""

from __future__ import annotations

import itertools

import pytest

from gecbench.core.case import CHOICES, Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.score import Counts, total
from gecbench.metrics.edits import Cherrant as SpanF
from gecbench.scoring.spans import Pairing, choose


def row(*counts: tuple[int, int, int]) -> tuple[Pairing, ...]:
    return tuple(Pairing(0, r, Counts(*three), {}) for r, three in enumerate(counts))


def version(places: str) -> CaseRewrite:
    return CaseRewrite(tuple(Edit(int(p), int(p) + 1, (), "R") for p in places))


# Specification, section 11, item 19.
AMBIGUOUS = Case("1", (version("01"),), (version("0"), version("01234567")))
PLAIN = Case("2", (version("01"),), (version("01"),))


def counts_of(cases: list[Case], choice: str) -> tuple[tuple[int, int, int], float]:
    metric = SpanF(choice=choice)
    score = metric.aggregate([metric.stats(case) for case in cases])
    return (score.counts.tp, score.counts.fp, score.counts.fn), round(score.value, 4)


def test_the_order_of_sentences_changes_what_corpus_greedy_counts():
    assert counts_of([AMBIGUOUS, PLAIN], "corpus-greedy") == ((4, 0, 6), 0.7692)
    assert counts_of([PLAIN, AMBIGUOUS], "corpus-greedy") == ((3, 1, 0), 0.7895)


def test_the_order_of_sentences_does_not_change_what_sentence_best_counts():
    both = {
        counts_of(list(each), "sentence-best")
        for each in itertools.permutations([AMBIGUOUS, PLAIN])
    }
    assert both == {((4, 0, 6), 0.7692)}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(
    ("counts", "best"),
    [
        ([(1, 1, 1)], 0),
        ([(0, 1, 0), (1, 0, 5)], 1),  # F first
        ([(1, 0, 2), (2, 1, 0)], 1),  # 5/7 both, however it is rounded
        ([(2, 1, 0), (1, 0, 2)], 0),
        ([(1, 0, 0), (2, 0, 0)], 1),  # then more true positives
        ([(0, 2, 3), (0, 1, 3)], 1),  # then fewer false positives
        ([(0, 1, 3), (0, 1, 2)], 1),  # then fewer false negatives
        ([(0, 1, 2), (0, 1, 2)], 0),  # then the first
        ([(0, 0, 0), (0, 0, 0), (1, 0, 0)], 2),
    ],
)
def test_ties_are_broken_as_stated(choice, counts, best: int):
    (chosen,) = choose([row(*counts)], choice, 0.5)
    assert chosen.reference == best


@pytest.mark.parametrize("choice", CHOICES)
def test_no_sentence_has_no_choice(choice):
    assert choose([], choice, 0.5) == ()


def test_corpus_greedy_rounds_as_the_official_script_does():
    """Both give F = 0.9999 to four decimals; then more true positives win, and F falls."""
    long = row((10_000, 0, 0))
    late = row((1, 0, 0), (2, 0, 1))
    chosen = choose([long, late], "corpus-greedy", 0.5)
    assert chosen[1].reference == 1
    assert choose([long, late], "sentence-best", 0.5)[1].reference == 0
    assert total(each.counts for each in chosen).f(0.5) < 1.0


def test_beta_weighs_the_choice():
    precise, complete = (2, 0, 4), (4, 3, 0)
    assert choose([row(precise, complete)], "sentence-best", 0.5)[0].reference == 0
    assert choose([row(precise, complete)], "sentence-best", 2.0)[0].reference == 1
