"""The types of errors that rules make in English; they have the names of ERRANT's edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from gecbench.datasets.corrupt.chance import Draw, Weighted
from gecbench.datasets.corrupt.choosing import Mixed
from gecbench.datasets.corrupt.slips import Rule
from gecbench.datasets.corrupt.spelling import misspelled, other_case
from gecbench.datasets.corrupt.tables import confusions_of, tables
from gecbench.datasets.corrupt.words import (
    Exact,
    Form,
    Phrase,
    Phrases,
    Places,
    Stretches,
    Words,
    phrases_of,
)
from gecbench.lang.en.verbs import forms_of

Made = tuple[int, int, tuple[str, ...]]

_BY_TABLE = (
    *("M:DET", "R:DET", "M:PREP", "R:PREP", "U:PREP", "R:PRON", "M:PRON", "U:PRON", "R:CONJ"),
    *("M:CONJ", "M:VERB", "R:VERB", "R:NOUN", "R:MORPH", "R:ADJ:FORM", "R:CONTR", "R:PUNCT"),
    *("R:OTHER", "U:OTHER", "M:PUNCT"),
)
_BEFORE_BASE = frozenset(
    ("to", "can", "could", "will", "would", "should", "must", "may", "might", "not", "n't", "don't")
)
_MANY = frozenset(
    ("these", "those", "many", "several", "few", "two", "three", "four", "five", "six", "ten")
)
_PERSONS = frozenset(("he", "she", "it", "who", "which", "that"))


def english_types() -> dict[str, Callable[[], Rule[Words]]]:
    """Return what makes each type; a rule is made when it is asked for."""
    made: dict[str, Callable[[], Rule[Words]]] = {name: _table_maker(name) for name in _BY_TABLE}
    return made | {
        "U:DET": lambda: Places(_needless_article()),
        "R:NOUN:NUM": lambda: Mixed(
            (Places(_number_of(_nouns())), Places(_after_many), _table("R:NOUN:NUM")),
            (0.6, 0.2, 0.2),
        ),
        "R:VERB:SVA": lambda: Mixed((_table("R:VERB:SVA"), Places(_agreement)), (0.5, 0.5)),
        "R:VERB:FORM": lambda: Mixed((Places(_after_modal), Places(_participle)), (0.5, 0.5)),
        "R:VERB:TENSE": lambda: Mixed((_table("R:VERB:TENSE"), Places(_tense)), (0.4, 0.6)),
        "R:SPELL": lambda: Mixed((Exact(misspelled), _table("R:SPELL")), (0.8, 0.2)),
        "R:ORTH": lambda: Mixed((Exact(other_case), _table("R:ORTH")), (0.7, 0.3)),
        "U:PUNCT": lambda: Places(_comma),
        "M:NOUN:POSS": lambda: Mixed((Exact(_no_possessive), _table("M:NOUN:POSS")), (0.7, 0.3)),
        "R:WO": lambda: Mixed((Places(_moved()), Stretches(_LENGTHS)), (0.7, 0.3)),
        "M:OTHER": lambda: Places(_nothing),
    }


_LENGTHS = Weighted([(1, 1), (1, 2), (2, 1)], [3, 1, 1])


def _table_maker(name: str) -> Callable[[], Rule[Words]]:
    return lambda: _table(name)


def _table(name: str) -> Phrases:
    return Phrases(phrases_of(confusions_of("en", name)))


def _needless_article() -> Form:
    bare = frozenset(tables("en")["bare"])

    def form(view: Words, place: int, draw: Draw) -> Made | None:
        if not place or view.lower[place] not in bare or view.lower[place - 1] in _ARTICLES:
            return None
        return place, place, ("the",) if draw() & 3 else ("a",)

    return form


_ARTICLES = frozenset(("the", "a", "an", "my", "his", "her", "its", "their", "our", "your", "this"))


@cache
def _nouns() -> Mapping[str, str]:
    """Return the number of nouns that they do not have: plural to singular, and back."""
    found: dict[str, str] = {}
    for noun in tables("en")["nouns"]:
        plural = _plural(noun)
        found[noun], found[plural] = plural, noun
    return found


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _number_of(nouns: Mapping[str, str]) -> Form:
    def form(view: Words, place: int, _draw: Draw) -> Made | None:
        other = nouns.get(view.lower[place])
        return None if other is None else (place, place + 1, (other,))

    return form


def _after_many(view: Words, place: int, _draw: Draw) -> Made | None:
    """Return the singular of what stands behind a word that wants the plural."""
    word = view.lower[place]
    if not place or view.lower[place - 1] not in _MANY or not word.isalpha():
        return None
    if not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return None
    return place, place + 1, (word[:-3] + "y" if word.endswith("ies") else word[:-1],)


def _agreement(view: Words, place: int, _draw: Draw) -> Made | None:
    """Return a present tense in the other number, of a verb whose subject can be told."""
    forms = forms_of(view.lower[place])
    if "VBZ" in forms and "VB" not in forms and _may_be_verb(view, place):
        wrong = forms["VBZ"][0]
    elif "VB" in forms and place and view.lower[place - 1] in _PLURALS:
        wrong = forms["VB"][4]
    else:
        return None
    return place, place + 1, (wrong,)


def _may_be_verb(view: Words, place: int) -> bool:
    """Return whether a word in -s is hardly a plural: no noun of the table, none before it."""
    before = view.lower[place - 1] if place else ""
    return view.lower[place] not in _nouns() and not (
        before in _ARTICLES or before in _MANY or before in _PREPOSITIONS
    )


_PREPOSITIONS = frozenset(
    ("of", "in", "on", "at", "for", "with", "by", "from", "about", "and", "or", "other", "some")
)
_PLURALS = frozenset(("i", "you", "we", "they", "people", "students", "who", "children", "parents"))


def _after_modal(view: Words, place: int, draw: Draw) -> Made | None:
    """Return another form of a verb that stands behind "to" or a modal."""
    if not place or view.lower[place - 1] not in _BEFORE_BASE:
        return None
    forms = forms_of(view.lower[place])
    if "VB" not in forms:
        return None
    return place, place + 1, (forms["VB"][(2, 1, 4, 2)[draw() & 3]],)


def _participle(view: Words, place: int, draw: Draw) -> Made | None:
    """Return another form of a verb in -ing, or of a participle."""
    forms = forms_of(view.lower[place])
    if "VBG" in forms:
        wrong = forms["VBG"]
        return place, place + 1, (wrong[0],) if draw() & 1 else ("to", wrong[0])
    if "VBN" in forms and place and view.lower[place - 1] in _HAVE:
        return place, place + 1, (forms["VBN"][(0, 2)[draw() & 1]],)
    return None


_HAVE = frozenset(("have", "has", "had", "be", "is", "are", "was", "were", "been", "being"))


def _tense(view: Words, place: int, _draw: Draw) -> Made | None:
    """Return a past tense as a present, or a present of a third person as a past."""
    forms = forms_of(view.lower[place])
    if "VBD" in forms and "VB" not in forms:
        base, _, _, _, third = forms["VBD"]
        single = place and view.lower[place - 1] in _PERSONS
        return place, place + 1, (third if single else base,)
    if "VBZ" in forms and "VB" not in forms and _may_be_verb(view, place):
        return place, place + 1, (forms["VBZ"][1],)
    return None


def _comma(view: Words, place: int, _draw: Draw) -> Made | None:
    """Return a comma before a word that has none before it."""
    if not place > 0 or not view.lower[place].isalpha() or not view.lower[place - 1].isalpha():
        return None
    return place, place, (",",)


def _no_possessive(word: str, _draw: Draw) -> str | None:
    for ending in ("'s", "’s"):
        if word.endswith(ending) and word.lower() not in _NOT_OWNED:
            return word[: -len(ending)]
    return word[:-1] if word.endswith(("s'", "s’")) else None


_NOT_OWNED = frozenset(
    f"{word}{mark}s"
    for word in ("it", "he", "she", "that", "there", "what", "who", "let", "here", "where", "how")
    for mark in "'’"
)


def _moved() -> Form:
    moving = frozenset(tables("en")["moving"])

    def form(view: Words, place: int, draw: Draw) -> Made | None:
        if view.lower[place] not in moving:
            return None
        start = place - (draw() & 1)
        words = view.words[start : start + 2]
        if start < 1 or len(words) < 2 or not all(map(str.isalpha, words)):
            return None
        return start, start + 2, words[::-1]

    return form


def _nothing(view: Words, place: int, _draw: Draw) -> Made | None:
    return (place, place + 1, ()) if view.lower[place].isalpha() else None


def general_english() -> Mapping[str, Callable[[Mapping[tuple[int, int], float]], Rule[Words]]]:
    """Return rules that know nothing but lengths, by what they are called in fitted profiles."""

    def omission(lengths: Mapping[tuple[int, int], float]) -> Rule[Words]:
        counts: dict[int, float] = {}
        for (_, right), count in lengths.items():
            if right:
                counts[right] = counts.get(right, 0) + count
        drawn = Weighted(tuple(counts) or (1,), tuple(counts.values()) or (1,))

        def form(view: Words, place: int, draw: Draw) -> Made | None:
            end = place + drawn.pick(draw)
            words = view.words[place:end]
            fits = end <= len(view.words) and all(map(str.isalpha, words))
            return (place, end, ()) if fits else None

        return Places(form)

    def repetition(_lengths: Mapping[tuple[int, int], float]) -> Rule[Words]:
        def form(view: Words, place: int, _draw: Draw) -> Made | None:
            if not place or not view.lower[place - 1].isalpha():
                return None
            return place, place, (view.words[place - 1],)

        return Places(form)

    return {
        "omission": omission,
        "repetition": repetition,
        "exchange": lambda lengths: Stretches(Weighted(tuple(lengths), tuple(lengths.values()))),
    }


def phrase_of(right: str, wrong: Mapping[str, float], rate: float) -> Phrase:
    """Return what a corpus shows of some tokens, which have blanks between them."""
    return Phrase(
        tuple(right.split()),
        tuple(tuple(each.split()) for each in wrong),
        tuple(wrong.values()),
        rate,
        exact=any(each.lower() == right.lower() for each in wrong),
    )


def inserted(pieces: Mapping[str, float]) -> Rule[Words]:
    """Return what writes tokens, which have blanks between them, before any word.

    Args:
        pieces: With weights.
    """
    drawn = Weighted([tuple(piece.split()) for piece in pieces], pieces.values())

    def form(view: Words, place: int, draw: Draw) -> Made | None:
        return (place, place, drawn.pick(draw)) if view.lower[place][:1].isalpha() else None

    return Places(form)
