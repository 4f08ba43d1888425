"""English: ERRANT's alignment, merging and types, over tokens that a pipeline has analysed."""

from __future__ import annotations

from pathlib import Path

from gecbench.core.language import Language

PIPELINE = Path(__file__).parent / "pipeline"
"""The small spaCy pipeline that gecbench brings."""

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
    offline_scheme="en-errant",
    pipeline=PIPELINE,
    prompt="en-minimal",
    chat_prompt="robustgec",
    instruction="en-instruction",
)
