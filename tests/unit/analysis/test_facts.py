"""What is said of sentences whatever systems make of them."""

from __future__ import annotations

import pytest

from gecbench.analysis.facts import cases_of, edits_of, length, length_unit, state, text_of_rewrite
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.scoring.results import RunStats

FREE = Rewrite(error_free=True)
IMPOSSIBLE = Rewrite(unannotatable=True)
CHANGE = Edit(0, 1, ("b",), "S")


def run(lang: str, *cases: Case) -> RunStats:
    return RunStats(Corpus("x", ()), {}, lang, {}, {"s": cases}, {})


@pytest.mark.parametrize(
    ("lang", "case", "unit", "wanted"),
    [
        ("zh", Case("1", (), (), "我 去了 ab"), "characters", 5),
        ("en", Case("1", (), (), "I do n't", edit_tokens=("I", "do", "n't", ".")), "tokens", 4),
        ("en", Case("1", (), (), "I don't  go"), "words", 3),
        ("zh", Case("1", (), (), ""), "characters", 0),
    ],
)
def test_lengths_are_in_what_the_language_counts(lang, case, unit, wanted):
    assert (length_unit(run(lang, case)), length(case, lang)) == (unit, wanted)


def test_a_run_without_systems_has_no_cases():
    assert cases_of(RunStats(Corpus("x", ()), {}, "zh", {}, {}, {})) == ()


@pytest.mark.parametrize(
    ("lang", "source", "rewrites", "wanted"),
    [
        ("zh", "我", (Rewrite("我 "), FREE), "error-free"),
        ("zh", "我", (Rewrite("你"), FREE), "disputed"),
        ("zh", "我", (Rewrite("你"), Rewrite("他"), IMPOSSIBLE), "erroneous"),
        ("zh", "我", (IMPOSSIBLE, IMPOSSIBLE), "unannotatable"),
        ("en", "a lot", (Rewrite("alot"),), "erroneous"),
        ("en", "a  lot", (Rewrite("a lot"),), "error-free"),
        ("en", "a", (Rewrite(edit_sets=((),)),), "error-free"),
        ("en", "a", (Rewrite(edit_sets=((CHANGE,),)),), "erroneous"),
    ],
)
def test_states_of_sentences_known_by_their_texts(lang, source, rewrites, wanted):
    versions = tuple(CaseRewrite(unannotatable=each.unannotatable) for each in rewrites)
    sample = Sample("1", source, rewrites, tokens=("a",))
    assert state(sample, Case("1", (), versions, source), lang) == wanted


def test_where_edits_are_known_they_decide_what_is_free():
    """As where traditional characters are simplified before anything is compared."""
    sample = Sample("1", "車", (Rewrite("车"),))
    plain, changed = CaseRewrite(), CaseRewrite((CHANGE,))
    assert state(sample, Case("1", (), (plain,), "車", edit_tokens=("车",)), "zh") == "error-free"
    assert state(sample, Case("1", (), (changed,), "車", edit_tokens=("车",)), "zh") == "erroneous"


def test_edits_are_of_the_first_alternative_set():
    pooled = CaseRewrite((CHANGE, CHANGE, CHANGE), sizes=(2, 1))
    assert edits_of(Case("1", (), (), edit_tokens=("a",)), pooled) == 2
    assert edits_of(Case("1", (), (), edit_tokens=("a",)), CaseRewrite((CHANGE,))) == 1
    assert edits_of(Case("1", (), (), tokens=("a",)), CaseRewrite(gold_edits=(CHANGE,))) == 1
    assert edits_of(Case("1", (), ()), CaseRewrite(text="b")) is None


def test_texts_of_rewrites():
    sample = Sample("1", "a", tokens=("a",))
    rewrites = (FREE, IMPOSSIBLE, Rewrite("c"), Rewrite(edit_sets=((CHANGE,),)))
    assert [text_of_rewrite(one, sample, "en") for one in rewrites] == ["a", "a", "c", "b"]


def test_edits_that_overlap_give_no_text():
    over = Rewrite(edit_sets=((CHANGE, CHANGE),))
    assert text_of_rewrite(over, Sample("1", "a", tokens=("a",)), "en") is None
