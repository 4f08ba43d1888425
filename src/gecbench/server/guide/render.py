"""Markdown becomes safe HTML in sections, deterministic, whatever the Markdown holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gecbench.core.errors import FormatError
from gecbench.server.guide.bounds import LARGEST
from gecbench.server.guide.markup import START, Place, cleaner, parser, plain, prepare
from gecbench.server.guide.sections import Changes, Rendered, Section, compare
from gecbench.server.guide.taxonomy import Language

if TYPE_CHECKING:
    from markdown_it.token import Token

PREFIX = "guide-"
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(
    markdown: str, *, lang: Language = "en", prefix: str = PREFIX, shift: int = 0
) -> Rendered:
    r"""Return a guideline as safe HTML.

    Args:
        markdown: CommonMark with tables, ``{#id}`` after headings, and blocks ``pair``.
        lang: Language of the few words that rendering adds.
        prefix: Put before the id of each element and into links to it, so that no heading takes
            the id of something else in the page.
        shift: Levels that headings go down in a page with a title of its own.

    Raises:
        FormatError: The document is over 1 MB.

    >>> render("# Task {#t}").html
    '<h1 id="guide-t">Task</h1>\n'
    """
    size = len(markdown.encode("utf-8", "surrogatepass"))
    if size > LARGEST:
        raise FormatError(
            f"the guideline has {size:,} bytes, at most {LARGEST:,} are accepted; shorten it"
        )
    place = Place(lang, prefix, shift)
    tokens = parser().parse(_SURROGATE.sub("\ufffd", markdown))
    images = prepare(tokens, place)
    return Rendered(tuple(_section(part, place) for part in _parts(tokens)), images)


def changes(old: str, new: str) -> Changes:
    """Return which sections were added, removed or changed between two versions' Markdown."""
    return compare(render(old), render(new))


def _parts(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each section; headings inside quotes and lists begin none."""
    starts = sorted({0, *(at for at, token in enumerate(tokens) if "section" in token.meta)})
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        if start < end:
            yield tokens[start:end]


def _section(tokens: Sequence[Token], place: Place) -> Section:
    html = str(parser().renderer.render(tokens, parser().options, {}))
    head = tokens[0].meta
    if "section" in head:
        name, level, title, body = head["section"], head["level"], head["title"], tokens[3:]
    else:
        name, level, title, body = START, 0, "", tokens
        html = f'<div id="{place.prefix}{name}">{html}</div>'
    text = "\n".join(filter(None, map(_text, body)))
    return Section(name, place.prefix + name, level, title, text, cleaner().clean(html))


def _text(token: Token) -> str:
    if token.type == "inline":
        return plain(token.children or ()).strip()
    return str(token.meta.get("text", token.content)).strip()
