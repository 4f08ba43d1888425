"""Our own pieces of tokens, made from the data: what the convolutional encoder reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from gecbench.core.errors import FormatError
from gecbench.core.files import read_bytes, write_bytes
from gecbench.models.tagger.encoding import Encoding, Layout

_FILE = "pieces.json"
_PAD, _UNKNOWN, _START = "<pad>", "<unknown>", "<start>"
_SPECIAL = (_PAD, _UNKNOWN, _START)
_INNER = "\N{LEFT-POINTING ANGLE BRACKET}"
"""Opens a piece that does not open its token; no keyboard types it."""
_LONGEST_ENDING = 3
_LONGEST = 40
"""Characters of a piece, at most: cutting tries all lengths, and an address is no word."""


class OwnPieces:
    """Cuts a token into the longest pieces it knows, from the left."""

    def __init__(self, pieces: Sequence[str]) -> None:
        """Take the pieces in the order of their ids."""
        self._pieces = tuple(pieces)
        self._ids = {piece: place for place, piece in enumerate(pieces)}
        self._longest = max((len(piece) for piece in pieces), default=0)

    @property
    def size(self) -> int:
        """How many pieces there are."""
        return len(self._pieces)

    def cut(self, tokens: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the ids of each token's pieces; characters never seen are unknown."""
        return [self._cut(token) for token in tokens]

    def _cut(self, token: str) -> tuple[int, ...]:
        found = []
        start = 0
        while start < len(token):
            lead = _INNER if start else ""
            longest = min(len(token), start + self._longest)
            end, place = next(
                (
                    (end, self._ids[piece])
                    for end in range(longest, start, -1)
                    if (piece := lead + token[start:end]) in self._ids
                ),
                (start + 1, self._ids[_UNKNOWN]),
            )
            found.append(place)
            start = end
        return tuple(found)

    def save(self, folder: Path) -> None:
        """Write the pieces."""
        text = json.dumps(self._pieces, ensure_ascii=False, indent=0)
        write_bytes(folder / _FILE, f"{text}\n".encode())


def own_pieces(sentences: Iterable[Sequence[str]], size: int) -> OwnPieces:
    """Return pieces for the tokens of sentences.

    All characters, whole tokens that occur twice and have no more than 40 of them, and endings of
    two and three characters that several different tokens have: where "walk" and "talk" are known,
    "walks" and "talks" end alike.

    Args:
        sentences: Tokens of each.
        size: How many there are at most; characters count and are never left out.
    """
    words = Counter(token for tokens in sentences for token in tokens)
    characters = {c for word in words for c in word}
    inner = {_INNER + c for word in words for c in word[1:]}
    wanted = Counter({word: n for word, n in words.items() if n > 1 and 1 < len(word) <= _LONGEST})
    for word in words:
        for length in range(2, min(_LONGEST_ENDING, len(word) - 1) + 1):
            wanted[_INNER + word[-length:]] += 1
    must = [*_SPECIAL, *sorted(characters), *sorted(inner)]
    often = sorted((w for w, n in wanted.items() if n > 1), key=lambda w: (-wanted[w], w))
    return OwnPieces([*must, *often[: max(0, size - len(must))]])


def own_encoding(
    pieces: OwnPieces, *, max_tokens: int, max_positions: int, pieces_per_token: int
) -> Encoding:
    """Return the encoding of our own pieces."""
    pad, unknown, start = (_SPECIAL.index(each) for each in (_PAD, _UNKNOWN, _START))
    layout = Layout(
        pieces="own",
        pad=pad,
        unknown=unknown,
        start=start,
        max_tokens=max_tokens,
        max_positions=max_positions,
        pieces_per_token=pieces_per_token,
    )
    return Encoding(layout, pieces)


def own_pieces_in(folder: Path) -> OwnPieces:
    """Return the pieces that a model's folder holds.

    Raises:
        FormatError: The file does not hold pieces.
    """
    path = folder / _FILE
    try:
        pieces = msgspec.json.decode(read_bytes(path), type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}; make the model's folder again") from error
    if tuple(pieces[: len(_SPECIAL)]) != _SPECIAL:
        raise FormatError(f"{path}: does not begin with {', '.join(_SPECIAL)}; it holds no pieces")
    return OwnPieces(pieces)
