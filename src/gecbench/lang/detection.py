"""Which language undeclared texts are in: by their script, else by the library py3langid.

py3langid is a maintained fork of langid.py (Lui and Baldwin, ACL 2012), a naive Bayes classifier
over n-grams of bytes. It is asked only where no Han characters decide, and never guesses: below
`CERTAIN` the answer is that nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

_HAN = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_KANA = (0x3040, 0x30FF)
_IN_HAN = frozenset(
    ("zh", "ja", "xx", "cdo", "cjy", "gan", "hak", "hsn", "lzh", "nan", "wuu", "yue")
)
"""Languages that are, or may be, written mostly in Han characters."""

_LATIN = 0x24F
"""The last code point of the blocks with the letters of European languages in Latin script."""

_TOO_FEW = 20
_ENOUGH = 10_000
"""Letters that are looked at."""

CERTAIN = 0.5
"""Probability from which an answer of py3langid counts."""


def detect(texts: Iterable[str]) -> str | None:
    """The code of the language that texts are in; None where it cannot be told.

    Only the first 10,000 letters count.

    >>> detect(["我用 Python 写作业"]), detect(["He go to school every day ."])
    ('zh', 'en')
    >>> detect(["Ich habe gestern ein Buch gelesen ."]), detect(["12 34"])
    ('de', None)
    """
    parts, han, kana, other = _letters(texts)
    if not han + kana + other:
        return None
    if _is_chinese(han, kana, other):
        return "zh"
    code, probability = _identifier().classify("\n".join(parts)[: 2 * _ENOUGH])
    return str(code) if probability >= CERTAIN else None


def is_chinese(texts: Iterable[str]) -> bool:
    """Whether texts have enough Han characters for Chinese, and hardly any kana."""
    _, han, kana, other = _letters(texts)
    return bool(han) and _is_chinese(han, kana, other)


def contradiction(code: str, texts: Iterable[str]) -> str | None:
    """What the script of texts plainly says against their being in a language; None if nothing.

    Fewer than 20 letters say nothing.

    Args:
        code: Of the language, as `gecbench.lang.language_of` has it.
        texts: Only the first 10,000 letters count.
    """
    parts, han, kana, other = _letters(texts)
    if han + kana + other < _TOO_FEW:
        return None
    if code == "zh" and (han * 10 < other or kana * 3 > han):
        return "hardly any Chinese characters" if han * 10 < other else "Japanese kana"
    if code not in _IN_HAN and _is_chinese(han, kana, other) and han > other:
        return "Chinese characters"
    foreign = sum(ord(character) > _LATIN for character in filter(str.isalpha, "".join(parts)))
    if code == "en" and foreign * 2 > han + kana + other:
        return "letters of another script"
    return None


def _is_chinese(han: int, kana: int, other: int) -> bool:
    # A Latin word takes several letters for what Chinese writes with one or two characters.
    return han * 3 > other and kana * 10 < han


def _letters(texts: Iterable[str]) -> tuple[list[str], int, int, int]:
    """The first texts, and how many Han characters, kana and other letters they have."""
    han = kana = other = 0
    parts: list[str] = []
    for text in texts:
        parts.append(text)
        if text.isascii():
            other += sum(map(str.isalpha, text))
        else:
            for character in filter(str.isalpha, text):
                code = ord(character)
                if any(low <= code <= high for low, high in _HAN):
                    han += 1
                elif _KANA[0] <= code <= _KANA[1]:
                    kana += 1
                else:
                    other += 1
        if han + kana + other > _ENOUGH:
            break
    return parts, han, kana, other


@cache
def _identifier() -> Any:
    """The classifier over the languages that have a code of two letters."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([label for label in identifier.labels if len(label) == 2])
    return identifier
