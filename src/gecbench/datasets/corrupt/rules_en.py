"""The types of errors that rules make in English; they have the names of ERRANT's edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from gecbench.datasets.corrupt.errors import (
    BITS,
    UNIT,
    AnyOf,
    Choices,
    Draw,
    Error,
    Rule,
    Spans,
    difference,
    is_free,
)
from gecbench.datasets.corrupt.profile import confusions_of, tables
from gecbench.lang.en.verbs import forms_of

# Rules over the tokens of an English text: what they change, and where the blanks go.


_CLOSING = frozenset(".,;:!?)]}%…”’")


def is_closing(token: str) -> bool:
    """Return whether a token is a mark that is written close to what precedes it."""
    return token in _CLOSING


class Words(NamedTuple):
    """A text in its tokens.

    Args:
        words: The tokens; none is empty.
        lower: The same in lower case.
        gaps: The white space before each, and that behind the last.
        divided: Whether marks stand alone between blanks.
    """

    words: tuple[str, ...]
    lower: tuple[str, ...]
    gaps: tuple[str, ...]
    divided: bool


def words_of(text: str, parts: Sequence[str], *, divided: bool = False) -> Words:
    """Return a text in its tokens.

    Args:
        text: The text.
        parts: White space and tokens in turn, as `text.tokens.split_tokens` gives them.
        divided: Whether marks are known to stand alone; else the text shows it.
    """
    words = tuple(parts[1::2])
    divided = divided or any(mark in text for mark in (" .", " ,", " ?", " !", " n't", " 's"))
    return Words(words, tuple(map(str.lower, words)), tuple(parts[::2]), divided)


def match_case(wrong: Sequence[str], like: str) -> tuple[str, ...]:
    """Return tokens with a capital first where another token has one.

    >>> match_case(("a", "dog"), "The"), match_case(("a",), "the")
    (('A', 'dog'), ('a',))
    """
    if wrong and like[:1].isupper() and like != "I" and not wrong[0][:1].isupper():
        return (wrong[0][:1].upper() + wrong[0][1:], *wrong[1:])
    return tuple(wrong)


def error_at(view: Words, start: int, end: int, wrong: Sequence[str]) -> Error | None:
    """Return the error that puts tokens in the place of others; None where blanks forbid it.

    What begins the text keeps its capital, so an error there may take in the token behind it.
    """
    words, gaps = view.words, view.gaps
    count = len(words)
    for gap in gaps[start + 1 : end]:
        if gap != " ":
            return None
    if wrong:
        if start < end:
            return Error(start, end, match_case(wrong, words[start]))
        return Error(start, end, tuple(wrong)) if _room(view, start, wrong[0]) else None
    if end - start >= count:
        return None
    if start == 0:
        following = words[end]
        if not following[:1].isalpha() or gaps[end] != " ":
            return None
        return Error(0, end + 1, match_case((following,), words[0]))
    if end < count and not gaps[start] and not gaps[end]:
        return None
    return Error(start, end, ())


def _room(view: Words, place: int, wrong: str) -> bool:
    """Return whether something can be inserted before the token of a place."""
    if wrong in _CLOSING:
        return place > 0 and (place == len(view.words) or view.gaps[place] == " ")
    return 0 < place < len(view.words) and view.gaps[place] == " "


class Phrase(NamedTuple):
    """What is written instead of some tokens.

    Args:
        right: The tokens, in lower case unless `exact`.
        wrong: What is written instead: tokens; () leaves them out.
        weights: How often each; () where all are alike.
        rate: How likely this place is against others.
        exact: Whether capitals must be as they are here.
    """

    right: tuple[str, ...]
    wrong: tuple[tuple[str, ...], ...]
    weights: tuple[float, ...] = ()
    rate: float = 1.0
    exact: bool = False


class _Entry:
    """A phrase as it is looked up."""

    __slots__ = ("changes", "exact", "length", "rate", "right", "weighted")

    def __init__(self, phrase: Phrase) -> None:
        self.right = phrase.right
        self.length = len(phrase.right)
        self.rate = phrase.rate
        self.exact = phrase.exact
        self.changes = tuple(difference(phrase.right, wrong) for wrong in phrase.wrong)
        self.weighted = Choices(self.changes, phrase.weights) if phrase.weights else None

    def at(self, place: int, view: Words, draw: Draw) -> Error | None:
        """Return an error at a place where the right tokens stand."""
        changes = self.changes
        if self.weighted is not None:
            skip, length, wrong = self.weighted.pick(draw)
        else:
            skip, length, wrong = changes[draw() * len(changes) >> BITS]
        start = place + skip
        if self.exact:
            return Error(start, start + length, tuple(wrong)) if wrong and length else None
        return error_at(view, start, start + length, wrong)


class Phrases:
    """Writes something else for tokens that stand in a table.

    Each place where a right phrase of the table stands is as likely as its rate says.
    """

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        found: dict[str, list[_Entry]] = {}
        for phrase in phrases:
            found.setdefault(phrase.right[0].lower(), []).append(_Entry(phrase))
        self._first = {key: tuple(entries) for key, entries in found.items()}
        self._known = frozenset(found)
        self._even = len({e.rate for entries in found.values() for e in entries}) < 2

    def __len__(self) -> int:
        return len(self._known)

    def __call__(self, view: Words, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        if self._known.isdisjoint(view.lower):
            return None
        first, lower = self._first, view.lower
        found = [
            (place, entry)
            for place, word in enumerate(lower)
            if word in first
            for entry in first[word]
            if _stands(view, place, entry)
        ]
        while found:
            if self._even or len(found) == 1:
                k = draw() * len(found) >> BITS
            else:
                k = Choices(range(len(found)), (entry.rate for _, entry in found)).pick(draw)
            place, entry = found[k]
            error = entry.at(place, view, draw)
            if error is not None and is_possible(view, others, error):
                return error
            found[k] = found[-1]
            found.pop()
        return None


def _stands(view: Words, place: int, entry: _Entry) -> bool:
    """Return whether the tokens of an entry stand at a place."""
    if entry.exact:
        return view.words[place : place + entry.length] == entry.right
    return entry.length == 1 or view.lower[place : place + entry.length] == entry.right


def is_possible(view: Words, others: Spans, error: Error) -> bool:
    """Return whether an error changes something and touches no other."""
    start, end, wrong = error
    return view.words[start:end] != tuple(wrong) and is_free(others, start, end)


Form = Callable[[Words, int, Draw], tuple[int, int, tuple[str, ...]] | None]
"""From the token of a place to a span and what is written there; None where it does not fit."""


class Places:
    """Asks a function about each token, from a random one on.

    Args:
        form: What is written for it.
    """

    def __init__(self, form: Form) -> None:
        self._form = form

    def __call__(self, view: Words, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        count = len(view.words)
        begin = draw() * count >> BITS
        for step in range(count):
            made = self._form(view, (begin + step) % count, draw)
            if made is None:
                continue
            error = error_at(view, *made)
            if error is not None and is_possible(view, others, error):
                return error
        return None


class Exact:
    """As `Places`, for what changes the writing of one token: capitals are as the function says."""

    def __init__(self, form: Callable[[str, Draw], str | None]) -> None:
        self._form = form

    def __call__(self, view: Words, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        words = view.words
        begin = draw() * len(words) >> BITS
        for step in range(len(words)):
            place = (begin + step) % len(words)
            wrong = self._form(words[place], draw)
            if wrong and wrong != words[place] and is_free(others, place, place + 1):
                return Error(place, place + 1, (wrong,))
        return None


class Stretches:
    """Exchanges two neighbouring stretches of words.

    Args:
        lengths: Of the first and the second, with weights.
    """

    def __init__(self, lengths: Choices[tuple[int, int]]) -> None:
        self._places = Places(self._form)
        self._lengths = lengths

    def __call__(self, view: Words, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        return self._places(view, others, draw)

    def _form(self, view: Words, place: int, draw: Draw) -> tuple[int, int, tuple[str, ...]] | None:
        one, two = self._lengths.pick(draw)
        end = place + one + two
        words = view.words[place:end]
        if place == 0 or end > len(view.words) or not all(map(str.isalpha, words)):
            return None
        return place, end, words[one:] + words[:one]


def join_words(words: Sequence[str], gaps: Sequence[str]) -> str:
    """Return the text of tokens and the white space around them."""
    pieces = [""] * (len(words) + len(gaps))
    pieces[::2], pieces[1::2] = gaps, words
    return "".join(pieces)


def phrases_of(table: Mapping[str, tuple[str, ...]]) -> list[Phrase]:
    """Return the rows of a table as phrases: tokens stand between blanks.

    A row that changes capitals only is found by its own.
    """
    return [
        Phrase(
            tuple(right.split()),
            tuple(tuple(each.split()) for each in wrong),
            exact=any(each.lower() == right.lower() for each in wrong),
        )
        for right, wrong in table.items()
    ]


# Spelling errors in English words: letters, and capitals.


_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = {"a": "e", "e": "ai", "i": "ey", "o": "ua", "u": "o"}
_SHORTEST = 4


def _neighbours() -> dict[str, str]:
    found = dict.fromkeys("".join(_KEYS), "")
    for row in _KEYS:
        for one, two in pairwise(row):
            found[one] += two
            found[two] += one
    return found


_BESIDE = _neighbours()


def misspell(word: str, draw: Draw) -> str | None:
    """Return a word with one spelling error; None where it is short or not of letters alone.

    Letters are exchanged, left out or doubled, a vowel is others for another, a double letter is
    written once, or the key beside is hit; the first letter stays.
    """
    if len(word) < _SHORTEST or not word.isascii() or not word.isalpha() or word.isupper():
        return None
    at = 1 + (draw() * (len(word) - 1) >> BITS)
    chance = draw() * UNIT
    if chance < 0.25 and at + 1 < len(word) and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if chance < 0.5:
        return word[:at] + word[at + 1 :]
    if chance < 0.65:
        return word[:at] + word[at] + word[at:]
    if chance < 0.9 and word[at] in _VOWELS:
        return word[:at] + _one(_VOWELS[word[at]], draw) + word[at + 1 :]
    beside = _BESIDE.get(word[at])
    return word[:at] + _one(beside, draw) + word[at + 1 :] if beside else None


def other_case(word: str, draw: Draw) -> str | None:
    """Return a word with a capital that is missing or, seldom, too much; None for no letters."""
    if not word[:1].isalpha():
        return None
    if word[0].isupper():
        made = word.lower()
    elif len(word) >= _SHORTEST and draw() * UNIT < 0.05:
        made = word.capitalize()
    else:
        return None
    return made if len(made) == len(word) else None  # some capitals become two characters


def _one(letters: str, draw: Draw) -> str:
    return letters[draw() * len(letters) >> BITS]


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
        "R:NOUN:NUM": lambda: AnyOf(
            (Places(_number_of(_nouns())), Places(_after_many), _table("R:NOUN:NUM")),
            (0.6, 0.2, 0.2),
        ),
        "R:VERB:SVA": lambda: AnyOf((_table("R:VERB:SVA"), Places(_agreement)), (0.5, 0.5)),
        "R:VERB:FORM": lambda: AnyOf((Places(_after_modal), Places(_participle)), (0.5, 0.5)),
        "R:VERB:TENSE": lambda: AnyOf((_table("R:VERB:TENSE"), Places(_tense)), (0.4, 0.6)),
        "R:SPELL": lambda: AnyOf((Exact(misspell), _table("R:SPELL")), (0.8, 0.2)),
        "R:ORTH": lambda: AnyOf((Exact(other_case), _table("R:ORTH")), (0.7, 0.3)),
        "U:PUNCT": lambda: Places(_comma),
        "M:NOUN:POSS": lambda: AnyOf((Exact(_no_possessive), _table("M:NOUN:POSS")), (0.7, 0.3)),
        "R:WO": lambda: AnyOf((Places(_moved()), Stretches(_LENGTHS)), (0.7, 0.3)),
        "M:OTHER": lambda: Places(_nothing),
    }


_LENGTHS = Choices([(1, 1), (1, 2), (2, 1)], [3, 1, 1])


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
        drawn = Choices(tuple(counts) or (1,), tuple(counts.values()) or (1,))

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
        "exchange": lambda lengths: Stretches(Choices(tuple(lengths), tuple(lengths.values()))),
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


def insertion_rule(pieces: Mapping[str, float]) -> Rule[Words]:
    """Return what writes tokens, which have blanks between them, before any word.

    Args:
        pieces: With weights.
    """
    drawn = Choices([tuple(piece.split()) for piece in pieces], pieces.values())

    def form(view: Words, place: int, draw: Draw) -> Made | None:
        return (place, place, drawn.pick(draw)) if view.lower[place][:1].isalpha() else None

    return Places(form)
