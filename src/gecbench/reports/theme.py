"""The colours of pages and figures, light and dark, distinguishable by the colour-blind.

Series take the palette of Okabe and Ito (2008, "Color universal design"), darkened or lightened
until each stands out from its background by at least 3:1; text does by at least 4.5:1 (WCAG 2.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

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
    """Return the colours of a theme as CSS declarations.

    >>> properties("light").splitlines()[0]
    '--paper: #ffffff;'
    """
    return "\n".join(f"--{name}: {colour};" for name, colour in COLOURS[theme].items())
