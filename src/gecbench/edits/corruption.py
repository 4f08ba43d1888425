"""Random errors in correct texts: how they are drawn and placed; languages bring the rules."""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from struct import Struct
from typing import Generic, NamedTuple, Protocol, TypeVar

from gecbench.core import seeding
from gecbench.core.files import read_bytes
from gecbench.edits.alignment import common_prefix

# Random numbers of a sentence, which depend on the seed and its number alone.
#
# They are blocks of a hash in counter mode: equal on every machine, whatever was made before, and
# cheaper to begin again for each sentence than a generator that has a state to fill.


Draw = Callable[[], int]
"""Gives the next random number of 32 bits."""

Item = TypeVar("Item")

BITS = 32
UNIT = 2.0**-BITS
"""Brings a number of 32 bits to [0, 1)."""

_WORDS = Struct("<16I").unpack
_PLACE = Struct("<QQ").pack


def key_of(seed: int, name: str) -> bytes:
    """The key that the numbers of a run hang on."""
    return seeding.number(seed, name).to_bytes(8, "little")


def draws(key: bytes, sentence: int) -> Draw:
    """The numbers of a sentence, one after another and without an end.

    >>> one, again = draws(key_of(0, "x"), 7), draws(key_of(0, "x"), 7)
    >>> [one() for _ in range(20)] == [again() for _ in range(20)]
    True
    """
    return _numbers(key, sentence).__next__


def _numbers(key: bytes, sentence: int) -> Iterator[int]:
    block = 0
    while True:
        yield from _WORDS(blake2b(_PLACE(sentence, block), key=key).digest())
        block += 1


class Choices(Generic[Item]):
    """Items to sample from, each as likely as its weight says.

    Args:
        items: At least one.
        weights: One for each, none below 0, not all 0.
    """

    __slots__ = ("cumulative", "items")

    def __init__(self, items: Iterable[Item], weights: Iterable[float]) -> None:
        self.items: Sequence[Item] = tuple(items)
        self.cumulative: Sequence[float] = tuple(accumulate(weights))

    def pick(self, draw: Draw) -> Item:
        """Draw an item."""
        sums = self.cumulative
        return self.items[bisect_right(sums, draw() * UNIT * sums[-1])]


Lengths = Mapping[tuple[int, int], float]
"""(Units in the error, units in its correction), or the units of two stretches, to how many."""


def choices_of(weights: Mapping[Item, float]) -> Choices[Item]:
    """The keys of a mapping, each as likely as its value says."""
    return Choices(weights, weights.values())


def lengths_of_side(lengths: Lengths, side: int) -> Choices[int]:
    """Lengths of one side that are not 0; 1 where there are none."""
    counts: dict[int, float] = {}
    for pair, count in lengths.items():
        if pair[side]:
            counts[pair[side]] = counts.get(pair[side], 0) + count
    return choices_of(counts or {1: 1})


View_contra = TypeVar("View_contra", contravariant=True)


class Error(NamedTuple):
    """A change of the correct text, in its units: characters in Chinese, tokens in English.

    Args:
        start: First unit that is replaced; half-open span.
        end: Unit after the last; equal to `start` where something is inserted.
        wrong: Units that stand there instead: a string in Chinese, one of tokens in English.
    """

    start: int
    end: int
    wrong: Sequence[str]


Spans = Sequence[tuple[int, int]]
"""Spans of the errors that a sentence has already."""


class Rule(Protocol[View_contra]):
    """A way to make one kind of error: all of its places are tried before it gives up."""

    def __call__(self, view: View_contra, spans: Spans, draw: Draw) -> Error | None:
        """Make an error at a random place that touches no other; None where there is none."""
        ...


def is_free(spans: Spans, start: int, end: int) -> bool:
    """Whether a span neither overlaps nor touches one that is others.

    Something is kept between any two errors, so that each of them is an edit of its own.
    """
    for first, last in spans:  # noqa: SIM110 - all() makes a generator for each place
        if first <= end and start <= last:
            return False
    return True


def difference(right: Sequence[str], wrong: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """Where two sequences differ: skipped units, replaced units, what stands instead.

    >>> difference("目的是", "目的是为了")
    (3, 0, '为了')
    >>> difference("的", "地")
    (0, 1, '地')
    """
    head = common_prefix(right, wrong)
    tail = common_prefix(right[head:][::-1], wrong[head:][::-1])
    return head, len(right) - head - tail, wrong[head : len(wrong) - tail]


# How many errors a sentence gets, and of which types.


View = TypeVar("View")

_TRIES = 8
"""Draws among all types before those that are possible are looked out."""


class ErrorSampler(Generic[View]):
    """Draws errors by their distributions.

    A type that a sentence has no place for is drawn again among the others, so the number of
    errors is what was drawn unless no type at all has a place left.

    Args:
        types: Name to the rule that makes it.
        weights: Name to how often it is drawn; only those above 0 are looked at.
        errors: Weight of 1, 2, 3, ... errors in a sentence that gets some.
        correct: Share of sentences that get none, in [0, 1].
    """

    def __init__(
        self,
        types: Mapping[str, Rule[View]],
        weights: Mapping[str, float],
        errors: Sequence[float],
        correct: float,
    ) -> None:
        self._rules = types
        self._weights = {name: weight for name, weight in weights.items() if weight > 0}
        self._types = Choices(self._weights, self._weights.values())
        self._numbers = Choices(range(1, len(errors) + 1), errors)
        self._correct = correct

    def sample(self, view: View, draw: Draw) -> tuple[int, list[tuple[Error, str]]]:
        """How many errors a sentence should get, and those that could be made.

        These are in the order of the text, each with its type.
        """
        if draw() * UNIT < self._correct:
            return 0, []
        count = self._numbers.pick(draw)
        errors: list[tuple[Error, str]] = []
        spans: list[tuple[int, int]] = []
        impossible: set[str] = set()
        rules, types = self._rules, self._types
        while len(errors) < count:
            name = types.pick(draw)
            if impossible and name in impossible:
                other = self._possible(impossible, draw)
                if other is None:
                    break
                name = other
            error = rules[name](view, spans, draw)
            if error is None:
                impossible.add(name)
            else:
                errors.append((error, name))
                spans.append((error.start, error.end))
        errors.sort()
        return count, errors

    def _possible(self, impossible: set[str], draw: Draw) -> str | None:
        """A type that may still be possible; None where there is none."""
        for _ in range(_TRIES):
            name = self._types.pick(draw)
            if name not in impossible:
                return name
        rest = {name: weight for name, weight in self._weights.items() if name not in impossible}
        return Choices(rest, rest.values()).pick(draw) if rest else None


class AnyOf(Generic[View]):
    """Several rules of one type of error, drawn by weight; all are tried before it gives up."""

    def __init__(self, rules: Sequence[Rule[View]], weights: Sequence[float]) -> None:
        self._rules = rules
        self._order = Choices(range(len(rules)), weights)

    def __call__(self, view: View, spans: Spans, draw: Draw) -> Error | None:
        """An error by one of the rules; None where none finds a place."""
        first = self._order.pick(draw)
        error = self._rules[first](view, spans, draw)
        if error is not None:
            return error
        for k, rule in enumerate(self._rules):
            if k != first:
                error = rule(view, spans, draw)
                if error is not None:
                    return error
        return None


# What a language brings.


class ReverseEdit(NamedTuple):
    """An edit of the text with errors that makes it right again, as JSON has it.

    Args:
        start: First token that is replaced; half-open token span.
        end: Token after the last.
        replacement: Tokens of the correct text.
        label: The type of the error.
    """

    start: int
    end: int
    replacement: Sequence[str]
    label: str


class CorruptedText(NamedTuple):
    """A text with errors.

    Args:
        text: As it is written.
        tokens: What the edits count in.
        edits: Those that make it right, in its order.
    """

    text: str
    tokens: Sequence[str]
    edits: list[ReverseEdit]


class Settings(Protocol):
    """What a profile says that rules depend on; each language refuses what says nothing to it."""

    @property
    def tokens(self) -> str:
        """How an English text is tokenised: en or space."""
        ...

    @property
    def segment(self) -> str:
        """A segmenter of Chinese words; "" is none."""
        ...

    @property
    def shapes(self) -> str:
        """Which Chinese characters look alike: own, cherrant or a file."""
        ...


Confused = Mapping[str, tuple[Mapping[str, float], float]]
"""What is right to what was written instead, with counts, and the rate of errors."""


@dataclass(frozen=True, slots=True)
class Corruption(Generic[View]):
    """How texts of a language are corrupted.

    Args:
        types: Types of errors by name; the rule of one is made when it is asked for.
        view: From a text to what rules read.
        size: Of that, in units: characters or tokens.
        apply: Makes the text with errors.
        confusions: Makes the rule that writes what was written instead of what is right.
        insertions: Makes the rule that writes something, with weights, between any two units.
        omission: Makes the rule that leaves out as many units as corrections have.
        repetition: Makes the rule that writes as many units twice as errors have.
        exchange: Makes the rule that exchanges two neighbouring stretches.
        is_entry: Whether a text can stand in a table of confusions.
        type_of: From the label of an edit to its type.
        substitutes: Types of rules that make what a corpus shows too seldom of a type of its own.
    """

    types: Mapping[str, Callable[[], Rule[View]]]
    view: Callable[[str], View]
    size: Callable[[View], int]
    apply: Callable[[View, Sequence[tuple[Error, str]]], CorruptedText]
    confusions: Callable[[Confused], Rule[View]]
    insertions: Callable[[Mapping[str, float]], Rule[View]]
    omission: Callable[[Lengths], Rule[View]]
    repetition: Callable[[Lengths], Rule[View]]
    exchange: Callable[[Lengths], Rule[View]]
    is_entry: Callable[[str], bool]
    type_of: Callable[[str], str]
    substitutes: Callable[[str], tuple[str, ...]]


# Tables of confusions, one file for a language.


NOTHING = "-"
"""Stands in a table for what is left out."""


@cache
def read_tables(path: Path) -> Mapping[str, Sequence[str]]:
    """The rows of each table of a language, as they are written."""
    return tomllib.loads(read_bytes(path).decode())


def parse_confusions(rows: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What is right to what is written instead, without doubles.

    >>> parse_confusions(["地 > 的 | 得", "了 > -"])
    {'地': ('的', '得'), '了': ('',)}
    """
    table: dict[str, dict[str, None]] = {}
    for row in rows:
        right, _, wrong = row.partition(" > ")
        for text in map(str.strip, wrong.split(" | ")):
            table.setdefault(right.strip(), {})["" if text == NOTHING else text] = None
    return {right: tuple(wrong) for right, wrong in table.items()}
