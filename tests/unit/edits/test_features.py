"""The feature table: what is built is what is read, and costs are those of the specification."""

from __future__ import annotations

import itertools
import random

import pytest

from gecbench.core.errors import ResourceError
from gecbench.edits.features import FeatureCosts, Features, Weights, build

WEIGHTS = Weights((1.0, 2 / 3, 1 / 3, 0.0), 4 / 6.0, 0.5, 0.25, 0.499, 0.0, 0.25)
SOME = {
    0x4E00: Features((68, 101, 5), frozenset({0, 7}), sounded=True),
    0x4E01: Features((68, 101, 5), frozenset({7}), sounded=True),
    0x4E02: Features((68, 102, 6), frozenset({1}), sounded=True),
    0x4E05: Features((75, 102, 5), frozenset({2}), sounded=True),
    0x4E06: Features(None, frozenset(), sounded=True),
    0x2C: Features(None, mark=True),
    0xFF0C: Features((0, 0, 0), mark=True),
    0x110000: Features((255, 255, 255), frozenset({65535})),
}
PAIRS = [(0x4E00, 0x4E05), (0x4E06, 0x4E02), (0x2C, 0x4E00)]
RELATED = {first: [second] for first, second in PAIRS}


def spec_cost(first: int, second: int) -> float:
    """Section 4 of the specification, read literally."""
    a, b = SOME.get(first, Features()), SOME.get(second, Features())
    sem = 4 / 6
    if a.components is not None and b.components is not None:
        d = [x == y for x, y in zip(a.components, b.components, strict=True)].count(True)
        sem = 2 * (3 - d) / 6.0
    chinese = a.sounded and b.sounded
    confused = (first, second) in PAIRS or (second, first) in PAIRS
    chr_cost = 0.0 if chinese and (a.sounds & b.sounds or confused) else 0.5
    pos = {0: 0.25, 1: 0.499, 2: 0.0}[a.mark + b.mark]
    return (sem + chr_cost) + pos


@pytest.fixture(scope="module")
def costs() -> FeatureCosts:
    return FeatureCosts(build(SOME, RELATED, WEIGHTS, {"cilin": "12ab", "by": "我"}))


def test_what_is_built_is_what_is_read(costs: FeatureCosts):
    assert {code: costs.features(code)[0] for code in SOME} == SOME
    assert costs.weights == WEIGHTS
    assert costs.lowest == 0.25
    assert costs.provenance == {"cilin": "12ab", "by": "我"}


def test_only_related_tokens_have_a_place(costs: FeatureCosts):
    related = {code for pair in PAIRS for code in pair}
    places = {code: costs.features(code)[1] for code in SOME}
    assert {code for code, place in places.items() if place} == related
    assert sorted(filter(None, places.values())) == list(range(1, len(related) + 1))


@pytest.mark.parametrize("code", [0, 0x4E03, 0x10FFFF, 0x110001])
def test_unknown_tokens_have_no_features(costs: FeatureCosts, code: int):
    assert costs.features(code) == (Features(), 0)


def test_costs_are_those_of_the_specification(costs: FeatureCosts):
    for first, second in itertools.permutations([*SOME, 0x61, 0x62], 2):
        assert costs.cost(first, second) == spec_cost(first, second), (hex(first), hex(second))
        assert costs.compute(first, second) == costs.row(first)[second]


@pytest.mark.parametrize(
    ("first", "second", "cost"),
    [
        (0x4E00, 0x4E01, 0.25),  # one class, one sound
        (0x4E00, 0x4E05, 2 / 3 + 0.0 + 0.25),  # the third component alone; confused
        (0x4E00, 0x4E02, 2 / 3 + 0.5 + 0.25),  # the first alone; another sound
        (0x4E02, 0x4E05, 2 / 3 + 0.5 + 0.25),  # the second alone
        (0x4E01, 0x4E06, 4 / 6 + 0.5 + 0.25),  # no class
        (0x2C, 0xFF0C, 4 / 6 + 0.5 + 0.0),  # two marks
        (0x2C, 0x4E00, 4 / 6 + 0.5 + 0.499),  # a mark is not sounded: confused or not
        (0x110000, 0xFF0C, 1.0 + 0.5 + 0.499),  # no component equal
    ],
)
def test_each_part_counts(costs: FeatureCosts, first: int, second: int, cost: float):
    assert costs.cost(first, second) == cost
    assert costs.cost(second, first) == cost


def test_sums_are_taken_in_the_stated_order():
    """0.1 + 0.2 + 0.3 is not 0.1 + (0.2 + 0.3), and ties are decided by ==."""
    weights = Weights((0.9, 0.9, 0.9, 0.9), 0.1, 0.2, 0.3, 0.5, 0.5, 0.1)
    table = FeatureCosts(build({}, {}, weights, {}))
    assert table.cost(1, 2) == (0.1 + 0.2) + 0.3
    assert table.cost(1, 2) != 0.1 + (0.2 + 0.3)


def test_many_relations_keep_their_directions_and_their_bits():
    dice = random.Random(7)
    codes = dice.sample(range(0x4E00, 0x9FFF), 100)
    pairs = {tuple(dice.sample(codes, 2)) for _ in range(700)}
    features = {code: Features(None, sounded=True) for code in codes}
    relations = {item: [b for a, b in pairs if a == item] for item, _ in pairs}
    table = FeatureCosts(build(features, relations, WEIGHTS, {}))
    for first, second in itertools.permutations(codes, 2):
        alike = (first, second) in pairs or (second, first) in pairs
        assert table.cost(first, second) == (4 / 6 + (0.0 if alike else 0.5)) + 0.25


@pytest.mark.parametrize("sounds", [0, 1, 2, 3])
def test_any_number_of_sounds_fits(sounds: int):
    features = Features(None, frozenset(range(sounds)), sounded=True)
    table = FeatureCosts(build({7: features, 9: features}, {7: [9]}, WEIGHTS, {"a": "b"}))
    assert table.features(9)[0] == features
    assert table.cost(7, 9) == (4 / 6 + 0.0) + 0.25


def test_an_empty_table_has_costs_too():
    table = FeatureCosts(build({}, {}, WEIGHTS, {}))
    assert table.cost(1, 2) == (4 / 6 + 0.5) + 0.25


def test_building_twice_gives_the_same_bytes():
    backwards = dict(reversed(SOME.items()))
    assert build(SOME, RELATED, WEIGHTS, {"a": "1", "b": "2"}) == build(
        backwards, RELATED, WEIGHTS, {"b": "2", "a": "1"}
    )


def _damaged() -> dict[str, bytes]:
    whole = build(SOME, RELATED, WEIGHTS, {"a": "1"})
    return {
        "empty": b"",
        "cut in the header": whole[:20],
        "cut": whole[:-1],
        "longer": whole + b"\0",
        "zeros": bytes(len(whole)),
        "of the right length": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
        "of another version": b"GECFEAT1" + whole[8:],
    }


@pytest.mark.parametrize("how", list(_damaged()))
def test_a_damaged_table_is_refused(how: str):
    with pytest.raises(ResourceError) as error:
        FeatureCosts(_damaged()[how], origin="a.features")
    assert str(error.value) == "a.features: damaged or cut"
