"""The steps of a recipe, taken with one pair."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

from gecbench.datasets.prepare.evaluation import EvaluationSets, Found, key_of
from gecbench.datasets.prepare.lengths import distance, is_alignable, leading, pieces
from gecbench.datasets.prepare.recipe import Recipe
from gecbench.text.normal import normalisation

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

DROPPED: Mapping[str, str] = {
    "control": "a control character",
    "empty": "an empty source or target",
    "evaluation source": "the source stands in an evaluation set",
    "evaluation target": "the target stands in an evaluation set",
    "near source": "the source is nearly one of an evaluation set",
    "near target": "the target is nearly one of an evaluation set",
    "too long": "too long",
    "correct": "no error",
    "ratio": "lengths differ too much",
    "changed": "changed too much",
    "duplicate": "stands there before",
}
"""Why a pair is dropped, in the order of the steps, and how it is said."""


class Verdict(NamedTuple):
    """What becomes of a pair, or of a piece of one.

    Args:
        source: As the steps left it.
        target: The same.
        dropped: A key of `DROPPED`; "" where it stays.
        found: In the evaluation sets.
        event: "split" of the first piece of a pair, "piece" of the others, "cut"; "" of others.
    """

    source: str
    target: str
    dropped: str = ""
    found: Found | None = None
    event: str = ""


def digest(seed: int, name: str, text: str) -> int:
    """Return 64 bits for a text: the same on every machine and in every version of Python."""
    return int.from_bytes(blake2b(f"{seed}:{name}:{text}".encode(), digest_size=8).digest())


class Changes:
    """The changes of texts that a recipe makes before all else.

    Args:
        names: Of `text.normal`.

    Raises:
        UnknownNameError: A normalisation has no such name.
        MissingExtraError: What a normalisation needs is not installed.
    """

    def __init__(self, names: Iterable[str]) -> None:
        made = [normalisation(name) for name in names]
        self.names = tuple(each.name for each in made)
        self._made = [each.change for each in made]

    def __call__(self, text: str) -> str:
        """Return a text after all changes."""
        for change in self._made:
            text = change(text)
        return text


class Steps:
    """The steps of a recipe; they remember the pairs that they have seen, as 64 bits each.

    Args:
        recipe: What is asked for.
        evaluation: The sentences that must not be trained on.
        change: Of both sides, before all else.
    """

    def __init__(self, recipe: Recipe, evaluation: EvaluationSets, change: Changes) -> None:
        self._recipe = recipe
        self._evaluation = evaluation
        self._change = change
        self._seen: set[int] = set()

    def verdicts(self, source: str, target: str) -> Iterator[Verdict]:
        """Yield what becomes of a pair: one verdict, or one for each of its sentences."""
        source, target = self._change(source), self._change(target)
        if _CONTROL.search(source) or _CONTROL.search(target):
            if self._recipe.control == "drop":
                yield Verdict(source, target, "control")
                return
            if self._recipe.control == "remove":
                source, target = _CONTROL.sub("", source), _CONTROL.sub("", target)
        if not source.strip() or not target.strip():
            yield Verdict(source, target, "empty")
            return
        if found := self._evaluation.find(source, target):
            yield _of(source, target, found)
            return
        if self._recipe.longest and max(len(source), len(target)) > self._recipe.longest:
            yield from self._long(source, target)
        else:
            yield self._last(source, target)

    def _long(self, source: str, target: str) -> Iterator[Verdict]:
        recipe = self._recipe
        if recipe.too_long == "keep":
            yield self._last(source, target)
        elif recipe.too_long == "cut" and (start := leading(source, target, recipe.longest)):
            yield self._piece(*start)._replace(event="cut")
        elif recipe.too_long == "split" and len(parts := pieces(source, target) or ()) > 1:
            for k, part in enumerate(parts):
                yield self._piece(*part)._replace(event="piece" if k else "split")
        else:
            yield Verdict(source, target, "too long")

    def _piece(self, source: str, target: str) -> Verdict:
        """Return the verdict on a part of a pair, which may stand in an evaluation set itself."""
        if not source or not target:
            return Verdict(source, target, "empty")
        if found := self._evaluation.find(source, target):
            return _of(source, target, found)
        if max(len(source), len(target)) > self._recipe.longest:
            return Verdict(source, target, "too long")
        return self._last(source, target)

    def _last(self, source: str, target: str) -> Verdict:
        return Verdict(source, target, self._wrong(source, target) or self._before(source, target))

    def _wrong(self, source: str, target: str) -> str:
        """Return why a pair is dropped for what it is; "" where it is not."""
        recipe = self._recipe
        if source.strip() == target.strip():  # blanks at the ends are seen by nobody
            kept = digest(recipe.seed, "keep", source) < recipe.keep_correct * 2**64
            return "" if kept else "correct"
        ratio = len(target) / len(source)
        if ratio < recipe.least_ratio or (recipe.most_ratio and ratio > recipe.most_ratio):
            return "ratio"
        if recipe.most_changed < 1:
            if not is_alignable(source, target):
                return "too long"
            longer = max(len(source), len(target))
            if distance(source, target) > recipe.most_changed * longer:
                return "changed"
        return ""

    def _before(self, source: str, target: str) -> str:
        """Return whether a pair stands there before."""
        kind = self._recipe.duplicates
        if kind == "keep":
            return ""
        code = digest(0, kind, source if kind == "source" else f"{source}\0{target}")
        if code in self._seen:
            return "duplicate"
        self._seen.add(code)
        return ""


def _of(source: str, target: str, found: Found) -> Verdict:
    where = "evaluation" if found.near is None else "near"
    return Verdict(source, target, f"{where} {found.side}", found)


def group_of(seed: int, source: str) -> int:
    """Return what decides whether a source is put aside: equal for sources that compare equal."""
    return digest(seed, "dev", key_of(source))
