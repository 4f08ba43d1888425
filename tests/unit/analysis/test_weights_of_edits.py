"""Weights of edits and difficulty of sentences, as pages show them."""

from __future__ import annotations

import pytest

from gecbench.analysis.side_by_side import FalseAlarm, edit_weights
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError

A, B, C = Edit(0, 1, ("A",)), Edit(1, 2, ("B",)), Edit(2, 2, ("C",))
TOKENS = ("a", "b", "c")


def weights(references, *systems):
    versions = tuple(
        one if isinstance(one, CaseRewrite) else CaseRewrite(one) for one in references
    )
    made = {
        str(n): [Case("7", (CaseRewrite(edits),), versions, edit_tokens=TOKENS)]
        for n, edits in enumerate(systems)
    }
    (found,) = edit_weights(made)
    return found


def test_weights_keep_the_order_of_the_edits_and_are_shares_of_systems_that_fail():
    found = weights([(B, A)], (A,), (A, B), (), (A,))
    assert found.id == "7"
    assert found.references == ((0.75, 0.25),)
    assert found.value == 1.0


def test_what_a_system_changes_for_nothing_is_wrong_by_its_share():
    found = weights([(A,)], (B,), (B, C), (C,), ())
    assert found.wrong == ((FalseAlarm(1, 2, 0.5), FalseAlarm(2, 2, 0.5)),)


def test_systems_that_make_the_same_are_counted_each():
    found = weights([(A,)], (A, B), (A, B), (B,), ())
    assert found.references == ((0.5,),)
    assert found.wrong == ((FalseAlarm(1, 2, 0.75),),)


def test_a_wrong_change_of_an_error_is_no_false_alarm():
    assert weights([(A,)], (Edit(0, 1, ("X",)),)).wrong == ((),)


def test_of_several_references_the_one_systems_come_nearest_to_says_how_difficult():
    found = weights([(A, B, C), (A,)], (A,), ())
    assert found.references == ((0.5, 1.0, 1.0), (0.5,))
    assert found.value == 0.5


def test_a_reference_that_could_not_be_annotated_says_nothing():
    found = weights([CaseRewrite(unannotatable=True), (A, B)], ())
    assert found.references == ((), (1.0, 1.0))
    assert found.wrong == ((), ())
    assert found.value == 2.0
    assert weights([CaseRewrite(unannotatable=True)], (A,)).value == 0.0


def test_an_edit_that_only_detects_has_weight_one_and_does_not_make_it_difficult():
    found = weights([(Edit(0, 1, None, "UNK"), B)], (B,))
    assert found.references == ((1.0, 0.0),)
    assert found.value == 0.0


def test_pooled_alternatives_are_met_by_whoever_has_one_and_count_once():
    wide = Edit(0, 2, ("A", "B"))
    pool = (A, B, A, wide)
    found = weights([pool], pool, (wide,), (A,), ())
    assert found.references == ((0.5, 0.75, 0.5, 0.5),)
    assert found.value == 0.5 + 0.75
    assert found.wrong == ((),)


def test_an_insertion_that_a_pool_has_twice_makes_one_error():
    found = weights([(C, A, C)], ())
    assert found.references == ((1.0, 1.0, 1.0),)
    assert found.value == 2.0


def test_without_systems_there_is_no_difficulty():
    with pytest.raises(UsageError, match="difficulty needs at least one system"):
        edit_weights({})
