"""Between texts and ids, where ids are characters or words."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, cast

from gecbench.backends import SEGMENTERS
from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.core.files import write_bytes
from gecbench.core.registry import resolve
from gecbench.lang import language_of
from gecbench.models.folder import read_json
from gecbench.models.seq2seq.encoding import (
    EncoderInput,
    Piece,
    Specials,
    Unit,
    answer_units,
    source_units,
)
from gecbench.text import normalisation
from gecbench.text.tokens import Token, tokens_of

BLANK = " "
"""The unit that a run of white space is, where units are characters."""

_RULES = ("en", "space")


_CHARACTER = re.compile(r"\s+|\S")


class Divider(NamedTuple):
    """What divides texts.

    Args:
        name: With the version of what decides, where something does; for signatures.
        divide: From a text to its units with their places, white space being `BLANK`. Words leave
            white space out.
        joint: From the unit before ("" where there is none or it is unknown) and a unit to how
            they join: "" directly, " " by white space, "?" where they do not say it.
    """

    name: str
    divide: Callable[[str], Sequence[Token]]
    joint: Callable[[str, str], str]


def character_divider() -> Divider:
    """Divide into characters, white space being one of them.

    >>> [piece.text for piece in character_divider().divide("我 ok")]
    ['我', ' ', 'o', 'k']
    """
    return Divider("characters", _characters, lambda _before, _unit: "")


def word_divider(segmenter: str, language: str) -> Divider:
    """Divide into words.

    Args:
        segmenter: A name of `SEGMENTERS`, what it takes after a colon; "en" for words and
            punctuation; "space" for what stands between spaces; "" decides by the language.
        language: Code of the language.

    Raises:
        UnknownNameError: There is no such segmenter.
        GecbenchError: It cannot be used.

    >>> [piece.text for piece in word_divider("", "en").divide("It isn't his.")]
    ['It', "isn't", 'his', '.']
    """
    known = language_of(language)
    name = segmenter or (known.tokens if known.joiner else known.segmenter)
    if not name:
        raise UsageError(
            f"gecbench knows no segmenter for language {known.code!r}, whose words no blanks "
            f"divide; name one as segmenter ({', '.join((*_RULES, *SEGMENTERS))})"
        )
    if name in _RULES:
        joint = _english_joint if name == "en" else lambda _before, _unit: " "
        return Divider(name, lambda text: tokens_of(text, name), joint)
    kind, _, model = name.partition(":")
    if kind not in SEGMENTERS:
        raise UnknownNameError("segmenter", name, [*_RULES, *SEGMENTERS])
    load = cast(
        "Callable[[str], tuple[str, Callable[[str], tuple[str, ...]]]]",
        resolve("segmenter", kind, SEGMENTERS),
    )
    version, cached = load(model)
    # It keeps all that it ever divided, which is good for scoring, but too much for a corpus.
    segment = inspect.unwrap(cached)
    return Divider(version, lambda text: _locate(text, segment(text)), lambda _before, _unit: "?")


def load_simplifier() -> tuple[str, Callable[[str], str]]:
    """Load what simplifies Chinese characters, and a function that does it.

    Raises:
        MissingExtraError: OpenCC is not installed.
    """
    conversion = normalisation("t2s")
    return conversion.name, lambda text: keep_length(text, conversion.change)


def keep_length(text: str, change: Callable[[str], str]) -> str:
    """Change a text but keep its length, so that places stay what they are.

    OpenCC looks at phrases, and a phrase may come out longer or shorter: then each character is
    changed by itself.

    >>> keep_length("ab", lambda text: {"ab": "c"}.get(text, text.upper()))
    'AB'
    """
    whole = change(text)
    if len(whole) == len(text):
        return whole
    return "".join(new if len(new := change(old)) == 1 else old for old in text)


def _characters(text: str) -> list[Token]:
    """Divide a text into characters; a run of white space is one."""
    return [
        Token(BLANK if match.group().isspace() else match.group(), *match.span())
        for match in _CHARACTER.finditer(text)
    ]


def _english_joint(before: str, unit: str) -> str:
    """Say how English words join: what closes a clause or a bracket has a blank behind it.

    A full stop only before a capital, as there are names ("www.site.org") and shortened words.

    >>> [_english_joint(*pair) for pair in ((",", "she"), (".", "She"), (".", "org"), ("(", "she"))]
    [' ', ' ', '?', '?']
    """
    if not unit[:1].isalnum():
        return "?"
    if before == ".":
        sentence = unit[0].isupper() and (len(unit) > 1 or unit in ("A", "I"))
        return " " if sentence else "?"
    return " " if before in _CLOSING else "?"


_CLOSING = frozenset(",;:!?)]}%…”")
"""Punctuation of English that a word does not follow without a blank."""


def _locate(text: str, words: Sequence[str]) -> list[Token]:
    """Find words in a text; they are all that it has beside white space."""
    positions = [k for k, character in enumerate(text) if not character.isspace()]
    pieces, start = [], 0
    for word in words:
        end = start + len(word)
        pieces.append(Token(word, positions[start], positions[end - 1] + 1))
        start = end
    return pieces


# The units that a network knows, in the order of their ids.


PAD, START, END, UNKNOWN = 0, 1, 2, 3
FIRST = 4
"""The first id that is a unit; those below stand for no text."""

SPECIALS = Specials(
    before=(),
    after=(END,),
    start=START,
    end=END,
    pad=PAD,
    unknown=UNKNOWN,
    dropped=(PAD, START),
)


def build_unit_vocabulary(
    texts: Iterable[str], divide: Callable[[str], Iterable[str]], *, size: int, min_count: int
) -> tuple[str, ...]:
    """Count the units of texts and keep the most frequent, of equal ones the first by code point.

    Args:
        texts: What is counted.
        divide: From a text to its units.
        size: At most so many; 0 takes all.
        min_count: Rarer ones are left out.

    Raises:
        UsageError: None is left.

    >>> build_unit_vocabulary(["ab", "bc"], tuple, size=2, min_count=1)
    ('b', 'a')
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(divide(text))
    frequent = [unit for unit, count in counts.items() if count >= min_count]
    if not frequent:
        raise UsageError(
            f"model.vocabulary.min_count: no unit of the training pairs occurs {min_count} times; "
            "lower it"
        )
    ordered = sorted(frequent, key=lambda unit: (-counts[unit], unit))
    return tuple(ordered[: size or None])


def write_unit_vocabulary(path: Path, units: tuple[str, ...]) -> None:
    """Write units as a list in JSON."""
    write_bytes(path, f"{json.dumps(units, ensure_ascii=False, indent=0)}\n".encode())


def read_unit_vocabulary(path: Path) -> tuple[str, ...]:
    """Read the units in a file.

    Raises:
        FormatError: It is not a list of different texts in JSON.
        GecbenchError: It cannot be read.
    """
    hint = "it is a JSON list of units; copy the model's folder again, whole"
    units = read_json(path, tuple[str, ...], hint=hint)
    if not all(units):
        raise FormatError(f"{path}: has a unit without text; {hint}")
    if len(set(units)) < len(units):
        raise FormatError(f"{path}: has a unit twice; {hint}")
    return units


def vocabulary_hash(units: tuple[str, ...]) -> str:
    """Hash units in their order, in 16 hexadecimal digits."""
    return hashlib.sha256("\n".join(units).encode()).hexdigest()[:16]


class UnitEncoding:
    """Turns sources into ids and answers into units: an `Encoding` of characters or words.

    Args:
        units: The vocabulary.
        divider: Of texts.
        simplify: What is done to texts first, keeping their length; None does nothing.
    """

    specials = SPECIALS

    def __init__(
        self,
        units: tuple[str, ...],
        divider: Divider,
        simplify: Callable[[str], str] | None = None,
    ) -> None:
        self.units = units
        self.divider = divider
        self.simplify = simplify
        self._ids = {unit: number for number, unit in enumerate(units, FIRST)}

    def source(self, text: str) -> EncoderInput:
        """Encode a source as the encoder reads it, however long it is."""
        pieces = self._pieces(text)
        ids = [self._ids.get(piece.text, UNKNOWN) for piece in pieces]
        rows = zip(self._bytes(ids), pieces, strict=True)
        units = source_units(text, [(raw, piece.start, piece.end) for raw, piece in rows])
        return EncoderInput((*ids, END), units, text)

    def source_ids(self, text: str) -> tuple[int, ...]:
        """Encode it without the places of characters, which is less work."""
        return (*(self._ids.get(unit, UNKNOWN) for unit in self.divide(text)), END)

    target_ids = source_ids

    def source_spans(self, text: str) -> list[tuple[int, int]]:
        """Find the half-open character spans of the ids of a source; (0, 0) of the end."""
        return [*((piece.start, piece.end) for piece in self._pieces(text)), (0, 0)]

    def answer(self, ids: Sequence[int]) -> tuple[Unit, ...]:
        """Decode an answer; ids that mean nothing there are left out."""
        return answer_units(self._bytes([unit for unit in ids if unit >= UNKNOWN]))

    def divide(self, text: str) -> list[str]:
        """Divide a text into units, known or not."""
        return [piece.text for piece in self._pieces(text)]

    def _pieces(self, text: str) -> Sequence[Token]:
        return self.divider.divide(self.simplify(text) if self.simplify else text)

    def _bytes(self, ids: Sequence[int]) -> list[Piece]:
        """Look up the bytes of ids and how each joins the one before; no bytes are unknown."""
        texts = ["" if unit == UNKNOWN else self.units[unit - FIRST] for unit in ids]
        return [
            (text.encode() if text else None, self.divider.joint(before, text))
            for before, text in pairwise(("", *texts))
        ]
