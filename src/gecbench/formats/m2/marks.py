"""The words of the M2 format that stand for something else."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "|||"
NONE = "-NONE-"
NOOP = "noop"
NOT_ANNOTATED = "NA"
UNKNOWN = "UNK"
ERROR_FREE = "没有错误"
UNANNOTATABLE = "无法标注"
MAXMATCH = "m2-maxmatch"
OR_MAXMATCH = f", or read the file as the MaxMatch scorer does: --from {MAXMATCH}"


def join(tokens: Sequence[str], *, targets: bool) -> str:
    """Return the text of tokens: without spaces in ChERRANT's dialect, which has target lines."""
    return ("" if targets else " ").join(tokens)


def is_number(text: str) -> bool:
    """Return whether a text is a number as the format has it: at most nine digits, no sign."""
    return text.isascii() and text.isdecimal() and len(text) < 10
