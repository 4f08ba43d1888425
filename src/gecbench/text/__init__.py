"""Strings, before anything is a token."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

from gecbench.core.registry import resolve

NORMALISATIONS: Mapping[str, str] = {
    "halfwidth": "gecbench.text:halfwidth",
    "lower": "gecbench.text:lower",
    "nfc": "gecbench.text:nfc",
    "nfkc": "gecbench.text:nfkc",
    "punctuation": "gecbench.text:punctuation",
    "s2t": "gecbench.backends.chinese:s2t",
    "squeeze": "gecbench.text:squeeze",
    "t2s": "gecbench.backends.chinese:t2s",
}
"""Name to the function that gives what a signature calls the change, and the change itself."""


Change = Callable[[str], str]

_HALFWIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("“”„‟〝〞〟＂", '"'),
        **dict.fromkeys("‘’‚‛＇", "'"),
        **dict.fromkeys("‐‑‒–—―─−﹘﹣－", "-"),
    }
)


@dataclass(frozen=True, slots=True)
class Normalisation:
    """A change of texts.

    Args:
        name: With the version of what decides, where something does; for signatures.
        change: Of a text. It does to a text whose tokens stand between spaces what it does to
            each token: none of these changes sees across white space.
    """

    name: str
    change: Change


def normalisation(name: str) -> Normalisation:
    """A change by its name.

    Raises:
        UnknownNameError: There is no such name.
        MissingExtraError: What it needs is not installed.

    >>> normalisation("halfwidth").change("ＡＢ，　１")
    'AB, 1'
    """
    make = resolve("normalisation", name, NORMALISATIONS)
    label, change = cast("Callable[[], tuple[str, Change]]", make)()
    return Normalisation(label, change)


def halfwidth() -> tuple[str, Change]:
    """The change of full-width ASCII (U+FF01 to U+FF5E) and U+3000 to ASCII."""
    return "halfwidth", lambda text: text.translate(_HALFWIDTH)


def punctuation() -> tuple[str, Change]:
    """The change of quotation marks and dashes to the ASCII character, one for one."""
    return "punctuation", lambda text: text.translate(_PUNCTUATION)


def lower() -> tuple[str, Change]:
    """The change to lower case, as str.lower makes it."""
    return "lower", str.lower


def squeeze() -> tuple[str, Change]:
    """The change of runs of white space to one space, and to none at the ends."""
    return "squeeze", lambda text: " ".join(text.split())


def nfc() -> tuple[str, Change]:
    """The change to Unicode's canonical composed form."""
    return _form("nfc"), partial(unicodedata.normalize, "NFC")


def nfkc() -> tuple[str, Change]:
    """The change to Unicode's compatibility composed form."""
    return _form("nfkc"), partial(unicodedata.normalize, "NFKC")


def _form(name: str) -> str:
    return f"{name}(unicode {unicodedata.unidata_version})"
