"""One folder per language: everything that is particular to it.

A new language is a folder with a `Language` and one line in `LANGUAGES`; a new scheme is one file
with a function that makes it and one line in `SCHEMES`. What is known of languages
without a folder of their own stands in `lang.xx`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import cast

from gecbench.core.errors import Message, UsageError
from gecbench.core.language import Language, Transforms, normalise_code
from gecbench.core.registry import resolve
from gecbench.core.score import WarningNote
from gecbench.lang.detection import contradiction, detect_languages
from gecbench.lang.xx import of_code

LANGUAGES: Mapping[str, str] = {
    "zh": "gecbench.lang.zh:CHINESE",
    "en": "gecbench.lang.en:ENGLISH",
    "xx": "gecbench.lang.xx:ANY",
}
"""Code to the language."""

SCHEMES: Mapping[str, str] = {
    "zh-cherrant": "gecbench.lang.zh.cherrant:scheme",
    "zh-char": "gecbench.lang.zh.char:scheme",
    "en-errant": "gecbench.lang.en.errant:scheme",
    "errant": "gecbench.lang.xx.schemes:scheme",
    "xx-word": "gecbench.lang.xx.schemes:word_scheme",
    "xx-char": "gecbench.lang.xx.schemes:char_scheme",
}
"""Name to the function that makes the scheme."""

CORRUPTIONS: Mapping[str, str] = {
    "zh": "gecbench.lang.zh.corruption:load",
    "en": "gecbench.lang.en.corruption:load",
}
"""Code to the function that loads how texts of the language are corrupted."""

TRANSFORMS: Mapping[str, str] = {"en": "gecbench.lang.en.inflection:load_transforms"}
"""Code to the function that loads the changes of form that labels of a tagger may name."""


def language_of(code: str) -> Language:
    """A language by its code; one that has no folder is "xx" under its own code.

    Args:
        code: ISO 639 code of two or three letters, in any case; what stands behind a hyphen, as
            in "zh-Hans", is left out. One of three letters becomes that of two letters for the
            same language, if there is one.

    Raises:
        UsageError: It is no such code.

    >>> language_of("cmn").code, language_of("DE").code, language_of("yue").code
    ('zh', 'de', 'yue')
    >>> language_of("zh").unit, language_of("de").scheme, language_of("ja").scheme
    ('character', 'xx-word', 'xx-char')
    """
    if not isinstance(code, str):  # a caller's, whose types nobody has checked
        raise UsageError(f"language {code!r} is no text; name an ISO 639 code, as 'zh' or 'de'")
    normalised = normalise_code(code)
    if normalised is None:
        raise UsageError(
            f"language {code!r} is no ISO 639 code, as zh, en or de; xx stands for any language"
        )
    short = normalised.partition("-")[0]
    if short in LANGUAGES:
        return cast("Language", resolve("language", short, LANGUAGES))
    return of_code(short)


@cache
def transforms_for(code: str) -> Transforms:
    """The changes of form of a language: English has some, every other none.

    >>> transforms_for("en").explain("goes", "went")
    'VERB_VBZ_VBD'
    >>> transforms_for("en").explain("well-known", "well known")
    'SPLIT_HYPHEN'
    """
    if code not in TRANSFORMS:
        return Transforms()
    return cast("Callable[[], Transforms]", resolve("language", code, TRANSFORMS))()


def find_language(lang: str | None, texts: Iterable[str], name: str) -> Language:
    """The language of texts: the declared one, else the one that their words show.

    Args:
        lang: What the user says, or the corpus's header; None where nobody has said.
        texts: Looked at only where nobody has said.
        name: Of the corpus or file, for the error.

    Raises:
        UsageError: Nobody has said, and the texts do not show it; or the code is none.
    """
    if lang is not None:
        return language_of(lang)
    detection = detect_languages(texts)
    if detection.code is None:
        shares = f" ({detection.shares})" if detection.shares else ""
        raise UsageError(
            f"{name}: its language cannot be told from its texts{shares}; name it by --lang (in "
            "Python: lang=): zh, en, another ISO 639 code as de, or xx for any language"
        )
    return language_of(detection.code)


def check_language(
    name: str, languages: Sequence[str], lang: str | None, texts: Iterable[str]
) -> str | None:
    """Refuse texts in a language that a corrector, a parser or the like is not for.

    Args:
        name: What it is, as "corrector en-rules".
        languages: Codes; without any, and with "xx", it takes all texts.
        lang: What the caller or the file declares; "xx" is never refused. None is what the texts
            show.
        texts: Looked at only where nobody has declared their language.

    Returns:
        What to know of texts that are too short to be sure of; else None.

    Raises:
        UsageError: The texts are declared to be in another language, or nobody says and most of
            them plainly show one.
    """
    codes = [language_of(code).code for code in languages]
    declared = None if lang is None else language_of(lang).code
    if not codes or "xx" in codes or declared in ("xx", *codes):
        return None
    kind = name.partition(" ")[0]
    if declared is not None:
        raise UsageError(
            f"{name} is for {', '.join(codes)}, and the texts are in {declared}; name a {kind} for "
            f"{declared}, or their right language by --lang (in Python: lang)"
        )
    detection = detect_languages(texts)
    if detection.code is None or detection.code in codes:
        return None
    if detection.code in detection.places:
        raise UsageError(
            f"{name} is for {', '.join(codes)}, and the texts look like {detection.code!r}; name a "
            f"{kind} for {detection.code}, or, if they are in {codes[0]}, say --lang {codes[0]} "
            "(in Python: lang)"
        )
    return f"the texts look like {detection.code!r}; {name} is for {codes[0]!r}"


def mixture_warning(ids: Iterable[str], texts: Iterable[str], name: str) -> WarningNote | None:
    """Warn where many of the texts whose language nobody declares are in another than most.

    Args:
        ids: Of the texts.
        texts: A sample of them is looked at.
        name: Of the corpus or file.
    """
    detection = detect_languages(texts)
    if not detection.others:
        return None
    last = max(places[0] for places in detection.others.values())
    names = tuple(islice(ids, last + 1))
    shares: Message | None = None
    for code, places in detection.others.items():
        share = Message(
            "{count} look like {code!r} (the first is {first})",
            count=len(places),
            code=code,
            first=names[places[0]],
        )
        shares = Message("{one} and {other}", one=shares, other=share) if shares else share
    return WarningNote(
        "{corpus}: of {number} sentences that were looked at {shares}, {code!r} is taken; name "
        "the language by --lang, or divide the corpus"
        if detection.code
        else "{corpus}: of {number} sentences that were looked at {shares}; name the language by "
        "--lang, or divide the corpus",
        corpus=name,
        number=detection.sentences,
        shares=shares,
        code=detection.code,
    )


def language_warning(lang: str | None, texts: Iterable[str], name: str) -> WarningNote | None:
    """Warn where the script of texts contradicts the language that somebody says they are in.

    Args:
        lang: What the user says, or the corpus's header; None where nobody has said.
        texts: Only the first 10,000 letters count.
        name: Of the corpus or file.
    """
    if lang is None:
        return None
    code = language_of(lang).code
    script = contradiction(code, texts)
    if script is None:
        return None
    return WarningNote(
        "{corpus}: --lang, the file or its format says that it is in {code}, but its texts show "
        "{script}; if it is not, change --lang",
        corpus=name,
        code=code,
        script=Message(script),
    )
