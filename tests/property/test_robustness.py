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
from gecbench.core.edit import Edit
from gecbench.core.files import encode_text
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.core.score import Counts
from gecbench.edits.apply import apply
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
    found = official(rows, beta)
    best, upper = slow_extreme(rows, beta, best=True)
    worst, lower = slow_extreme(rows, beta, best=False)
    assert found.upper == Counts(*upper)
    assert found.lower == Counts(*lower)
    assert found.consistent == tuple(a == b for a, b in zip(best, worst, strict=True))
    assert found.original == Counts(*(sum(row[0][k] for row in rows) for k in range(3)))
    assert found.equal == tuple(
        tuple(slow_f(*each, beta) == slow_f(*row[0], beta) for each in row[1:]) for row in rows
    )


@given(ROWS.filter(bool), st.integers(2, 6))
def test_other_orders_hold_the_order_of_the_file(rows, orders: int):
    found = in_other_orders(rows, 0.5, orders=orders, seed=3)
    here = official(rows, 0.5)
    count = sum(here.consistent)
    assert found.consistent_cases[0] <= count <= found.consistent_cases[1]
    assert found.upper_f[0] <= here.upper.f(0.5) <= found.upper_f[1]
    assert found.lower_f[0] <= here.lower.f(0.5) <= found.lower_f[1]
    spread = found.consistent_cases[1] - found.consistent_cases[0]
    assert spread <= found.unsettled_cases <= len(rows)


@given(ROWS.filter(bool))
def test_two_orders_are_that_of_the_file_and_its_reverse(rows):
    found = in_other_orders(rows, 0.5, orders=2, seed=0)
    here, there = official(rows, 0.5), official(rows[::-1], 0.5)
    pairs = list(zip(here.consistent, there.consistent[::-1], strict=True))
    assert found.unsettled_cases == sum(one != two for one, two in pairs)
    counts = sum(here.consistent), sum(there.consistent)
    assert found.consistent_cases == (min(counts), max(counts))
    bounds = here.upper.f(0.5), there.upper.f(0.5)
    assert found.upper_f == (min(bounds), max(bounds))
    bounds = here.lower.f(0.5), there.lower.f(0.5)
    assert found.lower_f == (min(bounds), max(bounds))


def distance(one, two) -> int:
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(two, 1):
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
    assert all(one.end < two.start for one, two in pairwise(regions))


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
        found = [image(regions, at) for at in range(len(original) + 1)]
        assert all(0 <= low <= high <= len(variant) for low, high in found)
        assert [low for low, _ in found] == sorted(low for low, _ in found)


@given(TOKENS, TOKENS, CHANGES, CHANGES)
def test_copying_and_following_references_are_consistent_whatever_the_data(one, two, gold, other):
    regions = perturbations(one, two)
    assert is_consistent(SentenceChanges((), gold), SentenceChanges((), other), regions)
    assert is_consistent(SentenceChanges(gold, gold), SentenceChanges(other, other), regions)


@given(TOKENS, CHANGES, CHANGES)
def test_without_a_perturbation_only_equal_changes_are_consistent(tokens, one, two):
    """But for what hits errors of one reference alone, so here both have the same errors."""
    assert is_consistent(SentenceChanges(one, ()), SentenceChanges(two, ()), ()) == (
        sorted(one) == sorted(two)
    )
    gold = one
    assert is_consistent(SentenceChanges(one, gold), SentenceChanges(two, gold), ()) == (
        sorted(one) == sorted(two)
    )


@given(TOKENS.filter(bool), st.data())
def test_changes_carried_through_an_insertion_stay_the_same(tokens, data):
    at = data.draw(st.integers(0, len(tokens)))
    new = ("n",) * data.draw(st.integers(1, 3))
    variant = (*tokens[:at], *new, *tokens[at:])
    start = data.draw(st.integers(0, len(tokens) - 1))
    end = start + 1
    one = (start, end, ("z",))
    two = (start + len(new), end + len(new), ("z",)) if start >= at else one
    regions = perturbations(tokens, variant)
    assert is_consistent(SentenceChanges((one,), ()), SentenceChanges((two,), ()), regions)
    assert not is_consistent(SentenceChanges((one,), ()), SentenceChanges((), ()), regions)
    assert not is_consistent(
        SentenceChanges((one,), ()), SentenceChanges(((two[0], two[1], ("y",)),), ()), regions
    )


@given(TOKENS, TOKENS, CHANGES, CHANGES)
def test_every_error_has_at_most_one_partner(one, two, gold, other):
    found = partners(gold, other, perturbations(one, two))
    assert len(set(found.values())) == len(found)
    assert set(found) <= set(range(len(gold)))
    assert set(found.values()) <= set(range(len(other)))


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
    texts = [each.reference for case in subset.cases for each in case.all]
    lines = blocks(subset, texts if answered else None).split("\n")
    found = read_blocks(Path("para.txt"), lines)
    assert tuple(block.case for block in found) == subset.cases
    assert [text for block in found for text in block.predictions] == (texts if answered else [])


@given(sets(), st.randoms(use_true_random=False))
def test_permuting_systems_permutes_rows(cases: PerturbedSet, random):
    sources = [each.source for case in cases.cases for each in case.all]
    references = [each.reference for case in cases.cases for each in case.all]
    mixed = [random.choice(pair) for pair in zip(sources, references, strict=True)]
    outputs = [
        system(name, texts, cases)
        for name, texts in (("copy", sources), ("perfect", references), ("mixed", mixed))
    ]
    one = robustness(cases, outputs, scheme=zh_char(), orders=2)
    two = robustness(cases, outputs[::-1], scheme=zh_char(), orders=2)
    by_system = [{}, {}]
    for found, made in zip((one, two), by_system, strict=True):
        for one_system in found.systems:
            made.setdefault(one_system.system, []).append(one_system)
    assert list(by_system[0]) == list(by_system[1])[::-1]
    assert by_system[0] == by_system[1]
    names = {PERFECT: "perfect", COPY: "copy"}
    for trivial in one.trivial:  # they are what systems of the kind reach
        name = names[trivial.system]
        same = next(own for own in by_system[0][name] if own.subset == trivial.subset)
        assert trivial == replace(same, system=trivial.system, orders=None)
        assert all(map(all, trivial.verdicts.same))
