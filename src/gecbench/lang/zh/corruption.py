"""The types of errors that rules make in Chinese: thirteen of MuCGEC's fourteen.

They have the ids of the guidelines' taxonomy (MuCGEC, Zhang et al. 2022, Table 2). Ambiguity
(`pragmatics-ambiguity`) is the one that no rule here makes: it takes understanding what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from inspect import unwrap
from itertools import pairwise
from pathlib import Path
from typing import cast

from gecbench.backends import SEGMENTERS
from gecbench.core.errors import UsageError
from gecbench.core.files import read_lines
from gecbench.core.registry import resolve
from gecbench.edits.corruption import (
    BITS,
    AnyOf,
    Choices,
    Confused,
    CorruptedText,
    Corruption,
    Draw,
    Error,
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
from gecbench.lang.zh.sounds import homophones, shapes_of

# Rules over the characters of a Chinese text: what they change, and where they may.


_TRIES = 8
"""Places drawn at random before all of them are listed; both ways each is equally likely."""

_HAN = re.compile("[\u4e00-\u9fff]*").fullmatch


class _Confusion:
    """What is written instead of something, as it is looked up: differences instead of wholes.

    Args:
        right: In the correct text; not empty.
        wrong: What is written instead, each different; "" leaves it out.
        weights: How often each; () where all are alike.
        rate: How likely this place is against others.
    """

    __slots__ = ("changes", "length", "rate", "right", "weighted")

    def __init__(
        self,
        right: str,
        wrong: Iterable[str],
        weights: Collection[float] = (),
        rate: float = 1.0,
    ) -> None:
        self.right = right
        self.length = len(right)
        self.rate = rate
        self.changes = tuple(
            (0, 1, text) if len(text) == self.length == 1 else difference(right, text)
            for text in wrong
        )
        self.weighted = Choices(self.changes, weights) if weights else None

    def at(self, position: int, draw: Draw) -> Error:
        """Make an error at a place where the right text stands."""
        changes = self.changes
        if self.weighted is not None:
            skip, length, wrong = self.weighted.pick(draw)
        elif len(changes) == 1:
            skip, length, wrong = changes[0]
        else:
            skip, length, wrong = changes[draw() * len(changes) >> BITS]
        start = position + skip
        return Error(start, start + length, wrong)


def is_han(text: str) -> bool:
    """Whether all characters are common Han characters.

    >>> is_han("我们"), is_han("我，")
    (True, False)
    """
    return _HAN(text) is not None


def is_allowed(text: str, spans: Spans, error: Error) -> bool:
    """Whether an error may be made.

    It must touch no other error and no white space, leave something of the text, and not join two
    Latin words or numbers to one.
    """
    start, end, wrong = error
    if spans and not is_free(spans, start, end):
        return False
    left = text[start - 1] if start else ""
    right = text[end] if end < len(text) else ""
    if left.isspace() or right.isspace():
        return False
    if wrong:
        return True
    if not left and not right:
        return False
    return not (left.isascii() and right.isascii() and left.isalnum() and right.isalnum())


class Confusions:
    """Writes something else for what stands in a table.

    Where all rates are alike, each place of the text is as likely as any other, and the longest
    right text that stands there counts; else each right text is as likely as its rate says.

    Args:
        entries: The table; no right text stands in it twice.
    """

    def __init__(self, entries: Iterable[_Confusion]) -> None:
        self._entries = {entry.right: entry for entry in entries}
        lengths: dict[str, set[int]] = {}
        for right in self._entries:
            lengths.setdefault(right[0], set()).add(len(right))
        self._lengths = {first: sorted(sizes, reverse=True) for first, sizes in lengths.items()}
        self._first_characters = frozenset(lengths)
        self._even = len({entry.rate for entry in self._entries.values()}) < 2

    def __call__(self, view: str, spans: Spans, draw: Draw) -> Error | None:
        """Make an error at a random place; None where there is none."""
        if self._first_characters.isdisjoint(view):
            return None
        return (self._evenly if self._even else self._by_rate)(view, spans, draw)

    def _evenly(self, view: str, spans: Spans, draw: Draw) -> Error | None:
        lengths, length = self._lengths, len(view)
        for _ in range(_TRIES):
            position = draw() * length >> BITS
            entry = self._longest(view, position) if view[position] in lengths else None
            if entry is not None:
                error = entry.at(position, draw)
                if is_allowed(view, spans, error):
                    return error
        positions = [position for position, character in enumerate(view) if character in lengths]
        while positions:
            k = draw() * len(positions) >> BITS
            position = positions[k]
            entry = self._longest(view, position)
            if entry is not None:
                error = entry.at(position, draw)
                if is_allowed(view, spans, error):
                    return error
            positions[k] = positions[-1]
            positions.pop()
        return None

    def _longest(self, view: str, position: int) -> _Confusion | None:
        for length in self._lengths[view[position]]:
            entry = self._entries.get(view[position : position + length])
            if entry is not None:
                return entry
        return None

    def _by_rate(self, view: str, spans: Spans, draw: Draw) -> Error | None:
        lengths, entries = self._lengths, self._entries
        positions = [
            (position, entry)
            for position, character in enumerate(view)
            if character in lengths
            for length in lengths[character]
            if (entry := entries.get(view[position : position + length])) is not None
        ]
        rates = [entry.rate for _, entry in positions]
        while positions:
            k = Choices(range(len(positions)), rates).pick(draw)
            position, entry = positions[k]
            error = entry.at(position, draw)
            if is_allowed(view, spans, error):
                return error
            positions[k], rates[k] = positions[-1], rates[-1]
            positions.pop()
            rates.pop()
        return None


def insertion(pieces: Choices[str], away: int = 1) -> Rule[str]:
    """The rule that writes something between two Han characters.

    Args:
        pieces: What may be written.
        away: Characters that must lie between the place and a mark or the text's ends.
    """

    def rule(view: str, spans: Spans, draw: Draw) -> Error | None:
        positions = len(view) - 2 * away + 1
        if positions < 1:
            return None
        first = draw() * positions >> BITS
        for step in range(positions):
            position = away + (first + step) % positions
            if is_han(view[position - away : position + away]) and is_free(
                spans, position, position
            ):
                return Error(position, position, pieces.pick(draw))
        return None

    return rule


def repetition(lengths: Choices[int]) -> Rule[str]:
    """The rule that writes a Han character, or several, twice."""
    return _stretch_rule(lengths, lambda view, start, end: Error(end, end, view[start:end]))


def omission(lengths: Choices[int]) -> Rule[str]:
    """The rule that leaves out some Han characters."""
    return _stretch_rule(lengths, lambda _, start, end: Error(start, end, ""))


def _stretch_rule(lengths: Choices[int], error_of: Callable[[str, int, int], Error]) -> Rule[str]:
    def rule(view: str, spans: Spans, draw: Draw) -> Error | None:
        length = lengths.pick(draw)
        start = _span(view, length, spans, draw)
        if start is None:
            return None
        error = error_of(view, start, start + length)
        return error if is_allowed(view, spans, error) else None

    return rule


def exchange(lengths: Choices[tuple[int, int]]) -> Rule[str]:
    """The rule that exchanges two neighbouring stretches of Han characters.

    Args:
        lengths: Of the first and the second.
    """

    def rule(view: str, spans: Spans, draw: Draw) -> Error | None:
        left, right = lengths.pick(draw)
        start = _span(view, left + right, spans, draw, left)
        if start is None:
            return None
        middle, end = start + left, start + left + right
        return Error(start, end, view[middle:end] + view[start:middle])

    return rule


def _span(view: str, length: int, spans: Spans, draw: Draw, left: int = 0) -> int | None:
    """Where a free stretch of Han characters begins; None where there is none.

    Args:
        view: The text.
        length: Of the stretch.
        spans: What is not free.
        draw: Random numbers.
        left: Where it is not 0: exchanging so many first characters with the rest must change it.
    """
    positions = len(view) - length + 1
    if positions < 1:
        return None
    first = draw() * positions >> BITS
    for step in range(positions):
        start = (first + step) % positions
        end = start + length
        span = view[start:end]
        if not is_han(span) or (left and span[left:] + span[:left] == span):
            continue
        if is_free(spans, start, end) and not _beside_blank(view, start, end):
            return start
    return None


def _beside_blank(view: str, start: int, end: int) -> bool:
    before = view[start - 1] if start else ""
    after = view[end] if end < len(view) else ""
    return before.isspace() or after.isspace()


# Rules over the words of a Chinese text, which a segmenter finds.


Divide = Callable[[str], Sequence[str]]
"""From a text to its words, which are all of its characters but white space."""


class Division:
    """The spans of the words of the text that was asked for last."""

    def __init__(self, divide: Divide) -> None:
        self._divide = divide
        self._text = ""
        self._spans: list[tuple[int, int]] = []

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The spans of the words that are Han characters only."""
        if text != self._text:
            self._spans = list(self._han_words(text))
            self._text = text
        return self._spans

    def _han_words(self, text: str) -> Iterator[tuple[int, int]]:
        at = 0
        for word in self._divide(text):
            while text[at].isspace():
                at += 1
            if is_han(word):
                yield at, at + len(word)
            at += len(word)


def _word_rule(
    words: Division, errors_of: Callable[[str, Sequence[tuple[int, int]]], Sequence[Error]]
) -> Rule[str]:
    """The rule that has one error for a place, and tries the places from a random one on."""

    def rule(view: str, spans: Spans, draw: Draw) -> Error | None:
        errors = errors_of(view, words.spans(view))
        first = draw() * len(errors) >> BITS
        for step in range(len(errors)):
            error = errors[(first + step) % len(errors)]
            if is_allowed(view, spans, error):
                return error
        return None

    return rule


def _omit_words(_: str, spans: Sequence[tuple[int, int]]) -> Sequence[Error]:
    return [Error(start, end, "") for start, end in spans]


def _repeat_words(view: str, spans: Sequence[tuple[int, int]]) -> Sequence[Error]:
    return [Error(end, end, view[start:end]) for start, end in spans]


def _exchange_characters(view: str, spans: Sequence[tuple[int, int]]) -> Sequence[Error]:
    """Exchange two neighbouring characters of a word."""
    return [
        Error(at, at + 2, view[at + 1] + view[at])
        for start, end in spans
        for at in range(start, end - 1)
        if view[at] != view[at + 1]
    ]


def _exchange_words(view: str, spans: Sequence[tuple[int, int]]) -> Sequence[Error]:
    errors = []
    for (start, middle), (second, end) in pairwise(spans):
        reordered = view[middle:end] + view[start:middle]
        if middle == second and reordered != view[start:end]:
            errors.append(Error(start, end, reordered))
    return errors


_NAME_VARIANTS = 6
_TABLES = Path(__file__).parent / "corruption.toml"
_OWN_SHAPES, _CHERRANT_SHAPES = SHAPE_TABLES = ("own", "cherrant")
"""Tables of characters that look alike which are no file: ours, and that of ChERRANT's data."""

_BY_TABLE = (
    *("punctuation-missing", "punctuation-misused", "word-misused", "syntax-blend"),
    "pragmatics-logic",
)


def load(settings: Settings, cherrant_shapes: Callable[[], bytes]) -> Corruption[str]:
    """How Chinese texts are corrupted.

    Args:
        settings: Of a profile.
        cherrant_shapes: Reads the table of shapes of ChERRANT's data set.

    Raises:
        UsageError: A setting is for another language.
        MissingExtraError: The segmenter is not installed.
    """
    if settings.tokens != "en":
        raise UsageError("tokens is for English; those of Chinese are its characters")
    shapes, divide = None, None
    if settings.shapes != _OWN_SHAPES:
        path = Path(settings.shapes)
        is_cherrant = settings.shapes == _CHERRANT_SHAPES
        lines = cherrant_shapes().decode().split("\n") if is_cherrant else read_lines(path)
        shapes = shapes_of(path, lines)
    if settings.segment:
        name, _, model = settings.segment.partition(":")
        start = resolve("segmenter", name, SEGMENTERS)
        segmenter = cast("Callable[[str], tuple[str, Callable[[str], tuple[str, ...]]]]", start)
        # What it was asked is kept by its cache, which would grow with every text.
        divide = unwrap(segmenter(model)[1])
    return Corruption(
        types=_types(shapes, divide),
        view=str,
        size=len,
        apply=_apply,
        confusions=_confusions,
        insertions=lambda pieces: insertion(choices_of(pieces)),
        omission=lambda lengths: omission(lengths_of_side(lengths, 1)),
        repetition=lambda lengths: repetition(lengths_of_side(lengths, 0)),
        exchange=lambda lengths: exchange(choices_of(lengths)),
        is_entry=_is_entry,
        type_of=lambda label: label[2:] if label in ("W:R", "W:M") else label,
        substitutes=lambda name: _SUBSTITUTES.get(name[:1], ()),
    )


_SUBSTITUTES: Mapping[str, tuple[str, ...]] = {
    "S": ("spelling-sound", "spelling-shape", "word-misused", "word-misused"),
    "M": (),  # left out by lengths
    "R": ("word-redundant", "word-redundant", "punctuation-redundant"),
    "W": (),  # exchanged by lengths
}


def _is_entry(text: str) -> bool:
    """Whether a text can stand in a table: no white space, and no part of a Latin word."""
    return not any(c.isspace() or (c.isascii() and c.isalnum()) for c in text)


def _confusions(table: Confused) -> Rule[str]:
    return Confusions(
        _Confusion(right, wrong, wrong.values(), rate) for right, (wrong, rate) in table.items()
    )


def _types(
    shapes: Mapping[str, tuple[str, ...]] | None, divide: Divide | None
) -> dict[str, Callable[[], Rule[str]]]:
    """What makes each type.

    Args:
        shapes: The characters that look like each; None takes the packaged table.
        divide: A segmenter; None is none, and characters stand for words.
    """
    types: dict[str, Callable[[], Rule[str]]] = {name: partial(_table, name) for name in _BY_TABLE}
    types |= {
        "punctuation-redundant": _redundant_marks,
        "spelling-sound": lambda: Confusions(
            _Confusion(right, wrong, wrong.values()) for right, wrong in homophones().items()
        ),
        "spelling-shape": lambda: _plain(shapes) if shapes else _table("spelling-shape"),
        "spelling-name": _names,
    }
    if divide is None:
        return types | {
            "spelling-order": lambda: exchange(choices_of({(1, 1): 1})),
            "word-missing": partial(_table, "word-missing"),
            "word-redundant": _redundant_words,
            "syntax-order": _order,
        }
    rule = partial(_word_rule, Division(divide))
    return types | {
        "spelling-order": lambda: rule(_exchange_characters),
        "word-missing": lambda: AnyOf((_table("word-missing"), rule(_omit_words)), (0.6, 0.4)),
        "word-redundant": lambda: AnyOf((_redundant_words(), rule(_repeat_words)), (0.8, 0.2)),
        "syntax-order": lambda: AnyOf((_adverb_order(), rule(_exchange_words)), (0.4, 0.6)),
    }


def _table(name: str) -> Rule[str]:
    return _plain(parse_confusions(read_tables(_TABLES)[name]))


def _plain(table: Mapping[str, Iterable[str]]) -> Rule[str]:
    return Confusions(_Confusion(right, wrong) for right, wrong in table.items())


def _redundant_marks() -> Rule[str]:
    """A comma between characters, or a second mark."""
    commas = insertion(choices_of({"，": 9, "、": 1}), away=2)
    return AnyOf((commas, _table("punctuation-redundant")), (0.8, 0.2))


def _redundant_words() -> Rule[str]:
    pieces = read_tables(_TABLES)["redundant"]
    anywhere = insertion(Choices(pieces, [1] * len(pieces)))
    again = repetition(choices_of({1: 2, 2: 1}))
    return AnyOf((_table("word-redundant"), anywhere, again), (0.5, 0.35, 0.15))


def _adverb_order() -> Rule[str]:
    """Adverbs exchanged with what stands before or behind them."""
    table: dict[str, tuple[str, ...]] = {}
    rows = read_tables(_TABLES)
    for adverb in rows["moving"]:
        for subject in rows["subjects"]:
            table[subject + adverb] = (adverb + subject,)
            table[adverb + subject] = (subject + adverb,)
        for verb in rows["verbs"]:
            if verb != adverb:
                table[adverb + verb] = (verb + adverb,)
    return _plain(table)


def _order() -> Rule[str]:
    lengths = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3))
    stretches = exchange(Choices(lengths, (1, 3, 3, 5, 2, 2, 2, 2, 1)))
    return AnyOf((_adverb_order(), stretches), (0.5, 0.5))


def _names() -> Rule[str]:
    """Names that everybody knows, with one character written as another of its sound."""
    table = {}
    alike = homophones()
    for name in read_tables(_TABLES)["names"]:
        wrong: dict[str, None] = {}
        for position, character in enumerate(name):
            usual = sorted(alike.get(character, {}).items(), key=lambda item: (-item[1], item[0]))
            for other, _ in usual[:_NAME_VARIANTS]:
                wrong[name[:position] + other + name[position + 1 :]] = None
        if wrong:
            table[name] = tuple(wrong)
    return _plain(table)


# From a correct text and its errors to the text with errors, and the edits that lead back.


def _apply(text: str, errors: Sequence[tuple[Error, str]]) -> CorruptedText:
    """Make the text with errors; its tokens are its characters without blanks."""
    pieces: list[str] = []
    edits = []
    position = shift = 0
    for (start, end, wrong), name in errors:
        pieces.append(text[position:start])
        pieces += wrong
        first = start + shift
        edits.append(ReverseEdit(first, first + len(wrong), list(text[start:end]), name))
        shift += len(wrong) - (end - start)
        position = end
    pieces.append(text[position:])
    source = "".join(pieces)
    if len(source.split(None, 1)) > 1 or source[:1].isspace() or source[-1:].isspace():
        return _without_blanks(source, edits)
    return CorruptedText(source, list(source), edits)


def _without_blanks(source: str, edits: Sequence[ReverseEdit]) -> CorruptedText:
    """The same with white space left out of the tokens; no edit holds any."""
    position = [0]
    for character in source:
        position.append(position[-1] + (not character.isspace()))
    moved = [edit._replace(start=position[edit.start], end=position[edit.end]) for edit in edits]
    return CorruptedText(source, [c for c in source if not c.isspace()], moved)
