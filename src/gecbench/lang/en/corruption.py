"""The types of errors that rules make in English; they have the names of ERRANT's edits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import UsageError
from gecbench.edits.corruption import (
    BITS,
    UNIT,
    AnyOf,
    Choices,
    Confused,
    CorruptedText,
    Corruption,
    Draw,
    Error,
    Lengths,
    ReverseEdit,
    Rule,
    Settings,
    Spans,
    choices_of,
    difference,
    is_free,
    lengths_of_side,
    parse_confusions,
    read_tables,
)
from gecbench.lang.en.inflection import forms_of
from gecbench.text.tokens import split_tokens

# Rules over the tokens of an English text: what they change, and where the blanks go.


_CLOSING = frozenset(".,;:!?)]}%…”’")
"""Marks that are written close to what precedes them."""


class TokenView(NamedTuple):
    """A text in its tokens.

    Args:
        words: The tokens; none is empty.
        lower: The same in lower case.
        gaps: The white space before each, and that behind the last.
        has_blanks: Whether marks stand alone between blanks.
    """

    words: tuple[str, ...]
    lower: tuple[str, ...]
    gaps: tuple[str, ...]
    has_blanks: bool


def _view_of(text: str, kind: str) -> TokenView:
    """A text in its tokens, which are words, or what stands between blanks."""
    parts = split_tokens(text, kind)
    words = tuple(parts[1::2])
    has_blanks = kind == "space" or any(mark in text for mark in _DIVIDED)
    return TokenView(words, tuple(map(str.lower, words)), tuple(parts[::2]), has_blanks)


_DIVIDED = (" .", " ,", " ?", " !", " n't", " 's")
"""What only texts have whose tokens stand between blanks."""


def match_case(wrong: Sequence[str], like: str) -> tuple[str, ...]:
    """Tokens with a capital first where another token has one.

    >>> match_case(("a", "dog"), "The"), match_case(("a",), "the")
    (('A', 'dog'), ('a',))
    """
    if wrong and like[:1].isupper() and like != "I" and not wrong[0][:1].isupper():
        return (wrong[0][:1].upper() + wrong[0][1:], *wrong[1:])
    return tuple(wrong)


def error_at(view: TokenView, start: int, end: int, wrong: Sequence[str]) -> Error | None:
    """The error that puts tokens in the place of others; None where blanks forbid it.

    What begins the text keeps its capital, so an error there may take in the token behind it.
    """
    words, gaps = view.words, view.gaps
    count = len(words)
    if any(gap != " " for gap in gaps[start + 1 : end]):
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


def _room(view: TokenView, position: int, wrong: str) -> bool:
    """Whether something can be inserted before the token of a place."""
    if wrong in _CLOSING:
        return position > 0 and (position == len(view.words) or view.gaps[position] == " ")
    return 0 < position < len(view.words) and view.gaps[position] == " "


class _Phrase:
    """What is written instead of some tokens, as it is looked up.

    Args:
        right: The tokens with blanks between them. Where a wrong text differs in capitals alone,
            they are found by their own; else in any.
        wrong: What is written instead, in the same way; "" leaves them out.
        weights: How often each; () where all are alike.
        rate: How likely this place is against others.
    """

    __slots__ = ("changes", "exact", "length", "rate", "right", "weighted")

    def __init__(
        self,
        right: str,
        wrong: Collection[str],
        weights: Collection[float] = (),
        rate: float = 1.0,
    ) -> None:
        self.right = tuple(right.split())
        self.length = len(self.right)
        self.rate = rate
        self.exact = any(text.lower() == right.lower() for text in wrong)
        self.changes = tuple(difference(self.right, tuple(text.split())) for text in wrong)
        self.weighted = Choices(self.changes, weights) if weights else None

    def at(self, position: int, view: TokenView, draw: Draw) -> Error | None:
        """Make an error at a place where the right tokens stand."""
        changes = self.changes
        if self.weighted is not None:
            skip, length, wrong = self.weighted.pick(draw)
        else:
            skip, length, wrong = changes[draw() * len(changes) >> BITS]
        start = position + skip
        if self.exact:
            return Error(start, start + length, tuple(wrong)) if wrong and length else None
        return error_at(view, start, start + length, wrong)


class Phrases:
    """Writes something else for tokens that stand in a table.

    Each place where a right phrase of the table stands is as likely as its rate says.
    """

    def __init__(self, entries: Iterable[_Phrase]) -> None:
        first: dict[str, list[_Phrase]] = {}
        for entry in entries:
            first.setdefault(entry.right[0].lower(), []).append(entry)
        self._first = {word: tuple(entries) for word, entries in first.items()}
        self._first_tokens = frozenset(first)
        self._even = len({e.rate for entries in first.values() for e in entries}) < 2

    def __call__(self, view: TokenView, spans: Spans, draw: Draw) -> Error | None:
        """Make an error at a random place; None where there is none."""
        if self._first_tokens.isdisjoint(view.lower):
            return None
        first, lower = self._first, view.lower
        positions = [
            (position, entry)
            for position, word in enumerate(lower)
            if word in first
            for entry in first[word]
            if _stands(view, position, entry)
        ]
        while positions:
            if self._even or len(positions) == 1:
                k = draw() * len(positions) >> BITS
            else:
                k = Choices(range(len(positions)), (entry.rate for _, entry in positions)).pick(
                    draw
                )
            position, entry = positions[k]
            error = entry.at(position, view, draw)
            if error is not None and is_possible(view, spans, error):
                return error
            positions[k] = positions[-1]
            positions.pop()
        return None


def _stands(view: TokenView, position: int, entry: _Phrase) -> bool:
    """Whether the tokens of an entry stand at a place."""
    if entry.exact:
        return view.words[position : position + entry.length] == entry.right
    return entry.length == 1 or view.lower[position : position + entry.length] == entry.right


def is_possible(view: TokenView, spans: Spans, error: Error) -> bool:
    """Whether an error changes something and touches no other."""
    start, end, wrong = error
    return view.words[start:end] != tuple(wrong) and is_free(spans, start, end)


Replacement = tuple[int, int, tuple[str, ...]]
"""A span of tokens, and what is written there."""

Form = Callable[[TokenView, int, Draw], Replacement | None]
"""From the token of a place to what is written for it; None where the form does not fit."""


def at_positions(form: Form) -> Rule[TokenView]:
    """The rule that asks a function about each token, from a random one on."""

    def error_of(view: TokenView, position: int, draw: Draw) -> Error | None:
        replacement = form(view, position, draw)
        return None if replacement is None else error_at(view, *replacement)

    return _at_any_token(error_of)


def in_words(form: Callable[[str, Draw], str | None]) -> Rule[TokenView]:
    """As `at_positions`, for what changes the spelling of one token: its capitals stay."""

    def error_of(view: TokenView, position: int, draw: Draw) -> Error | None:
        wrong = form(view.words[position], draw)
        return Error(position, position + 1, (wrong,)) if wrong else None

    return _at_any_token(error_of)


def _at_any_token(error_of: Callable[[TokenView, int, Draw], Error | None]) -> Rule[TokenView]:
    def rule(view: TokenView, spans: Spans, draw: Draw) -> Error | None:
        count = len(view.words)
        first = draw() * count >> BITS
        for step in range(count):
            error = error_of(view, (first + step) % count, draw)
            if error is not None and is_possible(view, spans, error):
                return error
        return None

    return rule


# Spelling errors in English words: letters, and capitals.


_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = {"a": "e", "e": "ai", "i": "ey", "o": "ua", "u": "o"}
_SHORTEST = 4


def _neighbours() -> dict[str, str]:
    beside = dict.fromkeys("".join(_KEYS), "")
    for row in _KEYS:
        for left, right in pairwise(row):
            beside[left] += right
            beside[right] += left
    return beside


_BESIDE = _neighbours()


def misspell(word: str, draw: Draw) -> str | None:
    """Misspell a word; None where it is short or not of letters alone.

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
        return word[:at] + _any_of(_VOWELS[word[at]], draw) + word[at + 1 :]
    beside = _BESIDE.get(word[at])
    return word[:at] + _any_of(beside, draw) + word[at + 1 :] if beside else None


def other_case(word: str, draw: Draw) -> str | None:
    """Leave out the capital of a word or, seldom, write one; None for no letters."""
    if not word[:1].isalpha():
        return None
    if word[0].isupper():
        changed = word.lower()
    elif len(word) >= _SHORTEST and draw() * UNIT < 0.05:
        changed = word.capitalize()
    else:
        return None
    return changed if len(changed) == len(word) else None  # some capitals become two characters


def _any_of(letters: str, draw: Draw) -> str:
    return letters[draw() * len(letters) >> BITS]


_TABLES = Path(__file__).parent / "corruption.toml"

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


def load(settings: Settings, _cherrant_shapes: Callable[[], bytes]) -> Corruption[TokenView]:
    """How English texts are corrupted.

    Raises:
        UsageError: A setting is for another language.
    """
    if settings.segment:
        raise UsageError("segment is for Chinese; English has words already")
    if settings.shapes != "own":
        raise UsageError("shapes is for Chinese; no type of English asks what letters look like")
    types = _types()
    return Corruption(
        types=types,
        view=partial(_view_of, kind=settings.tokens),
        size=lambda view: len(view.words),
        apply=_apply,
        confusions=_phrases,
        insertions=_insertion,
        omission=_omission,
        repetition=lambda _: at_positions(_repetition),
        exchange=lambda lengths: at_positions(_exchange(choices_of(lengths))),
        is_entry=lambda text: " ".join(text.split()) == text,
        type_of=lambda label: label,
        substitutes=lambda name: _substitutes(name, types),
    )


def _substitutes(name: str, types: Collection[str]) -> tuple[str, ...]:
    if name in types:
        return (name,)
    return ("M:OTHER",) if name.startswith("M:") else ()


def _types() -> dict[str, Callable[[], Rule[TokenView]]]:
    """What makes each type."""
    types: dict[str, Callable[[], Rule[TokenView]]] = {
        name: partial(_table, name) for name in _BY_TABLE
    }
    return types | {
        "U:DET": lambda: at_positions(_needless_article()),
        "R:NOUN:NUM": lambda: AnyOf(
            (at_positions(_other_number), at_positions(_after_many), _table("R:NOUN:NUM")),
            (0.6, 0.2, 0.2),
        ),
        "R:VERB:SVA": lambda: AnyOf((_table("R:VERB:SVA"), at_positions(_agreement)), (0.5, 0.5)),
        "R:VERB:FORM": lambda: AnyOf(
            (at_positions(_after_modal), at_positions(_participle)), (0.5, 0.5)
        ),
        "R:VERB:TENSE": lambda: AnyOf((_table("R:VERB:TENSE"), at_positions(_tense)), (0.4, 0.6)),
        "R:SPELL": lambda: AnyOf((in_words(misspell), _table("R:SPELL")), (0.8, 0.2)),
        "R:ORTH": lambda: AnyOf((in_words(other_case), _table("R:ORTH")), (0.7, 0.3)),
        "U:PUNCT": lambda: at_positions(_comma),
        "M:NOUN:POSS": lambda: AnyOf((in_words(_no_possessive), _table("M:NOUN:POSS")), (0.7, 0.3)),
        "R:WO": lambda: AnyOf(
            (
                at_positions(_adverb_order()),
                at_positions(_exchange(choices_of({(1, 1): 3, (1, 2): 1, (2, 1): 1}))),
            ),
            (0.7, 0.3),
        ),
        "M:OTHER": lambda: at_positions(_delete_word),
    }


def _table(name: str) -> Rule[TokenView]:
    table = parse_confusions(read_tables(_TABLES)[name])
    return Phrases(_Phrase(right, wrong) for right, wrong in table.items())


def _phrases(table: Confused) -> Rule[TokenView]:
    return Phrases(
        _Phrase(right, wrong, wrong.values(), rate) for right, (wrong, rate) in table.items()
    )


def _needless_article() -> Form:
    bare = frozenset(read_tables(_TABLES)["bare"])

    def form(view: TokenView, position: int, draw: Draw) -> Replacement | None:
        if view.lower[position] not in bare or _before(view, position) in _NO_ARTICLE_AFTER:
            return None
        return position, position, ("the",) if draw() & 3 else ("a",)

    return form


def _before(view: TokenView, position: int) -> str:
    """The token before another one, in lower case; "" where there is none."""
    return view.lower[position - 1] if position else ""


_ARTICLES = frozenset(("the", "a", "an", "my", "his", "her", "its", "their", "our", "your", "this"))
_NO_ARTICLE_AFTER = _ARTICLES | {""}


@cache
def _nouns() -> Mapping[str, str]:
    """The number of nouns that they do not have: plural to singular, and back."""
    numbers: dict[str, str] = {}
    for noun in read_tables(_TABLES)["nouns"]:
        plural = _plural(noun)
        numbers[noun], numbers[plural] = plural, noun
    return numbers


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _other_number(view: TokenView, position: int, _draw: Draw) -> Replacement | None:
    other = _nouns().get(view.lower[position])
    return None if other is None else (position, position + 1, (other,))


def _after_many(view: TokenView, position: int, _draw: Draw) -> Replacement | None:
    """The singular of what stands behind a word that wants the plural."""
    word = view.lower[position]
    if _before(view, position) not in _MANY or not word.isalpha():
        return None
    if not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return None
    return position, position + 1, (word[:-3] + "y" if word.endswith("ies") else word[:-1],)


def _agreement(view: TokenView, position: int, _draw: Draw) -> Replacement | None:
    """A present tense in the other number, of a verb whose subject can be told."""
    forms = forms_of(view.lower[position])
    if "VBZ" in forms and "VB" not in forms and _may_be_verb(view, position):
        wrong = forms["VBZ"][0]
    elif "VB" in forms and _before(view, position) in _PLURALS:
        wrong = forms["VB"][4]
    else:
        return None
    return position, position + 1, (wrong,)


def _may_be_verb(view: TokenView, position: int) -> bool:
    """Whether a word in -s is hardly a plural: no noun of the table, none before it."""
    return view.lower[position] not in _nouns() and _before(view, position) not in _BEFORE_NOUN


_PREPOSITIONS = frozenset(
    ("of", "in", "on", "at", "for", "with", "by", "from", "about", "and", "or", "other", "some")
)
_BEFORE_NOUN = _ARTICLES | _MANY | _PREPOSITIONS
_PLURALS = frozenset(("i", "you", "we", "they", "people", "students", "who", "children", "parents"))


def _after_modal(view: TokenView, position: int, draw: Draw) -> Replacement | None:
    """Another form of a verb that stands behind "to" or a modal."""
    forms = forms_of(view.lower[position])
    if "VB" not in forms or _before(view, position) not in _BEFORE_BASE:
        return None
    return position, position + 1, (forms["VB"][(2, 1, 4, 2)[draw() & 3]],)


def _participle(view: TokenView, position: int, draw: Draw) -> Replacement | None:
    """Another form of a verb in -ing, or of a participle."""
    forms = forms_of(view.lower[position])
    if "VBG" in forms:
        wrong = forms["VBG"]
        return position, position + 1, (wrong[0],) if draw() & 1 else ("to", wrong[0])
    if "VBN" in forms and _before(view, position) in _HAVE:
        return position, position + 1, (forms["VBN"][(0, 2)[draw() & 1]],)
    return None


_HAVE = frozenset(("have", "has", "had", "be", "is", "are", "was", "were", "been", "being"))


def _tense(view: TokenView, position: int, _draw: Draw) -> Replacement | None:
    """A past tense as a present, or a present of a third person as a past."""
    forms = forms_of(view.lower[position])
    if "VBD" in forms and "VB" not in forms:
        base, _, _, _, third = forms["VBD"]
        is_third = _before(view, position) in _PERSONS
        return position, position + 1, (third if is_third else base,)
    if "VBZ" in forms and "VB" not in forms and _may_be_verb(view, position):
        return position, position + 1, (forms["VBZ"][1],)
    return None


def _comma(view: TokenView, position: int, _draw: Draw) -> Replacement | None:
    """A comma before a word that has none before it."""
    if not view.lower[position].isalpha() or not _before(view, position).isalpha():
        return None
    return position, position, (",",)


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


def _adverb_order() -> Form:
    adverbs = frozenset(read_tables(_TABLES)["moving"])

    def form(view: TokenView, position: int, draw: Draw) -> Replacement | None:
        if view.lower[position] not in adverbs:
            return None
        start = position - (draw() & 1)
        words = view.words[start : start + 2]
        if start < 1 or len(words) < 2 or not all(map(str.isalpha, words)):
            return None
        return start, start + 2, words[::-1]

    return form


def _delete_word(view: TokenView, position: int, _draw: Draw) -> Replacement | None:
    return (position, position + 1, ()) if view.lower[position].isalpha() else None


def _exchange(lengths: Choices[tuple[int, int]]) -> Form:
    """Exchange two neighbouring stretches of words."""

    def form(view: TokenView, position: int, draw: Draw) -> Replacement | None:
        left, right = lengths.pick(draw)
        end = position + left + right
        words = view.words[position:end]
        if position == 0 or end > len(view.words) or not all(map(str.isalpha, words)):
            return None
        return position, end, words[left:] + words[:left]

    return form


def _omission(lengths: Lengths) -> Rule[TokenView]:
    counts = lengths_of_side(lengths, 1)

    def form(view: TokenView, position: int, draw: Draw) -> Replacement | None:
        end = position + counts.pick(draw)
        fits = end <= len(view.words) and all(map(str.isalpha, view.words[position:end]))
        return (position, end, ()) if fits else None

    return at_positions(form)


def _repetition(view: TokenView, position: int, _draw: Draw) -> Replacement | None:
    if not _before(view, position).isalpha():
        return None
    return position, position, (view.words[position - 1],)


def _insertion(pieces: Mapping[str, float]) -> Rule[TokenView]:
    """The rule that writes tokens, which have blanks between them, before any word."""
    choices = Choices([tuple(piece.split()) for piece in pieces], pieces.values())

    def form(view: TokenView, position: int, draw: Draw) -> Replacement | None:
        is_word = view.lower[position][:1].isalpha()
        return (position, position, choices.pick(draw)) if is_word else None

    return at_positions(form)


# From a correct text and its errors to the text with errors, and the edits that lead back.


def _apply(view: TokenView, errors: Sequence[tuple[Error, str]]) -> CorruptedText:
    """Make the text with errors, with its blanks made right."""
    words: list[str] = []
    gaps = [view.gaps[0]]
    edits = []
    position = 0
    for (start, end, wrong), name in errors:
        words += view.words[position:start]
        gaps += view.gaps[position + 1 : start + 1]
        first = len(words)
        edits.append(ReverseEdit(first, first + len(wrong), list(view.words[start:end]), name))
        words += wrong
        _close(gaps, view, start, end, wrong)
        position = end
    words += view.words[position:]
    gaps += view.gaps[position + 1 :]
    pieces = [""] * (len(words) + len(gaps))
    pieces[::2], pieces[1::2] = gaps, words
    return CorruptedText("".join(pieces), words, edits)


def _close(gaps: list[str], view: TokenView, start: int, end: int, wrong: Sequence[str]) -> None:
    """Write the white space around what stands in the place of some tokens.

    The last of `gaps` is what stood before them; what stands behind the new ones is added.
    """
    behind = view.gaps[end]
    if not wrong:
        gaps[-1] = _between(gaps[-1], behind, view, start, end)
        return
    if start < end:
        gaps += (*[" "] * (len(wrong) - 1), behind)
    elif wrong[0] in _CLOSING:
        before = gaps[-1]
        gaps[-1] = " " if view.has_blanks else ""
        gaps += (*[" "] * (len(wrong) - 1), before)
    else:
        gaps += [" "] * len(wrong)


def _between(before: str, behind: str, view: TokenView, start: int, end: int) -> str:
    """The white space between what stands around left-out tokens; words stay two."""
    if end == len(view.words):
        return behind
    # "so ,he" becomes "so he", but "(the cat" becomes "(cat".
    gap = behind or before if view.words[start] in _CLOSING else before and behind
    if gap or not start:
        return gap
    left, right = view.words[start - 1][-1], view.words[end][0]
    return " " if left.isalnum() and (right.isalnum() or right in "'’") else ""
