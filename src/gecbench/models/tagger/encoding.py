"""From tokens to the positions that an encoder reads; needs neither torch nor transformers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from gecbench.backends import need
from gecbench.core.errors import FormatError, reason
from gecbench.core.files import read_bytes, write_bytes
from gecbench.models.folder import read_json

if TYPE_CHECKING:
    from tokenizers import Tokenizer


ENCODING = "encoding.json"
_CACHE = 200_000
"""Tokens whose pieces are remembered, at most."""


class Positions(NamedTuple):
    """A sentence as an encoder reads it.

    Args:
        ids: Of all positions, in their order.
        firsts: Where the first piece of $START stands, and that of each token that is read. The
            others of the sentence are not read: it is too long.
    """

    ids: tuple[int, ...]
    firsts: tuple[int, ...]


class EncodingLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How positions are put together.

    Args:
        pieces: What divides tokens: a `tokenizers` file, or our own pieces.
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


class TaggerEncoding:
    """Turns tokens into positions; the pieces of a token are remembered."""

    def __init__(self, layout: EncodingLayout, pieces: OwnPieces | Subwords) -> None:
        self.layout = layout
        self.pieces = pieces
        self._cache: dict[str, tuple[int, ...]] = {}

    def positions(self, sentences: Sequence[Sequence[str]]) -> list[Positions]:
        """Encode sentences, each of them tokens without $START."""
        layout, limit = self.layout, self.layout.max_tokens
        if len(self._cache) > _CACHE:
            self._cache.clear()
        tokens = {token for sentence in sentences for token in sentence[:limit]}
        new = sorted(tokens.difference(self._cache))
        for token, ids in zip(new, self.pieces.split(new), strict=True):
            self._cache[token] = ids[: layout.pieces_per_token] or (layout.unknown,)
        return [self._place(sentence[:limit]) for sentence in sentences]

    def _place(self, tokens: Sequence[str]) -> Positions:
        layout = self.layout
        ids = [*layout.before, layout.start]
        firsts = [len(layout.before)]
        for token in tokens:
            pieces = self._cache[token]
            if len(ids) + len(pieces) > layout.max_positions - len(layout.after):
                break
            firsts.append(len(ids))
            ids += pieces
        return Positions((*ids, *layout.after), tuple(firsts))

    def save(self, folder: Path) -> None:
        """Write all that `read_encoding` reads."""
        text = json.dumps(msgspec.to_builtins(self.layout), indent=2)
        write_bytes(folder / ENCODING, f"{text}\n".encode())
        self.pieces.save(folder)


def read_encoding(folder: Path) -> TaggerEncoding:
    """Read the encoding of the model in a folder.

    Raises:
        FormatError: A file does not hold what it should.
        GecbenchError: A file is missing.
    """
    layout = read_json(folder / ENCODING, EncodingLayout)
    read_pieces = read_own_pieces if layout.pieces == "own" else read_subwords
    return TaggerEncoding(layout, read_pieces(folder))


# Our own pieces of tokens, built from the data: what the convolutional encoder reads.


_PIECES = "pieces.json"
_SPECIAL = ("<pad>", "<unknown>", "<start>")
_INNER = "\N{LEFT-POINTING ANGLE BRACKET}"
"""Opens a piece that does not open its token; no keyboard types it."""
_LONGEST_ENDING = 3
_LONGEST = 40
"""Characters of a piece, at most: splitting tries all lengths, and an address is no word."""


class OwnPieces:
    """Divides a token into the longest pieces it knows, from the left; ids are their order."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = tuple(pieces)
        self._ids = {piece: k for k, piece in enumerate(pieces)}
        self._longest = max(map(len, pieces), default=0)

    @property
    def size(self) -> int:
        """How many pieces there are."""
        return len(self._pieces)

    def split(self, tokens: Sequence[str]) -> list[tuple[int, ...]]:
        """Divide tokens into the ids of their pieces; characters never seen are unknown."""
        return [tuple(self._split(token)) for token in tokens]

    def _split(self, token: str) -> Iterator[int]:
        start = 0
        while start < len(token):
            lead = _INNER if start else ""
            ends = range(min(len(token), start + self._longest), start, -1)
            end = next((e for e in ends if lead + token[start:e] in self._ids), start + 1)
            yield self._ids.get(lead + token[start:end], _SPECIAL.index("<unknown>"))
            start = end

    def save(self, folder: Path) -> None:
        """Write the pieces."""
        text = json.dumps(self._pieces, ensure_ascii=False, indent=0)
        write_bytes(folder / _PIECES, f"{text}\n".encode())


def build_own_pieces(sentences: Iterable[Sequence[str]], size: int) -> OwnPieces:
    """Build pieces from the tokens of sentences.

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
    counts = Counter({word: n for word, n in words.items() if n > 1 and 1 < len(word) <= _LONGEST})
    for word in words:
        for length in range(2, min(_LONGEST_ENDING, len(word) - 1) + 1):
            counts[_INNER + word[-length:]] += 1
    fixed = [*_SPECIAL, *sorted(characters), *sorted(inner)]
    often = sorted((w for w, n in counts.items() if n > 1), key=lambda w: (-counts[w], w))
    return OwnPieces([*fixed, *often[: max(0, size - len(fixed))]])


def build_own_encoding(
    pieces: OwnPieces, *, max_tokens: int, max_positions: int, pieces_per_token: int
) -> TaggerEncoding:
    """Build the encoding of our own pieces."""
    layout = EncodingLayout(
        pieces="own",
        pad=_SPECIAL.index("<pad>"),
        unknown=_SPECIAL.index("<unknown>"),
        start=_SPECIAL.index("<start>"),
        max_tokens=max_tokens,
        max_positions=max_positions,
        pieces_per_token=pieces_per_token,
    )
    return TaggerEncoding(layout, pieces)


def read_own_pieces(folder: Path) -> OwnPieces:
    """Read the pieces of the model in a folder.

    Raises:
        FormatError: The file does not hold pieces.
    """
    path = folder / _PIECES
    pieces = read_json(path, list[str])
    if tuple(pieces[: len(_SPECIAL)]) != _SPECIAL:
        raise FormatError(f"{path}: does not begin with {', '.join(_SPECIAL)}; it holds no pieces")
    return OwnPieces(pieces)


# The subwords of a pretrained encoder, divided by the library `tokenizers` alone.


_SUBWORDS = "tokenizer.json"


class Subwords:
    """Divides tokens as a fast tokenizer does.

    Args:
        content: The JSON of a tokenizer.

    Raises:
        MissingExtraError: `tokenizers` is not installed.
        ValueError: It is no tokenizer.
    """

    def __init__(self, content: str) -> None:
        need("onnx", "tokenizers")
        from tokenizers import Tokenizer

        self._content = _with_leading_space(content)
        try:
            self._tokenizer: Tokenizer = Tokenizer.from_str(self._content)
        except Exception as error:  # tokenizers raises nothing narrower
            raise ValueError(reason(error)) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # "[SEP]" in a learner's text is four tokens of text, never an end.
        self._tokenizer.encode_special_tokens = True

    @property
    def size(self) -> int:
        """One more than the highest id."""
        return 1 + max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)

    def split(self, tokens: Sequence[str]) -> list[tuple[int, ...]]:
        """Divide tokens into the ids of their subwords; () where the tokenizer drops it."""
        encoded = self._tokenizer.encode_batch_fast(
            [[token.encode(errors="replace").decode()] for token in tokens],
            is_pretokenized=True,
            add_special_tokens=False,
        )
        return [tuple(encoding.ids) for encoding in encoded]

    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Find the ids that open and close a sentence, as [CLS] and [SEP]."""
        encoding = self._tokenizer.encode(["a"], is_pretokenized=True, add_special_tokens=True)
        inside = [k for k, word in enumerate(encoding.word_ids) if word is not None]
        if not inside:
            return (), ()
        return tuple(encoding.ids[: inside[0]]), tuple(encoding.ids[inside[-1] + 1 :])

    def save(self, folder: Path) -> None:
        """Write the tokenizer."""
        write_bytes(folder / _SUBWORDS, self._content.encode())


def read_subwords(folder: Path) -> Subwords:
    """Read the tokenizer of the model in a folder.

    Raises:
        FormatError: The file is no tokenizer.
    """
    path = folder / _SUBWORDS
    content = read_bytes(path)
    try:
        return Subwords(content.decode())
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError are such
        raise FormatError(f"{path}: is no tokenizer: {error}; make the folder again") from error


def _with_leading_space(content: str) -> str:
    """Change a tokenizer's JSON to take every token for one behind a blank.

    RoBERTa's pieces tell "a word after a blank" from "a word inside"; tokens come one by one.
    """
    tables = json.loads(content)
    if not isinstance(tables, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - as of any other content
    pending = [tables.get("pre_tokenizer")]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            if part.get("type") == "ByteLevel":
                part["add_prefix_space"] = True
            pending += part.get("pretokenizers") or []
    return json.dumps(tables, ensure_ascii=False)
