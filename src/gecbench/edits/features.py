"""What a graded substitution cost needs to know of each token, in one compact table.

The table is one block of bytes that the compiled kernel reads in place and that this module
reads for the pure Python kernel, so both look at the same facts. It knows nothing of any
language: a token may have a class of three independent components, a set of sounds, relations
to other tokens, and may be a mark.

Layout, native 32-bit words: magic (8 bytes); numbers of tokens, sounds, related tokens and bytes
of provenance; first slot and length of the longest run of consecutive codes; CRC-32 of all that
follows the header, and a zero; the ten doubles of `Weights`, which end the header; per token:
code (sorted), class, start of its sounds (one more than tokens), place in the relation matrix
(0 for none), flags; sounds (16 bit, padded); relation matrix as bits, rows padded to words;
provenance as JSON.
"""

from __future__ import annotations

import json
import struct
from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from gecbench.core.errors import ResourceError

MAGIC = b"GECFEAT3"
_HEADER = struct.Struct("=8s8I10d")
_MARK, _SOUNDED = 1, 2


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers that a substitution cost is a sum of.

    Args:
        levels: Cost of meaning where 0, 1, 2 or 3 components of the classes are equal.
        no_class: Cost of meaning where either token has no class.
        sound_differs: Cost of sound unless both tokens are sounded and alike.
        mark_neither: Cost where neither token is a mark.
        mark_one: Cost where exactly one is.
        mark_both: Cost where both are.
        lowest: No substitution costs less; above 0.
    """

    levels: tuple[float, float, float, float]
    no_class: float
    sound_differs: float
    mark_neither: float
    mark_one: float
    mark_both: float
    lowest: float


@dataclass(frozen=True, slots=True)
class Features:
    """The facts about one token.

    Args:
        components: Class of meaning, each component in 0..255; None means no class.
        sounds: Identifiers of its readings.
        sounded: Whether sound counts for it at all.
        mark: Whether it is a punctuation mark.
    """

    components: tuple[int, int, int] | None = None
    sounds: frozenset[int] = frozenset()
    sounded: bool = False
    mark: bool = False


@dataclass(frozen=True, slots=True)
class FeatureCosts:
    """A feature table as a cost of substituting one token code by another.

    Args:
        data: The table, as `build` makes it.
        origin: The file it was read from, for messages.

    Raises:
        ResourceError: The bytes are not such a table, or were cut.
    """

    data: bytes
    origin: str = "the compiled feature table"
    _features: dict[int, tuple[Features, int]] = field(default_factory=dict, repr=False)
    _rows: dict[int, _Row] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Refuse bytes that are no whole table."""
        whole = len(self.data) >= _HEADER.size and len(self.data) == self._offsets()[-1]
        if (
            not whole
            or crc32(memoryview(self.data)[_HEADER.size :]) != _HEADER.unpack_from(self.data)[7]
        ):
            raise ResourceError(f"{self.origin}: damaged or cut")

    def _offsets(self) -> tuple[int, ...]:
        """Where codes, classes, starts, related, flags, sounds, matrix, provenance, end."""
        magic, tokens, sounds, related, provenance = _HEADER.unpack_from(self.data)[:5]
        if magic != MAGIC:
            return (-1,)
        words = (related + 31) // 32
        column = tokens * 4
        sizes = [column, column, column + 4, column, column]
        sizes += [(sounds * 2 + 3) // 4 * 4, related * words * 4, provenance]
        offsets = [_HEADER.size]
        for size in sizes:
            offsets.append(offsets[-1] + size)
        return tuple(offsets)

    @property
    def provenance(self) -> Mapping[str, str]:
        """What the table was made from, by name."""
        start, end = self._offsets()[-2:]
        about: dict[str, str] = json.loads(self.data[start:end])
        return about

    @property
    def weights(self) -> Weights:
        """The numbers that costs are summed from."""
        numbers = _HEADER.unpack_from(self.data)[9:]
        return Weights(numbers[:4], *numbers[4:])

    def features(self, code: int) -> tuple[Features, int]:
        """The facts about a token, and its place in the relation matrix (0 for none)."""
        cached = self._features.get(code)
        if cached is None:
            cached = self._features[code] = self._look_up(code)
        return cached

    def _look_up(self, code: int) -> tuple[Features, int]:
        view = memoryview(self.data)
        at = self._offsets()
        codes, classes, starts, related, flags = (
            view[at[part] : at[part + 1]].cast("I") for part in range(5)
        )
        slot = bisect_left(codes, code)
        if slot == len(codes) or codes[slot] != code:
            return Features(), 0
        packed = classes[slot]
        components = (packed >> 16 & 255, packed >> 8 & 255, packed & 255) if packed else None
        sounds = view[at[5] : at[6]].cast("H")[starts[slot] : starts[slot + 1]]
        return (
            Features(
                components,
                frozenset(sounds),
                sounded=bool(flags[slot] & _SOUNDED),
                mark=bool(flags[slot] & _MARK),
            ),
            related[slot],
        )

    @property
    def lowest(self) -> float:
        """No substitution costs less; above 0."""
        return self.weights.lowest

    def row(self, code: int) -> Mapping[int, float]:
        """The cost of each other code in the place of this one, computed when asked for."""
        cached = self._rows.get(code)
        if cached is None:
            cached = self._rows[code] = _Row(self, code)
        return cached

    def cost(self, code: int, other: int) -> float:
        """The cost of `other` in the place of `code`, two different codes; not rounded."""
        return self.row(code)[other]

    def compute(self, code: int, other: int) -> float:
        """The same, from the table, past what is remembered."""
        (a, row), (b, column) = self.features(code), self.features(other)
        weights = self.weights
        meaning = weights.no_class
        if a.components and b.components:
            equal = sum(x == y for x, y in zip(a.components, b.components, strict=True))
            meaning = weights.levels[equal]
        alike = bool(a.sounds & b.sounds) or self._is_related(row, column)
        sound = 0.0 if a.sounded and b.sounded and alike else weights.sound_differs
        marks = (weights.mark_neither, weights.mark_one, weights.mark_both)
        # The order of addition decides ties between alignments (cherrant_spec, section 5).
        return (meaning + sound) + marks[a.mark + b.mark]

    def _is_related(self, row: int, column: int) -> bool:
        if not row or not column:
            return False
        words = (_HEADER.unpack_from(self.data)[3] + 31) // 32
        bit = (row - 1) * words * 32 + column - 1
        start = self._offsets()[6]
        word = memoryview(self.data)[start + bit // 32 * 4 :][:4].cast("I")[0]
        return bool(word >> bit % 32 & 1)


class _Row(dict[int, float]):
    """Costs of one token; a dictionary that fills itself is the fastest look-up Python has."""

    def __init__(self, table: FeatureCosts, code: int) -> None:
        super().__init__()
        self._table = table
        self._code = code

    def __missing__(self, other: int) -> float:
        cost = self[other] = self._table.compute(self._code, other)
        return cost


def build(
    features: Mapping[int, Features],
    relations: Mapping[int, Collection[int]],
    weights: Weights,
    provenance: Mapping[str, str],
) -> bytes:
    """The table of these facts.

    Args:
        features: By token code; tokens that are not here have no class, no sound, no mark.
        relations: Codes that count as alike, in both directions whichever one names the other.
        weights: The numbers that costs are summed from.
        provenance: What the facts come from, by name.
    """
    codes = sorted(features)
    related = set(relations).union(*relations.values())
    positions = {code: at for at, code in enumerate(sorted(related), 1)}
    sounds: list[int] = []
    starts = [0]
    for code in codes:
        sounds.extend(sorted(features[code].sounds))
        starts.append(len(sounds))
    about = json.dumps(dict(provenance), sort_keys=True).encode()
    counts = (len(codes), len(sounds), len(positions), len(about), *_longest_run(codes))
    numbers = [getattr(weights, name) for name in Weights.__slots__]
    classes = [_pack(features[code].components) for code in codes]
    flags = [_MARK * features[code].mark + _SOUNDED * features[code].sounded for code in codes]
    words = [*codes, *classes, *starts, *(positions.get(code, 0) for code in codes), *flags]
    padded = sounds + [0] * (len(sounds) % 2)
    body = b"".join(
        (
            struct.pack(f"={len(words)}I", *words),
            struct.pack(f"={len(padded)}H", *padded),
            _matrix(relations, positions),
            about,
        )
    )
    return _HEADER.pack(MAGIC, *counts, crc32(body), 0, *numbers[0], *numbers[1:]) + body


def _matrix(relations: Mapping[int, Collection[int]], positions: Mapping[int, int]) -> bytes:
    """The relation as rows of bits, in both directions, rows padded to words."""
    row_bits = (len(positions) + 31) // 32 * 32
    words = array("I", bytes(len(positions) * row_bits // 8))
    for code, others in relations.items():
        row = positions[code] - 1
        for column in (positions[other] - 1 for other in others):
            words[(row * row_bits + column) // 32] |= 1 << column % 32
            words[(column * row_bits + row) // 32] |= 1 << row % 32
    return words.tobytes()


def _longest_run(codes: Sequence[int]) -> tuple[int, int]:
    """First place and length of the longest run of consecutive numbers."""
    best = start = length = 0
    for at, code in enumerate(codes):
        if at == 0 or code != codes[at - 1] + 1:
            start = at
        if at - start + 1 > length:
            best, length = start, at - start + 1
    return best, length


def _pack(components: tuple[int, int, int] | None) -> int:
    if components is None:
        return 0
    return 1 << 24 | components[0] << 16 | components[1] << 8 | components[2]
