"""Any language: words or characters as tokens, edits by operation; ERRANT over any pipeline.

What is known of languages without a folder of their own stands here: `of_code` makes them of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from gecbench.core.files import read_bytes
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

_QUOTES = "„“‚‘»«›‹"


@cache
def _facts() -> Mapping[str, Any]:
    """What is known of languages, from `languages.toml`."""
    import tomllib  # languages with a folder need not pay

    return tomllib.loads(read_bytes(Path(__file__).with_name("languages.toml")).decode())


def of_code(code: str) -> Language:
    """A language without a folder of its own, by its code of two letters, or of three."""
    facts = _facts()
    language = replace(
        ANY,
        code=code,
        name=code,
        name_zh=code,
        splitter=_splitter(code),
        normalisers=("s2t", "t2s") if code in facts["sinitic"] else (),
    )
    if code not in facts["without_spaces"]:
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
    facts = _facts()
    splitter = Splitter(
        marks=facts["marks"].get(code, ""),
        quotes=_QUOTES if code in facts["with_quotes"] else "",
        spaced_quotes="»›" if code == "fr" else "",
        ordinals=code in facts["with_ordinals"],
    )
    if code not in facts["abbreviations"]:
        return splitter
    words = facts["abbreviations"][code].split()
    capitals = (word[0].upper() + word[1:] for word in words)
    return replace(splitter, abbreviations=tuple(dict.fromkeys((*words, *capitals))))
