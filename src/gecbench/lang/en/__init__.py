"""English: ERRANT's alignment, merging and types, over tokens that a pipeline has analysed."""

from __future__ import annotations

from gecbench.core.language import Language

ENGLISH = Language(
    code="en",
    name="English",
    name_zh="英语",
    script="Latn",
    joiner=" ",
    unit="word",
    tokens="en",
    scheme="en-errant",
    metric="errant",
)
