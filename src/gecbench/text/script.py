"""Telling a text's language by its script."""

from __future__ import annotations

from collections.abc import Iterable

_HAN = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))


def language_of(texts: Iterable[str]) -> str:
    """Return "zh" where most letters are Han characters, else "en".

    Only the first 10,000 characters count.

    >>> language_of(["我用 Python 写作业"]), language_of(["I like 茶"])
    ('zh', 'en')
    """
    han = other = 0
    for text in texts:
        if text.isascii():
            other += sum(map(str.isalpha, text))
        for character in "" if text.isascii() else text:
            if character.isalpha():
                is_han = any(low <= ord(character) <= high for low, high in _HAN)
                han += is_han
                other += not is_han
        if han + other > 10_000:
            break
    # A Latin word takes several letters for what Chinese writes with one or two characters.
    return "zh" if han * 3 > other else "en"
