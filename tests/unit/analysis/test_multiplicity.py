"""Corrections for many comparisons, and groups of systems."""

from __future__ import annotations

import itertools
import random
import sys

import pytest
from scipy.stats import false_discovery_control

from gecbench.analysis.significance import TooManyGroups, adjusted, groups
from gecbench.core.errors import MissingExtraError

SOME = [0.01, 0.04, 0.03, 0.005, 0.5]


def test_holm_multiplies_by_the_number_still_in_question_and_never_falls():
    # By hand: 0.005 x 5, 0.01 x 4, 0.03 x 3, 0.04 x 2 = 0.08 raised to 0.09, 0.5 x 1.
    assert adjusted(SOME, "holm") == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.5])


def test_holm_ends_at_one():
    assert adjusted([0.6, 0.7], "holm") == [1.0, 1.0]


def test_benjamini_and_hochberg_is_scipys():
    assert adjusted(SOME, "bh") == false_discovery_control(SOME).tolist()
    assert adjusted(SOME, "bh") == pytest.approx([0.025, 0.05, 0.05, 0.025, 0.5])


def test_one_value_or_no_correction_changes_nothing():
    assert adjusted(SOME, "none") == SOME
    assert all(adjusted([0.2], how) == [0.2] for how in ("none", "holm", "bh"))


def test_corrections_follow_their_values_wherever_these_stand():
    for how in ("holm", "bh"):
        for order in itertools.permutations(range(len(SOME))):
            found = adjusted([SOME[at] for at in order], how)
            assert found == [adjusted(SOME, how)[at] for at in order]


def test_without_scipy_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(
        MissingExtraError, match=r"scipy is not installed; .*gecbench\[statistics\]"
    ):
        adjusted(SOME, "bh")


def test_two_systems_share_a_group_just_if_they_do_not_differ():
    dice = random.Random(1)
    for number in range(1, 9):
        names = [f"s{n}" for n in range(number)]
        pairs = [frozenset(pair) for pair in itertools.combinations(names, 2)]
        for share in (0, 0.3, 0.7, 1):
            different = {pair for pair in pairs if dice.random() < share}
            found = groups(names, different)
            together = {
                frozenset(pair) for group in found for pair in itertools.combinations(group, 2)
            }
            assert together == set(pairs) - different
            assert {name for group in found for name in group} == set(names)
            assert not any(set(a) <= set(b) for a, b in itertools.permutations(found, 2))


def test_more_groups_than_can_be_read_are_given_up():
    """Triples whose members all differ: a group takes one of each, so there are 3 ** 20."""
    names = [f"{n}{letter}" for n in range(20) for letter in "abc"]
    triples = (names[at : at + 3] for at in range(0, 60, 3))
    different = {frozenset(pair) for some in triples for pair in itertools.combinations(some, 2)}
    with pytest.raises(TooManyGroups):
        groups(names, different)
    # Systems on a scale have few, however many they are.
    near = {
        frozenset((one, two))
        for (m, one), (n, two) in itertools.combinations(enumerate(names), 2)
        if n - m > 7
    }
    assert len(groups(names, near)) == 53


def test_groups_begin_with_the_best():
    assert groups("DBA", {frozenset("DA")}) == (("D", "B"), ("B", "A"))
    assert groups("DBA", set()) == (("D", "B", "A"),)
    assert groups((), set()) == ()
