"""Robustness: the official rule against slow code, mapping, and the stricter rule."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from perturbed_set import blocks, system
from strategies import TEXTS

from gecbench.analysis.perturbed_cases import end_image, perturbations, start_image
from gecbench.analysis.robustness import (
    COPY,
    PERFECT,
    SentenceChanges,
    in_other_orders,
    is_consistent,
    official,
    partners,
)
from gecbench.api.robustness import robustness
from gecbench.core.edit import Edit, apply
from gecbench.core.files import encode_text
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.core.score import Counts
from gecbench.formats.perturbed import read_blocks, read_perturbed, write_perturbed
from gecbench.lang.zh.char import scheme as zh_char

TRIPLES = st.tuples(*[st.integers(0, 4)] * 3)
ROWS = st.lists(st.tuples(*[TRIPLES] * 4), max_size=12)
TOKENS = st.lists(st.sampled_from("abcd"), max_size=8).map(tuple)
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 6), st.integers(0, 2), st.lists(st.sampled_from("xy"), max_size=1)
    ).map(lambda three: (three[0], three[0] + three[1], tuple(three[2]))),
    max_size=3,
    unique=True,
).map(tuple)


def slow_f(tp: int, fp: int, fn: int, beta: float) -> float:
    p = float(tp) / (tp + fp) if fp else 1.0
    r = float(tp) / (tp + fn) if fn else 1.0
    return round(float((1 + beta**2) * p * r) / ((beta**2 * p) + r) if p + r else 0.0, 4)


def slow_extreme(rows, beta: float, *, best: bool):
    """As the specification words it: index 0 first, then only strict improvement."""
    total = (0, 0, 0)
    chosen = []
    for row in rows:
        at, now = 0, None
        for k, (tp, fp, fn) in enumerate(row):
            f = slow_f(total[0] + tp, total[1] + fp, total[2] + fn, beta)
            if now is not None:
                old_f, old_tp, old_fp, old_fn = now
                better = f > old_f if best else f < old_f
                if f == old_f:
                    better = tp > old_tp if best else tp < old_tp
                    if tp == old_tp:
                        better = fp < old_fp if best else fp > old_fp
                        if fp == old_fp:
                            better = fn < old_fn if best else fn > old_fn
                if not better:
                    continue
            at, now = k, (f, tp, fp, fn)
        chosen.append(at)
        total = tuple(a + b for a, b in zip(total, row[at], strict=True))
    return chosen, total


@given(ROWS, st.sampled_from([0.5, 1.0, 2.0]))
def test_the_official_rule_is_its_slow_reference_implementation(rows, beta: float):
    bounds = official(rows, beta)
    best, upper = slow_extreme(rows, beta, best=True)
    worst, lower = slow_extreme(rows, beta, best=False)
    assert bounds.upper == Counts(*upper)
    assert bounds.lower == Counts(*lower)
    assert bounds.consistent == tuple(a == b for a, b in zip(best, worst, strict=True))
    assert bounds.original == Counts(*(sum(row[0][k] for row in rows) for k in range(3)))
    assert bounds.equal == tuple(
        tuple(slow_f(*item, beta) == slow_f(*row[0], beta) for item in row[1:]) for row in rows
    )


@given(ROWS.filter(bool), st.integers(2, 6))
def test_other_orders_hold_the_order_of_the_file(rows, orders: int):
    bounds = in_other_orders(rows, 0.5, orders=orders, seed=3)
    here = official(rows, 0.5)
    count = sum(here.consistent)
    assert bounds.consistent_cases[0] <= count <= bounds.consistent_cases[1]
    assert bounds.upper_f[0] <= here.upper.f(0.5) <= bounds.upper_f[1]
    assert bounds.lower_f[0] <= here.lower.f(0.5) <= bounds.lower_f[1]
    spread = bounds.consistent_cases[1] - bounds.consistent_cases[0]
    assert spread <= bounds.unsettled_cases <= len(rows)


@given(ROWS.filter(bool))
def test_two_orders_are_that_of_the_file_and_its_reverse(rows):
    orders = in_other_orders(rows, 0.5, orders=2, seed=0)
    here, there = official(rows, 0.5), official(rows[::-1], 0.5)
    pairs = list(zip(here.consistent, there.consistent[::-1], strict=True))
    assert orders.unsettled_cases == sum(first != second for first, second in pairs)
    counts = sum(here.consistent), sum(there.consistent)
    assert orders.consistent_cases == (min(counts), max(counts))
    bounds = here.upper.f(0.5), there.upper.f(0.5)
    assert orders.upper_f == (min(bounds), max(bounds))
    bounds = here.lower.f(0.5), there.lower.f(0.5)
    assert orders.lower_f == (min(bounds), max(bounds))


def distance(first, second) -> int:
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


@given(TOKENS, TOKENS)
def test_perturbations_make_the_variant_of_the_original_at_least_cost(original, variant):
    regions = perturbations(original, variant)
    edits = [Edit(r.start, r.end, variant[r.to_start : r.to_end]) for r in regions]
    assert apply(edits, original) == variant
    assert sum(max(r.end - r.start, r.to_end - r.to_start) for r in regions) == distance(
        original, variant
    )
    assert all(edits.end < second.start for edits, second in pairwise(regions))


@given(TOKENS, TOKENS)
def test_tokens_outside_perturbations_are_found_again(original, variant):
    regions = perturbations(original, variant)
    for at, token in enumerate(original):
        if any(r.start <= at < r.end for r in regions):
            continue
        (low, high), (end, last) = start_image(regions, at), end_image(regions, at + 1)
        assert (low, end) == (high, last) == (low, low + 1)
        assert variant[low] == token


@given(TOKENS, TOKENS)
def test_places_stay_inside_the_variant_and_in_order(original, variant):
    regions = perturbations(original, variant)
    for image in (start_image, end_image):
        places = [image(regions, at) for at in range(len(original) + 1)]
        assert all(0 <= low <= high <= len(variant) for low, high in places)
        assert [low for low, _ in places] == sorted(low for low, _ in places)


@given(TOKENS, TOKENS, CHANGES, CHANGES)
def test_copying_and_following_references_are_consistent_whatever_the_data(
    first, second, gold, other
):
    regions = perturbations(first, second)
    assert is_consistent(SentenceChanges((), gold), SentenceChanges((), other), regions)
    assert is_consistent(SentenceChanges(gold, gold), SentenceChanges(other, other), regions)


@given(TOKENS, CHANGES, CHANGES)
def test_without_a_perturbation_only_equal_changes_are_consistent(tokens, first, second):
    """But for what hits errors of one reference alone, so here both have the same errors."""
    assert is_consistent(SentenceChanges(first, ()), SentenceChanges(second, ()), ()) == (
        sorted(first) == sorted(second)
    )
    gold = first
    assert is_consistent(SentenceChanges(first, gold), SentenceChanges(second, gold), ()) == (
        sorted(first) == sorted(second)
    )


@given(TOKENS.filter(bool), st.data())
def test_changes_carried_through_an_insertion_stay_the_same(tokens, data):
    at = data.draw(st.integers(0, len(tokens)))
    new = ("n",) * data.draw(st.integers(1, 3))
    variant = (*tokens[:at], *new, *tokens[at:])
    start = data.draw(st.integers(0, len(tokens) - 1))
    end = start + 1
    change = (start, end, ("z",))
    two = (start + len(new), end + len(new), ("z",)) if start >= at else change
    regions = perturbations(tokens, variant)
    assert is_consistent(SentenceChanges((change,), ()), SentenceChanges((two,), ()), regions)
    assert not is_consistent(SentenceChanges((change,), ()), SentenceChanges((), ()), regions)
    assert not is_consistent(
        SentenceChanges((change,), ()), SentenceChanges(((two[0], two[1], ("y",)),), ()), regions
    )


@given(TOKENS, TOKENS, CHANGES, CHANGES)
def test_every_error_has_at_most_one_partner(first, second, gold, other):
    pairs = partners(gold, other, perturbations(first, second))
    assert len(set(pairs.values())) == len(pairs)
    assert set(pairs) <= set(range(len(gold)))
    assert set(pairs.values()) <= set(range(len(other)))


LINES = st.text("我你他好书了的 a", min_size=1, max_size=8).filter(str.strip)


@st.composite
def sets(draw: st.DrawFn, texts: st.SearchStrategy[str] = LINES) -> PerturbedSet:
    width = draw(st.integers(1, 3))
    variant = st.builds(Variant, texts.filter(str.strip), texts)
    subsets = []
    for name in draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True)):
        cases = [
            PerturbedCase(str(n), draw(variant), tuple(draw(variant) for _ in range(width)))
            for n in range(1, draw(st.integers(1, 3)) + 1)
        ]
        subsets.append(Subset(name, tuple(cases)))
    return PerturbedSet("x", tuple(subsets), "zh", draw(st.dictionaries(texts, texts, max_size=1)))


@given(sets(TEXTS))
def test_jsonl_of_cases_is_lossless(tmp_path_factory, cases: PerturbedSet):
    path = tmp_path_factory.mktemp("cases") / "cases.jsonl"
    path.write_bytes(encode_text(path, write_perturbed(cases)))
    assert read_perturbed(path) == cases


@given(sets(), st.booleans())
def test_blocks_are_read_as_they_were_written(cases: PerturbedSet, answered: bool):
    (subset, *_) = cases.subsets
    texts = [item.reference for case in subset.cases for item in case.all]
    lines = blocks(subset, texts if answered else None).split("\n")
    result = read_blocks(Path("para.txt"), lines)
    assert tuple(block.case for block in result) == subset.cases
    assert [text for block in result for text in block.predictions] == (texts if answered else [])


@given(sets(), st.randoms(use_true_random=False))
def test_permuting_systems_permutes_rows(cases: PerturbedSet, random):
    sources = [item.source for case in cases.cases for item in case.all]
    references = [item.reference for case in cases.cases for item in case.all]
    mixed = [random.choice(pair) for pair in zip(sources, references, strict=True)]
    outputs = [
        system(name, texts, cases)
        for name, texts in (("copy", sources), ("perfect", references), ("mixed", mixed))
    ]
    first_run = robustness(cases, outputs, scheme=zh_char(), orders=2)
    two = robustness(cases, outputs[::-1], scheme=zh_char(), orders=2)
    by_system = [{}, {}]
    for ours, expected in zip((first_run, two), by_system, strict=True):
        for one_system in ours.systems:
            expected.setdefault(one_system.system, []).append(one_system)
    assert list(by_system[0]) == list(by_system[1])[::-1]
    assert by_system[0] == by_system[1]
    names = {PERFECT: "perfect", COPY: "copy"}
    for trivial in first_run.trivial:  # they are what systems of the kind reach
        name = names[trivial.system]
        same = next(
            system_own for system_own in by_system[0][name] if system_own.subset == trivial.subset
        )
        assert trivial == replace(same, system=trivial.system, orders=None)
        assert all(map(all, trivial.verdicts.same))
