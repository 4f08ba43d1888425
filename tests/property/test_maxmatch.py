"""Both MaxMatch kernels against literal code, on pairs of few letters, where ties abound."""

from __future__ import annotations

import random
import shutil
import sysconfig
from array import array
from pathlib import Path

import pytest
import reference_maxmatch as reference
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.edit import Edit
from gecbench.edits import maxmatch
from gecbench.edits.maxmatch import approximate, build_graph, pairs

LIMIT = 10**6


def kernels():
    yield maxmatch.proposals
    if maxmatch.compiled is not None:
        yield maxmatch.compiled.proposals


def coded(text: str) -> bytes:
    return array("I", map(ord, text)).tobytes()


def golds_of(dice: random.Random, source: str, letters: str) -> list[tuple[int, int, list[str]]]:
    """Duplicates, overlaps, any order, insertions at one place, identity and alternatives."""
    golds = []
    for _ in range(dice.randrange(7)):
        start = dice.randrange(len(source) + 1)
        end = min(len(source), start + dice.choice((0, 0, 1, 1, 2, 3)))
        texts = [
            "".join(dice.choices(letters, k=dice.randrange(4)))
            if dice.random() < 0.9
            else source[start:end]
            for _ in range(dice.choice((1, 1, 2)))
        ]
        golds.append((start, end, texts))
    if golds and dice.random() < 0.3:
        golds.append(dice.choice(golds))
    return golds


def pair_of(dice: random.Random) -> tuple[str, str, str]:
    """A source, a hypothesis that is often a relative of it, and the letters of both."""
    letters = "abcd"[: dice.randrange(1, 5)]
    source = "".join(dice.choices(letters, k=dice.randrange(8)))
    if dice.random() < 0.5:
        return source, "".join(dice.choices(letters, k=dice.randrange(8))), letters
    target = list(source)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(target) + 1)
        target[at : at + dice.randrange(3)] = dice.choices(letters, k=dice.randrange(3))
    return source, "".join(target), letters


def as_codes(golds) -> tuple[maxmatch.Gold, ...]:
    return tuple((start, end, tuple(map(coded, texts))) for start, end, texts in golds)


def as_edits(golds) -> list[Edit]:
    return [
        Edit(start, end, tuple(texts[0]), alternatives=tuple(map(tuple, texts[1:])))
        for start, end, texts in golds
    ]


def spaced(golds):
    return [(start, end, [" ".join(text) for text in texts]) for start, end, texts in golds]


def test_compiled_kernel_is_tested_wherever_it_could_be_built():
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if shutil.which("g++") and header.exists():
        assert maxmatch.kernel_name() == "compiled"
        assert len(list(kernels())) == 2
    else:
        assert next(iter(kernels())) is maxmatch.proposals


@pytest.mark.slow
def test_edits_and_matches_are_those_of_the_literal_reference_on_thousands_of_random_pairs():
    dice = random.Random(14)
    matched = doubled = 0
    for _ in range(4000):
        source, target, letters = pair_of(dice)
        golds = golds_of(dice, source, letters)
        limit = dice.choice((0, 1, 2, 2, 2, 3))
        want = reference.proposals(source, target, spaced(golds), limit)
        for proposals in kernels():
            spans = proposals(coded(source), coded(target), limit, (as_codes(golds),), LIMIT)
            assert spans == [want], (source, target, golds, limit)
        (spans,) = maxmatch.match(
            tuple(source), tuple(target), [as_edits(golds)], max_unchanged_words=limit
        )
        # For equal texts the lattice has unchanged arcs alone.
        edits = [(e.start, e.end, e.replacement) for e in spans.proposed]
        assert edits == [(i, x, tuple(target[j:y])) for i, x, j, y in want]
        assert list(spans.matched) == reference.matches(source, target, want, spaced(golds))
        matched += len(spans.matched) > 1
        doubled += len({n for n, _ in spans.matched}) < len(spans.matched)
    # The pairs are worth something only if they match, and twice.
    assert matched > 300
    assert doubled > 50


@given(st.integers(0, 2**32))
def test_both_kernels_agree_on_longer_pairs_and_several_annotators(seed):
    dice = random.Random(seed)
    letters = "abcdefgh"[: dice.randrange(2, 9)]
    source, target = ("".join(dice.choices(letters, k=dice.randrange(18))) for _ in range(2))
    golds = tuple(as_codes(golds_of(dice, source, letters)) for _ in range(3))
    limit = dice.randrange(6)
    matchings = [kernel(coded(source), coded(target), limit, golds, LIMIT) for kernel in kernels()]
    assert all(matching == matchings[0] for matching in matchings)


@given(st.integers(0, 2**32))
def test_both_kernels_refuse_from_the_same_size_on(seed):
    source, target, _ = pair_of(random.Random(seed))
    size = pairs(build_graph(coded(source), coded(target)), 2)
    for proposals in kernels():
        assert proposals(coded(source), coded(target), 2, ((),), size) is not None
        if size:
            assert proposals(coded(source), coded(target), 2, ((),), size - 1) is None


def test_the_bound_is_never_less_than_the_arcs_there_are():
    dice = random.Random(5)
    for _ in range(500):
        source, target, _ = pair_of(dice)
        limit = dice.randrange(4)
        vertices, listed, arcs = reference.union(source, target)
        reference.close(vertices, listed, arcs, limit)
        assert len(arcs) <= pairs(build_graph(coded(source), coded(target)), limit)


@pytest.mark.slow
def test_the_linear_way_finds_nearly_always_as_many_matches_and_proposals():
    dice = random.Random(9)
    other = 0
    for _ in range(3000):
        source, target, letters = pair_of(dice)
        golds = golds_of(dice, source, letters)
        edits = [
            reference.proposals(source, target, spaced(golds), 2),
            approximate(coded(source), coded(target), 2, (as_codes(golds),))[0],
        ]
        first, second = (
            (len(reference.matches(source, target, e, spaced(golds))), len(e)) for e in edits
        )
        other += source != target and first != second
    assert other < 60


@given(st.integers(0, 2**32))
def test_what_is_proposed_leads_from_the_source_to_the_hypothesis(seed):
    dice = random.Random(seed)
    source, target, letters = pair_of(dice)
    golds = as_codes(golds_of(dice, source, letters))
    ways = [kernel(coded(source), coded(target), 2, (golds,), LIMIT) for kernel in kernels()]
    for (spans,) in [*ways, approximate(coded(source), coded(target), 2, (golds,))]:
        at = (0, 0)
        for i, x, j, y in spans:
            assert source[at[0] : i] == target[at[1] : j]
            at = (x, y)
        assert source[at[0] :] == target[at[1] :]
