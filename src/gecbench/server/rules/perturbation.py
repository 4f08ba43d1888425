"""Sentences whose errors stay while their context changes: chips, gaps, what a variant must keep.

A sentence with k errors is k chips, which nobody edits, between k + 1 gaps, which people write.
Source and correction are both derived of the gaps, so the errors cannot be written over; whether
they are still what an aligner finds is asked of the scheme that found them. The page's script
`perturbation.js` has the same arithmetic; one table of cases holds both together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import accumulate, pairwise

from gecbench.core.edit import Edit
from gecbench.core.errors import Message
from gecbench.core.scheme import Scheme
from gecbench.lang import language_of
from gecbench.server.rules import text as texts
from gecbench.server.rules.diff import extract_edits, tokenize


@dataclass(frozen=True, slots=True)
class Chip:
    """An error with its correction.

    Args:
        source: What the source has; "" where something is missing.
        target: What the correction has; "" where something is to go.
        type: As the scheme names it; "" where it names none.
        start: First token of the original source; half-open token span.
        end: Token after the last.
    """

    source: str
    target: str
    type: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Division:
    """A sentence and its correction as gaps and chips.

    Args:
        gaps: One more than chips.
        chips: In the order of the text.
    """

    gaps: tuple[str, ...]
    chips: tuple[Chip, ...]

    @property
    def chips_json(self) -> list[dict[str, object]]:
        """The chips as JSON keeps them."""
        return [asdict(chip) for chip in self.chips]


def divide(scheme: Scheme, pairs: Sequence[tuple[str, str]]) -> list[Division]:
    """Divide sentences and their corrections at the errors that a scheme finds.

    Args:
        scheme: Gives one set of edits; it compares the texts as they are.
        pairs: Sources and corrections.
    """
    if scheme.batch is not None:
        extractions = list(scheme.batch(pairs))
    else:
        parse, target = scheme.parse_source, scheme.parse_target
        extractions = [scheme.extract(parse(left), target(right)) for left, right in pairs]
    return [
        _divide(scheme, source, target, extraction.edit_sets[0])
        for (source, target), extraction in zip(pairs, extractions, strict=True)
    ]


def _divide(scheme: Scheme, source: str, target: str, edits: Iterable[Edit]) -> Division:
    before = _spans(source, scheme.parse_source(source).tokens)
    after = _spans(target, scheme.parse_target(target).tokens)
    gaps: list[str] = []
    chips: list[Chip] = []
    end = shift = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        start, stop = _characters(before, edit.start, edit.end)
        first, size = edit.start + shift, len(edit.replacement or ())
        left, right = _characters(after, first, first + size)
        gaps.append(source[end:start])
        chips.append(
            Chip(source[start:stop], target[left:right], edit.label or "", edit.start, edit.end)
        )
        end, shift = stop, shift + size - (edit.end - edit.start)
    return Division((*gaps, source[end:]), tuple(chips))


def _spans(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """The characters of the tokens of a text; within a placeholder, too, may be white space."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    ends = list(accumulate(map(len, tokens), initial=0))
    return [(places[start], places[end - 1] + 1) for start, end in pairwise(ends)]


def _characters(tokens: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The characters of a token span; of an empty one, the place behind the token before."""
    if start < end:
        return tokens[start][0], tokens[end - 1][1]
    place = tokens[start - 1][1] if start else 0
    return place, place


def derive(gaps: Sequence[str], chips: Sequence[Chip], lang: str) -> tuple[str, str]:
    """Source and correction of gaps and chips.

    Where words are divided by blanks, one stands on both sides of a chip, whatever was typed.

    >>> derive(["He ", " home ."], [Chip("go", "goes")], "en")
    ('He go home .', 'He goes home .')
    >>> derive(["我", "书。"], [Chip("", "看")], "zh")
    ('我书。', '我看书。')
    """
    joiner = language_of(lang).joiner

    def join(middles: Iterable[str]) -> str:
        pieces = [gaps[0]]
        for middle, gap in zip(middles, gaps[1:], strict=True):
            pieces += (middle, gap)
        if joiner:
            pieces = [piece.strip() for piece in pieces]
        return joiner.join(piece for piece in pieces if piece).strip()

    return join(chip.source for chip in chips), join(chip.target for chip in chips)


def clean_gap(gap: str, *, what: str = Message("the text")) -> texts.CleanText:
    """A gap as it is kept: clean, but with the blanks at its ends.

    Raises:
        TextError: It holds what no text may hold, or is too long.
    """
    texts.clean(gap, what=what)  # which says the place of what is refused
    cleaned = texts.clean(f"|{gap}|", longest=texts.LONGEST + 2)
    return replace(cleaned, text=cleaned.text[1:-1])


def normal_form(text: str, lang: str) -> str:
    """A text without differences of white space, in which two variants are compared.

    >>> normal_form(" He  goes ", "en"), normal_form("我 去", "zh")
    ('He goes', '我去')
    """
    return language_of(lang).joiner.join(text.split())


def variant_digest(source: str, lang: str) -> str:
    """The digest of a variant's source: variants are equal where it is."""
    return texts.digest(normal_form(source, lang))


@dataclass(frozen=True, slots=True)
class Move:
    """An error of the original that is not found in a variant, or one found that is new.

    Args:
        error: Its number, from 1; 0 is new.
        source: What the source has there.
        target: What the correction has.
    """

    error: int
    source: str
    target: str


def moves(chips: Sequence[Chip], variant: Division, lang: str) -> tuple[Move, ...]:
    """Compare the errors of a variant with those of the original, wherever they stand (PER-4)."""

    def key(chip: Chip) -> tuple[str, str]:
        return normal_form(chip.source, lang), normal_form(chip.target, lang)

    left = Counter(map(key, variant.chips))
    result = []
    for number, chip in enumerate(chips, 1):
        if left[key(chip)]:
            left[key(chip)] -= 1
        else:
            result.append(Move(number, *key(chip)))
    return (*result, *(Move(0, *pair) for pair in left.elements()))


@dataclass(frozen=True, slots=True)
class Subtlety:
    """How much of a sentence a variant changes (PER-6).

    Args:
        edits: Perturbing edits; those that touch are one.
        changed: Tokens of the wider side of each.
        tokens: Of the original source.
    """

    edits: int
    changed: int
    tokens: int

    @property
    def percent(self) -> float:
        """Share of changed tokens."""
        return 100 * self.changed / self.tokens if self.tokens else 0.0


def subtlety(original: str, source: str, lang: str) -> Subtlety:
    """Measure a variant's source against the original one, in the tokens of `rules.diff`.

    >>> subtlety("My answer is no .", "My response is no .", "en")
    Subtlety(edits=1, changed=1, tokens=5)
    """
    before, after = tokenize(original, lang, ""), tokenize(source, lang, "")
    runs: list[tuple[int, int]] = []  # tokens of both sides
    end = None
    for edit in extract_edits(before, after):
        left, right = runs.pop() if edit.start == end else (0, 0)
        runs.append((left + edit.end - edit.start, right + len(edit.replacement or ())))
        end = edit.end
    return Subtlety(len(runs), sum(map(max, runs)), len(before))


class Fault(StrEnum):
    """What is wrong with a variant that came from a file."""

    ORIGINAL = "original"
    REPEATED = "repeated"
    ERROR_FREE = "error_free"
    MOVED = "moved"


def faults(
    original: tuple[str, str], variants: Sequence[tuple[str, str, bool]], lang: str
) -> Iterator[tuple[int, Fault]]:
    """Yield position and fault of the variants of a case that break a rule.

    Args:
        original: Source and correction.
        variants: Source, correction, and whether errors of the original have moved.
        lang: Of the texts.
    """
    first = variant_digest(original[0], lang)
    is_error_free = normal_form(original[0], lang) == normal_form(original[1], lang)
    seen: set[str] = set()
    for position, (source, target, has_moved) in enumerate(variants, 1):
        digest = variant_digest(source, lang)
        if digest == first:
            yield position, Fault.ORIGINAL
        elif digest in seen:
            yield position, Fault.REPEATED
        seen.add(digest)
        if is_error_free and normal_form(source, lang) != normal_form(target, lang):
            yield position, Fault.ERROR_FREE
        elif has_moved and not is_error_free:
            yield position, Fault.MOVED
