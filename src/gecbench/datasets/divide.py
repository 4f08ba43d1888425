"""The division of perturbed cases into training, dev and test; what belongs together stays so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset
from gecbench.core.seeding import number

TRAIN, DEV, TEST = "train", "dev", "test"
PARTS = (TRAIN, DEV, TEST)

_PAPER = (2500, 500)

Key = tuple[str, str]
"""Subset and id of a case."""


@dataclass(frozen=True, slots=True)
class Division:
    """Perturbed cases in parts.

    Args:
        parts: Those of `PARTS` that hold a case, each with where it is from.
        sizes: Cases of each part.
        together: Groups of cases that share a sentence, at least two in each.
    """

    parts: Mapping[str, PerturbedSet]
    sizes: Mapping[str, int]
    together: tuple[tuple[Key, ...], ...]


def divide(
    cases: PerturbedSet, *, test: int, dev: int, seed: int, provenance: Mapping[str, str]
) -> Division:
    """Divide cases: those for test and dev are chosen by the seed, all others are for training.

    Cases that share a sentence, white space aside, be it an original or a variant, stay in one
    part: else a sentence of the test would have been trained on. What is chosen depends on the
    seed and the sentences, not on the order of the cases; subsets keep their names and order.

    Args:
        cases: To divide.
        test: How many are for the test; a group that does not fit is passed over.
        dev: How many to stop training by.
        seed: Of the choice.
        provenance: More to say of where each part is from.

    Raises:
        UsageError: A number is below zero, or there are too few cases.
        CorpusError: Groups are so large that a part cannot have its size.
    """
    _check_request(cases, test, dev)
    groups = _groups(cases)
    part_of: dict[Key, str] = {}
    places = {TEST: test, DEV: dev}
    # A group's place in the random order depends on its least sentence alone.
    least = {keys: min(_pack(case.original.source) for case in members) for keys, members in groups}
    for group in sorted(least, key=lambda keys: (number(seed, f"divide:{least[keys]}"), keys)):
        part = next((name for name in (TEST, DEV) if len(group) <= places[name]), TRAIN)
        if part in places:
            places[part] -= len(group)
        part_of.update(dict.fromkeys(group, part))
    _check_sizes(cases, places, part_of)
    sizes = {name: sum(part == name for part in part_of.values()) for name in PARTS}
    facts = {
        "divided": ", ".join(f"{name} {sizes[name]}" for name in PARTS),
        "division seed": str(seed),
        **provenance,
    }
    parts = {
        name: _part(cases, name, part_of, {"part": name, **facts}) for name in PARTS if sizes[name]
    }
    together = tuple(keys for keys, _ in groups if len(keys) > 1)
    return Division(parts, sizes, together)


def _check_request(cases: PerturbedSet, test: int, dev: int) -> None:
    for name, size in ((TEST, test), (DEV, dev)):
        if size < 0:
            raise UsageError(f"{name} is {size}; give how many cases it has, or 0 for none")
    count = len(cases.cases)
    if test + dev >= count:
        hint = f"as --test {count // 2} --dev {count // 10}"
        paper = (
            "; the published data has 4,996 in three subsets: divide all of them together"
            if (test, dev) == _PAPER
            else ""
        )
        raise UsageError(
            f"{cases.name}: {count:,} cases, of which {test:,} for test and {dev:,} for dev leave "
            f"none to train on; ask for fewer, {hint}{paper}"
        )


def _check_sizes(cases: PerturbedSet, places: Mapping[str, int], parts: Mapping[Key, str]) -> None:
    unfilled = [name for name in (TEST, DEV) if places[name]]
    if unfilled:
        name = unfilled[0]
        raise CorpusError(
            f"{cases.name}: {name} lacks {places[name]} of its cases, for cases that share a "
            "sentence stay together and no group is so small; ask for another number"
        )
    if TRAIN not in parts.values():
        raise CorpusError(f"{cases.name}: no case is left to train on; ask for fewer")


def _groups(cases: PerturbedSet) -> list[tuple[tuple[Key, ...], tuple[PerturbedCase, ...]]]:
    """The cases that share sentences, directly or by others between them."""
    keys = [(subset.name, case.id) for subset in cases.subsets for case in subset.cases]
    parents = list(range(len(keys)))

    def first(n: int) -> int:
        while parents[n] != n:
            parents[n] = parents[parents[n]]
            n = parents[n]
        return n

    first_with: dict[str, int] = {}
    for n, case in enumerate(cases.cases):
        for variant in case.all:
            earlier, later = sorted(
                (first(n), first(first_with.setdefault(_pack(variant.source), n)))
            )
            parents[later] = earlier
    groups: dict[int, list[int]] = {}
    for n in range(len(keys)):
        groups.setdefault(first(n), []).append(n)
    return [
        (tuple(keys[n] for n in group), tuple(cases.cases[n] for n in group))
        for group in groups.values()
    ]


def _pack(text: str) -> str:
    return "".join(text.split())


def _part(
    cases: PerturbedSet, name: str, part_of: Mapping[Key, str], facts: Mapping[str, str]
) -> PerturbedSet:
    subsets = (
        Subset(s.name, tuple(case for case in s.cases if part_of[s.name, case.id] == name))
        for s in cases.subsets
    )
    return replace(
        cases,
        name=f"{cases.name}-{name}",
        subsets=tuple(subset for subset in subsets if subset.cases),
        provenance={**cases.provenance, **facts},
    )
