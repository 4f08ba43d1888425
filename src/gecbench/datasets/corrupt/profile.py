"""Profiles: how many errors of which types are made, in TOML; packaged, one's own, or fitted."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.formats.validation import convert, options_of, toml_of

PROFILES = Path(__file__).parent / "profiles"

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_HEAVIEST = 1e12
"""Weights are added up, and the sum must be a number."""

Weight = Annotated[float, msgspec.Meta(ge=0, le=_HEAVIEST)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Seen = Annotated[int, msgspec.Meta(ge=1, le=2**53)]

OWN_SHAPES, CHERRANT_SHAPES = "own", "cherrant"


class Fitted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
        language: zh or en.
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

    language: Literal["zh", "en"]
    about: str = ""
    types: dict[str, Weight]
    errors: Annotated[tuple[Weight, ...], msgspec.Meta(min_length=1)] = (1.0,)
    correct: Share = 0.0
    shortest: Annotated[int, msgspec.Meta(ge=1)] = 1
    longest: Annotated[int, msgspec.Meta(ge=1)] = 1000
    unmade: Literal["drop", "keep"] = "drop"
    shapes: str = OWN_SHAPES
    segment: str = ""
    tokens: Literal["en", "space"] = "en"
    fitted: tuple[Fitted, ...] = ()
    source: dict[str, str] = {}


_TYPE = "types."


def profile_names() -> list[str]:
    """Return the names of the packaged profiles."""
    return sorted(path.stem for path in PROFILES.glob("*.toml"))


def load_profile(which: str) -> Profile:
    """Return a packaged profile by its name, or the one in a file.

    Raises:
        UnknownNameError: There is no such packaged profile, and no such file.
        FormatError: The file is not TOML, or holds an unknown key or a wrong value.
    """
    if which in profile_names():
        return convert(f"profile {which}", toml_of(PROFILES / f"{which}.toml"), Profile)
    path = Path(which)
    if not which.endswith(".toml") and not path.exists():
        raise UnknownNameError("profile", which, profile_names())
    profile = convert(which, toml_of(path), Profile)
    if profile.shapes not in (OWN_SHAPES, CHERRANT_SHAPES):
        # Paths in a file count from its own folder.
        return msgspec.structs.replace(profile, shapes=str(path.parent / profile.shapes))
    return profile


def with_settings(profile: Profile, given: Mapping[str, str]) -> Profile:
    """Return a profile with other values of its keys; strings are converted.

    `types.NAME` sets the weight of one type; a type with a weight of 0 is not made.

    Raises:
        UnknownNameError: There is no such key.
        UsageError: A value has the wrong type or lies outside its bounds.
    """
    types = dict(profile.types)
    rest: dict[str, object] = {}
    for key, value in given.items():
        if key.startswith(_TYPE):
            types[key.removeprefix(_TYPE)] = _weight(key, value)
        else:
            rest[key] = value.split(",") if key == "errors" else value
    for key in rest:
        if key not in _SETTABLE:
            raise UnknownNameError("key of profiles", key, [*_SETTABLE, f"{_TYPE}NAME"])
    base: dict[str, object] = {"language": profile.language, "types": {}}
    made = options_of("profiles", Profile, {**base, **rest})
    changed = {key: getattr(made, key) for key in rest}
    return msgspec.structs.replace(profile, types=types, **changed)


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


def check_profile(profile: Profile, makeable: Collection[str], origin: str) -> None:
    """Refuse what no key alone shows to be wrong.

    Args:
        profile: To look at.
        makeable: Names of the types that rules make in its language.
        origin: What it is called in failures.

    Raises:
        UnknownNameError: A type is none of these, and is not fitted.
        FormatError: Weights come to nothing, or bounds leave no sentence.
    """
    fitted = [each.name for each in profile.fitted]
    for name in profile.types:
        if name not in makeable and name not in fitted:
            raise UnknownNameError(
                f"type of errors in {profile.language}", name, [*makeable, *fitted]
            )
    for each in profile.fitted:
        _check_fitted(each, makeable, profile.language, origin)
    if not sum(profile.types.values()):
        raise FormatError(f"{origin}: all types have a weight of 0; give one of them more")
    if not sum(profile.errors):
        raise FormatError(f"{origin}: errors: all weights are 0; give one of them more")
    if profile.longest < profile.shortest:
        raise FormatError(
            f"{origin}: longest {profile.longest} is below shortest {profile.shortest}, so nothing "
            "would be left"
        )


def _check_fitted(
    each: Fitted, makeable: Collection[str], language: Literal["zh", "en"], origin: str
) -> None:
    if not (each.confusions or each.moves or each.by or kind_of(each.lengths)):
        raise FormatError(
            f"{origin}: fitted type {each.name!r} has no confusions, moves, lengths of what is "
            "missing or too much, nor rules; nothing can be made of it"
        )
    for name in each.by:
        if name not in makeable:
            raise UnknownNameError(f"type of errors in {language}", name, makeable)
    glue = "" if language == "zh" else " "
    for right, wrong, *_ in each.confusions:
        if right == wrong or any(glue.join(one.split()) != one for one in (right, wrong)):
            blanks = "white space" if language == "zh" else "white space but single blanks"
            raise FormatError(
                f"{origin}: fitted type {each.name!r}: {right!r} is confused with {wrong!r}; give "
                f"two that differ, without {blanks}"
            )


def kind_of(lengths: Sequence[tuple[int, int, int]]) -> Literal["omission", "repetition", ""]:
    """Return what edits of such lengths mostly mend: what is missing, what is too much, or else.

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
    """Return what tells profiles apart: a hash of all that they say."""
    return hashlib.sha256(msgspec.json.encode(profile)).hexdigest()[:12]


# The packaged tables of confusions, one file a language.


NOTHING = "-"
"""Stands in a table for what is left out."""


@cache
def tables(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the rows of each table of a language, as they are written."""
    path = Path(__file__).parent / "tables" / f"{language}.toml"
    read = toml_of(path)
    return {name: tuple(rows) for name, rows in read.items() if isinstance(rows, list)}


def confusions_of(language: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return what is right to what is written instead, without doubles.

    >>> confusions_of("zh", "word-misused")["地"]
    ('的', '得')
    """
    found: dict[str, dict[str, None]] = {}
    for row in tables(language)[name]:
        right, _, wrong = row.partition(" > ")
        for each in wrong.split(" | "):
            text = "" if each.strip() == NOTHING else each.strip()
            found.setdefault(right.strip(), {})[text] = None
    return {right: tuple(wrong) for right, wrong in found.items()}
