"""Options of the analyses, as Python and the command line take them; light to import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from gecbench.core.errors import UsageError
from gecbench.core.options import Option, check_choice, check_least, check_once
from gecbench.core.score import LEAST_RESAMPLES

# Comparing systems.


PValueCorrection = Literal["none", "holm", "bh"]
CORRECTIONS: tuple[PValueCorrection, ...] = ("none", "holm", "bh")
Test = Literal["bootstrap", "randomisation"]
TESTS: tuple[Test, ...] = ("bootstrap", "randomisation")
_MOST_RESAMPLES = 1_000_000
"""Resamples: more would run for days, and change no p by as much as 0.001."""


def read_tests(text: str) -> tuple[Test, ...]:
    """Read the name of a test, or "both"."""
    return tuple(test for test in TESTS if text in (test, "both"))


@dataclass(frozen=True, slots=True)
class Plan:
    """How systems are compared.

    Args:
        tests: Which tests; where there are both, randomisation decides what is significant.
        resamples: How many resamples and how many permutations, from 100 to 1,000,000.
        seed: Of both.
        correction: For the number of pairs, in each metric and test apart.
        alpha: Level of significance, in (0, 0.5].
        confidence: Of the intervals, in (0, 1).
        baseline: Compare this system with each other one, and no others; None compares all.

    Raises:
        UsageError: Names the value and what it may be.
    """

    tests: Annotated[
        tuple[Test, ...],
        Option(
            "--test",
            "Which test; of both, randomisation decides.",
            choices=(*TESTS, "both"),
            default="both",
            read=read_tests,
        ),
    ] = TESTS
    resamples: Annotated[int, Option("--resamples", "Resamples, and permutations.")] = 10_000
    seed: Annotated[int, Option("--seed", "Seed of both.")] = 0
    correction: Annotated[
        PValueCorrection,
        Option("--correction", "For the number of pairs: Holm, or Benjamini and Hochberg."),
    ] = "holm"
    alpha: Annotated[float, Option("--alpha", "Level of significance.")] = 0.05
    confidence: Annotated[float, Option("--confidence", "Of the intervals.")] = 0.95
    baseline: Annotated[
        str | None,
        Option("--baseline", "Compare this system with each other one only.", metavar="NAME"),
    ] = None

    def __post_init__(self) -> None:
        """Refuse values that would give numbers without meaning."""
        if not self.tests or not set(self.tests) <= set(TESTS):
            raise UsageError(f"tests {self.tests!r} must be one or both of {', '.join(TESTS)}")
        check_choice("correction", self.correction, CORRECTIONS)
        check_least("resamples", self.resamples, LEAST_RESAMPLES)
        if self.resamples > _MOST_RESAMPLES:
            raise UsageError(f"resamples {self.resamples} must be at most {_MOST_RESAMPLES}")
        if not 0 < self.alpha <= 0.5:
            raise UsageError(f"alpha {self.alpha:g} must be above 0 and at most 0.5")
        if not 0 < self.confidence < 1:
            raise UsageError(f"confidence {self.confidence:g} must be between 0 and 1")

    @property
    def main_test(self) -> Test:
        """The test that decides what is significant."""
        return "randomisation" if "randomisation" in self.tests else "bootstrap"

    @property
    def least_p(self) -> float:
        """The smallest p that so many resamples can give, not corrected."""
        return 1 / (1 + self.resamples)

    def factor(self, pairs: int) -> int:
        """By what the correction for so many pairs multiplies the smallest p.

        Holm by their number; BH leaves it alone where all are as small.
        """
        return pairs if self.correction == "holm" else 1

    def can_find(self, pairs: int) -> bool:
        """Whether so many resamples could find a significant difference among so many pairs."""
        return self.factor(pairs) * self.least_p <= self.alpha


# Scores by the number of references.


Taking = Literal["subsets", "first"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """How score is set against the number of references.

    Args:
        taking: "subsets": all subsets of k of the corpus's references; "first": the first k.
        at_least: Only sentences with at least this many references take part.
        up_to: The greatest k; None means the most that any sentence has.
        most: More subsets of a size than this are not scored, but so many drawn by lot.
        seed: Of the draws.

    Raises:
        UsageError: A number means nothing.
    """

    taking: Annotated[
        Taking,
        Option(
            "--take",
            "With which k references systems are scored: all subsets, or the first k.",
        ),
    ] = "subsets"
    at_least: Annotated[
        int,
        Option("--at-least", "Score only sentences with at least K references.", metavar="K"),
    ] = 1
    up_to: Annotated[
        int | None,
        Option("--up-to", "Greatest k; else the most a sentence has.", metavar="K"),
    ] = None
    most: Annotated[
        int,
        Option("--subsets", "Of more subsets of one size, so many are drawn at random."),
    ] = 20
    seed: Annotated[int, Option("--seed", "Seed of the draws.")] = 0

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        check_choice("taking", self.taking, get_args(Taking))
        check_least("at-least", self.at_least, 1)
        check_least("subsets", self.most, 1)
        if self.up_to is not None:
            check_least("up-to", self.up_to, 1)


# Scores of annotators.


Against = Literal["final", "others"]


@dataclass(frozen=True, slots=True)
class HumanOptions:
    """How annotators are scored.

    Args:
        against: "final": all final references; "others": those that somebody else wrote, too.
        least: Annotators with fewer scored submissions are not in the mean.
        anonymous: Show annotators as A1, A2, ..., the one with most submissions first.

    Raises:
        UsageError: A value means nothing.
    """

    against: Annotated[
        Against,
        Option("--against", "All final references, or those that somebody else wrote, too."),
    ] = "final"
    least: Annotated[
        int,
        Option("--least", "Annotators with fewer scored submissions are not in the mean."),
    ] = 10
    anonymous: Annotated[
        bool, Option("--anonymous", "Show annotators as A1, A2, ... by volume.")
    ] = False

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        check_choice("against", self.against, get_args(Against))
        check_least("least", self.least, 1)


# Scores of groups.


FIELD = "field:"
OF_EDITS = ("type-1", "type-2", "type-3", "position")
OF_SENTENCES = ("length", "errors", "state")
KINDS = (*OF_EDITS, *OF_SENTENCES)
"""All kinds of groups but metadata fields, which are `field:NAME`."""


def read_lengths(text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between them."""
    try:
        return tuple(map(int, text.split(",")))
    except ValueError:
        raise UsageError(
            f"--length-bins {text!r} must be whole numbers with commas, as 10,20,30"
        ) from None


@dataclass(frozen=True, slots=True)
class BreakdownOptions:
    """How scores are broken down.

    Args:
        by: Kinds of groups; () means all that say something.
        length_ends: Greatest lengths of all bins but the last; () means the usual ones.
        between: Names of the two systems to set against each other; () means the best two.
        least: Groups with fewer sentences or edits are not compared.
        most: How many sentences that do most to a difference to find.

    Raises:
        UsageError: A number is below what means something, a kind stands twice, or length bins
            are given and no lengths asked for.
    """

    by: Annotated[
        tuple[str, ...],
        Option(
            "--by",
            "type-1, type-2, type-3, position, length, errors, state, field:NAME; "
            "several with commas. Without, all that say something.",
            metavar="KINDS",
            commas=True,
            complete=KINDS,
        ),
    ] = ()
    length_ends: Annotated[
        tuple[int, ...],
        Option(
            "--length-bins",
            "Greatest length of each bin but the last, as 10,20.",
            metavar="N,N,...",
            read=read_lengths,
        ),
    ] = ()
    between: tuple[str, ...] = ()
    least: Annotated[
        int,
        Option(
            "--least",
            "Smaller groups are left out where two systems are set against each other.",
        ),
    ] = 10
    most: int = 10

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        check_least("least", self.least, 1)
        check_least("most", self.most, 0)
        for kind in self.by:
            if kind not in KINDS and not (kind.startswith(FIELD) and kind != FIELD):
                raise UsageError(
                    f"unknown kind of groups {kind!r}; it is one of {', '.join(KINDS)}, or "
                    f"{FIELD}NAME of a metadata field"
                )
        check_once("kind of groups", self.by)
        if self.length_ends and self.by and "length" not in self.by:
            raise UsageError(
                f"length bins are for groups by length, and --by is {','.join(self.by)}; "
                "add length to it, or leave the bins out"
            )


# Metrics against people.


@dataclass(frozen=True, slots=True)
class SystemSet:
    """Which systems take part.

    Args:
        name: What it is called.
        only: Systems that take part; () means all but those left out.
        without: Systems that do not.
    """

    name: str
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def of(self, systems: Sequence[str]) -> tuple[str, ...]:
        """The systems that take part, in alphabetical order."""
        members = [name for name in systems if not self.only or name in self.only]
        return tuple(sorted(name for name in members if name not in self.without))


WINDOWS = (4, 5, 6, 7, 8)
"""Sizes of SEEDA's windows."""


def read_sets(texts: Sequence[str]) -> tuple[SystemSet, ...]:
    """Read sets of systems: NAME=SYSTEM,... or NAME=-SYSTEM,... for all but these."""
    return tuple(map(_read_set, texts))


def _read_set(text: str) -> SystemSet:
    name, equals, rest = text.partition("=")
    members = tuple(map(str.strip, rest.split(","))) if rest else ()
    without = tuple(name.removeprefix("-") for name in members if name.startswith("-"))
    only = tuple(name for name in members if not name.startswith("-"))
    if not equals or not name.strip() or (without and only) or "" in (*only, *without):
        raise UsageError(
            f"--system-set {text!r} must be NAME=SYSTEM,SYSTEM,... or NAME=-SYSTEM,... for all but "
            "these, or NAME= for all"
        )
    return SystemSet(name.strip(), only, without)


def read_sizes(text: str) -> tuple[int, ...]:
    """Read sizes of windows: a range as 4-8, numbers as 4,6, or none."""
    if text == "none":
        return ()
    first, dash, last = text.partition("-")
    parts = [first, last] if dash else text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--windows {text!r} must be as 4-8, 4,6 or none")
    if any(len(part.strip().lstrip("0")) > 3 for part in parts):
        raise UsageError("--windows has a size above 999; no window has so many systems")
    numbers = [int(part) for part in parts]
    if dash and numbers[0] > numbers[1]:
        raise UsageError(f"--windows {text!r} goes from the smaller to the greater size")
    return tuple(range(numbers[0], numbers[1] + 1)) if dash else tuple(dict.fromkeys(numbers))


@dataclass(frozen=True, slots=True)
class Layout:
    """Over which systems metrics are compared with people.

    Args:
        sets: Sets of systems; () means SEEDA's where all systems are SEEDA's, else one with all.
        sizes: Of the windows; those of more systems than there are make none.
        window_set: Name of the set that windows go through; None is the first.
    """

    sets: Annotated[
        tuple[SystemSet, ...],
        Option(
            "--system-set",
            "Systems with commas; or those to leave out, each with a minus: base=-INPUT,-REF-F.",
            metavar="NAME=SYSTEMS",
            repeated=True,
            read=read_sets,
        ),
    ] = ()
    sizes: Annotated[
        tuple[int, ...],
        Option(
            "--windows",
            "Sizes of windows of systems, as 4-8 or 4,6; none for none.",
            metavar="SIZES",
            default="4-8",
            read=read_sizes,
            needs=("--human",),
        ),
    ] = WINDOWS
    window_set: Annotated[
        str | None,
        Option(
            "--window-set",
            "Set of the windows; the first one without.",
            metavar="NAME",
            needs=("--human",),
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse sizes without correlation, a set of no windows and names given twice."""
        if self.window_set is not None and not self.sizes:
            raise UsageError(
                "--windows is none, so --window-set has no effect; name sizes, or leave "
                "--window-set out"
            )
        for size in self.sizes:
            if size < 3:
                raise UsageError(f"a window of {size} has no correlation; take 3 or more")
        check_once("set of systems", [group.name for group in self.sets])


# Difficulty of errors.


_LARGEST = 1e6
"""Constants beyond this are no weighting: sums of weights would lose their last digits, or end."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """The weight of a chunk on which n of N systems are right: a - (n + b) / (N + c).

    The paper's formula (4), with the constants of the program: a 1, b 0 and c 0 make it the share
    of systems that are wrong, from 0 to 1.
    """

    a: Annotated[float, Option("--a", "In w = a - (n + b) / (N + c).", default="1")] = 1.0
    b: Annotated[float, Option("--b", "Likewise.", default="0")] = 0.0
    c: Annotated[float, Option("--c", "Likewise.", default="0")] = 0.0

    def weight(self, right: int, systems: int) -> float:
        """The weight of a chunk, not rounded."""
        return self.a - (right + self.b) / (systems + self.c)

    def table(self, systems: int) -> tuple[float, ...]:
        """The weights for none, one, ... and all of the systems being right.

        Raises:
            UsageError: A weight would be negative or beyond measure, so that ratios of sums of
                weights would mean nothing.
        """
        if systems < 1:
            raise UsageError("weights need at least one system")
        for name, value in (("a", self.a), ("b", self.b), ("c", self.c)):
            if not -_LARGEST <= value <= _LARGEST:
                raise UsageError(f"{name} {value:g} must be from {-_LARGEST:g} to {_LARGEST:g}")
        if systems + self.c <= 0:
            raise UsageError(
                f"c {self.c:g} leaves nothing to divide by: {systems} systems and c must be above 0"
            )
        weights = tuple(self.weight(right, systems) for right in range(systems + 1))
        if weights[-1] < 0:
            raise UsageError(
                f"a {self.a:g}, b {self.b:g}, c {self.c:g} give a chunk that all {systems} systems "
                f"get right the weight {weights[-1]:g}; weights must not be negative: raise a or "
                "c, or lower b"
            )
        if weights[0] > _LARGEST * _LARGEST:
            raise UsageError(
                f"c {self.c:g} leaves next to nothing to divide by: {systems} systems and c must "
                "be further above 0"
            )
        return weights


Absent = Literal["left-out", "unchanged"]
ABSENT: tuple[Absent, ...] = ("left-out", "unchanged")
