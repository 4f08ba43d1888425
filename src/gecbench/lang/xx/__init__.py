"""Any language: words or characters as tokens, edits by operation; ERRANT over any pipeline.

What is known of languages without a folder of their own stands here: `of_code` makes them of it.
"""

from __future__ import annotations

from dataclasses import replace

from gecbench.core.language import Language

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


def of_code(code: str) -> Language:
    """A language without a folder of its own, by its code of two letters, or of three."""
    language = replace(
        ANY,
        code=code,
        name=code,
        name_zh=code,
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
