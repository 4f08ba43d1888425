"""zh-char: the shortest sequence by the stated tie-breaking, and word order recognised."""

from __future__ import annotations

import itertools
from functools import cache
from types import SimpleNamespace

import pytest

from gecbench.core.edit import Edit, apply
from gecbench.edits import alignment
from gecbench.lang.zh import char
from gecbench.lang.zh.char import scheme, word_order

LAST = "MSID"
"""Which step the rule prefers at the end of both sentences: match, then S, I, D."""


@cache
def sequences(source: str, target: str) -> frozenset[str]:
    """Every sequence of steps between two texts, by the definition."""
    if not source and not target:
        return frozenset({""})
    step_lists: set[str] = set()
    if source and target:
        step = "M" if source[-1] == target[-1] else "S"
        step_lists |= {sequence + step for sequence in sequences(source[:-1], target[:-1])}
    if target:
        step_lists |= {sequence + "I" for sequence in sequences(source, target[:-1])}
    if source:
        step_lists |= {sequence + "D" for sequence in sequences(source[:-1], target)}
    return frozenset(step_lists)


@cache
def stated(source: str, target: str) -> str:
    """The sequence that the docstring names, found by looking at all of them."""
    step_lists = sequences(source, target)
    least = min(len(steps) - steps.count("M") for steps in step_lists)
    shortest = [steps for steps in step_lists if len(steps) - steps.count("M") == least]
    return min(shortest, key=lambda steps: [LAST.index(step) for step in reversed(steps)])


def edits_of(steps: str, target: str) -> list[Edit]:
    """Neighbours of one type together."""
    edits = []
    i = j = 0
    for kind, run in itertools.groupby(steps):
        width = len(list(run))
        end, to = i + width * (kind != "I"), j + width * (kind != "D")
        if kind != "M":
            edits.append(Edit(i, end, tuple(target[j:to]), {"I": "M", "D": "R", "S": "S"}[kind]))
        i, j = end, to
    return edits


def extract(source: str, target: str) -> tuple[Edit, ...]:
    new_scheme = scheme()
    extraction = new_scheme.extract(
        new_scheme.parse_source(source), new_scheme.parse_target(target)
    )
    assert not extraction.capped
    (edits,) = extraction.edit_sets
    return edits


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_of_all_shortest_sequences_it_is_the_stated_one(monkeypatch, compiled: bool):
    if not compiled:
        monkeypatch.setattr(alignment, "compiled", None)
    texts = ["".join(t) for length in range(6) for t in itertools.product("甲乙", repeat=length)]
    ties = 0
    for source, target in itertools.product(texts, repeat=2):
        want = edits_of(stated(source, target), target)
        assert extract(source, target) == word_order(want, source), (source, target)
        ties += len(want) > 1
    assert ties > 100


def test_the_text_may_be_anything():
    assert extract("", "") == ()
    assert extract("我", "我") == ()
    assert extract("", "我") == (Edit(0, 0, ("我",), "M"),)
    assert extract("我", "") == (Edit(0, 1, (), "R"),)
    assert extract("我[缺失成分]", "我好") == (Edit(1, 2, ("好",), "S"),)


@pytest.mark.parametrize(
    ("source", "target", "labels"),
    [
        ("我吃饭", "吃饭我", ["W:R", "W:M"]),
        ("吃饭我", "我吃饭", ["W:M", "W:R"]),
        ("我吃饭", "吃饭你", ["R", "M"]),
        ("我们吃饭", "吃饭我", ["R", "M"]),
        ("我们去吃饭", "去吃饭们我", ["R", "M"]),
        ("我们去吃饭", "去吃饭我们", ["W:R", "W:M"]),
    ],
)
def test_a_moved_text_is_a_word_order_edit(source: str, target: str, labels: list[str]):
    edits = extract(source, target)
    assert [edit.label for edit in edits] == labels
    assert apply(edits, tuple(source)) == tuple(target)


def test_each_part_of_a_word_order_edit_has_one_partner():
    """The rule of the docstring: deletions from the left, each takes the leftmost that is free."""
    places = [Edit(0, 1, (), "R"), Edit(2, 3, (), "R"), Edit(4, 5, (), "R"), Edit(5, 6, (), "S")]
    inserted = [Edit(1, 1, ("甲",), "M"), Edit(6, 6, ("甲",), "M"), Edit(7, 7, ("乙",), "M")]
    edits = sorted(places + inserted, key=lambda edit: (edit.start, edit.end))
    labels = {
        "甲_甲_甲甲_": ["W:R", "W:M", "W:R", "R", "S", "W:M", "M"],
        "甲_乙_甲甲_": ["W:R", "W:M", "W:R", "W:R", "S", "W:M", "W:M"],
        "丙_乙_甲甲_": ["R", "W:M", "W:R", "W:R", "S", "M", "W:M"],
    }
    for source, want in labels.items():
        ordered = word_order(edits, source)
        assert [edit.label for edit in ordered] == want
        assert [(e.start, e.end, e.replacement) for e in ordered] == [
            (e.start, e.end, e.replacement) for e in edits
        ]


def test_a_substitution_is_never_word_order():
    edits = [Edit(0, 1, ("甲",), "S"), Edit(2, 3, (), "R")]
    assert word_order(edits, "乙丙甲") == tuple(edits)


def test_it_says_what_it_is_in_the_signature():
    assert scheme().signature == {"scheme": "zh-char", "granularity": "char"}
    assert (scheme().name, scheme().lang) == ("zh-char", "zh")


def test_an_extension_of_before_still_finds_edits(monkeypatch):
    monkeypatch.setattr(char, "compiled", SimpleNamespace(spans=None, count_matches=print))
    older = char.scheme()
    assert older.count_matches is print
    assert older.count_shared_edits is None
