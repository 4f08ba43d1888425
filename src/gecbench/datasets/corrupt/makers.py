"""What corrupts the texts of a language by a profile: rules by name, fitted tables, lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import unwrap
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar, cast

from gecbench.backends import SEGMENTERS
from gecbench.core.errors import UsageError
from gecbench.core.registry import resolve
from gecbench.datasets.corrupt.assembling import Corrupted, of_characters, of_words
from gecbench.datasets.corrupt.chance import Draw, Weighted
from gecbench.datasets.corrupt.characters import Confusion, Confusions, Insertions
from gecbench.datasets.corrupt.chinese import chinese_types, general_chinese
from gecbench.datasets.corrupt.choosing import Choosing, Mixed
from gecbench.datasets.corrupt.english import english_types, general_english, inserted, phrase_of
from gecbench.datasets.corrupt.profile import (
    CHERRANT_SHAPES,
    OWN_SHAPES,
    Fitted,
    Profile,
    check_profile,
    kind_of,
)
from gecbench.datasets.corrupt.slips import Rule, Slip
from gecbench.datasets.corrupt.words import Phrases, Words, words_of
from gecbench.lang.zh.alike import homophones, shapes_of
from gecbench.lang.zh.parse import PLACEHOLDER
from gecbench.text.tokens import parted

View = TypeVar("View")

TOO_SHORT, TOO_LONG, HELD = "shorter than shortest", "longer than longest", "has a placeholder"


class Made(NamedTuple):
    """What became of a sentence.

    Args:
        corrupted: With its errors; None where it is left as it is.
        wanted: Errors that were drawn.
        units: Characters or tokens of the correct text.
        dropped: Why it is left out; "" where it is not.
    """

    corrupted: Corrupted | None
    wanted: int
    units: int
    dropped: str = ""


class Maker(Protocol):
    """Corrupts one text after another."""

    def __call__(self, text: str, draw: Draw) -> Made:
        """Return what becomes of a text, by the random numbers of its own."""
        ...


class _Maker(Generic[View]):
    """Corrupts the texts of a language.

    Args:
        profile: For the bounds of lengths.
        choosing: What errors.
        view: From a text to what the rules read.
        size: Of that, in units.
        assemble: From that and slips to the text with errors.
    """

    def __init__(
        self,
        profile: Profile,
        choosing: Choosing[View],
        view: Callable[[str], View],
        size: Callable[[View], int],
        assemble: Callable[[View, Sequence[tuple[Slip, str]]], Corrupted],
    ) -> None:
        self._shortest, self._longest = profile.shortest, profile.longest
        self._choosing = choosing
        self._view, self._size, self._assemble = view, size, assemble

    def __call__(self, text: str, draw: Draw) -> Made:
        """Return what becomes of a text."""
        view = self._view(text)
        units = self._size(view)
        if not self._shortest <= units <= self._longest:
            return Made(None, 0, units, TOO_SHORT if units < self._shortest else TOO_LONG)
        if PLACEHOLDER in text:
            return Made(None, 0, units, HELD)
        wanted, slips = self._choosing.choose(view, draw)
        while slips:
            corrupted = self._assemble(view, slips)
            if corrupted.text != text:
                return Made(corrupted, wanted, units)
            slips = slips[:-1]  # two slips that undo one another, as in a row of equal characters
        return Made(None, wanted, units)


def maker_of(profile: Profile, origin: str, shapes_file: Callable[[], Path]) -> Maker:
    """Return what corrupts texts as a profile says.

    Args:
        profile: How.
        origin: What it is called in failures.
        shapes_file: Finds the table of shapes of ChERRANT's data set.

    Raises:
        UnknownNameError: The profile names a type that there is not.
        FormatError: It cannot be followed.
        MissingExtraError: A type needs what is not installed.
    """
    _check_keys(profile)
    if profile.language == "zh":
        types = _chinese(profile, shapes_file)
        check_profile(profile, types, origin)
        rules = _rules(profile, types, _fitted_chinese)
        return _Maker(profile, _choosing(profile, rules), str, len, of_characters)
    english = english_types()
    check_profile(profile, english, origin)

    divided = profile.tokens == "space"

    def view(text: str) -> Words:
        return words_of(text, parted(text, profile.tokens), divided=divided)

    choosing = _choosing(profile, _rules(profile, english, _fitted_english))
    return _Maker(profile, choosing, view, lambda words: len(words.words), of_words)


def _check_keys(profile: Profile) -> None:
    """Refuse keys that say nothing in the language of the profile."""
    if profile.language == "zh":
        if profile.tokens != "en":
            raise UsageError("tokens is for English; those of Chinese are its characters")
        return
    if profile.segment:
        raise UsageError("segment is for Chinese; English has words already")
    if profile.shapes != OWN_SHAPES:
        raise UsageError("shapes is for Chinese; no type of English asks what letters look like")


def _choosing(profile: Profile, rules: Mapping[str, Rule[View]]) -> Choosing[View]:
    return Choosing(rules, profile.types, profile.errors, profile.correct)


def _chinese(
    profile: Profile, shapes_file: Callable[[], Path]
) -> dict[str, Callable[[], Rule[str]]]:
    shapes = None
    if profile.shapes != OWN_SHAPES:
        path = shapes_file() if profile.shapes == CHERRANT_SHAPES else Path(profile.shapes)
        shapes = shapes_of(path)
    divide = None
    if profile.segment:
        name, _, model = profile.segment.partition(":")
        start = cast(
            "Callable[[str], tuple[str, Callable[[str], tuple[str, ...]]]]",
            resolve("segmenter", name, SEGMENTERS),
        )
        # What it was asked is kept by its cache, which would grow with every text.
        divide = unwrap(start(model)[1])
    return chinese_types(homophones, shapes, divide)


def _rules(
    profile: Profile,
    types: Mapping[str, Callable[[], Rule[View]]],
    fitted: Callable[[Fitted, Mapping[str, Callable[[], Rule[View]]]], Rule[View]],
) -> dict[str, Rule[View]]:
    """Return the rules of the types that a profile weighs."""
    own = {each.name: each for each in profile.fitted}
    return {
        name: fitted(own[name], types) if name in own else types[name]()
        for name, weight in profile.types.items()
        if weight
    }


def _parts(
    fitted: Fitted,
    table: Sequence[Rule[View]],
    general: Mapping[str, Callable[[Mapping[tuple[int, int], float]], Rule[View]]],
    types: Mapping[str, Callable[[], Rule[View]]],
) -> Rule[View]:
    """Return what makes a fitted type: its confusions, and rules for the rest of its edits."""
    rules: list[Rule[View]] = list(table)
    share = max(1 - fitted.rest, _LEAST)
    weights: list[float] = [share / len(table)] * len(table) if table else []
    if fitted.moves:
        rules.append(general["exchange"]({(one, two): n for one, two, n in fitted.moves}))
        weights.append(sum(n for _, _, n in fitted.moves) / max(1, fitted.edits))
    rest = [types[name]() for name in fitted.by]
    kind = kind_of(fitted.lengths)
    if kind:
        side = 1 if kind == "omission" else 0
        counts = {(w, r): float(n) for w, r, n in fitted.lengths if (r, w)[side] == 0}
        rest.append(general[kind](counts))
    if rest and (fitted.rest or not rules):
        rules += rest
        weights += [max(fitted.rest, _LEAST) / len(rest)] * len(rest)
    return Mixed(rules, weights)


_LEAST = 1e-6


def _by_right(fitted: Fitted) -> dict[str, tuple[dict[str, float], float]]:
    """Return what is right to what was written instead with counts, and the rate of errors."""
    found: dict[str, tuple[dict[str, float], float]] = {}
    for right, wrong, count, occurrences in fitted.confusions:
        known, rate = found.get(right, ({}, 0.0))
        known[wrong] = known.get(wrong, 0) + count
        found[right] = known, rate + count / max(1, occurrences)
    return found


def _fitted_chinese(fitted: Fitted, types: Mapping[str, Callable[[], Rule[str]]]) -> Rule[str]:
    found = _by_right(fitted)
    anywhere = found.pop("", None)
    table: list[Rule[str]] = []
    if found:
        table.append(
            Confusions(
                Confusion(right, tuple(wrong), tuple(wrong.values()), rate)
                for right, (wrong, rate) in found.items()
            )
        )
    if anywhere:
        table.append(Insertions(Weighted(tuple(anywhere[0]), tuple(anywhere[0].values()))))
    return _parts(fitted, table, general_chinese(), types)


def _fitted_english(fitted: Fitted, types: Mapping[str, Callable[[], Rule[Words]]]) -> Rule[Words]:
    found = _by_right(fitted)
    anywhere = found.pop("", None)
    table: list[Rule[Words]] = []
    if found:
        table.append(
            Phrases(phrase_of(right, wrong, rate) for right, (wrong, rate) in found.items())
        )
    if anywhere:
        table.append(inserted(anywhere[0]))
    return _parts(fitted, table, general_english(), types)
