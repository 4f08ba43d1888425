"""Rewrites are in one state, and ids are unique."""

from __future__ import annotations

import itertools

import pytest
from messages import expect_error

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample

SETS = [(), ((),), ((Edit(0, 1, ()),),)]


@pytest.mark.parametrize(
    ("text", "error_free", "unannotatable", "sets"),
    list(itertools.product([None, "", "好"], [False, True], [False, True], SETS)),
)
def test_a_rewrite_is_in_one_state(text, error_free, unannotatable, sets):
    states = (text is not None) + error_free + unannotatable
    options = {"error_free": error_free, "unannotatable": unannotatable, "edit_sets": sets}
    if states > 1:
        with expect_error(CorpusError, "two at once"):
            Rewrite(text, **options)
    elif states == 0 and not sets:
        with expect_error(CorpusError, "a text", "edits"):
            Rewrite(text, **options)
    else:
        assert Rewrite(text, **options).edit_sets == sets


def test_the_first_id_that_occurs_twice_is_named():
    samples = tuple(Sample(name, "x") for name in "abcba")
    with expect_error(CorpusError, "dev", "'b'", "twice"):
        Corpus("dev", samples)


def test_a_corpus_may_be_empty():
    assert Corpus("dev", ()).samples == ()


@pytest.mark.parametrize("name", ["", "  "])
def test_an_annotator_has_a_name_or_is_unknown(name: str):
    with expect_error(CorpusError, f"'{name}'"):
        Rewrite("好", annotator=name)
    assert Rewrite("好").annotator is None
