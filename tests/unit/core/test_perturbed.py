"""Perturbed cases: the nouns, and what they refuse."""

from __future__ import annotations

from messages import expect_error
from perturbed_set import BOOKS, CASES, FREE, HOME, case

from gecbench.core.errors import CorpusError
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant, marks

ONE = case("9", ("a", "b"), ("c", "d"))


def test_every_sentence_is_a_sample_with_its_reference():
    corpus = CASES.corpus()
    assert [sample.id for sample in corpus.samples[:4]] == [
        "class/1/O",
        "class/1/A1",
        "class/1/A2",
        "class/2/O",
    ]
    assert corpus.samples[-1].id == "exam/1/A2"
    assert [r.text for r in corpus.samples[1].references] == ["我有两本书。"]
    assert (corpus.name, corpus.lang, corpus.provenance) == ("mine", "zh", {"origin": "made"})


def test_cases_go_subset_by_subset():
    assert CASES.cases == (BOOKS, HOME, FREE)
    assert CASES.width == 3
    assert list(marks(CASES.width)) == ["O", "A1", "A2"]


def test_a_case_without_variants_is_refused():
    with expect_error(CorpusError, "case '1'", "no variant"):
        PerturbedCase("1", Variant("a", "b"), ())


def test_ids_that_occur_twice_are_refused():
    with expect_error(CorpusError, "class", "case '1'", "twice"):
        Subset("class", (BOOKS, BOOKS))


def test_uneven_numbers_of_variants_are_refused():
    with expect_error(CorpusError, "class", "case '9'", "1 variant", "case '1'", "2"):
        Subset("class", (BOOKS, ONE))
    with expect_error(CorpusError, "'b'", "1 variant", "'a'", "2"):
        PerturbedSet("x", (Subset("a", (BOOKS,)), Subset("b", (ONE,))))


def test_a_set_without_cases_and_subsets_of_one_name_are_refused():
    for subsets in ((), (Subset("a", ()),)):
        with expect_error(CorpusError, "x", "one case"):
            PerturbedSet("x", subsets)
    with expect_error(CorpusError, "x", "'a'", "twice"):
        PerturbedSet("x", (Subset("a", (BOOKS,)), Subset("a", (HOME,))))
