"""The variants of one sentence, each with one change of its context, and how cases are divided."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import TypeVar

from gecbench.core.errors import CorpusError, UnknownNameError, UsageError, count_noun
from gecbench.core.options import Cluster, check_choice, check_once
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.core.processes import map_in_processes
from gecbench.core.scheme import Watch
from gecbench.core.seeding import number
from gecbench.datasets.perturb.context import (
    EMPTY_REFERENCES,
    REPEATED,
    UNCHANGED,
    AlignedSpan,
    Context,
    SentencePair,
    Word,
    WordSplitter,
    context_of,
    is_han,
    replace_word,
)
from gecbench.datasets.perturb.fillers import Blank, Filler, Offer

# What a perturbation is asked for.


SUBSTITUTE, INSERT, DELETE = "substitute", "insert", "delete"
OPERATIONS = (SUBSTITUTE, INSERT, DELETE)

RANDOM, FILL = "random", "fill"
INSERTIONS = (RANDOM, FILL)

_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbPlan:
    """What is made of each case.

    Args:
        variants: Of each case; RobustGEC has 5.
        operations: Each variant has exactly one of these; they are equally likely.
        insertion: "random" inserts any word of the vocabulary, as the paper does; "fill" one that
            the filler finds for the place.
        seed: Of all choices.

    Raises:
        UsageError: A value is out of range, or an operation stands twice or is unknown.
    """

    variants: int = 5
    operations: Sequence[str] = OPERATIONS
    insertion: str = RANDOM
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be done."""
        if not 1 <= self.variants <= _MOST:
            raise UsageError(f"variants is {self.variants}; ask for 1 to {_MOST} of each case")
        if not self.operations:
            raise UsageError(f"no operation is named; name some of {', '.join(OPERATIONS)}")
        for name in self.operations:
            if name not in OPERATIONS:
                raise UnknownNameError("operation", name, OPERATIONS)
        check_choice("insertion", self.insertion, INSERTIONS)
        check_once("kind of operation", self.operations)


NOTHING_FITS = "no word fits"

_TRIES = 20

VariantSearch = Generator[Blank, Offer, "Variants"]
"""Asks for what may fill a place, is sent an offer, and returns at last."""


@dataclass(frozen=True, slots=True)
class Variants:
    """What became of a sentence.

    Args:
        variants: With their operations, all different; fewer than were asked for where the sentence
            has no more.
        rejected: Attempts that were given up, by reason.
    """

    variants: tuple[tuple[str, Variant], ...]
    rejected: Mapping[str, int]


def choose_variants(context: Context, plan: PerturbPlan, filler: Filler) -> VariantSearch:
    """Make the variants of a sentence, by choices that depend on the seed and its id alone.

    The operation of each is drawn first, then a place for it, again if need be; an operation that
    finds none in twenty tries is not drawn for the sentence any more.
    """
    pair = context.pair
    chance = random.Random(number(plan.seed, f"perturb:{pair.subset}/{pair.id}"))
    possible = [name for name in plan.operations if _places(context, name)]
    variants: dict[str, tuple[str, Variant]] = {}
    rejected: Counter[str] = Counter()
    while possible and len(variants) < plan.variants:
        operation = chance.choice(possible)
        for _ in range(_TRIES):
            variant = yield from _attempt(context, operation, plan, filler, chance)
            if isinstance(variant, Variant) and variant.source in variants:
                variant = REPEATED
            if isinstance(variant, Variant):
                variants[variant.source] = operation, variant
                break
            rejected[variant] += 1
        else:
            possible.remove(operation)
    return Variants(tuple(variants.values()), rejected)


def _places(context: Context, operation: str) -> Sequence[AlignedSpan]:
    if operation == INSERT:
        return context.gaps
    return context.deletable if operation == DELETE else context.words


def _attempt(
    context: Context, operation: str, plan: PerturbPlan, filler: Filler, chance: random.Random
) -> Generator[Blank, Offer, Variant | str]:
    """A variant, or why there is none."""
    place = chance.choice(_places(context, operation))
    word: str | None = None
    if operation == INSERT and plan.insertion == RANDOM:
        word = chance.choice(filler.vocabulary)
    elif operation in (SUBSTITUTE, INSERT):
        word = yield from _fill(context, place, filler, chance)
        if word is None:
            return NOTHING_FITS
        if place.word and word == place.word.text:
            return UNCHANGED
    return replace_word(context, place, word)


def _fill(
    context: Context, place: AlignedSpan, filler: Filler, chance: random.Random
) -> Generator[Blank, Offer, str | None]:
    """A word for a place, None if nothing is offered."""
    before, after = _around(context, place)
    if not filler.by_character or context.has_blanks:
        word = yield from _draw(Blank(before, after, place.word), chance)
        return word and (_match_case(word, place.word.text) if place.word else word)
    if place.word and not is_han(place.word.text):
        return None  # as a number or a Latin word: what is offered are Chinese characters
    word = ""
    for left in range(len(place.word.text) if place.word else 1, 0, -1):
        # Characters after the first may be the original's, or no other word would be found.
        known = None if word else place.word
        character = yield from _draw(Blank(before + word, after, known, left), chance)
        if character is None:
            return None
        word += character
    return word


def _draw(blank: Blank, chance: random.Random) -> Generator[Blank, Offer, str | None]:
    offer = yield blank
    if not offer.words:
        return None
    while True:
        word = chance.choices(offer.words, offer.weights or None)[0]
        if word != offer.exclude:
            return word


def _around(context: Context, place: AlignedSpan) -> tuple[str, str]:
    """The corrected sentence before and after a place."""
    side, (first, last) = context.sides[1], place.target
    start = side.tokens[first].start
    if first == last:
        return side.text[:start], f"{' ' if context.has_blanks else ''}{side.text[start:]}"
    return side.text[:start], side.text[side.tokens[last - 1].end :]


def _match_case(word: str, like: str) -> str:
    """A word with capitals where another has them.

    >>> _match_case("apple", "House"), _match_case("apple", "HOUSE"), _match_case("apple", "house")
    ('Apple', 'APPLE', 'apple')
    """
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word


# Perturbing many sentences: their places are filled together, their choices are their own. So it
# makes no difference which process has them.


TOO_FEW = "not enough different variants"

_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class PerturbReport:
    """What a perturbation made and left.

    Args:
        sentences: That it was given.
        cases: That have all their variants.
        operations: Variants of these cases, by operation.
        rejected: Attempts of all cases that were given up, by reason.
        left_out: Ids of sentences by the reason why they are no case, behind the names of their
            subsets (SUBSET/ID) where there are several.
    """

    sentences: int
    cases: int
    operations: Mapping[str, int]
    rejected: Mapping[str, int]
    left_out: Mapping[str, Sequence[str]]


PairWords = tuple[SentencePair, tuple[Word, ...]]
"""A pair with the words of its target."""

Row = TypeVar("Row")
Result = TypeVar("Result")


@dataclass(frozen=True)
class WordTask:
    """Finds the words of the targets of pairs, in any process.

    Args:
        load: Loads what divides texts.
    """

    load: Callable[[], WordSplitter]

    @cached_property
    def _divide(self) -> WordSplitter:
        return self.load()

    def __call__(self, pairs: Sequence[SentencePair]) -> list[tuple[Word, ...]]:
        """Find them for a batch."""
        return list(self._divide([pair.target for pair in pairs]))


@dataclass(frozen=True)
class _VariantTask:
    """Makes the variants of sentences, in any process."""

    kind: str
    filler: Filler
    plan: PerturbPlan

    def __call__(self, rows: Sequence[PairWords]) -> list[Variants]:
        """Make them for a batch; all that ask for words at a time are answered together."""
        searches = [
            choose_variants(context_of(pair, self.kind, words), self.plan, self.filler)
            for pair, words in rows
        ]
        return _run_searches(searches, self.filler)


def _in_batches(
    task: Callable[[Sequence[Row]], list[Result]],
    rows: Iterable[Row],
    jobs: int | Cluster,
    pair_of: Callable[[Row], SentencePair],
) -> Iterator[Result]:
    """Yield the result of each row, made batch by batch by one process or several."""
    remaining = iter(rows)
    batches = iter(lambda: list(islice(remaining, _AT_ONCE)), [])

    def describe(batch: Sequence[Row]) -> str:
        return f"sentences {pair_of(batch[0]).id!r} to {pair_of(batch[-1]).id!r}"

    with closing(map_in_processes(task, batches, jobs, describe)) as results:
        yield from chain.from_iterable(results)


def words_of(
    pairs: Sequence[SentencePair], task: WordTask, watch: Watch, *, jobs: int | Cluster = 1
) -> list[tuple[Word, ...]]:
    """The words of each pair's target, found by one process or several."""
    return list(_in_batches(task, watch("words", pairs), jobs, lambda pair: pair))


def perturb(
    pairs: Sequence[SentencePair],
    words: Sequence[tuple[Word, ...]],
    *,
    kind: str,
    filler: Filler,
    plan: PerturbPlan,
    watch: Watch,
    jobs: int | Cluster = 1,
) -> tuple[tuple[Subset, ...], PerturbReport]:
    """Perturbed cases, subset by subset, and what became of all pairs.

    Args:
        pairs: Those of a subset stand together.
        words: Of each pair's target.
        kind: Of tokens, as `text.tokens` names them.
        filler: Fills places.
        plan: What is made.
        watch: Wraps the loop over pairs, to show progress.
        jobs: Processes; the filler can be sent to them.

    Raises:
        CorpusError: No pair has as many different variants as the plan wants.
    """
    several = len({pair.subset for pair in pairs}) > 1
    cases: dict[str, list[PerturbedCase]] = defaultdict(list)
    operations: Counter[str] = Counter(dict.fromkeys(plan.operations, 0))
    rejected: Counter[str] = Counter()
    left_out: dict[str, list[str]] = defaultdict(list)
    rows = zip(watch("variants", pairs), words, strict=True)
    results = _in_batches(_VariantTask(kind, filler, plan), rows, jobs, lambda row: row[0])
    for pair, result in zip(pairs, results, strict=True):
        rejected.update(result.rejected)
        if len(result.variants) < plan.variants:
            reason = TOO_FEW if pair.target.strip() else EMPTY_REFERENCES
            left_out[reason].append(f"{pair.subset}/{pair.id}" if several else pair.id)
            continue
        operations.update(name for name, _ in result.variants)
        variants = tuple(variant for _, variant in result.variants)
        original = Variant(pair.source, pair.target)
        cases[pair.subset].append(PerturbedCase(pair.id, original, variants))
    if not cases:
        raise CorpusError(
            f"none of {count_noun(len(pairs), 'sentence')} has "
            f"{count_noun(plan.variants, 'different variant')} (rejected: {list_counts(rejected)})"
            "; ask for fewer by --variants, or allow more --operations"
        )
    subsets = tuple(Subset(name, tuple(of_subset)) for name, of_subset in cases.items())
    count = sum(map(len, cases.values()))
    return subsets, PerturbReport(len(pairs), count, operations, rejected, dict(left_out))


def list_counts(counts: Mapping[str, int]) -> str:
    """Counts in words, the largest first.

    >>> list_counts({"no word fits": 2, "repeated": 1300})
    '1,300 repeated, 2 no word fits'
    """
    largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {name}" for name, count in largest) or "none"


def _run_searches(searches: Sequence[VariantSearch], filler: Filler) -> list[Variants]:
    """What each sentence came to; all that ask at a time are answered together."""
    results: dict[int, Variants] = {}
    offers: Mapping[int, Offer | None] = dict.fromkeys(range(len(searches)))
    while offers:
        blanks: dict[int, Blank] = {}
        for n, offer in offers.items():
            try:
                blanks[n] = next(searches[n]) if offer is None else searches[n].send(offer)
            except StopIteration as end:
                results[n] = end.value
        offers = dict(zip(blanks, filler.offers(list(blanks.values())), strict=True))
    return [results[n] for n in range(len(searches))]


# The division of perturbed cases into training, dev and test; what belongs together stays so.


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
