"""Punctuation as ChERRANT lists it; the full stop 。 and 《 are not in it."""

from __future__ import annotations

from string import punctuation

_WIDE = (
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》"
    "「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
)
_RULES = "–—‘‛“”„‟…‧"

MARKS = punctuation + _WIDE + "〰〾〿" + _RULES + "﹏"
"""What the substitution cost takes for punctuation."""

# The order matters: of several characters together, only neighbours in this order are found.
MERGE_MARKS = punctuation + _WIDE + _RULES + "'."
"""The string that a moved text must not be part of, to be merged into a word-order edit."""
