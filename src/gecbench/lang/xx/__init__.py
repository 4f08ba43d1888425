"""Any language: words or characters as tokens, edits by operation; ERRANT over any pipeline.

What is known of languages without a folder of their own stands here: `of_code` makes them of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gecbench.core.language import Language, Splitter

ANY = Language(
    code="xx",
    name="any language",
    name_zh="任何语言",
    script="Zyyy",
    joiner=" ",
    unit="word",
    tokens="en",
    scheme="xx-word",
    metric="edits",
    offline_scheme="xx-word",
)

_WITHOUT_SPACES = frozenset(("bo", "dz", "ja", "km", "lo", "my", "th", "yue"))
"""Languages whose words no blank divides."""

_SINITIC = frozenset(("cdo", "cjy", "gan", "hak", "hsn", "lzh", "nan", "wuu", "yue"))
"""Relatives of Chinese, written in simplified or traditional characters as well."""

_MARKS: Mapping[str, str] = {
    **dict.fromkeys(("ar", "ckb", "fa", "ps", "sd", "ug", "ur"), "؟۔"),
    **dict.fromkeys(("as", "bn", "hi", "mr", "ne", "or", "pa", "sa"), "।॥"),
    **dict.fromkeys(("am", "ti"), "።፧"),
    "el": ";\u037e",  # the Greek question mark, as it is typed and as Unicode has it
    "hy": "։",
}
"""Marks that end a sentence, beside those of Latin script and of Chinese."""

_CYRILLIC = "А Б В Г Д Е Ж З И К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Э Ю Я"

_ABBREVIATIONS: Mapping[str, str] = {
    "cs": "a b č j k m n o p r s t v z Dr Ing Mgr Prof apod atd dr ing mgr mj např odst popř prof"
    " resp str tj tzn tzv",
    "de": "a d h i m o s u v z Abs Bd Dr Fr Hr Jh Nr Prof St Str Tel bzw ca etc evtl f ff ggf inkl"
    " Mio Mrd sog usw vgl zzgl",
    "es": "a d p Av Dr Dra EE Prof Sr Sra Srta Sto UU Ud Uds ej etc núm pág vol",
    "fr": "p Dr MM Prof cf env etc ex",
    "ru": f"{_CYRILLIC} в г гг д др е и к обл п пр р рис руб с см ст стр т тыс ул",
    "uk": f"{_CYRILLIC} І Ї Є в вул г д др е і ім к м обл п пр р рис с см ст стор т тис",
}
"""What a full stop makes an abbreviation, in place of the English ones; where a sentence begins,
with a capital."""

_QUOTES = "„“‚‘»«›‹"

_WITH_QUOTES = frozenset(
    (
        *("be", "bg", "ca", "cs", "da", "de", "dsb", "el", "es", "et", "eu", "fa", "fr", "gl"),
        *("hr", "hsb", "hu", "hy", "is", "it", "kk", "lb", "lt", "lv", "mk", "nb", "nn", "no"),
        *("pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "uk"),
    )
)
"""Languages that have these quotation marks, of which each opens in one and closes in another."""

_WITH_ORDINALS = frozenset(
    (
        *("bs", "cs", "da", "de", "dsb", "et", "eu", "fi", "fo", "hr", "hsb", "hu", "is", "lb"),
        *("lv", "nb", "nn", "no", "sk", "sl", "sr", "tr"),
    )
)
"""Languages that write an ordinal as a number with a full stop."""


def of_code(code: str) -> Language:
    """A language without a folder of its own, by its code of two letters, or of three."""
    language = replace(
        ANY,
        code=code,
        name=code,
        name_zh=code,
        splitter=_splitter(code),
        normalisers=("s2t", "t2s") if code in _SINITIC else (),
    )
    if code not in _WITHOUT_SPACES:
        return language
    return replace(
        language,
        joiner="",
        unit="character",
        tokens="zh",
        scheme="xx-char",
        offline_scheme="xx-char",
    )


def _splitter(code: str) -> Splitter:
    splitter = Splitter(
        marks=_MARKS.get(code, ""),
        quotes=_QUOTES if code in _WITH_QUOTES else "",
        spaced_quotes="»›" if code == "fr" else "",
        ordinals=code in _WITH_ORDINALS,
    )
    if code not in _ABBREVIATIONS:
        return splitter
    words = _ABBREVIATIONS[code].split()
    capitals = (word[0].upper() + word[1:] for word in words)
    return replace(splitter, abbreviations=tuple(dict.fromkeys((*words, *capitals))))
