"""The variants of one sentence, each with exactly one change of its context."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from gecbench.core.perturbed import Variant
from gecbench.core.seeding import number
from gecbench.datasets.perturb.context import REPEATED, UNCHANGED, Context, Place, changed
from gecbench.datasets.perturb.fillers import Blank, Offer
from gecbench.datasets.perturb.plan import DELETE, INSERT, RANDOM, SUBSTITUTE, Plan
from gecbench.datasets.perturb.words import is_han

NOTHING_FITS = "no word fits"

_TRIES = 20

Asking = Generator[Blank, Offer, "Varied"]
"""Asks for what may fill a place, is sent an offer, and returns at last."""


@dataclass(frozen=True, slots=True)
class Varied:
    """What became of a sentence.

    Args:
        made: Operations and variants, all different; fewer than were asked for where the sentence
            has no more.
        rejected: Attempts that were given up, by reason.
    """

    made: tuple[tuple[str, Variant], ...]
    rejected: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ways:
    """How sentences are changed.

    Args:
        plan: What is asked for.
        vocabulary: What random insertions are drawn from; () where there are none.
        by_character: Whether Chinese words are filled character by character.
    """

    plan: Plan
    vocabulary: Sequence[str]
    by_character: bool


def varied(context: Context, ways: Ways) -> Asking:
    """Make the variants of a sentence, by choices that depend on the seed and its id alone.

    The operation of each is drawn first, then a place for it, again if need be; an operation that
    finds none in twenty tries is not drawn for the sentence any more.
    """
    pair, plan = context.pair, ways.plan
    chance = random.Random(number(plan.seed, f"perturb:{pair.subset}/{pair.id}"))
    possible = [name for name in plan.operations if _places(context, name)]
    made: dict[str, tuple[str, Variant]] = {}
    rejected: Counter[str] = Counter()
    while possible and len(made) < plan.variants:
        operation = chance.choice(possible)
        for _ in range(_TRIES):
            found = yield from _attempt(context, operation, ways, chance)
            if isinstance(found, Variant) and found.source in made:
                found = REPEATED
            if isinstance(found, Variant):
                made[found.source] = operation, found
                break
            rejected[found] += 1
        else:
            possible.remove(operation)
    return Varied(tuple(made.values()), rejected)


def _places(context: Context, operation: str) -> Sequence[Place]:
    if operation == INSERT:
        return context.gaps
    return context.deletable if operation == DELETE else context.words


def _attempt(
    context: Context, operation: str, ways: Ways, chance: random.Random
) -> Generator[Blank, Offer, Variant | str]:
    """Return a variant, or why there is none."""
    place = chance.choice(_places(context, operation))
    word: str | None = None
    if operation == INSERT and ways.plan.insertion == RANDOM:
        word = chance.choice(ways.vocabulary)
    elif operation in (SUBSTITUTE, INSERT):
        word = yield from _filled(context, place, ways, chance)
        if word is None:
            return NOTHING_FITS
        if place.word and word == place.word.text:
            return UNCHANGED
    return changed(context, place, word)


def _filled(
    context: Context, place: Place, ways: Ways, chance: random.Random
) -> Generator[Blank, Offer, str | None]:
    """Return a word for a place, None if nothing is offered."""
    before, after = _around(context, place)
    if not (ways.by_character and context.kind == "zh"):
        word = yield from _drawn(Blank(before, after, place.word), chance)
        return word and (_cased(word, place.word.text) if place.word else word)
    if place.word and not is_han(place.word.text):
        return None  # as a number or a Latin word: what is offered are Chinese characters
    word = ""
    for left in range(len(place.word.text) if place.word else 1, 0, -1):
        # Characters after the first may be the original's, or no other word would be found.
        known = None if word else place.word
        found = yield from _drawn(Blank(before + word, after, known, left), chance)
        if found is None:
            return None
        word += found
    return word


def _drawn(blank: Blank, chance: random.Random) -> Generator[Blank, Offer, str | None]:
    offer = yield blank
    if not offer.words:
        return None
    while True:
        word = chance.choices(offer.words, offer.weights or None)[0]
        if word != offer.barred:
            return word


def _around(context: Context, place: Place) -> tuple[str, str]:
    """Return the corrected sentence before and after a place."""
    side, (first, last) = context.sides[1], place.target
    start = side.tokens[first].start
    if first == last:
        return side.text[:start], f"{' ' if context.spaced else ''}{side.text[start:]}"
    return side.text[:start], side.text[side.tokens[last - 1].end :]


def _cased(word: str, like: str) -> str:
    """Return a word with capitals where another has them.

    >>> _cased("apple", "House"), _cased("apple", "HOUSE"), _cased("apple", "house")
    ('Apple', 'APPLE', 'apple')
    """
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word
