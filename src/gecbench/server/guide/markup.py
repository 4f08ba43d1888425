"""The Markdown that guidelines are written in, and the HTML that may come out of it.

CommonMark with tables and strikethrough. Off: HTML, which shows as it is typed, and images, whose
description is shown. Added: ``## Title {#id}``, and blocks ``pair``. Two walls: markdown-it-py
escapes, nh3 then lets through only what stands in the tables below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from unicodedata import east_asian_width
from urllib.parse import unquote

from gecbench.server.guide.pairs import pair_html, parse_pairs
from gecbench.server.guide.taxonomy import Language

if TYPE_CHECKING:
    import nh3
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

START = "start"  # the id of what stands before the first heading
_LONGEST_ID = 80
_ID = r"[\w.-]{1,80}"
_EXPLICIT = re.compile(rf"\s*\{{#({_ID})\}}\s*$")
_LINK = re.compile(r"(?:https?://|mailto:|#).", re.IGNORECASE | re.DOTALL)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("blockquote", "dd", "div", "dl", "dt", "hr", "li", "ol", "p", "pre", "ul")
_TABLE = ("table", "tbody", "td", "th", "thead", "tr")
_INLINE = ("a", "br", "code", "del", "em", "ins", "s", "span", "strong")
_SIDES = {"left", "center", "right"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the HTML will stand: language of added words, prefix of ids, levels to go down."""

    lang: Language
    prefix: str
    shift: int


@cache
def parser() -> MarkdownIt:
    """Return the parser; it keeps nothing of the documents it reads, and threads may share it."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.validateLink = _may_link  # type: ignore[method-assign]
    # Gathered at first use, while another thread sees some of them: "none of the rules matched".
    inline = markdown.inline
    for rules in (markdown.core.ruler, markdown.block.ruler, inline.ruler, inline.ruler2):
        rules.getRules()
    return markdown


@cache
def cleaner() -> nh3.Cleaner:
    """Return the second wall: the tags, attributes and addresses that a guideline may have."""
    import nh3

    return nh3.Cleaner(
        tags={*_HEADINGS, *_BLOCKS, *_TABLE, *_INLINE},
        attributes={
            "a": {"href", "title"},
            "ol": {"start"},
            "div": {"id"},
            **{heading: {"id"} for heading in _HEADINGS},
        },
        tag_attribute_values={"span": {"aria-hidden": {"true"}}, "div": {"tabindex": {"0"}}},
        allowed_classes={
            "dl": {"pair"},
            "div": {"pair-source", "pair-wrong", "pair-right", "pair-note", "wide"},
            "span": {"pair-word", "image"},
            "td": _SIDES,
            "th": _SIDES,
        },
        attribute_filter=lambda _, name, value: (
            value if name != "href" or _may_link(value) else None
        ),
    )


def _may_link(url: str) -> bool:
    return bool(_LINK.match(url))


def prepare(tokens: Sequence[Token], place: Place) -> int:
    """Turn the tokens into those of a guideline, in place; return how many images went.

    Headings get ids, links point to them, images become their descriptions, blocks `pair` and
    tables get their HTML. Tokens belong to one rendering, nobody else sees them.
    """
    _name_headings(tokens, place)
    images = 0
    for token in tokens:
        if token.type == "fence" and token.info.strip() == "pair":
            token.meta["text"] = _pair_text(token.content)
            token.content = pair_html(token.content, place.lang, lambda text: _note(text, place))
            token.type = "html_block"
        elif token.type in ("table_open", "table_close"):
            # A wide table scrolls by itself on a phone, and the keyboard must reach what scrolls.
            opening = token.type == "table_open"
            token.content = '<div class="wide" tabindex="0"><table>\n' if opening else _TABLE_END
            token.type, token.meta["text"] = "html_block", ""
        elif "style" in token.attrs:
            # The page's policy forbids styles: cells say their side by a class.
            token.attrSet("class", str(token.attrs.pop("style")).rpartition(":")[2])
        images += _prepare_inline(token.children or (), place)
    return images


_TABLE_END = "</table></div>\n"


def _prepare_inline(tokens: Sequence[Token], place: Place) -> int:
    _close_lines(tokens)
    images = 0
    for token in tokens:
        href = str(token.attrGet("href") or "")
        if href.startswith("#"):
            name = unquote(href[1:])
            is_id = re.fullmatch(_ID, name)
            token.attrSet("href", f"#{place.prefix}{name if is_id else href[1:]}")
        if token.type == "image":
            images += 1
            token.meta["text"] = plain(token.children or ())
            token.type = "html_inline"
            token.content = f'<span class="image">{escape(token.meta["text"])}</span>'
    return images


def _close_lines(tokens: Sequence[Token]) -> None:
    """Take out line ends between full-width characters: a browser would show them as spaces."""
    seen = [token for token in tokens if token.content or token.type == "softbreak"]
    for before, token, after in zip(seen, seen[1:], seen[2:], strict=False):  # all threes
        sides = before.content[-1:] + after.content[:1]
        wide = sum(east_asian_width(side) in ("W", "F") for side in sides)
        if token.type == "softbreak" and wide == 2:
            token.type = "text"


def _note(text: str, place: Place) -> str:
    tokens = parser().parseInline(text, {})
    for token in tokens:
        _prepare_inline(token.children or (), place)
    return str(parser().renderer.render(tokens, parser().options, {}))


def _pair_text(block: str) -> str:
    return "\n".join(
        plain(parser().parseInline(line.text)[0].children or ())
        if line.role == "note"
        else line.text
        for pair in parse_pairs(block)
        for line in pair
    )


def plain(tokens: Sequence[Token]) -> str:
    """Return what a reader sees of inline tokens."""
    return "".join(
        " " if token.type in ("softbreak", "hardbreak") else token.meta.get("text", token.content)
        for token in tokens
    )


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token, Token]]:
    """Yield opening, content and end of the headings that begin sections, not of quoted ones."""
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            yield token, tokens[at + 1], tokens[at + 2]


def _name_headings(tokens: Sequence[Token], place: Place) -> None:
    """Give each heading its id: explicit ones first, so that no made one takes theirs."""
    heads = [(head, content, end, _wish(content)) for head, content, end in _headings(tokens)]
    taken = {START: 1}
    for explicit in (True, False):
        for head, content, _, wish in heads:
            if bool(wish) == explicit:
                head.meta["section"] = _take(wish or _slug(plain(content.children or ())), taken)
    for head, content, end, _ in heads:
        level = int(head.tag[1])
        head.meta.update(level=level, title=plain(content.children or ()).strip())
        head.attrSet("id", place.prefix + head.meta["section"])
        head.tag = end.tag = f"h{min(6, level + place.shift)}"


def _wish(content: Token) -> str:
    """Take the ``{#id}`` off the end of a heading and return the id, "" if there is none."""
    last = content.children[-1] if content.children else None
    match = _EXPLICIT.search(last.content) if last and last.type == "text" else None
    if last is None or match is None:
        return ""
    last.content = last.content[: match.start()]
    return match[1]


def _slug(title: str) -> str:
    return "-".join(re.findall(r"\w+", title.casefold()))[:_LONGEST_ID] or "section"


def _take(wish: str, taken: dict[str, int]) -> str:
    """Return the wish, or the first of wish-2, wish-3... that is free, and note it as taken.

    Args:
        wish: The id that a heading would have alone.
        taken: The ids so far, each with the last number that was tried behind it.
    """
    name = wish
    while name in taken:
        taken[wish] += 1
        name = f"{wish}-{taken[wish]}"
    taken[name] = 1
    return name
