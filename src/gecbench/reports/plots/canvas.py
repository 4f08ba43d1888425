"""From a figure to SVG, PDF and PNG: fonts, settings, layout, and SVG fit for a page."""

from __future__ import annotations

import io
import math
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
import matplotlib.style
from matplotlib import font_manager
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure as Drawing
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from gecbench.core.errors import GecbenchError
from gecbench.reports.plots import COLOURS
from gecbench.reports.plots.charts import KINDS, POINT
from gecbench.reports.plots.style import (
    NARROW,
    NO_DATA,
    SIZE,
    WIDTH,
    Look,
    place_legend,
    printable,
    wrap,
)

if TYPE_CHECKING:
    from matplotlib.backend_bases import GraphicsContextBase
    from matplotlib.font_manager import FontProperties

    from gecbench.reports import PageLanguage
    from gecbench.reports.plots import FileFormat, Theme
    from gecbench.reports.report import Figure


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
    """Find the font families that have all characters of some texts, to be tried in order.

    Raises:
        GecbenchError: No font of this system has a character.
    """
    characters = {c for text in texts for c in text if not _fonts_unseen(c)}
    missing = {c for c in characters if ord(c) not in _characters(LATIN)}
    if not missing:
        return [LATIN]
    for family in _HAN:
        if family in _font_families() and all(ord(c) in _characters(family) for c in missing):
            return [LATIN, family]
    han = next((family for family in _HAN if family in _font_families()), None)
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
    """Replace a text by one as wide, in characters that DejaVu Sans has.

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
def _font_families() -> frozenset[str]:
    """The names of the fonts, those that came after matplotlib made its list as well."""
    manager = font_manager.fontManager
    known = {entry.fname for entry in manager.ttflist}
    for path in sorted(font_manager.findSystemFonts()):
        name = Path(path).name.lower().replace("-", "")
        if path not in known and any(part in name for part in _HAN_FILES):
            manager.addfont(path)
    return frozenset(entry.name for entry in manager.ttflist)


# SVG of matplotlib made fit for a page or a file of its own: small, named, themable.


_NAMES = {colour: name for name, colour in COLOURS["light"].items()}
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_URL = re.compile(r"^url\(#(.+)\)$")
_LANG = {"en": "en", "zh": "zh-Hans"}
_DECLARATION = re.compile(r"\s*([\w-]+)\s*:\s*([^;]+)")
_DEFAULTS = {"stroke-linejoin": "miter", "fill-opacity": "1", "stroke-opacity": "1"}


def svg_for_page(text: str, figure: Figure, language: PageLanguage) -> str:
    """Make SVG fit for a page: colours as custom properties, text in the fonts of the reader."""
    root = _clean(text, figure, language)
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


def svg_for_file(text: str, figure: Figure, language: PageLanguage) -> str:
    """Make SVG fit for a file of its own, with its size."""
    root = _clean(text, figure, language)
    width, height = root.get("viewBox", "").split()[2:]
    root.set("width", f"{width}pt")
    root.set("height", f"{height}pt")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def _clean(text: str, figure: Figure, language: PageLanguage) -> ET.Element:
    """Parse SVG and leave off what no reader needs; add title, description and language."""
    root = ET.fromstring(text)
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
    for index, (tag, name, words) in enumerate(
        (("title", "title", figure.title), ("desc", "alt", figure.alt))
    ):
        element = ET.Element(tag, {"id": f"{prefix}-{name}"})
        element.text = printable(words.in_(language))
        root.insert(index, element)
    return root


def _bare(name: str) -> str:
    return name.rpartition("}")[2]


def _rewrite(element: ET.Element) -> None:
    """Turn style declarations into attributes, which a strict page allows, and round numbers."""
    attributes = dict(element.attrib)
    element.attrib.clear()
    declared = dict(_DECLARATION.findall(attributes.pop("style", "")))
    for name, value in (*attributes.items(), *declared.items()):
        name, value = _bare(name), value.strip()
        if name in ("d", "points", "x", "y", "width", "height", "viewBox"):
            value = " ".join(_NUMBER.sub(_shorter, value).split())
        if name == "transform":  # scales of letters are small numbers
            value = _NUMBER.sub(lambda match: f"{float(match[0]):.5g}", value)
            value = re.sub(r"rotate\(-?0 [^)]*\)", "", value).strip()
        if value and _DEFAULTS.get(name) != value:
            element.set(name, value)


def _shorter(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")


def _rename(root: ET.Element, prefix: str) -> None:
    """Keep the ids that something refers to, under names that no other figure has."""
    # In the order of the picture, as matplotlib's own ids depend on colours.
    ids = dict.fromkeys(name for element in root.iter() for _, name in _references(element))
    names = {name: f"{prefix}-{index}" for index, name in enumerate(ids, 1)}
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old and old.startswith(POINT):
            element.set("data-point", old.removeprefix(POINT))
        if old in names:
            element.set("id", names[old])
        for attribute, name in _references(element):
            element.set(attribute, element.attrib[attribute].replace(name, names[name]))


def _references(element: ET.Element) -> list[tuple[str, str]]:
    """The attributes that name other elements, with their ids."""
    urls = [(name, _URL.match(value)) for name, value in element.attrib.items()]
    links = [("href", element.attrib["href"][1:])] if "href" in element.attrib else []
    return links + [(name, match[1]) for name, match in urls if match]


def _drop(root: ET.Element) -> None:
    """Leave off what nobody sees, and style sheets, which would hold for the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _is_invisible(child):
                parent.remove(child)


def _is_invisible(element: ET.Element) -> bool:
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


# Settings, layout and output.


_DPI = 72
_PNG_DPI = 220
_PAD = 0.04
_TITLE_COLUMNS = 68
_TITLE_HEIGHT = 16 / 72
_ANCHORED: Mapping[str | None, tuple[Literal["center", "right"], float]] = {
    "ha-center": ("center", 0.5),
    "ha-right": ("right", 1.0),
}


def page_svg(figure: Figure, language: PageLanguage, *, narrow: bool = False) -> str:
    """Draw a figure as `plots.svg` promises."""
    look = Look("light", language, NARROW if narrow else WIDTH)
    _require_numbers(figure, look)
    with _settings(look, [LATIN], "none", figure.name):
        drawing = _draw_figure(figure, look, titled=False, renderer=_PageRenderer)
        width, height = (side * _DPI for side in drawing.get_size_inches())
        out = io.StringIO()
        renderer = _PageRenderer(  # type: ignore[no-untyped-call]
            width, height, out, image_dpi=_DPI, metadata={"Date": None}
        )
        drawing.draw(renderer)
        renderer.finalize()  # type: ignore[no-untyped-call]
    return svg_for_page(out.getvalue(), figure, language)


def file_bytes(figure: Figure, format: FileFormat, language: PageLanguage, theme: Theme) -> bytes:
    """Draw a figure as `plots.draw` promises."""
    look = Look(theme, language)
    _require_numbers(figure, look)
    with _settings(look, families(_texts(figure, look)), "path", figure.name):
        drawing = _draw_figure(figure, look, titled=True, renderer=RendererSVG)
        out = io.BytesIO()
        metadata = {
            "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
            "pdf": {"CreationDate": None, "Title": look.text(figure.title)},
            "png": {
                "Software": None,
                "Title": look.text(figure.title),
                "Description": look.text(figure.alt),
            },
        }
        drawing.savefig(
            out,
            format=format,
            dpi=_PNG_DPI if format == "png" else _DPI,
            facecolor=look.colour("paper"),
            metadata=metadata[format],
        )
    if format != "svg":
        return out.getvalue()
    return svg_for_file(out.getvalue().decode("utf-8"), figure, language).encode("utf-8")


def _texts(figure: Figure, look: Look) -> Sequence[str]:
    """All texts that a figure may write."""
    words = [figure.title, figure.x_label, figure.y_label, NO_DATA, "…−"]
    for series in figure.series:
        words += [series.name, *series.labels]
        words += [x for x in series.x if not isinstance(x, int | float)]
    return [look.text(text) for text in words]


@contextmanager
def _settings(look: Look, families: list[str], letters: str, salt: str) -> Iterator[None]:
    """Draw by our settings, whatever those of the user are, and leave his alone."""
    ink, muted, line = (look.colour(name) for name in ("ink", "muted", "line"))
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.style.use(Path(__file__).with_name("figures.mplstyle"))
        mpl.rcParams.update(
            {
                "font.family": families,
                "svg.fonttype": letters,
                "svg.hashsalt": salt,
                "text.color": ink,
                "xtick.labelcolor": ink,
                "ytick.labelcolor": ink,
                "axes.labelcolor": muted,
                "axes.titlecolor": muted,
                "axes.edgecolor": line,
                "grid.color": line,
                "xtick.color": line,
                "ytick.color": line,
            }
        )
        yield


def _draw_figure(
    figure: Figure,
    look: Look,
    *,
    titled: bool,
    renderer: type[RendererSVG],
    listed: bool = False,
) -> Drawing:
    """Draw a figure and find the place of everything.

    Args:
        figure: What to draw.
        look: Its colours and language.
        titled: The title stands above it.
        renderer: What measures texts.
        listed: There is a legend even where labels say all that it does.
    """
    values = [y for series in figure.series for y in series.y if y is not None]
    kind = KINDS[figure.kind]
    height = kind.height(figure, look) if values else 1.2
    title = wrap(look.text(figure.title), _TITLE_COLUMNS, 3) if titled else ""
    above = _TITLE_HEIGHT * (title.count("\n") + 1) + 0.08 if title else 0.0
    drawing = Drawing(figsize=(look.width, height + above), dpi=_DPI)
    _Canvas(drawing, renderer)
    axes = drawing.add_subplot()
    if not values:
        _write_title(drawing, title)
        axes.set_axis_off()
        axes.text(0.5, 0.5, look.text(NO_DATA), color=look.colour("muted"), ha="center")
        return _fix_layout(drawing)
    entries = kind.draw(axes, figure, look)
    has_labels = kind.named(figure, look) and not listed
    right, top = place_legend(drawing, () if has_labels else entries, look, above=above)
    _write_title(drawing, title)
    engine = ConstrainedLayoutEngine(w_pad=_PAD, h_pad=_PAD, rect=(0, 0, right, top))
    drawing.set_layout_engine(engine)
    _fix_layout(drawing)
    if not kind.finish(axes, figure, look) and has_labels:
        return _draw_figure(figure, look, titled=titled, renderer=renderer, listed=True)
    return drawing


def _write_title(drawing: Drawing, title: str) -> None:
    """Write the title at the upper left."""
    if not title:
        return
    drawing.text(
        0.04 / WIDTH,
        1 - 0.05 / drawing.get_figheight(),
        title,
        size=SIZE + 2,
        weight="bold",
        verticalalignment="top",
        linespacing=1.25,
    ).set_in_layout(False)


def _require_numbers(figure: Figure, look: Look) -> None:
    """Refuse what has no place on an axis.

    Raises:
        GecbenchError: A number of the figure is nan or infinite.
    """
    for series in figure.series:
        for field in ("x", "y", "low", "high"):
            for number, value in enumerate(getattr(series, field), 1):
                if isinstance(value, int | float) and not math.isfinite(value):
                    raise GecbenchError(
                        f"figure {figure.name}, series {look.text(series.name)!r}: "
                        f"number {number} of its {field} is {value}; give a finite number, or None "
                        "where there is nothing to show"
                    )


def _fix_layout(drawing: Drawing) -> Drawing:
    """Fix the layout, so that all formats have the same."""
    drawing.draw(drawing.canvas.get_renderer())  # type: ignore[attr-defined]
    drawing.set_layout_engine("none")
    for text in drawing.findobj(Text):
        if "\n" in text.get_text():
            text.set_gid(f"ha-{text.get_horizontalalignment()}")
    return drawing


class _Canvas(FigureCanvasSVG):
    """A canvas that measures text as the renderer of the output will."""

    def __init__(self, drawing: Drawing, renderer: type[RendererSVG]) -> None:
        super().__init__(drawing)
        self._renderer = renderer(100, 100, io.StringIO(), image_dpi=_DPI, metadata={"Date": None})

    def get_renderer(self) -> RendererSVG:
        return self._renderer


class _PageRenderer(RendererSVG):
    """Writes text for fonts that are not known yet."""

    _gid: str | None = None

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool | Literal["TeX"]
    ) -> tuple[float, float, float]:
        """Measure a text as wide as it will be, without a font that has its characters."""
        size: tuple[float, float, float] = super().get_text_width_height_descent(  # type: ignore[no-untyped-call]
            measurable(s), prop, ismath
        )
        return size

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Remember how the lines that follow are aligned."""
        self._gid = gid
        super().open_group(s, gid)  # type: ignore[no-untyped-call]

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: bool | Literal["TeX"] = False,
        mtext: Text | None = None,
    ) -> None:
        """Anchor each line of several where it is aligned; matplotlib does it for single ones."""
        if mtext is None and angle == 0 and self._gid in _ANCHORED:
            side, share = _ANCHORED[self._gid]
            anchor = x + share * self.get_text_width_height_descent(s, prop, ismath)[0]
            mtext = Text(anchor, self.height - y, s, horizontalalignment=side)
            mtext.set_transform(IdentityTransform())
        super().draw_text(gc, x, y, s, prop, angle, ismath=ismath, mtext=mtext)  # type: ignore[no-untyped-call]
