"""Markdown becomes safe HTML in sections, deterministic, whatever the Markdown holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Literal
from unicodedata import east_asian_width
from urllib.parse import unquote

from gecbench.core.errors import FormatError
from gecbench.edits.alignment import changes

if TYPE_CHECKING:
    import nh3
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Language = Literal["zh", "en"]

# How long a guideline may be, said once: what renders, publishes and receives it agrees.


LARGEST = 1_000_000
"""Bytes of UTF-8; some seconds of rendering, once in each process."""


# The Markdown that guidelines are written in, and the HTML that may come out of it.
#
# CommonMark with tables and strikethrough. Off: HTML, which shows as it is typed, and images, whose
# description is shown. Added: ``## Title {#id}``, and blocks ``pair``. Two walls: markdown-it-py
# escapes, nh3 then lets through only what stands in the tables below.


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
    """The parser; it keeps nothing of the documents it reads, and threads may share it."""
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
    """The second wall: the tags, attributes and addresses that a guideline may have."""
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
        else f"{_SIGNS[line.role]} {line.text}"
        for pair in parse_pairs(block)
        for line in pair
    )


def plain(tokens: Sequence[Token]) -> str:
    """What a reader sees of inline tokens."""
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
    anchors = {START: 1}
    for explicit in (True, False):
        for head, content, _, wish in heads:
            if bool(wish) == explicit:
                head.meta["section"] = _take(wish or _slug(plain(content.children or ())), anchors)
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


def _take(wish: str, anchors: dict[str, int]) -> str:
    """Take the wish, or the first of wish-2, wish-3... that is free, and note it as taken.

    Args:
        wish: The id that a heading would have alone.
        taken: The ids so far, each with the last number that was tried behind it.
    """
    name = wish
    while name in anchors:
        anchors[wish] += 1
        name = f"{wish}-{anchors[wish]}"
    anchors[name] = 1
    return name


# Wrong/right examples: a fenced block ``pair`` becomes a list with the changes marked.
#
# Each line begins with a mark and a space::
#
# = the sentence as it came      (only where wrong answers to it are shown)
# ✗ wrong                        (or x)
# ✓ right                        (or v); several are several good answers
# > a remark                     (inline Markdown; so is a line without mark)
#
# A new pair begins at an empty line, at ``=``, and at ``✗`` after a ``✓``. Nobody marks changes by
# hand: wrong and right are compared, Chinese by characters, other scripts by words.


Role = Literal["source", "wrong", "right", "note"]

_ROLES: dict[str, Role] = {
    **dict.fromkeys(("=",), "source"),
    **dict.fromkeys(("✗", "×", "x"), "wrong"),
    **dict.fromkeys(("✓", "√", "v"), "right"),
    **dict.fromkeys((">",), "note"),
}
_SIGNS: dict[Role, str] = {"source": "＝", "wrong": "✗", "right": "✓", "note": "※"}
WORDS: dict[Language, dict[Role, str]] = {
    "zh": {"source": "原句", "wrong": "错", "right": "对", "note": "说明"},
    "en": {"source": "original", "wrong": "wrong", "right": "right", "note": "note"},
}
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_TOKEN = re.compile(
    rf"\[[^\[\]]{{1,20}}\]|[{HAN}]|[^\W{HAN}]+(?:['’-][^\W{HAN}]+)*|\s+|.", re.DOTALL
)
# Marks cost time that grows with the product of the lengths: longer sentences, and pairs of more
# lines, are shown without.
LONGEST_MARKED = 400
MOST_MARKED = 20


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an example."""

    role: Role
    text: str


def parse_pairs(block: str) -> tuple[tuple[Line, ...], ...]:
    r"""Split a block into pairs, each the lines that belong together.

    >>> [len(pair) for pair in parse_pairs("✗ a b\n✓ a\n✗ c d\n✓ c")]
    [2, 2]
    """
    pairs: list[list[Line]] = [[]]
    for raw in block.split("\n"):
        line = _line(raw.strip())
        if line is None or _begins_pair(line, pairs[-1]):
            pairs.append([])
        if line is not None:
            pairs[-1].append(line)
    return tuple(tuple(pair) for pair in pairs if pair)


def _line(raw: str) -> Line | None:
    if not raw:
        return None
    mark, _, rest = raw.partition(" ")
    role = _ROLES.get(mark)
    return Line(role, rest.strip()) if role and rest.strip() else Line("note", raw)


def _begins_pair(line: Line, pair: Sequence[Line]) -> bool:
    roles = {earlier.role for earlier in pair}
    return line.role == "source" or (
        line.role == "wrong" and "right" in roles and "source" not in roles
    )


def in_words(text: str, lang: Language) -> str:
    """A section's text with a word beside the sign of each line of an example."""
    words = {_SIGNS[role]: word for role, word in WORDS[lang].items()}
    end = "：" if lang == "zh" else ": "
    return re.sub("^([＝✗✓]) ", lambda sign: f"{sign[0]}{words[sign[1]]}{end}", text, flags=re.M)


def pair_html(block: str, lang: Language, inline: Callable[[str], str]) -> str:
    """The HTML of a block of pairs.

    Args:
        block: The lines between the fences.
        lang: Language of the words that name the lines, read out where signs are not.
        inline: Renders the Markdown of a remark.
    """
    return "".join(_pair(pair, lang, inline) for pair in parse_pairs(block))


def _pair(pair: Sequence[Line], lang: Language, inline: Callable[[str], str]) -> str:
    rows = []
    for line, body in zip(pair, _bodies(pair, inline), strict=True):
        rows.append(
            f'<div class="pair-{line.role}"><dt><span aria-hidden="true">{_SIGNS[line.role]}</span>'
            f' <span class="pair-word">{WORDS[lang][line.role]}</span></dt><dd>{body}</dd></div>'
        )
    return f'<dl class="pair">{"".join(rows)}</dl>\n'


def _bodies(pair: Sequence[Line], inline: Callable[[str], str]) -> Iterator[str]:
    """Yield the HTML of the lines.

    One wrong and one right sentence show what goes and what comes. Answers to an original, and
    several right answers, show both: each is another change of the same sentence.
    """
    texts = {role: [line.text for line in pair if line.role == role] for role in _SIGNS}
    base = texts["source"] or texts["wrong"]
    is_pair = not texts["source"] and len(texts["right"]) == 1
    for line in pair:
        if line.role == "note":
            yield inline(line.text)
        elif line.role == "source" or not base or len(pair) > MOST_MARKED:
            yield escape(line.text)
        elif line.role == "wrong" and not texts["source"]:
            yield _html(line.text, texts["right"][0], "del") if is_pair else escape(line.text)
        else:
            yield _html(base[0], line.text, "ins" if is_pair else "del ins")


def _html(source: str, target: str, tags: str) -> str:
    parts = []
    for same, deleted, come in diff_parts(source, target):
        parts.append(escape(same))
        if deleted and "del" in tags:
            parts.append(f"<del>{escape(deleted)}</del>")
        if come and "ins" in tags:
            parts.append(f"<ins>{escape(come)}</ins>")
    return "".join(parts)


def diff_parts(source: str, target: str) -> Iterator[tuple[str, str, str]]:
    """Yield what stays, what then goes and what comes for it, until both texts are told.

    Changes that only white space parts are one: nobody reads them as two.

    >>> list(diff_parts("他天天吃苹果", "他天天都吃苹果"))
    [('他天天', '', '都'), ('吃苹果', '', '')]
    >>> list(diff_parts("in the night", "at night"))
    [('', 'in the', 'at'), (' night', '', '')]
    """
    old, new = _TOKEN.findall(source), _TOKEN.findall(target)
    if max(len(old), len(new)) > LONGEST_MARKED:
        return iter([(target, "", "")])
    spans = [_trim_span(span, old, new) for span in _join_spans(_spans(old, new), old)]
    parts = []
    at = 0
    for start, end, new_start, new_end in spans:
        parts.append((old[at:start], old[start:end], new[new_start:new_end]))
        at = end
    parts.append((old[at:], [], []))
    return iter([("".join(same), "".join(deleted), "".join(come)) for same, deleted, come in parts])


# Half-open spans of what goes and what comes for it: start, end, start, end.
_Span = tuple[int, int, int, int]


def _spans(old: Sequence[str], new: Sequence[str]) -> Iterator[_Span]:
    shift = 0
    for edit in changes(old, new):
        length = len(edit.replacement or ())
        yield edit.start, edit.end, edit.start + shift, edit.start + shift + length
        shift += length - (edit.end - edit.start)


def _join_spans(spans: Iterable[_Span], old: Sequence[str]) -> list[_Span]:
    result: list[_Span] = []
    for span in spans:
        if result and not "".join(old[result[-1][1] : span[0]]).strip():
            result[-1] = (result[-1][0], span[1], result[-1][2], span[3])
        else:
            result.append(span)
    return result


def _trim_span(span: _Span, old: Sequence[str], new: Sequence[str]) -> _Span:
    """The span without the white space that both sides begin with."""
    start, end, new_start, new_end = span
    both = start < end and new_start < new_end and old[start] == new[new_start]
    return (start + both, end, new_start + both, new_end)


# A rendered guideline: its sections, and what changed between two of them.


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level.

    Args:
        id: What citations and links name; unique in the document.
        anchor: The id of the heading's element in the page.
        level: 1 to 6; 0 is the text before the first heading.
        title: The heading's text without marks.
        text: The body's text without marks, one line a block; examples too, headings not.
        html: Safe HTML of heading and body.
    """

    id: str
    anchor: str
    level: int
    title: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class RenderedGuideline:
    """Render a guideline as safe HTML.

    Args:
        sections: In the order of the document.
        images: How many images were replaced by their description: guidelines show none.
    """

    sections: tuple[Section, ...]
    images: int

    @property
    def html(self) -> str:
        """The whole document."""
        return "".join(section.html for section in self.sections)

    def branch(self, name: str) -> tuple[Section, ...]:
        """A section and all below it; () if there is none of that id.

        This is what a deep link shows: the section of a major type with its minor types.
        """
        for at, section in enumerate(self.sections):
            if section.id == name:
                return (section, *_below(self.sections[at + 1 :], section.level))
        return ()


def _below(sections: tuple[Section, ...], level: int) -> tuple[Section, ...]:
    for at, section in enumerate(sections):
        if section.level <= level or level == 0:
            return sections[:at]
    return sections


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids of the sections that differ between two versions, each in the order of its document."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether any section differs."""
        return bool(self.added or self.removed or self.changed)


def compare(old: RenderedGuideline, new: RenderedGuideline) -> Changes:
    """Which sections a reader has to read again; a section that only moved is none."""
    before = {section.id: section for section in old.sections}
    after = {section.id: section for section in new.sections}
    return Changes(
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        changed=tuple(
            name for name in after if name in before and after[name].html != before[name].html
        ),
    )


PREFIX = "guide-"
_SURROGATE = re.compile("[\ud800-\udfff]")


def render_markdown(
    markdown: str, *, lang: Language = "en", prefix: str = PREFIX, shift: int = 0
) -> RenderedGuideline:
    r"""Render a guideline as safe HTML.

    Args:
        markdown: CommonMark with tables, ``{#id}`` after headings, and blocks ``pair``.
        lang: Language of the few words that rendering adds.
        prefix: Put before the id of each element and into links to it, so that no heading takes
            the id of something else in the page.
        shift: Levels that headings go down in a page with a title of its own.

    Raises:
        FormatError: The document is over 1 MB.

    >>> render_markdown("# Task {#t}").html
    '<h1 id="guide-t">Task</h1>\n'
    """
    size = len(markdown.encode("utf-8", "surrogatepass"))
    if size > LARGEST:
        raise FormatError(
            "the guideline has {bytes:,} bytes, at most {most:,} are accepted; shorten it",
            bytes=size,
            most=LARGEST,
        )
    place = Place(lang, prefix, shift)
    tokens = parser().parse(_SURROGATE.sub("\ufffd", markdown))
    images = prepare(tokens, place)
    return RenderedGuideline(tuple(_section(part, place) for part in _parts(tokens)), images)


def section_changes(old: str, new: str) -> Changes:
    """Find which sections were added, removed or changed between two versions' Markdown."""
    return compare(render_markdown(old), render_markdown(new))


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
