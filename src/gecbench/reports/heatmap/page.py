"""Writes the heat map as one HTML file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from gecbench import __version__
from gecbench.core.errors import MissingExtraError
from gecbench.reports.heatmap.data import values
from gecbench.reports.heatmap.words import WORDS
from gecbench.reports.page.html_of import policy
from gecbench.reports.theme import properties
from gecbench.reports.words import Language

if TYPE_CHECKING:
    from markupsafe import Markup

    from gecbench.analysis.difficulty.result import Difficulty

_LANG = {"en": "en", "zh": "zh-Hans"}


def heat_map(
    results: Sequence[Difficulty],
    sources: Sequence[Mapping[str, str]],
    language: Language = "en",
) -> str:
    """Return the page as HTML: it opens offline and loads nothing.

    Args:
        results: What is shown, one at a time where there are several.
        sources: For each result the texts of its sentences by id.
        language: Of the interface when the page is opened; a switch in it changes that.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("jinja2, which writes the heat map,", "report") from error
    style, script = _style(), _read("page.js")
    shown = [values(one, texts) for one, texts in zip(results, sources, strict=True)]
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        _read("page.html")
    )
    return template.render(
        language=language,
        lang=_LANG[language],
        version=__version__,
        corpora=list(dict.fromkeys(one.corpus for one in results)),
        say={key: words.in_(language) for key, words in WORDS.items()},
        policy=policy(style, script),
        style=_safe(style),
        script=_safe(script),
        words=_safe(_json({key: [words.en, words.zh] for key, words in WORDS.items()})),
        data=_safe(_json(shown)),
    )


def _style() -> str:
    """Return the styles: the colours of both themes, then the page's own."""
    light, dark = properties("light"), properties("dark")
    by_system = ':root:not([data-theme="light"])'
    return (
        f":root {{\ncolor-scheme: light;\n{light}\n}}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ {by_system} {{\n"
        f"color-scheme: dark;\n{dark}\n}} }}\n"
        f'@media screen {{ :root[data-theme="dark"] {{\ncolor-scheme: dark;\n{dark}\n}} }}\n'
        + _read("page.css")
    )


def _json(content: object) -> str:
    """Return JSON that no tag of its content can end."""
    made = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return made.replace("<", "\\u003c")


def _read(name: str) -> str:
    return files("gecbench.reports.heatmap").joinpath(name).read_text("utf-8")


def _safe(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)  # our own styles and script, and JSON without "<"
