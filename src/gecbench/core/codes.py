"""Codes of languages, and those of two letters for the same language as one of three.

The table, `codes.txt`, is from the aliases of languages in Unicode CLDR: codes of ISO 639-2 (both
of those languages that have two, as ger and deu), and of ISO 639-3 for the language that a code of
two letters usually means, as cmn for zh. Codes of languages that have none of two letters, as yue,
are not listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gecbench.core.files import read_lines


@cache
def _two_letters() -> Mapping[str, str]:
    """Code of ISO 639-2 or 639-3 to that of ISO 639-1."""
    lines = read_lines(Path(__file__).with_name("codes.txt"))[1:]
    return dict(pair.split("-") for line in lines for pair in line.split())


def normalise_code(code: str) -> str | None:
    """The code of a language as it is compared and written; None if it is no code.

    Args:
        code: Of ISO 639, two or three letters in any case. One of three becomes that of two for
            the same language, if there is one; what stands behind a hyphen stays.

    >>> normalise_code("deu"), normalise_code("ZH-Hans"), normalise_code("zh-")
    ('de', 'zh-Hans', 'zh')
    """
    match = re.fullmatch(r"([A-Za-z]{2,3})(?:-([A-Za-z0-9-]*))?", code)
    if match is None:
        return None
    letters = match[1].lower()
    if len(letters) == 3:
        letters = _two_letters().get(letters, letters)
    return f"{letters}-{match[2]}" if match[2] else letters
