"""Chinese text to character tokens."""

from __future__ import annotations

import sys

from gecbench.core.sentence import Sentence

PLACEHOLDER = "[缺失成分]"
"""Stands for content that is missing and cannot be guessed; one token (MuCGEC, guidelines)."""

_PLACEHOLDER_CODE = (0x110000).to_bytes(4, sys.byteorder)  # one above the last code point
_UTF32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def parse(text: str) -> Sentence:
    """Divide a text into tokens: one per code point, white space dropped, the placeholder whole.

    White space is what `str.split` splits at. Nothing is normalised: full-width and half-width,
    upper and lower case stay different; combining marks and joiners are tokens of their own.

    >>> parse("我 有[缺失成分]。").tokens
    ('我', '有', '[缺失成分]', '。')
    """
    packed = "".join(text.split())
    if PLACEHOLDER not in packed:
        return Sentence(text, tuple(packed), packed.encode(_UTF32))
    parts = packed.split(PLACEHOLDER)
    tokens: list[str] = list(parts[0])
    for part in parts[1:]:
        tokens.append(PLACEHOLDER)
        tokens.extend(part)
    codes = _PLACEHOLDER_CODE.join(part.encode(_UTF32) for part in parts)
    return Sentence(text, tuple(tokens), codes)
