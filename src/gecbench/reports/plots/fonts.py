"""Which fonts letters are drawn and measured with: DejaVu Sans, and one with Han characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from matplotlib import font_manager

from gecbench.core.errors import GecbenchError

LATIN = "DejaVu Sans"
"""Comes with matplotlib."""

_HAN = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "SimHei",
    "Droid Sans Fallback",
    "Heiti SC",
    "STHeiti",
    "Noto Sans CJK JP",
    "Noto Sans CJK TC",
    "SimSun",
    "Arial Unicode MS",
)
"""In the order of preference: with the Chinese shapes of characters first."""

_HAN_FILES = ("cjk", "notosanssc", "sourcehan", "wqy", "msyh", "simhei", "simsun", "droidsansfall")

STACK = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', "
    "'Microsoft YaHei', 'Noto Sans CJK SC', 'Source Han Sans SC', sans-serif"
)
"""Fonts of figures in pages, where the reader's system has them."""


def families(texts: Sequence[str]) -> list[str]:
    """Return the font families that have all characters of some texts, to be tried in order.

    Raises:
        GecbenchError: No font of this system has a character.
    """
    wanted = {c for text in texts for c in text if not _unseen(c)}
    missing = {c for c in wanted if ord(c) not in _characters(LATIN)}
    if not missing:
        return [LATIN]
    for family in _HAN:
        if family in _installed() and all(ord(c) in _characters(family) for c in missing):
            return [LATIN, family]
    han = next((family for family in _HAN if family in _installed()), None)
    lacking = min(c for c in missing if han is None or ord(c) not in _characters(han))
    holder = next(text for text in texts if lacking in text)
    remedy = (
        "write it otherwise"
        if han
        else "install one with Chinese characters (Debian, Ubuntu: apt-get install fonts-noto-cjk)"
    )
    raise GecbenchError(
        f"no font here has {lacking!r} (U+{ord(lacking):04X}) of {holder!r} in a figure; {remedy}"
    )


def measurable(text: str) -> str:
    """Return a text as wide as another, in characters that DejaVu Sans has.

    A page is shown with fonts that are not known when it is made; in all of them a Han character
    is as wide as it is high, and so is the em dash of DejaVu Sans.
    """
    return text if text.isascii() else "".join(map(_like, text))


def _like(character: str) -> str:
    if unicodedata.east_asian_width(character) in "WF":
        return "—"
    if _unseen(character):
        return ""
    return character if ord(character) in _characters(LATIN) else "m"


def _unseen(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me", "Cf") or character == "\n"


@cache
def _characters(family: str) -> frozenset[int]:
    path = font_manager.findfont(family, fallback_to_default=False)
    return frozenset(font_manager.get_font(path).get_charmap())


@cache
def _installed() -> frozenset[str]:
    """Return the names of the fonts, those that came after matplotlib made its list as well."""
    manager = font_manager.fontManager
    known = {entry.fname for entry in manager.ttflist}
    for path in sorted(font_manager.findSystemFonts()):
        name = Path(path).name.lower().replace("-", "")
        if path not in known and any(part in name for part in _HAN_FILES):
            manager.addfont(path)
    return frozenset(entry.name for entry in manager.ttflist)
