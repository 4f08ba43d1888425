"""Chinese: characters as tokens, two schemes of edits."""

from __future__ import annotations

from gecbench.core.language import Language

CHINESE = Language(
    code="zh",
    name="Chinese",
    name_zh="中文",
    script="Hans",
    joiner="",
    unit="character",
    tokens="zh",
    scheme="zh-cherrant",
    metric="cherrant",
    offline_scheme="zh-char",
    normalisers=("s2t", "t2s"),
    segmenter="jieba",
    prompt="zh-minimal",
    chat_prompt="zh-minimal",
    instruction="zh-instruction",
)
