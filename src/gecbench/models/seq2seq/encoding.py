"""Between texts and token ids; needs `tokenizers` alone, so that every runtime shares it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from gecbench.core.errors import GecbenchError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_BLANK = "\N{LOWER ONE EIGHTH BLOCK}"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")

Surface = Callable[[str], tuple[bytes, str]]
"""From a token to its text in UTF-8, of which it may hold a part of a character only, and how it
joins what is before it: "" directly, "?" where the vocabulary does not say it."""


def choose_surface(description: Mapping[str, Any], name: str) -> Surface:
    """Choose how the tokens of a tokenizer are written.

    Args:
        description: The tokenizer as JSON.
        name: What the model is called in failures.

    Raises:
        GecbenchError: Its decoder is of a kind that is not known.
    """
    decoders = [description["decoder"] or {}]
    if decoders[0].get("type") == "Sequence":
        decoders = decoders[0]["decoders"]
    kinds = {part.get("type"): part for part in decoders}
    if "WordPiece" in kinds:
        return partial(_word_piece, prefix=kinds["WordPiece"]["prefix"])
    if "ByteLevel" in kinds:
        return partial(_byte_level, table=_bytes_by_character())
    if "Metaspace" in kinds or kinds.get("Replace", {}).get("pattern") == {"String": _BLANK}:
        return _sentence_piece
    raise GecbenchError(
        f"{name}: its tokenizer writes tokens as {' and '.join(map(str, kinds))}; gecbench "
        "knows WordPiece, ByteLevel and Metaspace"
    )


def _word_piece(token: str, *, prefix: str) -> tuple[bytes, str]:
    """Blanks are lost; ## says only that there is none."""
    if token.startswith(prefix) and len(token) > len(prefix):
        return token[len(prefix) :].encode(), ""
    return token.encode(), "?"


def _byte_level(token: str, *, table: Mapping[str, int]) -> tuple[bytes, str]:
    if all(character in table for character in token):
        return bytes(table[character] for character in token), ""
    return token.encode(), ""


def _sentence_piece(token: str) -> tuple[bytes, str]:
    if match := _BYTE.fullmatch(token):
        return bytes([int(match.group(1), 16)]), ""
    return token.replace(_BLANK, " ").encode(), ""


def _bytes_by_character() -> dict[str, int]:
    """Find the byte that each character of a byte-level vocabulary stands for.

    Printable Latin-1 stands for itself, the other bytes for the characters from U+0100 on
    (Radford et al. 2019, encoder.py).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {
        **{chr(byte): byte for byte in printable},
        **{chr(0x100 + k): byte for k, byte in enumerate(others)},
    }


# Characters as a model sees them, with their places in the text that it read.


UNKNOWN = "\udc00unknown"
"""The text of a unit that stands for characters outside the vocabulary; opens with half a
surrogate, which is in no text, so that nothing is mistaken for it."""


class Unit(NamedTuple):
    """A character as a model sees it; white space is none, but what stands before a unit.

    Args:
        text: The character, perhaps lowercased or otherwise normalised; or `UNKNOWN`.
        before: How it joins the one before: "" directly, " " by white space, "?" where the
            vocabulary does not say it (WordPiece, between words).
        start: First character of the text that it was made from; half-open span. -1 in an
            answer.
        end: Character after the last; equal to `start` where another unit of the block has it.
        block: Units with the same number came from a piece whose characters cannot be told
            apart, as a ligature's; they are the text's only together. -1 for all others.
    """

    text: str
    before: str
    start: int = -1
    end: int = -1
    block: int = -1


Piece = tuple[bytes | None, str]
"""A token's bytes, None where it is unknown, and how it joins what is before it."""


def answer_units(pieces: Sequence[Piece]) -> tuple[Unit, ...]:
    """Divide an answer into units; bytes that are no character are unknown."""
    return tuple(
        Unit(character, before)
        for group in _group_characters([(piece, -1, -1) for piece in pieces])
        for character, before in group.characters
    )


def source_units(text: str, pieces: Sequence[tuple[Piece, int, int]]) -> tuple[Unit, ...]:
    """Divide a source into units.

    Args:
        text: The source.
        pieces: Tokens with their half-open character spans in it.
    """
    units: list[Unit] = []
    for block, (characters, start, end) in enumerate(_group_characters(pieces)):
        offsets = [k for k in range(max(start, 0), end) if not text[k].isspace()]
        if len(characters) == len(offsets) and all(c != UNKNOWN for c, _ in characters):
            units += [
                Unit(character, before, offset, offset + 1)
                for (character, before), offset in zip(characters, offsets, strict=True)
            ]
        else:
            # Nothing of the text may be left to it: then it is the whole, empty, at its start.
            first, last = (offsets[0], offsets[-1] + 1) if offsets else (max(start, 0),) * 2
            number = block if len(characters) > 1 else -1
            units += [
                Unit(character, before, last if k else first, last, number)
                for k, (character, before) in enumerate(characters)
            ]
    return tuple(units)


class _Group(NamedTuple):
    """Pieces that share a character: characters, each with what joins it, and their span."""

    characters: list[tuple[str, str]]
    start: int
    end: int


def _group_characters(pieces: Sequence[tuple[Piece, int, int]]) -> Iterator[_Group]:
    """Yield groups of pieces; white space is no character, but joins the next one."""
    blank = False
    for text, joint, start, end in _decode_groups(pieces):
        characters: list[tuple[str, str]] = []
        before = joint
        for character in [text] if text == UNKNOWN else text:
            if character.isspace():
                blank = True
            else:
                characters.append((character, " " if blank else before))
                before, blank = "", False
        yield _Group(characters, start, end)


def _decode_groups(
    pieces: Sequence[tuple[Piece, int, int]],
) -> Iterator[tuple[str, str, int, int]]:
    """Yield pieces as text, those together that share a character, with their span."""
    waiting = b""
    joint, start, end = "", -1, -1
    for (raw, join), first, last in pieces:
        if raw is None:
            if waiting:
                yield UNKNOWN, joint, start, end
            waiting = b""
            yield UNKNOWN, join, first, last
            continue
        if not waiting:
            joint, start, end = join, first, last
        start, end = min(start, first), max(end, last)
        waiting += raw
        try:
            text = waiting.decode()
        except UnicodeDecodeError as error:
            if error.end == len(waiting) and error.reason == "unexpected end of data":
                continue  # it may go on with the next piece
            text = UNKNOWN
        yield text, joint, start, end
        waiting = b""
    if waiting:
        yield UNKNOWN, joint, start, end


class Specials(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What stands around texts, in token ids.

    Args:
        before: What opens a source, as <s>, [CLS] or a language.
        after: What closes it, as </s> or [SEP].
        start: What the decoder begins with.
        forced: What every answer begins with, as <s>, [CLS] or a language; () where the decoder
            says such by itself.
        end: What ends an answer.
        pad: What fills batches.
        unknown: What unknown characters become; None where there are none, as in byte-level
            vocabularies.
        dropped: Special tokens that may occur in answers and mean nothing there.
        prefix: Text before every source (T5).
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    start: int
    forced: tuple[int, ...] = ()
    end: int
    pad: int
    unknown: int | None
    dropped: tuple[int, ...] = ()
    prefix: str = ""


class EncoderInput(NamedTuple):
    """A source as the encoder reads it.

    Args:
        ids: Specials included.
        units: What the model sees of the text, character by character, with its place there.
        text: The source itself.
    """

    ids: tuple[int, ...]
    units: tuple[Unit, ...]
    text: str = ""


class Encoding(Protocol):
    """What correctors and tasks call on an encoding, whatever its units are."""

    @property
    def specials(self) -> Specials:
        """What stands around texts."""
        ...

    def source(self, text: str) -> EncoderInput:
        """Encode a source as the encoder reads it, however long it is."""
        ...

    def source_ids(self, text: str) -> tuple[int, ...]:
        """Encode it without the places of characters, which is less work."""
        ...

    def source_spans(self, text: str) -> list[tuple[int, int]]:
        """Find the half-open character spans of the ids of a source; (0, 0) of what is around."""
        ...

    def target_ids(self, text: str) -> tuple[int, ...]:
        """Encode what the decoder is to write for a text, the end included."""
        ...

    def answer(self, ids: Sequence[int]) -> tuple[Unit, ...]:
        """Decode an answer; ids that mean nothing there are left out."""
        ...


class SubwordEncoding:
    """Encodes sources and decodes answers by a tokenizer.

    Args:
        tokenizer: Of the `tokenizers` library; it neither pads nor truncates from now on.
        specials: What stands around texts.
        name: What the model is called in failures.

    Raises:
        GecbenchError: The tokenizer joins tokens to text in a way that is not known.
    """

    def __init__(self, tokenizer: Tokenizer, specials: Specials, *, name: str) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        # A text may hold "</s>" or "[MASK]": there they are characters like others.
        tokenizer.encode_special_tokens = True
        self.tokenizer = tokenizer
        self.specials = specials
        description: Mapping[str, Any] = json.loads(tokenizer.to_str())
        added = description["added_tokens"]
        self._added = {token["id"] for token in added}
        special = {token["id"] for token in added if token["special"]}
        self._dropped = (special - {specials.unknown}) | set(specials.dropped)
        self._surface = choose_surface(description, name)

    def source(self, text: str) -> EncoderInput:
        """Encode a source as the encoder reads it, however long it is."""
        prefix = self.specials.prefix
        encoded = self.tokenizer.encode(prefix + text, add_special_tokens=False)
        plain = self._plain(encoded.ids)
        pieces = [
            (self._piece(token), start - len(prefix), end - len(prefix))
            for token, (start, end) in zip(plain, encoded.offsets, strict=True)
            if end > len(prefix)
        ]
        return EncoderInput(self._surround(plain), source_units(text, pieces), text)

    def source_ids(self, text: str) -> tuple[int, ...]:
        """Encode it without the places of characters, which is less work."""
        encoded = self.tokenizer.encode(self.specials.prefix + text, add_special_tokens=False)
        return self._surround(self._plain(encoded.ids))

    def source_spans(self, text: str) -> list[tuple[int, int]]:
        """Find the half-open character spans of the ids of a source; (0, 0) of what is around."""
        prefix = len(self.specials.prefix)
        encoded = self.tokenizer.encode(self.specials.prefix + text, add_special_tokens=False)
        spans = [(max(0, start - prefix), max(0, end - prefix)) for start, end in encoded.offsets]
        around = ([(0, 0)] * len(ids) for ids in (self.specials.before, self.specials.after))
        return [*next(around), *spans, *next(around)]

    def target_ids(self, text: str) -> tuple[int, ...]:
        """Encode what the decoder is to write for a text; what is forced it learns, too."""
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        return (*self.specials.forced, *self._plain(ids), self.specials.end)

    def answer(self, ids: Sequence[int]) -> tuple[Unit, ...]:
        """Decode an answer; ids that mean nothing there are left out."""
        size = self.tokenizer.get_vocab_size(with_added_tokens=True)
        return answer_units(
            [self._piece(token) for token in ids if token not in self._dropped and token < size]
        )

    def _surround(self, ids: Sequence[int]) -> tuple[int, ...]:
        return (*self.specials.before, *ids, *self.specials.after)

    def _plain(self, ids: Sequence[int]) -> list[int]:
        """Replace special ids of a text: one one, which SentencePiece may find, is unknown."""
        unknown = self.specials.unknown
        if unknown is None:
            return list(ids)
        return [unknown if token in self._dropped else token for token in ids]

    def _piece(self, token: int) -> Piece:
        """Look up the bytes of a token and how it joins what is before it; no bytes are unknown."""
        if token == self.specials.unknown:
            return None, "?"
        text = self.tokenizer.id_to_token(token)
        if text is None:
            raise GecbenchError(f"token {token} is not in the vocabulary")
        return (text.encode(), "?") if token in self._added else self._surface(text)
