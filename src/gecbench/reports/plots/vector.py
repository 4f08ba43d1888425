"""Makes the SVG of matplotlib fit to stand in a page or by itself: small, named, themable."""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib import font_manager

from gecbench.core.errors import GecbenchError
from gecbench.reports.plots.style import SIZE, printable
from gecbench.reports.theme import COLOURS

if TYPE_CHECKING:
    from gecbench.reports.report import Figure, Language


# Which fonts letters are drawn and measured with: DejaVu Sans, and one with Han characters.


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
    wanted = {c for text in texts for c in text if not _fonts_unseen(c)}
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
    if _fonts_unseen(character):
        return ""
    return character if ord(character) in _characters(LATIN) else "m"


def _fonts_unseen(character: str) -> bool:
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


_NAMES = {colour: name for name, colour in COLOURS["light"].items()}
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_URL = re.compile(r"^url\(#(.+)\)$")
_LANG = {"en": "en", "zh": "zh-Hans"}
_DECLARATION = re.compile(r"\s*([\w-]+)\s*:\s*([^;]+)")
_DEFAULTS = {"stroke-linejoin": "miter", "fill-opacity": "1", "stroke-opacity": "1"}


def themed(made: str, figure: Figure, language: Language) -> str:
    """Return SVG for a page: colours as custom properties, text in the fonts of the reader."""
    root = _clean(made, figure, language)
    root.set("font-family", STACK)
    root.set("font-size", f"{SIZE:g}px")
    for element in root.iter():
        for name in ("fill", "stroke"):
            colour = element.get(name, "")
            if colour in _NAMES:
                element.set(name, f"var(--{_NAMES[colour]}, {colour})")
        element.attrib.pop("font-family", None) if element is not root else None
        if element is not root and element.get("font-size") == root.get("font-size"):
            del element.attrib["font-size"]
    return ET.tostring(root, encoding="unicode")


def standalone(made: str, figure: Figure, language: Language) -> str:
    """Return SVG for a file of its own, with its size."""
    root = _clean(made, figure, language)
    width, height = root.get("viewBox", "").split()[2:]
    root.set("width", f"{width}pt")
    root.set("height", f"{height}pt")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def _clean(made: str, figure: Figure, language: Language) -> ET.Element:
    """Parse SVG and leave off what no reader needs; add title, description and language."""
    root = ET.fromstring(made)
    for element in root.iter():
        element.tag = _bare(element.tag)
        element.text = element.text if element.tag == "text" else None
        element.tail = None
        _rewrite(element)
    prefix = f"{figure.name}-{language}"
    _rename(root, prefix)
    _drop(root)
    _flatten(root)
    size = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update(
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": size,
            "lang": _LANG[language],
            "role": "img",
            "aria-labelledby": f"{prefix}-title {prefix}-alt",
            "stroke-linejoin": "round",
        }
    )
    for at, (tag, name, words) in enumerate(
        (("title", "title", figure.title), ("desc", "alt", figure.alt))
    ):
        element = ET.Element(tag, {"id": f"{prefix}-{name}"})
        element.text = printable(words.in_(language))
        root.insert(at, element)
    return root


def _bare(name: str) -> str:
    return name.rpartition("}")[2]


def _rewrite(element: ET.Element) -> None:
    """Turn style declarations into attributes, which a strict page allows, and round numbers."""
    given = dict(element.attrib)
    element.attrib.clear()
    declared = dict(_DECLARATION.findall(given.pop("style", "")))
    for name, value in (*given.items(), *declared.items()):
        name, value = _bare(name), value.strip()
        if name in ("d", "points", "x", "y", "width", "height", "viewBox"):
            value = " ".join(_NUMBER.sub(_shorter, value).split())
        if name == "transform":  # scales of letters are small numbers
            value = _NUMBER.sub(lambda found: f"{float(found[0]):.5g}", value)
            value = re.sub(r"rotate\(-?0 [^)]*\)", "", value).strip()
        if value and _DEFAULTS.get(name) != value:
            element.set(name, value)


def _shorter(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def _rename(root: ET.Element, prefix: str) -> None:
    """Keep the ids that something refers to, under names that no other figure has."""
    # In the order of the picture, as matplotlib's own ids depend on colours.
    used = dict.fromkeys(name for element in root.iter() for _, name in _references(element))
    names = {name: f"{prefix}-{at}" for at, name in enumerate(used, 1)}
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in names:
            element.set("id", names[own])
        for attribute, name in _references(element):
            element.set(attribute, element.attrib[attribute].replace(name, names[name]))


def _references(element: ET.Element) -> list[tuple[str, str]]:
    """Return the attributes that name other elements, with their ids."""
    found = [(name, _URL.match(value)) for name, value in element.attrib.items()]
    links = [("href", element.attrib["href"][1:])] if "href" in element.attrib else []
    return links + [(name, match[1]) for name, match in found if match]


def _drop(root: ET.Element) -> None:
    """Leave off what nobody sees, and style sheets, which would hold for the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _unseen(child):
                parent.remove(child)


def _unseen(element: ET.Element) -> bool:
    if element.tag == "defs":
        return all(child.tag == "style" for child in element)
    hollow = element.get("fill") == "none" and "stroke" not in element.attrib
    return element.tag in ("metadata", "style") or (element.tag == "path" and hollow)


def _flatten(parent: ET.Element) -> None:
    """Put the content of groups that say nothing in their place."""
    children = []
    for child in list(parent):
        _flatten(child)
        bare = child.tag == "g" and not child.attrib
        children += list(child) if bare else [child]
    parent[:] = children
