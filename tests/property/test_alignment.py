"""The kernels and the edit sets against slow code, where ties and transpositions abound."""

from __future__ import annotations

import random
import shutil
import sysconfig
from pathlib import Path

import pytest
import reference_alignment as reference
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from gecbench.edits import alignment, kernel
from gecbench.edits.alignment import edit_sets
from gecbench.edits.features import FeatureCosts, Features, Weights, build
from gecbench.lang.zh.char import parse
from gecbench.lang.zh.cherrant import MERGE_MARKS, windows, within_one_edit

WEIGHTS = Weights((1.0, 2 / 3, 1 / 3, 0.0), 4 / 6.0, 0.5, 0.25, 0.499, 0.0, 0.25)
# Sums of these are exact, so that ties which rounding breaks elsewhere hold in long texts too.
EXACT = Weights((1.0, 0.75, 0.25, 0.0), 0.75, 0.5, 0.25, 0.5, 0.0, 0.25)
LETTERS = "甲乙丙丁，。a"


def costs_of(seed: int) -> FeatureCosts:
    """A cost table with random facts about the letters, from the values that ChERRANT has."""
    dice = random.Random(seed)
    features = {}
    for letter in LETTERS:
        component = tuple(dice.randrange(1, 3) for _ in range(3))
        mark = letter in "，。" or dice.random() < 0.1
        features[ord(letter)] = Features(
            components=component if dice.random() < 0.7 else None,
            sounds=frozenset(dice.sample(range(4), dice.randrange(3))),
            sounded=not mark and dice.random() < 0.8,  # else a substitution could cost nothing
            mark=mark,
        )
    pairs = {ord(a): [ord(b) for b in LETTERS if a != b and dice.random() < 0.1] for a in LETTERS}
    return FeatureCosts(build(features, pairs, EXACT if seed % 2 else WEIGHTS, {}))


TABLES = [costs_of(seed) for seed in range(12)]

text = st.text(alphabet=LETTERS, max_size=9)
table = st.sampled_from(TABLES)


def kernels():
    yield kernel.Lattice
    if alignment.compiled is not None:
        yield lambda a, b, costs: alignment.compiled.Lattice(a, b, costs.data if costs else None)


def sets(make, source: str, target: str, costs: FeatureCosts, *, first: bool = False):
    source_parse, target_parse = parse(source), parse(target)
    n, m = len(source_parse.tokens), len(target_parse.tokens)
    actual_sets = edit_sets(
        make(source_parse.codes, target_parse.codes, costs),
        n,
        m,
        window=windows(source_parse.tokens, target_parse.tokens),
        first=first or abs(n - m) > 10,
    )
    assert not actual_sets.capped
    return list(actual_sets.sets)


def test_compiled_kernel_is_tested_wherever_it_could_be_built():
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if shutil.which("g++") and header.exists():
        assert alignment.kernel_name() == "compiled"
        assert len(list(kernels())) == 2
    else:
        assert next(iter(kernels())) is kernel.Lattice


@given(text, text, table, st.booleans())
def test_edit_sets_are_those_of_the_reference_in_its_order(source, target, costs, first):
    want = reference.edit_sets(source, target, costs.cost, MERGE_MARKS, first=first)
    for make in kernels():
        assert sets(make, source, target, costs, first=first) == want


@pytest.mark.slow
def test_edit_sets_are_those_of_the_reference_on_thousands_of_random_pairs():
    dice = random.Random(20)
    several = swaps = 0
    for number in range(12000):
        letters = LETTERS[: dice.randrange(2, len(LETTERS) + 1)]
        source = "".join(dice.choices(letters, k=dice.randrange(0, 9)))
        if dice.random() < 0.5:  # a relative of the source: moved, doubled and lost pieces
            target = list(source)
            for _ in range(dice.randrange(1, 4)):
                at = dice.randrange(len(target) + 1)
                piece = target[at : at + dice.randrange(1, 4)]
                del target[at : at + len(piece) * dice.randrange(2)]
                to = dice.randrange(len(target) + 1)
                target[to:to] = piece
            target = "".join(target)[:10]
        else:
            target = "".join(dice.choices(letters, k=dice.randrange(0, 9)))
        costs = TABLES[number % len(TABLES)]
        want = reference.edit_sets(source, target, costs.cost, MERGE_MARKS)
        several += len(want) > 1
        swaps += any(edit[0] == "T" for edits in want for edit in edits)
        for make in kernels():
            assert sets(make, source, target, costs) == want, (source, target)
    # The pairs are worth something only if they tie and transpose.
    assert several > 500
    assert swaps > 500


@given(text, text)
def test_plain_edit_distance_takes_the_stated_path(source, target):
    want = next(
        reference.paths(
            [ord(c) for c in source],
            [ord(c) for c in target],
            lambda *_: 1.0,
            swaps=False,
            first=True,
        )
    )
    for make in kernels():
        lattice = make(parse(source).codes, parse(target).codes, None)
        assert lattice.steps() == "".join(step[0] for step in want)


@given(text, text, table)
def test_both_kernels_give_the_same_arcs_everywhere(source, target, costs):
    lattices = [make(parse(source).codes, parse(target).codes, costs) for make in kernels()]
    for first in (True, False):
        chains = [lattice.chain(first) for lattice in lattices]
        assert all(chain == chains[0] for chain in chains)
    cells = {(len(source), len(target), False)}
    while cells:
        i, j, in_run = cells.pop()
        answers = [lattice.arcs(i, j, in_run) for lattice in lattices]
        assert all(answer == answers[0] for answer in answers)
        cells |= {(x, y, kind not in "MT") for kind, x, y in answers[0]}


@given(text, text)
def test_within_one_edit_agrees_with_a_library(first, second):
    assert within_one_edit(first, second) == (Levenshtein.distance(first, second) <= 1)


@given(text, text, table)
def test_merged_edits_are_sorted_and_do_not_overlap(source, target, costs):
    for make in kernels():
        for edits in sets(make, source, target, costs):
            ends = [(0, 0)]
            for _, start, end, target_start, target_end in edits:
                assert start >= ends[-1][0]
                assert target_start >= ends[-1][1]
                assert source[start:end] != target[target_start:target_end]
                # What lies between two edits is the same on both sides.
                assert source[ends[-1][0] : start] == target[ends[-1][1] : target_start]
                ends.append((end, target_end))
            assert source[ends[-1][0] :] == target[ends[-1][1] :]


def test_co_optimal_paths_are_not_listed():
    """Nothing in common at 1.75 each: C(n, 10) paths, of which the official script dies."""
    dear = Weights((1.0, 2 / 3, 1 / 3, 0.0), 1.0, 0.5, 0.25, 0.499, 0.0, 0.25)
    costs = FeatureCosts(build({}, {}, dear, {}))
    for n in (12, 22, 200, 1000):
        source = "".join(chr(0x4E00 + at) for at in range(n))
        target = "".join(chr(0x6E00 + at) for at in range(n - 10))
        for make in list(kernels()) if n < 1000 else list(kernels())[-1:]:
            assert sets(make, source, target, costs) == [(("S", 0, n, 0, n - 10),)]
    source, target = "".join(map(chr, range(200, 212))), "".join(map(chr, range(300, 302)))
    paths = sum(1 for _ in reference.paths([*map(ord, source)], [*map(ord, target)], costs.cost))
    assert paths == 66  # C(12, 10): so they do tie


def ambiguous(times: int) -> tuple[str, str]:
    """Two different edit sets in each of so many pieces, kept apart by what is equal."""
    pieces = [chr(0x5000 + at) * 3 for at in range(times)]
    return "".join("甲甲丙甲乙乙丙" + p for p in pieces), "".join(
        "甲丙甲乙丙甲乙" + p for p in pieces
    )


def test_sets_that_differ_come_in_the_official_order():
    costs = TABLES[3]
    first, second = ambiguous(1)
    want = reference.edit_sets(first, second, costs.cost, MERGE_MARKS)
    assert len(want) == 4
    first, second = ambiguous(2)
    want = reference.edit_sets(first, second, costs.cost, MERGE_MARKS)
    assert len(want) == 16
    for make in kernels():
        assert sets(make, first, second, costs) == want


@pytest.mark.slow
def test_alignments_that_merge_to_one_set_are_not_listed_either():
    """Each piece has three alignments and one edit set: 3 to the 60th alignments, one set."""
    costs = TABLES[11]
    pieces = [chr(0x5000 + at) * 3 for at in range(60)]
    first, second = "".join("甲乙丙" + p for p in pieces), "".join("丙乙甲" + p for p in pieces)
    few = reference.edit_sets(first[:12], second[:12], costs.cost, MERGE_MARKS)
    lists = {
        tuple(reference.segments(p))
        for p in reference.paths([*map(ord, first[:12])], [*map(ord, second[:12])], costs.cost)
    }
    assert (len(lists), len(few)) == (9, 1)
    for make in kernels():
        (edits,) = sets(make, first, second, costs)
        assert len(edits) == 60


def test_a_text_of_few_letters_ends_as_soon_as_one_cell_has_too_many_sets():
    """Every second letter, then the others: walked way by way this takes minutes and gigabytes."""
    dice = random.Random(0)
    letters = [chr(0x5000 + 3 * at) for at in range(21)]
    source = "".join(dice.choices(letters, k=1200))
    target = source[1::2] + source[0::2]
    first, second = parse(source), parse(target)
    rule = windows(first.tokens, second.tokens)
    lattice = alignment.lattice(first.codes, second.codes, FeatureCosts(build({}, {}, EXACT, {})))
    extraction = edit_sets(lattice, 1200, 1200, window=rule, first=False)
    assert extraction.capped
    assert extraction.sets == edit_sets(lattice, 1200, 1200, window=rule, first=True).sets


def test_above_the_limit_the_first_set_is_kept_and_said():
    costs = TABLES[3]
    source, target = ambiguous(6)
    first, second = parse(source), parse(target)
    for make in kernels():
        rule = windows(first.tokens, second.tokens)
        lattice = make(first.codes, second.codes, costs)
        n, m = len(first.tokens), len(second.tokens)
        extraction = edit_sets(lattice, n, m, window=rule, first=False)
        assert extraction.capped
        assert extraction.sets == edit_sets(lattice, n, m, window=rule, first=True).sets
        whole = edit_sets(lattice, n, m, window=rule, first=False, limit=4**6)
        assert not whole.capped
        assert len(whole.sets) == 4**6


def test_wide_transpositions_are_found_alike_by_both_kernels():
    """Reversed texts and shuffled blocks have windows within windows, which are proved once."""
    letters = "".join(chr(0x4E00 + at) for at in range(60))
    dice = random.Random(3)
    blocks = [letters[at : at + 7] for at in range(0, 60, 7)]
    shuffled = ["".join(dice.sample(block, len(block))) for block in blocks]
    targets = [letters[::-1], "".join(shuffled), "".join(shuffled[::-1])]
    targets += [letters[30:] + letters[:30], letters[::-1] * 2, letters[:20][::-1] + letters[20:]]
    for target in targets:
        for costs in (TABLES[0], FeatureCosts(build({}, {}, EXACT, {}))):
            for first in (True, False):
                by_kernel = [sets(make, letters, target, costs, first=first) for make in kernels()]
                assert all(answer == by_kernel[0] for answer in by_kernel)
    want = reference.edit_sets(letters[:9], letters[:9][::-1], TABLES[1].cost, MERGE_MARKS)
    for make in kernels():
        assert sets(make, letters[:9], letters[:9][::-1], TABLES[1]) == want
