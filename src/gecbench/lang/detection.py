"""Which language undeclared texts are in: by their script, else by the library py3langid.

py3langid is a maintained fork of langid.py (Lui and Baldwin, ACL 2012), a naive Bayes classifier
over n-grams of bytes. It is asked only where no Han characters decide, and never guesses: below
`CERTAIN` the answer is that nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Literal

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

_ENOUGH_HAN = 5
"""Han characters that show a sentence to be Chinese."""

_LOOKED_AT = 500
_LONGEST = 500
"""Texts that are looked at one by one, and characters of each."""

CERTAIN = 0.5
"""Probability from which an answer of py3langid counts for all texts together."""

_PLAIN = 0.9
"""The same for one sentence."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Which language texts are in.

    Args:
        code: Of most of them; None where it cannot be told.
        sentences: How many texts with letters were looked at.
        places: For each language that at least a tenth of these show, which texts these are, by
            their places from 0; the most frequent language first.
    """

    code: str | None
    sentences: int = 0
    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def others(self) -> Mapping[str, tuple[int, ...]]:
        """The languages beside that of most texts, as in `places`."""
        return {code: places for code, places in self.places.items() if code != self.code}

    @property
    def shares(self) -> str:
        """How many texts are in which language, for people; "" where they are not in several."""
        if len(self.places) < 2:
            return ""
        counts = ", ".join(f"{len(places)} like {code!r}" for code, places in self.places.items())
        return f"of {self.sentences} sentences {counts}"


def detect(texts: Iterable[str]) -> str | None:
    """The code of the language that most texts are in; None where it cannot be told.

    >>> detect(["我用 Python 写作业"]), detect(["He go to school every day ."])
    ('zh', 'en')
    >>> detect(["Ich habe gestern ein Buch gelesen ."]), detect(["12 34"])
    ('de', None)
    """
    return detect_languages(texts).code


def detect_languages(texts: Iterable[str]) -> Detection:
    """The language that most texts are in, and those of which there is a notable share.

    Texts that plainly show a language count one each. Where one language has less than three
    fifths of these, and another a notable share, nothing is decided. Where less than half of all
    texts show theirs, as short ones, all together decide.

    Of more than 500 texts, 500 are looked at, at equal distances.
    """
    texts = texts if isinstance(texts, Sequence) else tuple(texts)
    step = max(1.0, len(texts) / _LOOKED_AT)
    places = tuple(int(n * step) for n in range(min(len(texts), _LOOKED_AT)))
    detection = _detect(tuple(texts[place] for place in places))
    return replace(
        detection,
        places={code: tuple(places[n] for n in at) for code, at in detection.places.items()},
    )


@lru_cache(maxsize=8)  # a run asks for the language of its corpus several times
def _detect(texts: tuple[str, ...]) -> Detection:
    letters = [any(map(str.isalpha, text)) for text in texts]
    sentences = sum(letters)
    by_code: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        if letters[place] and (code := _language_shown(text)) is not None:
            by_code.setdefault(code, []).append(place)
    ranked = sorted(by_code.items(), key=lambda item: -len(item[1]))
    notable = {code: tuple(places) for code, places in ranked if len(places) * 10 >= sentences}
    with_code = sum(map(len, by_code.values()))
    most = len(ranked[0][1]) if ranked else 0
    if len(notable) > 1 and most * 5 < with_code * 3:
        return Detection(None, sentences, notable)
    code = _detect_together(texts) if with_code * 2 < sentences or not ranked else ranked[0][0]
    return Detection(code, sentences, notable)


def _language_shown(text: str) -> str | None:
    """The language of one text that plainly shows it, else None."""
    text = text[:_LONGEST]
    _, han, kana, other = _letters([text])
    if han >= _ENOUGH_HAN and _is_chinese(han, kana, other):
        return "zh"
    if han + kana + other < _TOO_FEW or _is_chinese(han, kana, other):
        return None
    code, probability = _identifier().classify(text)
    return str(code) if probability >= _PLAIN else None


def _detect_together(texts: Sequence[str]) -> str | None:
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
    if code == "en":
        foreign = sum(ord(character) > _LATIN for character in filter(str.isalpha, "".join(parts)))
        if foreign * 2 > han + kana + other:
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
            scripts = [*map(_script, filter(str.isalpha, text))]
            han += scripts.count("han")
            kana += scripts.count("kana")
            other += scripts.count("other")
        if han + kana + other > _ENOUGH:
            break
    return parts, han, kana, other


@lru_cache(maxsize=10_000)
def _script(letter: str) -> Literal["han", "kana", "other"]:
    code = ord(letter)
    if any(low <= code <= high for low, high in _HAN):
        return "han"
    return "kana" if _KANA[0] <= code <= _KANA[1] else "other"


@cache
def _identifier() -> Any:
    """The classifier over the languages that have a code of two letters."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([label for label in identifier.labels if len(label) == 2])
    return identifier
