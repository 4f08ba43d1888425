"""Profiles: how many errors of which types are made, in TOML; packaged, one's own, or fitted."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from gecbench.core.edit import Edit, apply
from gecbench.core.errors import CorpusError, EditError, FormatError, UnknownNameError, UsageError
from gecbench.core.language import Language
from gecbench.core.sample import Corpus
from gecbench.edits.corruption import Corruption
from gecbench.formats.validation import Count, Share, list_packaged, load_packaged, with_values
from gecbench.lang import CORRUPTIONS, language_of
from gecbench.lang.zh.char import PLACEHOLDER
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


# Fitting a profile to a corpus: how many errors of which types, lengths and words it has.

_LONGEST = 8
"""Tokens of a confusion at most; longer ones are rewritings, which nobody repeats."""

_MOST_ERRORS = 30
_NOT_ERRORS = frozenset(("noop", "UNK", "Um", "NA"))


class Fit(NamedTuple):
    """A profile, and what could not be taken into it.

    Args:
        profile: To corrupt with.
        pairs: Sentences with one of their references, which it was fitted to.
        edits: That these have.
        kept: Of these, how many are confusions of the profile.
        left_out: Edits that are not in it, by reason.
    """

    profile: Profile
    pairs: int
    edits: int
    kept: int
    left_out: Mapping[str, int]


class _Type:
    """What was seen of one type."""

    def __init__(self) -> None:
        self.edits = 0
        self.lengths: Counter[tuple[int, int]] = Counter()
        self.confusions: Counter[tuple[str, str]] = Counter()
        self.beside: Counter[tuple[str, str, str, str]] = Counter()
        self.moves: Counter[tuple[int, int]] = Counter()


def fit(corpus: Corpus, language: Language, corruption: Corruption[Any], *, least: int = 2) -> Fit:
    """Make a profile of a corpus whose references have edits.

    Every reference counts, with its first edit set: an edit of source and target is turned round,
    so what was wrong is written for what is right. What is missing or too much is also counted
    with the word before it.

    Args:
        corpus: Its references have edits, of any scheme; their labels are the types.
        language: Of the corpus.
        corruption: Of the language; its rules make what is too rare to be kept.
        least: Occurrences from which a confusion is kept.

    Raises:
        CorpusError: No reference has an edit, or one says nothing.
    """
    types: dict[str, _Type] = defaultdict(_Type)
    numbers: Counter[int] = Counter()
    left_out: Counter[str] = Counter()
    pieces: Counter[str] = Counter()
    joiner = language.joiner
    for tokens, edits, target in _pairs(corpus, left_out):
        count = 0
        _count_pieces(pieces, target, joiner)
        for edit in edits:
            if why := _unusable(edit, tokens):
                left_out[why] += 1
                continue
            count += 1
            type_ = types[corruption.type_of(edit.label or edit.op)]
            _count(type_, edit, tokens, language, corruption)
        numbers[min(count, _MOST_ERRORS)] += 1
    edits_seen = sum(type_.edits for type_ in types.values())
    if not edits_seen:
        raise CorpusError(f"{corpus.name}: no reference has an edit, so nothing can be fitted")
    fitted = []
    for name, type_ in sorted(types.items(), key=lambda item: (-item[1].edits, item[0])):
        rules = corruption.substitutes(name)
        row = _fit_type(name, type_, pieces, least, rules, lower=bool(joiner))
        if can_be_made(row):
            fitted.append(row)
        else:
            left_out[f"type {name}: nothing that is repeated"] += row.edits
    profile = Profile(
        language=language.code,
        about=f"fitted to {corpus.name}",
        types={row.name: float(row.edits) for row in fitted},
        errors=tuple(float(numbers[n]) for n in range(1, max(numbers) + 1)),
        correct=round(numbers[0] / numbers.total(), 6),
        fitted=tuple(fitted),
    )
    confusions = sum(count for row in fitted for _, _, count, _ in row.confusions)
    return Fit(profile, numbers.total(), edits_seen, confusions, dict(left_out.most_common()))


def _unusable(edit: Edit, tokens: Sequence[str]) -> str:
    """Why an edit shows no error; "" where it does."""
    if edit.replacement is None or edit.label in _NOT_ERRORS:
        return "detected, not corrected"
    unchanged = tuple(tokens[edit.start : edit.end]) == edit.replacement
    return "changes nothing" if unchanged else ""


def _pairs(
    corpus: Corpus, left_out: Counter[str]
) -> Iterator[tuple[Sequence[str], Sequence[Edit], Sequence[str]]]:
    """Yield the tokens, edits and corrected tokens of each reference that can be applied."""
    for sample in corpus.samples:
        for rewrite in sample.references:
            if rewrite.unannotatable:
                continue
            edits = rewrite.edit_sets[0] if rewrite.edit_sets else ()
            if not (edits or rewrite.error_free or rewrite.edit_sets):
                raise CorpusError(
                    f"sentence {sample.id!r} has a reference without edits; find them first "
                    "(gecbench edits)"
                )
            tokens = sample.tokens or tuple(sample.source.split())
            real = [edit for edit in edits if edit.replacement is not None]
            try:
                target = apply(real, tokens)
            except EditError:  # MaxMatch allows it
                left_out["in a reference whose edits overlap"] += len(real)
                continue
            yield tokens, edits, target


def _count(
    type_: _Type,
    edit: Edit,
    tokens: Sequence[str],
    language: Language,
    corruption: Corruption[Any],
) -> None:
    """Count an edit: what it replaces is what was written wrongly."""
    joiner = language.joiner
    replacement = edit.replacement or ()
    wrong_tokens = tokens[edit.start : edit.end]
    wrong, right = joiner.join(wrong_tokens), joiner.join(replacement)
    type_.edits += 1
    # An English token is a unit, a Chinese one may be several characters.
    sizes = (len(wrong_tokens), len(replacement)) if joiner else (len(wrong), len(right))
    type_.lengths[sizes] += 1
    stretches = (
        _exchange_lengths(wrong_tokens, replacement) if sorted(wrong) == sorted(right) else None
    )
    if stretches:
        type_.moves[stretches] += 1
        return

    def is_entry(text: str) -> bool:
        return PLACEHOLDER not in text and corruption.is_entry(text)

    if max(sizes) > _LONGEST or not (is_entry(wrong) and is_entry(right)):
        return
    type_.confusions[right, wrong] += 1
    if not wrong or not right:
        before = tokens[edit.start - 1] if edit.start else ""
        if before and is_entry(before):
            context = before + joiner + right if right else before
            error = before + joiner + wrong if wrong else before
            type_.beside[right, wrong, context, error] += 1


def _exchange_lengths(wrong: Sequence[str], right: Sequence[str]) -> tuple[int, int] | None:
    """The lengths of the two stretches that were exchanged, those of the right text.

    What stands between them, where there is something, counts with the second. In Chinese a
    token of several characters counts as many.
    """
    for cut in range(1, len(wrong)):
        if tuple(wrong[cut:]) + tuple(wrong[:cut]) == tuple(right):
            sizes = sum(map(len, wrong[cut:])), sum(map(len, wrong[:cut]))
            is_latin = any(map(str.isascii, wrong))
            return (len(wrong) - cut, cut) if is_latin else sizes
    if len(wrong) > 1 and wrong[0] != right[0]:
        return 1, len(wrong) - 1
    return None


def _count_pieces(counts: Counter[str], target: Sequence[str], joiner: str) -> None:
    """Count all pieces of a corrected text up to a length; "" is a gap between two units."""
    units = [word.lower() for word in target] if joiner else "".join(target)
    counts[""] += len(units) + 1
    for length in range(1, _LONGEST + 1):
        for start in range(len(units) - length + 1):
            counts[joiner.join(units[start : start + length])] += 1


def _fit_type(
    name: str,
    type_: _Type,
    pieces: Mapping[str, int],
    least: int,
    by: tuple[str, ...],
    *,
    lower: bool,
) -> FittedType:
    """A type with the confusions that were seen often enough, sorted.

    Args:
        name: Of the type.
        type_: What was seen of it.
        pieces: How often each stands in the corrected texts.
        least: Occurrences from which a confusion is kept.
        by: Rules for the rest.
        lower: Whether the pieces are in lower case.
    """
    counts = Counter(type_.confusions)
    frequent: Counter[tuple[str, str]] = Counter()
    for (right, wrong, context, written), count in type_.beside.items():
        if count >= least:  # with its neighbour, a word is more surely what it was
            frequent[context, written] += count
            counts[right, wrong] -= count
    for pair, count in counts.items():
        if count >= least:
            frequent[pair] += count
    rows = tuple(
        (right, wrong, count, max(count, pieces[right.lower() if lower else right]))
        for (right, wrong), count in sorted(frequent.items(), key=lambda i: (-i[1], i[0]))
    )
    rest = type_.edits - frequent.total() - type_.moves.total()
    return FittedType(
        name=name,
        edits=type_.edits,
        lengths=_rows(type_.lengths),
        rest=round(rest / type_.edits, 6),
        by=by,
        confusions=rows,
        moves=_rows(type_.moves),
    )


def _rows(counts: Counter[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Pairs of lengths with their counts, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple((first, second, count) for (first, second), count in ordered)


def toml_of_profile(profile: Profile, notes: Sequence[str]) -> str:
    """Write a profile as TOML, comments first; reading it gives the same profile."""
    rows = [f"# {note}" for note in notes]
    for field in msgspec.structs.fields(Profile):
        value = getattr(profile, field.name)
        if field.name not in ("types", "fitted", "source"):
            rows.append(f"{field.name} = {_value(value)}")
    for table, values in (("types", profile.types), ("source", profile.source)):
        rows += ["", f"[{table}]"]
        rows += [f"{_value(key)} = {_value(value)}" for key, value in values.items()]
    for type_ in profile.fitted:
        rows += ["", "[[fitted]]", f"name = {_value(type_.name)}", f"edits = {type_.edits}"]
        rows += [f"rest = {_value(type_.rest)}", f"by = {_value(type_.by)}"]
        for key in ("lengths", "moves", "confusions"):
            rows.append(f"{key} = [")
            rows += [f"  {_value(row)}," for row in getattr(type_, key)]
            rows.append("]")
    return "\n".join(rows) + "\n"


def _value(value: object) -> str:
    """A value in TOML; JSON's strings, numbers and lists are TOML's, but for U+007F."""
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
