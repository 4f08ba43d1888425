"""How vocabularies write text: WordPiece, byte-level BPE, SentencePiece."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gecbench.core.errors import GecbenchError

_BLANK = "\N{LOWER ONE EIGHTH BLOCK}"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")

Surface = Callable[[str], tuple[bytes, str]]
"""From a token to its text in UTF-8, of which it may hold a part of a character only, and how it
joins what is before it: "" directly, "?" where the vocabulary does not say it."""


def surfaces_of(description: Mapping[str, Any], name: str) -> Surface:
    """Return how the tokens of a tokenizer are written.

    Args:
        description: The tokenizer as JSON.
        name: What the model is called in failures.

    Raises:
        GecbenchError: Its decoder is of a kind that is not known.
    """
    decoders = [description["decoder"] or {}]
    if decoders[0].get("type") == "Sequence":
        decoders = decoders[0]["decoders"]
    kinds = {each.get("type"): each for each in decoders}
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
    """Return the byte that each character of a byte-level vocabulary stands for.

    Printable Latin-1 stands for itself, the other bytes for the characters from U+0100 on
    (Radford et al. 2019, encoder.py).
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    return table | {chr(0x100 + place): byte for place, byte in enumerate(others)}
