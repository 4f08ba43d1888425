"""Wrong/right examples: a fenced block ``pair`` becomes a list with the changes marked.

Each line begins with a mark and a space::

    = the sentence as it came      (only where wrong answers to it are shown)
    ✗ wrong                        (or x)
    ✓ right                        (or v); several are several good answers
    > a remark                     (inline Markdown; so is a line without mark)

A new pair begins at an empty line, at ``=``, and at ``✗`` after a ``✓``. Nobody marks changes by
hand: wrong and right are compared, Chinese by characters, other scripts by words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from gecbench.edits.apply import changes
from gecbench.server.guide.taxonomy import Language

Role = Literal["source", "wrong", "right", "note"]

_MARKS: dict[str, Role] = {
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
    r"""Return the pairs of a block, each the lines that belong together.

    >>> [len(pair) for pair in parse_pairs("✗ a b\n✓ a\n✗ c d\n✓ c")]
    [2, 2]
    """
    pairs: list[list[Line]] = [[]]
    for raw in block.split("\n"):
        line = _line(raw.strip())
        if line is None or _begins_anew(line, pairs[-1]):
            pairs.append([])
        if line is not None:
            pairs[-1].append(line)
    return tuple(tuple(pair) for pair in pairs if pair)


def _line(raw: str) -> Line | None:
    if not raw:
        return None
    mark, _, rest = raw.partition(" ")
    role = _MARKS.get(mark)
    return Line(role, rest.strip()) if role and rest.strip() else Line("note", raw)


def _begins_anew(line: Line, pair: Sequence[Line]) -> bool:
    roles = {earlier.role for earlier in pair}
    return line.role == "source" or (
        line.role == "wrong" and "right" in roles and "source" not in roles
    )


def pair_html(block: str, lang: Language, inline: Callable[[str], str]) -> str:
    """Return the HTML of a block of pairs.

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
    said = {role: [line.text for line in pair if line.role == role] for role in _SIGNS}
    base = said["source"] or said["wrong"]
    twins = not said["source"] and len(said["right"]) == 1
    for line in pair:
        if line.role == "note":
            yield inline(line.text)
        elif line.role == "source" or not base or len(pair) > MOST_MARKED:
            yield escape(line.text)
        elif line.role == "wrong" and not said["source"]:
            yield _html(line.text, said["right"][0], "del") if twins else escape(line.text)
        else:
            yield _html(base[0], line.text, "ins" if twins else "del ins")


def _html(source: str, target: str, shown: str) -> str:
    parts = []
    for kept, gone, come in compared(source, target):
        parts.append(escape(kept))
        if gone and "del" in shown:
            parts.append(f"<del>{escape(gone)}</del>")
        if come and "ins" in shown:
            parts.append(f"<ins>{escape(come)}</ins>")
    return "".join(parts)


def compared(source: str, target: str) -> Iterator[tuple[str, str, str]]:
    """Yield what stays, what then goes and what comes for it, until both texts are told.

    Changes that only white space parts are one: nobody reads them as two.

    >>> list(compared("他天天吃苹果", "他天天都吃苹果"))
    [('他天天', '', '都'), ('吃苹果', '', '')]
    >>> list(compared("in the night", "at night"))
    [('', 'in the', 'at'), (' night', '', '')]
    """
    old, new = _TOKEN.findall(source), _TOKEN.findall(target)
    if max(len(old), len(new)) > LONGEST_MARKED:
        return iter([(target, "", "")])
    spans = [_trimmed(span, old, new) for span in _joined(_spans(old, new), old)]
    parts = []
    at = 0
    for start, end, new_start, new_end in spans:
        parts.append((old[at:start], old[start:end], new[new_start:new_end]))
        at = end
    parts.append((old[at:], [], []))
    return iter([("".join(kept), "".join(gone), "".join(come)) for kept, gone, come in parts])


# Half-open spans of what goes and what comes for it: start, end, start, end.
_Span = tuple[int, int, int, int]


def _spans(old: Sequence[str], new: Sequence[str]) -> Iterator[_Span]:
    shift = 0
    for edit in changes(old, new):
        length = len(edit.replacement or ())
        yield edit.start, edit.end, edit.start + shift, edit.start + shift + length
        shift += length - (edit.end - edit.start)


def _joined(spans: Iterable[_Span], old: Sequence[str]) -> list[_Span]:
    joined: list[_Span] = []
    for span in spans:
        if joined and not "".join(old[joined[-1][1] : span[0]]).strip():
            joined[-1] = (joined[-1][0], span[1], joined[-1][2], span[3])
        else:
            joined.append(span)
    return joined


def _trimmed(span: _Span, old: Sequence[str], new: Sequence[str]) -> _Span:
    """Return the span without the white space that both sides begin with."""
    start, end, new_start, new_end = span
    both = start < end and new_start < new_end and old[start] == new[new_start]
    return (start + both, end, new_start + both, new_end)
