"""Profiles: how many errors of which types are made, in TOML; packaged, one's own, or fitted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.edits.corruption import Corruption
from gecbench.formats.validation import Count, Share, list_packaged, load_packaged, with_values
from gecbench.lang import CORRUPTIONS, language_of
from gecbench.lang.zh.corruption import SHAPE_TABLES

PROFILES = Path(__file__).parent / "profiles"

_HEAVIEST = 1e12
"""Weights are added up, and the sum must be a number."""

Weight = Annotated[float, msgspec.Meta(ge=0, le=_HEAVIEST)]
Seen = Annotated[int, msgspec.Meta(ge=1, le=2**53)]


class FittedType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a corpus shows of one type of error.

    Args:
        name: The type, as its scheme calls it.
        edits: How many of them the corpus has.
        lengths: Units in the error, units in its correction, how many edits.
        rest: Share of edits that no confusion below stands for; rules make as many.
        by: Names of the types of fixed tables that make them; () where none does.
        confusions: What is right, what was written instead, how often, and how often the right
            one stands in the corrections, wrong or not. "" is nothing.
        moves: Of word order: units of the two stretches that were exchanged, how many.
    """

    name: str
    edits: Count
    lengths: tuple[tuple[Count, Count, Seen], ...] = ()
    rest: Share = 0.0
    by: tuple[str, ...] = ()
    confusions: tuple[tuple[str, str, Seen, Count], ...] = ()
    moves: tuple[tuple[Seen, Seen, Seen], ...] = ()


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How texts are corrupted.

    Args:
        language: A code of `CORRUPTIONS`.
        about: What it is, for people.
        types: Weight of each type of error, by name.
        errors: Weights of 1, 2, 3, ... errors in a sentence that gets some.
        correct: Share of sentences that are left as they are.
        shortest: Sentences of fewer units (characters, words) are left out.
        longest: Sentences of more units are left out.
        unmade: What becomes of a sentence that should get errors and has no place for any.
        shapes: What characters look alike: own, cherrant (the table of that data set), or a file.
        segment: A segmenter, as jieba, so that words are exchanged, repeated and left out whole;
            "" is none.
        tokens: What a token of an English text is: en, or space where they are divided already.
        fitted: What a corpus shows, of types that it has.
        source: Of a fitted one: the corpus, its sha256, and what it was made by.
    """

    language: str
    about: str = ""
    types: dict[str, Weight]
    errors: Annotated[tuple[Weight, ...], msgspec.Meta(min_length=1)] = (1.0,)
    correct: Share = 0.0
    shortest: Annotated[int, msgspec.Meta(ge=1)] = 1
    longest: Annotated[int, msgspec.Meta(ge=1)] = 1000
    unmade: Literal["drop", "keep"] = "drop"
    shapes: str = "own"
    segment: str = ""
    tokens: Literal["en", "space"] = "en"
    fitted: tuple[FittedType, ...] = ()
    source: dict[str, str] = {}


_TYPE = "types."


def profile_names() -> list[str]:
    """The names of the packaged profiles."""
    return list_packaged(PROFILES)


def load_profile(which: str) -> Profile:
    """Load a packaged profile by its name, or the one in a file.

    Raises:
        UnknownNameError: There is no such packaged profile, and no such file.
        FormatError: The file is not TOML, or holds an unknown key or a wrong value.
    """
    profile = load_packaged("profile", which, PROFILES, Profile)
    if profile.language not in CORRUPTIONS:
        raise FormatError(
            f"{which}: 'language' is {profile.language!r}; one of: {', '.join(CORRUPTIONS)}"
        )
    if profile.shapes in SHAPE_TABLES:
        return profile
    # Paths in a file count from its own folder.
    return msgspec.structs.replace(profile, shapes=str(Path(which).parent / profile.shapes))


def with_settings(profile: Profile, settings: Mapping[str, str]) -> Profile:
    """A profile with other values of its keys; strings are converted.

    `types.NAME` sets the weight of one type; a type with a weight of 0 is not made.

    Raises:
        UnknownNameError: There is no such key.
        UsageError: A value has the wrong type or lies outside its bounds.
    """
    types = dict(profile.types)
    rest: dict[str, object] = {}
    for key, value in settings.items():
        if key.startswith(_TYPE):
            types[key.removeprefix(_TYPE)] = _weight(key, value)
        else:
            rest[key] = value.split(",") if key == "errors" else value
    for key in rest:
        if key not in _SETTABLE:
            raise UnknownNameError("key of profiles", key, [*_SETTABLE, f"{_TYPE}NAME"])
    return msgspec.structs.replace(with_values("profiles", profile, rest), types=types)


_SETTABLE = tuple(
    field.encode_name
    for field in msgspec.structs.fields(Profile)
    if field.encode_name not in ("language", "types", "fitted", "source")
)
"""Keys that a terminal can set to one value."""


def _weight(key: str, value: str) -> float:
    try:
        weight = float(value)
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= _HEAVIEST:
        raise UsageError(
            f"option {key} of profiles: {value!r} is no weight; say a number from 0 to 1e12"
        )
    return weight


def check_profile(profile: Profile, corruption: Corruption[Any], origin: str) -> None:
    """Refuse what no key alone shows to be wrong.

    Args:
        profile: To look at.
        corruption: Of its language.
        origin: What it is called in failures.

    Raises:
        UnknownNameError: A type is none that rules make in its language, and is not fitted.
        FormatError: Weights come to nothing, or bounds leave no sentence.
    """
    names = [*corruption.types, *(type_.name for type_ in profile.fitted)]
    _check_types(profile.types, names, profile.language)
    for type_ in profile.fitted:
        _check_types(type_.by, list(corruption.types), profile.language)
        _check_fitted(type_, profile.language, origin)
    if not sum(profile.types.values()):
        raise FormatError(f"{origin}: all types have a weight of 0; give one of them more")
    if not sum(profile.errors):
        raise FormatError(f"{origin}: errors: all weights are 0; give one of them more")
    if profile.longest < profile.shortest:
        raise FormatError(
            f"{origin}: longest {profile.longest} is below shortest {profile.shortest}, so nothing "
            "would be left"
        )


def _check_types(names: Iterable[str], known: Sequence[str], language: str) -> None:
    for name in names:
        if name not in known:
            raise UnknownNameError(f"type of errors in {language}", name, known)


def _check_fitted(type_: FittedType, language: str, origin: str) -> None:
    if not can_be_made(type_):
        raise FormatError(
            f"{origin}: fitted type {type_.name!r} has no confusions, moves, lengths of what is "
            "missing or too much, nor rules; nothing can be made of it"
        )
    joiner = language_of(language).joiner
    for right, wrong, *_ in type_.confusions:
        if right == wrong or any(joiner.join(side.split()) != side for side in (right, wrong)):
            blanks = "white space but single blanks" if joiner else "white space"
            raise FormatError(
                f"{origin}: fitted type {type_.name!r}: {right!r} is confused with {wrong!r}; give "
                f"two that differ, without {blanks}"
            )


def can_be_made(type_: FittedType) -> bool:
    """Whether anything can be made of what a corpus shows."""
    return bool(type_.confusions or type_.moves or type_.by or kind_of(type_.lengths))


def kind_of(lengths: Sequence[tuple[int, int, int]]) -> Literal["omission", "repetition", ""]:
    """What edits of such lengths mostly add or drop: what is missing, what is too much, or "".

    >>> kind_of([(0, 1, 30), (1, 1, 2)]), kind_of([(1, 2, 5)])
    ('omission', '')
    """
    total = sum(count for _, _, count in lengths)
    if 2 * sum(count for wrong, _, count in lengths if not wrong) > total:
        return "omission"
    if 2 * sum(count for _, right, count in lengths if not right) > total:
        return "repetition"
    return ""


def digest_of(profile: Profile) -> str:
    """What tells profiles apart: a hash of all that they say."""
    return hashlib.sha256(msgspec.json.encode(profile)).hexdigest()[:12]
