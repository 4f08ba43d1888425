"""How figures look: sizes, colours, and what tells one series from another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gecbench.reports.grid import columns_of
from gecbench.reports.theme import COLOURS, Theme
from gecbench.reports.words import Language, Words, said

WIDTH = 6.5
"""Inches; 468 units of 1/72 inch in SVG."""

SIZE = 8.5
SMALL = 7.5
"""Of letters, in points; at a width of 600 pixels SIZE comes out as 11 pixels."""

PALETTE = 7
"""How many colours series have; what comes after differs in marker, filling and dash."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("-", (0, (4, 2)), (0, (1, 1.6)))

Given = dict[str, Any]
"""Keyword arguments of matplotlib, which gives each a type of its own."""

NO_DATA = Words("no data", "没有数据")


@dataclass(frozen=True, slots=True)
class Look:
    """What all parts of a figure share.

    Args:
        theme: Whose colours are used.
        language: Of the words.
    """

    theme: Theme
    language: Language

    def colour(self, name: str) -> str:
        """Return the colour of a name of `reports.theme`."""
        return COLOURS[self.theme][name]

    def series_colour(self, at: int) -> str:
        """Return the colour of a series by its place."""
        return self.colour(f"series-{at % PALETTE + 1}")

    def line(self, at: int) -> Given:
        """Return the dash of a series by its place."""
        return {"linestyle": _DASHES[at // PALETTE % len(_DASHES)]}

    def marker(self, at: int, size: float = 4.8) -> Given:
        """Return colour, shape and filling of the markers of a series by its place."""
        round_, colour = at // PALETTE, self.series_colour(at)
        shape, hollow = MARKERS[(at + round_) % len(MARKERS)], round_ % 2 == 1
        return {
            "color": colour,
            "marker": shape,
            "markersize": size + (1.4 if shape in "PX" else 0),
            "markerfacecolor": self.colour("paper") if hollow else colour,
            "markeredgecolor": colour,
            "markeredgewidth": 1.0 if hollow else 0.4,
        }

    def said(self, text: object) -> str:
        """Return a text, or a number of x, as this figure shows it."""
        return printable(said(text, self.language) if isinstance(text, Words) else str(text))


def printable(text: str) -> str:
    r"""Return a text in one line, without characters that no font shows and XML does not allow.

    >>> printable("a\x00b\tc")
    'a�b c'
    """
    spaced = " ".join(text.split())
    return "".join("\ufffd" if c < " " or c in _BARRED else c for c in spaced)


_BARRED = frozenset(map(chr, (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF, *range(0x7F, 0xA0))))


def wrapped(text: str, columns: int, lines: int = 3) -> str:
    r"""Return a text in lines of at most some columns, of which Han characters take two.

    Words that are longer are broken, and what is over the last line is left off with an ellipsis.

    >>> wrapped("the quick brown fox", 10)
    'the quick\nbrown fox'
    >>> wrapped("语法错误修改", 8)
    '语法错误\n修改'
    """
    found: list[str] = []
    line = ""
    for piece in _pieces(text):
        while columns_of(line + piece.rstrip()) > columns:
            if line.strip():
                found.append(line.strip())
                line = ""
                piece = piece.lstrip()
                continue
            cut = _fitting(piece, columns)
            found.append(piece[:cut])
            piece = piece[cut:]
        line += piece
    found += [line.strip()] if line.strip() else []
    if len(found) > lines:
        kept = found[lines - 1]
        found = [*found[: lines - 1], kept[: _fitting(kept, columns - 1)] + "…"]
    return "\n".join(found)


def _pieces(text: str) -> list[str]:
    """Return where a line may end: after spaces, hyphens and the like, and after Han characters."""
    pieces, piece = [], ""
    for character in text:
        piece += character
        if character in " -_/:.,，、：；" or columns_of(character) == 2:
            pieces.append(piece)
            piece = ""
    return [*pieces, piece] if piece else pieces


def _fitting(text: str, columns: int) -> int:
    """Return how many characters from the start fit; at least one."""
    for cut in range(len(text), 1, -1):
        if columns_of(text[:cut]) <= columns:
            return cut
    return 1


def number(value: float) -> str:
    """Return a value as short as it is legible: whole numbers as they are, others rounded.

    >>> [number(value) for value in (12, 1234.5, 45.678, 0.5, 0.0123)]
    ['12', '1234', '45.7', '0.50', '0.012']
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:.0f}".replace("-", "−")
    size = abs(value)
    digits = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 0.1 else 3
    return f"{value:.{digits}f}".replace("-", "−")
