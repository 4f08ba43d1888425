"""Any language: words or characters as tokens, edits by operation; ERRANT over any pipeline."""

from __future__ import annotations

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
