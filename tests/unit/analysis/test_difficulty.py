"""Weights, sums, types, break-even points and ranks."""

from __future__ import annotations

import math

import pytest
from messages import expect_error

from gecbench.analysis.difficulty import (
    LEFT_OUT,
    UNCHANGED,
    TypeDifficulty,
    WeightedCounts,
    break_even,
    by_type,
    chunk_table,
    rank_changes,
    weighted_counts,
)
from gecbench.analysis.options import Weighting
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.score import ranks

A, B = Edit(0, 1, ("A",), "R:ONE"), Edit(1, 1, ("B",), "M")


def cases(references, **systems):
    versions = tuple(map(CaseRewrite, references))
    return {
        name: [Case("1", (CaseRewrite(edits),), versions, edit_tokens=("a", "b"))]
        for name, edits in systems.items()
    }


def test_weights_are_the_share_of_systems_that_fail_unless_told_otherwise():
    assert Weighting().table(4) == (1.0, 0.75, 0.5, 0.25, 0.0)
    assert Weighting(2, 1, 1).table(1) == (1.5, 1.0)


@pytest.mark.parametrize(
    ("weighting", "systems", "message"),
    [
        (Weighting(), 0, "weights need at least one system"),
        (Weighting(c=-2), 2, "c -2 leaves nothing to divide by: 2 systems and c must be above 0"),
        (Weighting(a=0.5), 2, "that all 2 systems get right the weight -0.5"),
        (Weighting(a=math.inf), 2, r"a inf must be from -1e\+06 to 1e\+06"),
        (Weighting(b=math.nan), 2, r"b nan must be from -1e\+06 to 1e\+06"),
        (Weighting(a=1e308, b=-1e308), 2, r"a 1e\+308 must be from"),
        (Weighting(b=-9, c=-2 + 1e-15), 2, "c -2 leaves next to nothing to divide by: 2 systems"),
    ],
)
def test_weights_without_meaning_are_refused(weighting, systems, message):
    with pytest.raises(UsageError, match=message):
        weighting.table(systems)


def test_letters_weights_and_numbers_of_systems_that_are_right():
    table = chunk_table(cases([(A, B)], one=(A,), two=()), [0])
    assert table.verdicts == {"one": ("NTMNN",), "two": ("NMMNN",)}
    assert table.right == ((2, 1, 0, 2, 2),)
    assert (table.size, table.errors) == (5, 2)


def test_a_sentence_is_left_out_or_taken_as_free_of_errors():
    assert chunk_table(cases([(A,)], one=(A,)), [LEFT_OUT]).ids == ()
    assert chunk_table(cases([(A,)], one=(A,)), [UNCHANGED]).verdicts == {"one": ("NFNNN",)}


def test_pooled_edits_are_refused_with_the_sentence():
    with expect_error(CorpusError, "sentence '1'", "in a system", "span 0 1"):
        chunk_table(cases([(A,)], one=(A, Edit(0, 1, ("X",)))), [0])
    with expect_error(CorpusError, "sentence '1'", "in its reference", "span 0 1"):
        chunk_table(cases([(A, Edit(0, 1, ("X",)))], one=()), [0])


def test_a_changed_error_is_both_a_false_positive_and_a_false_negative():
    table = chunk_table(cases([(A,)], one=(Edit(0, 1, ("X",)), Edit(2, 2, ("!",)))), [0])
    counts = weighted_counts(table, [[1.0, 2.0, 4.0, 8.0, 16.0]], 0.5)["one"]
    assert (counts.tp, counts.fp, counts.fn, counts.tn, counts.all) == (0, 18, 2, 13, 31)


def test_ratios_that_would_divide_by_nothing_are_0():
    empty = chunk_table(cases([()], one=()), [LEFT_OUT])
    assert weighted_counts(empty, [], 0.5)["one"] == WeightedCounts(*[0] * 9)


def test_sums_go_from_left_to_right():
    gold = tuple(Edit(at, at + 1, ("x",), "R") for at in range(200))
    cases = {
        "one": [Case("1", (CaseRewrite(gold),), (CaseRewrite(gold),), edit_tokens=("a",) * 200)]
    }
    weights = [[0.1 * (at % 2) for at in range(401)]]
    want = 0.0
    for _ in range(200):
        want += 0.1
    assert (
        weighted_counts(chunk_table(cases, [0]), weights, 0.5)["one"].tp
        == want
        != math.fsum([0.1] * 200)
    )


def test_types_at_each_level_the_most_difficult_first():
    both = (A, B, Edit(2, 2, ("C",), "R:TWO"))
    table = chunk_table(cases([both], one=()), [0])
    weights = [[0.0, 0.5, 0.25, 0.0, 0.75]]
    assert by_type(table, weights, 3) == (
        TypeDifficulty("R:TWO", 0.75, 0.0, 1, 0.75, 0.75),
        TypeDifficulty("R:ONE", 0.5, 0.0, 1, 0.5, 0.5),
        TypeDifficulty("M", 0.25, 0.0, 1, 0.25, 0.25),
    )
    assert [row.label for row in by_type(table, weights, 2)] == ["TWO", "ONE", ""]
    first = by_type(table, weights, 1)[0]
    assert (first.label, first.mean, first.errors) == ("R", 0.625, 2)
    assert first.deviation == pytest.approx(math.sqrt(2) / 8)
    assert (first.low, first.high) == (0.5, 0.75)  # not beyond what the weights are


def test_break_even_is_where_sums_of_weights_are_equal_and_ahead_is_beyond_it():
    point = break_even(40, 5, 16, Weighting())
    assert point.level == pytest.approx(4)
    assert (point.ahead, point.possible) == (5, True)
    assert not break_even(17, 5, 16, Weighting()).possible


def test_equal_values_share_the_better_rank():
    assert ranks([0.1, 0.3, 0.3, 0.2]) == [4, 1, 1, 3]


def test_values_that_differ_by_the_order_of_a_sum_alone_are_equal():
    assert ranks([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.1]) == [1, 1, 3]
    assert ranks([0.6, 0.6 + 1e-9]) == [2, 1]


def test_change_is_how_many_ranks_higher_the_first_measure_puts_a_system():
    changes = rank_changes(["a", "b", "c"], [0.1, 0.3, 0.2], [0.9, 0.8, 0.7])
    assert [
        (change.system, change.rank, change.plain_rank, change.change) for change in changes
    ] == [
        ("b", 1, 2, 1),
        ("c", 2, 3, 1),
        ("a", 3, 1, -2),
    ]
