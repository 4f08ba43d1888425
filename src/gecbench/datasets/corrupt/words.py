"""Rules over the tokens of an English text: what they change, and where the blanks go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from gecbench.datasets.corrupt.chance import BITS, Draw, Weighted
from gecbench.datasets.corrupt.slips import Slip, Taken, free, trimmed

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
        parts: White space and tokens in turn, as `text.tokens.parted` gives them.
        divided: Whether marks are known to stand alone; else the text shows it.
    """
    words = tuple(parts[1::2])
    divided = divided or any(mark in text for mark in (" .", " ,", " ?", " !", " n't", " 's"))
    return Words(words, tuple(map(str.lower, words)), tuple(parts[::2]), divided)


def cased(wrong: Sequence[str], like: str) -> tuple[str, ...]:
    """Return tokens with a capital first where another token has one.

    >>> cased(("a", "dog"), "The"), cased(("a",), "the")
    (('A', 'dog'), ('a',))
    """
    if wrong and like[:1].isupper() and like != "I" and not wrong[0][:1].isupper():
        return (wrong[0][:1].upper() + wrong[0][1:], *wrong[1:])
    return tuple(wrong)


def slip_at(view: Words, start: int, end: int, wrong: Sequence[str]) -> Slip | None:
    """Return the slip that puts tokens in the place of others; None where blanks forbid it.

    What begins the text keeps its capital, so a slip there may take in the token behind it.
    """
    words, gaps = view.words, view.gaps
    count = len(words)
    for gap in gaps[start + 1 : end]:
        if gap != " ":
            return None
    if wrong:
        if start < end:
            return Slip(start, end, cased(wrong, words[start]))
        return Slip(start, end, tuple(wrong)) if _room(view, start, wrong[0]) else None
    if end - start >= count:
        return None
    if start == 0:
        following = words[end]
        if not following[:1].isalpha() or gaps[end] != " ":
            return None
        return Slip(0, end + 1, cased((following,), words[0]))
    if end < count and not gaps[start] and not gaps[end]:
        return None
    return Slip(start, end, ())


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
        self.changes = tuple(trimmed(phrase.right, wrong) for wrong in phrase.wrong)
        self.weighted = Weighted(self.changes, phrase.weights) if phrase.weights else None

    def at(self, place: int, view: Words, draw: Draw) -> Slip | None:
        """Return a slip at a place where the right tokens stand."""
        changes = self.changes
        if self.weighted is not None:
            skip, length, wrong = self.weighted.pick(draw)
        else:
            skip, length, wrong = changes[draw() * len(changes) >> BITS]
        start = place + skip
        if self.exact:
            return Slip(start, start + length, tuple(wrong)) if wrong and length else None
        return slip_at(view, start, start + length, wrong)


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

    def __call__(self, view: Words, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
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
                k = Weighted(range(len(found)), (entry.rate for _, entry in found)).pick(draw)
            place, entry = found[k]
            slip = entry.at(place, view, draw)
            if slip is not None and differs(view, slip) and free(taken, slip.start, slip.end):
                return slip
            found[k] = found[-1]
            found.pop()
        return None


def _stands(view: Words, place: int, entry: _Entry) -> bool:
    """Return whether the tokens of an entry stand at a place."""
    if entry.exact:
        return view.words[place : place + entry.length] == entry.right
    return entry.length == 1 or view.lower[place : place + entry.length] == entry.right


def differs(view: Words, slip: Slip) -> bool:
    """Return whether a slip changes anything."""
    return view.words[slip.start : slip.end] != tuple(slip.wrong)


Form = Callable[[Words, int, Draw], tuple[int, int, tuple[str, ...]] | None]
"""From the token of a place to a span and what is written there; None where it does not fit."""


class Places:
    """Asks a function about each token, from a random one on.

    Args:
        form: What is written for it.
    """

    def __init__(self, form: Form) -> None:
        self._form = form

    def __call__(self, view: Words, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        count = len(view.words)
        begin = draw() * count >> BITS
        for step in range(count):
            made = self._form(view, (begin + step) % count, draw)
            if made is None:
                continue
            slip = slip_at(view, *made)
            if slip is not None and differs(view, slip) and free(taken, slip.start, slip.end):
                return slip
        return None


class Exact:
    """As `Places`, for what changes the writing of one token: capitals are as the function says."""

    def __init__(self, form: Callable[[str, Draw], str | None]) -> None:
        self._form = form

    def __call__(self, view: Words, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        words = view.words
        begin = draw() * len(words) >> BITS
        for step in range(len(words)):
            place = (begin + step) % len(words)
            wrong = self._form(words[place], draw)
            if wrong and wrong != words[place] and free(taken, place, place + 1):
                return Slip(place, place + 1, (wrong,))
        return None


class Stretches:
    """Exchanges two neighbouring stretches of words.

    Args:
        lengths: Of the first and the second, with weights.
    """

    def __init__(self, lengths: Weighted[tuple[int, int]]) -> None:
        self._places = Places(self._form)
        self._lengths = lengths

    def __call__(self, view: Words, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        return self._places(view, taken, draw)

    def _form(self, view: Words, place: int, draw: Draw) -> tuple[int, int, tuple[str, ...]] | None:
        one, two = self._lengths.pick(draw)
        end = place + one + two
        words = view.words[place:end]
        if place == 0 or end > len(view.words) or not all(map(str.isalpha, words)):
            return None
        return place, end, words[one:] + words[:one]


def joined(words: Sequence[str], gaps: Sequence[str]) -> str:
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
