"""From tokens to the positions that an encoder reads; needs neither torch nor transformers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import msgspec

from gecbench.core.errors import FormatError
from gecbench.core.files import read_bytes, write_bytes

ENCODING = "encoding.json"
_REMEMBERED = 200_000


class Positions(NamedTuple):
    """A sentence as an encoder reads it.

    Args:
        ids: Of all positions, in their order.
        firsts: Where the first piece of $START stands, and that of each token that is read. The
            others of the sentence are not read: it is too long.
    """

    ids: tuple[int, ...]
    firsts: tuple[int, ...]


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How positions are put together.

    Args:
        pieces: Who cuts tokens: a `tokenizers` file, or our own pieces.
        pad: Id that fills batches.
        unknown: Id of a token that has no piece of its own.
        start: Id of $START, the place before the first token; that of unknown where the
            encoder has no row for it.
        before: Ids that open every sentence, as [CLS].
        after: Ids that close it, as [SEP].
        max_tokens: Tokens that are read, at most; the rest stays as it is.
        max_positions: The same in positions.
        pieces_per_token: What a token has beyond so many is not read (GECToR: 5).
    """

    pieces: Literal["tokenizer", "own"]
    pad: int
    unknown: int
    start: int
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    max_tokens: int
    max_positions: int
    pieces_per_token: int


class Pieces(Protocol):
    """What cuts tokens into pieces."""

    @property
    def size(self) -> int:
        """How many ids there are; all are smaller."""
        ...

    def cut(self, tokens: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the ids of each token's pieces; () of one that has none."""
        ...

    def save(self, folder: Path) -> None:
        """Write what `pieces_in` reads."""
        ...


class Encoding:
    """Turns tokens into positions; what it cut once it remembers."""

    def __init__(self, layout: Layout, pieces: Pieces) -> None:
        """Start with nothing remembered."""
        self.layout = layout
        self.pieces = pieces
        self._remembered: dict[str, tuple[int, ...]] = {}

    def positions(self, sentences: Sequence[Sequence[str]]) -> list[Positions]:
        """Return the positions of sentences, each of them tokens without $START."""
        limit = self.layout.max_tokens
        self._learn({token for tokens in sentences for token in tokens[:limit]})
        return [self._of(tokens[:limit]) for tokens in sentences]

    def _learn(self, tokens: set[str]) -> None:
        if len(self._remembered) > _REMEMBERED:
            self._remembered.clear()
        new = sorted(tokens.difference(self._remembered))
        most, unknown = self.layout.pieces_per_token, (self.layout.unknown,)
        for token, ids in zip(new, self.pieces.cut(new), strict=True):
            self._remembered[token] = ids[:most] or unknown

    def _of(self, tokens: Sequence[str]) -> Positions:
        layout = self.layout
        ids = [*layout.before, layout.start]
        firsts = [len(layout.before)]
        room = layout.max_positions - len(layout.after)
        for token in tokens:
            pieces = self._remembered[token]
            if len(ids) + len(pieces) > room:
                break
            firsts.append(len(ids))
            ids += pieces
        return Positions((*ids, *layout.after), tuple(firsts))

    def save(self, folder: Path) -> None:
        """Write all that `encoding_in` reads."""
        text = json.dumps(msgspec.to_builtins(self.layout), indent=2)
        write_bytes(folder / ENCODING, f"{text}\n".encode())
        self.pieces.save(folder)


def encoding_in(folder: Path) -> Encoding:
    """Return the encoding that a model's folder holds.

    Raises:
        FormatError: A file does not hold what it should.
        GecbenchError: A file is missing.
    """
    path = folder / ENCODING
    try:
        layout = msgspec.json.decode(read_bytes(path), type=Layout)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}; make the model's folder again") from error
    return Encoding(layout, pieces_in(folder, layout))


def pieces_in(folder: Path, layout: Layout) -> Pieces:
    """Return what cuts the tokens of the model in a folder.

    Raises:
        FormatError: The file is damaged, or ids of the layout lie outside it.
    """
    pieces: Pieces
    if layout.pieces == "own":
        from gecbench.models.tagger.pieces import own_pieces_in

        pieces = own_pieces_in(folder)
    else:
        from gecbench.models.tagger.subwords import subwords_in

        pieces = subwords_in(folder)
    return pieces
