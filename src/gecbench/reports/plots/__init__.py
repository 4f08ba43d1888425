"""Draws figures by matplotlib: for pages as SVG in both themes, for files as SVG, PDF and PNG.

The modules beside this one import matplotlib; this one imports them when something is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gecbench.core.errors import MissingExtraError, UsageError
from gecbench.core.files import encode_text, make_folder, write_files

if TYPE_CHECKING:
    from gecbench.reports import PageLanguage
    from gecbench.reports.report import Figure

# The colours of pages and figures, light and dark, distinguishable by the colour-blind.
#
# Series take the palette of Okabe and Ito (2008, "Color universal design"), darkened or lightened
# until each stands out from its background by at least 3:1; text does by at least 4.5:1 (WCAG 2.2).


Theme = Literal["light", "dark"]

COLOURS: Mapping[Theme, Mapping[str, str]] = {
    "light": {
        "paper": "#ffffff",
        "surface": "#f5f6f8",
        "ink": "#1c2127",
        "muted": "#565f6b",
        "line": "#d4d9e0",
        "accent": "#0b5cad",
        "true": "#00618f",
        "false": "#a63c00",
        "missed": "#6b4a8a",
        "series-1": "#0072b2",
        "series-2": "#c84e00",
        "series-3": "#007a59",
        "series-4": "#a8487c",
        "series-5": "#8a6500",
        "series-6": "#3a7ca5",
        "series-7": "#5b5f66",
    },
    "dark": {
        "paper": "#14171b",
        "surface": "#1d2127",
        "ink": "#e8eaed",
        "muted": "#a7b0bb",
        "line": "#39414b",
        "accent": "#6cb2f2",
        "true": "#6cc0f0",
        "false": "#ff9b63",
        "missed": "#c8a6e8",
        "series-1": "#56b4e9",
        "series-2": "#ff8f4d",
        "series-3": "#2fc79b",
        "series-4": "#e79ac0",
        "series-5": "#e6b400",
        "series-6": "#8fc7e8",
        "series-7": "#b8bec6",
    },
}
"""By theme and name; pages use them as CSS custom properties, `--ink` and so on."""


def properties(theme: Theme) -> str:
    """Write the colours of a theme as CSS declarations.

    >>> properties("light").splitlines()[0]
    '--paper: #ffffff;'
    """
    return "\n".join(f"--{name}: {colour};" for name, colour in COLOURS[theme].items())


# Drawing.


FileFormat = Literal["svg", "pdf", "png"]
FILE_FORMATS: tuple[FileFormat, ...] = ("svg", "pdf", "png")

_COLOUR = re.compile(r"var\(--([\w-]+), #[0-9a-f]{6}\)")


def svg(figure: Figure, language: PageLanguage, *, narrow: bool = False) -> str:
    """Draw a figure as an SVG element to stand in a page.

    Text stays text, in the fonts of the reader's system. Each colour is a custom property of
    `COLOURS` with the light one as fallback, so that one picture serves both themes. It has
    no style attribute and no style element (a strict Content-Security-Policy allows it), no size
    but a viewBox, and its ids begin with name and language of the figure. Its title is there for
    screen readers only: the page shows it as a heading or caption.

    Args:
        figure: What to draw.
        language: Of the words.
        narrow: For a phone: 259 units wide in place of 468, with letters of the same size.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require_matplotlib()
    from gecbench.reports.plots.canvas import page_svg

    return page_svg(figure, language, narrow=narrow)


def apply_theme(picture: str, theme: Theme) -> str:
    """Give what `svg` drew the colours of one theme, to be shown by an address of its own.

    An image in a page does not see the page's colours.
    """
    return _COLOUR.sub(lambda match: COLOURS[theme][match[1]], picture)


def draw(
    figure: Figure, *, format: FileFormat, language: PageLanguage, theme: Theme = "light"
) -> bytes:
    """Draw a figure as a file that needs no other: letters are outlines or embedded fonts.

    The title stands above it. The same figure gives the same bytes each time.

    Raises:
        GecbenchError: No font of this system has a character of the figure.
        MissingExtraError: matplotlib is not installed.
        UsageError: There is no such format.
    """
    if format not in FILE_FORMATS:
        raise UsageError(f"figure format {format!r} is none of {', '.join(FILE_FORMATS)}")
    require_matplotlib()
    from gecbench.reports.plots.canvas import file_bytes

    return file_bytes(figure, format, language, theme)


def write_figures(
    figures: Sequence[Figure], folder: Path, *, formats: Sequence[str], language: PageLanguage
) -> list[Path]:
    """Write NAME.FORMAT of each figure and its data as NAME.csv; return the paths, in order.

    All files are written or none; the folder is made where it is missing.

    Raises:
        GecbenchError: A file cannot be written, or no font has a character of a figure.
        MissingExtraError: matplotlib is not installed.
    """
    from gecbench.reports.report import figure_csv

    contents = {}
    for figure in figures:
        for form in FILE_FORMATS:
            if form in formats:
                path = folder / f"{figure.name}.{form}"
                contents[path] = draw(figure, format=form, language=language)
        path = folder / f"{figure.name}.csv"
        contents[path] = encode_text(path, figure_csv(figure))
    make_folder(folder)
    write_files(contents)
    return list(contents)


def require_matplotlib() -> None:
    """Refuse to begin where what draws is not installed.

    Raises:
        MissingExtraError: matplotlib is not.
    """
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib, which draws figures,", "report")
