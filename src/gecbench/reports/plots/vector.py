"""Makes the SVG of matplotlib fit to stand in a page or by itself: small, named, themable."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from gecbench.reports.plots.fonts import STACK
from gecbench.reports.plots.look import SIZE, printable
from gecbench.reports.theme import COLOURS

if TYPE_CHECKING:
    from gecbench.reports.figure import Figure
    from gecbench.reports.words import Language

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
