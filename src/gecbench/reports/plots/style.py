"""How figures look: sizes, colours, and what tells one series from another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from matplotlib.ticker import MaxNLocator

from gecbench.core.frames import columns_of
from gecbench.reports import PageLanguage
from gecbench.reports.plots import COLOURS, Theme
from gecbench.reports.report import Words, text_in, translate

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure as Drawing

    from gecbench.reports.report import Figure, Series


WIDTH = 6.5
"""Inches; 468 units of 1/72 inch in SVG."""

NARROW = 3.6
"""Inches of a figure for phones, whose letters come out as large as those of a wide one."""

SIZE = 8.5
SMALL = 7.5
"""Of letters, in points; at a width of 600 pixels SIZE comes out as 11 pixels."""

PALETTE = 7
"""How many colours series have; what comes after differs in marker, filling and dash."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("-", (0, (4, 2)), (0, (1, 1.6)))

Keywords = dict[str, Any]
"""Keyword arguments of matplotlib, which gives each a type of its own."""

NO_DATA = translate("no data")


@dataclass(frozen=True, slots=True)
class Look:
    """What all parts of a figure share.

    Args:
        theme: Whose colours are used.
        language: Of the words.
        width: In inches.
    """

    theme: Theme
    language: PageLanguage
    width: float = WIDTH

    def share(self, count: int) -> int:
        """How much finds room of what finds room in a figure of the usual width."""
        return int(count * self.width / WIDTH)

    def colour(self, name: str) -> str:
        """The colour of a name of `COLOURS`."""
        return COLOURS[self.theme][name]

    def series_colour(self, index: int) -> str:
        """The colour of a series by its place."""
        return self.colour(f"series-{index % PALETTE + 1}")

    def line(self, index: int) -> Keywords:
        """The dash of a series by its place."""
        return {"linestyle": _DASHES[index // PALETTE % len(_DASHES)]}

    def marker(self, index: int, size: float = 4.8) -> Keywords:
        """Colour, shape and filling of the markers of a series by its place."""
        round_, colour = index // PALETTE, self.series_colour(index)
        shape, hollow = MARKERS[(index + round_) % len(MARKERS)], round_ % 2 == 1
        return {
            "color": colour,
            "marker": shape,
            "markersize": size + (1.4 if shape in "PX" else 0),
            "markerfacecolor": self.colour("paper") if hollow else colour,
            "markeredgecolor": colour,
            "markeredgewidth": 1.0 if hollow else 0.4,
        }

    def text(self, text: object) -> str:
        """Write a text, or a number of x, as this figure shows it."""
        return printable(text_in(text, self.language) if isinstance(text, Words) else str(text))


def printable(text: str) -> str:
    r"""Put a text in one line, without characters that no font shows and XML does not allow.

    >>> printable("a\x00b\tc")
    'a�b c'
    """
    spaced = " ".join(text.split())
    return "".join("\ufffd" if c < " " or c in _BARRED else c for c in spaced)


_BARRED = frozenset(map(chr, (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF, *range(0x7F, 0xA0))))


def wrap(text: str, columns: int, lines: int = 3) -> str:
    r"""Wrap a text into lines of at most some columns, of which Han characters take two.

    Words that are longer are broken, and what is over the last line is left off with an ellipsis.

    >>> wrap("the quick brown fox", 10)
    'the quick\nbrown fox'
    >>> wrap("语法错误修改", 8)
    '语法错误\n修改'
    """
    texts: list[str] = []
    line = ""
    for piece in _pieces(text):
        while columns_of(line + piece.rstrip()) > columns:
            if line.strip():
                texts.append(line.strip())
                line = ""
                piece = piece.lstrip()
                continue
            cut = _fitting(piece, columns)
            texts.append(piece[:cut])
            piece = piece[cut:]
        line += piece
    texts += [line.strip()] if line.strip() else []
    if len(texts) > lines:
        last = texts[lines - 1]
        texts = [*texts[: lines - 1], last[: _fitting(last, columns - 1)] + "…"]
    return "\n".join(texts)


def _pieces(text: str) -> list[str]:
    """Where a line may end: after spaces, hyphens and the like, and after Han characters."""
    pieces, piece = [], ""
    for character in text:
        piece += character
        if character in " -_/:.,，、：；" or columns_of(character) == 2:
            pieces.append(piece)
            piece = ""
    return [*pieces, piece] if piece else pieces


def _fitting(text: str, columns: int) -> int:
    """How many characters from the start fit; at least one."""
    for cut in range(len(text), 1, -1):
        if columns_of(text[:cut]) <= columns:
            return cut
    return 1


def number(value: float) -> str:
    """Write a value as short as it is legible: whole numbers as they are, others rounded.

    >>> [number(value) for value in (12, 1234.5, 45.678, 0.5, 0.0123)]
    ['12', '1234', '45.7', '0.50', '0.012']
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:.0f}".replace("-", "−")
    size = abs(value)
    digits = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 0.1 else 3
    return f"{value:.{digits}f}".replace("-", "−")


# Names of systems and categories cut to the room that they have, so that each stays its own.


_KEPT = 3
"""Of a prefix that names share, so many characters stay at least where it makes room."""


def shorten(names: Sequence[str], columns: int, lines: int) -> list[str]:
    r"""Shorten names to lines of at most some columns, no two different ones alike.

    A name too long ends with an ellipsis; where several would then look the same, they are cut in
    the middle instead, else at the start that they share, else they get their number.

    >>> shorten(["seq2seq-large-one", "seq2seq-large-two", "tagger"], 11, 1)
    ['seq2s…e-one', 'seq2s…e-two', 'tagger']
    """
    whole = list(dict.fromkeys(names))
    short = {name: wrap(name, columns, lines) for name in whole}
    for alike in _alike(short):
        texts = {text for name, text in short.items() if name not in alike}
        for cut in _cuts(alike, columns, lines):
            shorter = [cut(name) for name in alike]
            if len(set(shorter)) == len(shorter) and not texts.intersection(shorter):
                short.update(zip(alike, shorter, strict=True))
                break
    return [short[name] for name in names]


def _alike(short: dict[str, str]) -> list[list[str]]:
    """The names that came out the same, in groups."""
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _cuts(alike: list[str], columns: int, lines: int) -> Iterator[Callable[[str], str]]:
    """Yield ways to shorten names that share how they begin; the last tells all names apart."""
    shortest = min(map(len, alike))
    shared = next(n for n in range(shortest + 1) if len({name[: n + 1] for name in alike}) > 1)
    yield lambda name: _names_fitting(name, columns, lines, _middle)
    yield lambda name: wrap("…" + name[max(0, shared - _KEPT) :], columns, lines)
    yield lambda name: _names_fitting("…" + name[max(0, shared - _KEPT) :], columns, lines, _middle)
    end = "…{}".format
    yield lambda name: _names_fitting(
        name, columns, lines, lambda text, length: text[:length] + end(alike.index(name) + 1)
    )


def _middle(text: str, length: int) -> str:
    return f"{text[: length - length // 2]}…{text[len(text) - length // 2 :]}"


def _names_fitting(
    text: str, columns: int, lines: int, shorten_to: Callable[[str, int], str]
) -> str:
    """Cut a text to as many characters as fit into the lines."""
    cuts = (
        shorten_to(text, length) for length in range(min(len(text) - 1, columns * lines), 0, -1)
    )
    candidates = (wrap(short, columns, len(text) + lines) for short in cuts)
    return next((short for short in candidates if short.count("\n") < lines), shorten_to(text, 0))


# Where the legend stands: above the axes if it is short, at the right if it is long.


Entries = Sequence[tuple[str, "Artist | BarContainer"]]
"""Names with what stands for them."""

_ROW = 76
"""Columns of letters above the axes; the mark of an entry takes about six."""

_MARK = 6
_NAME = 22
_GAP = 8
_EDGE = 0.006
_AIR = 4
"""Above and below a legend at the right, together."""


def place_legend(
    drawing: Drawing, entries: Entries, look: Look, *, above: float
) -> tuple[float, float]:
    """Put a legend where it leaves the most room; none for a single series.

    Args:
        drawing: What it belongs to; it grows where the legend would be cut off or take its room.
        entries: In the order of reading.
        look: How wide it is; a narrow one has no room at the right.
        above: How high the title is, in inches.

    Returns:
        Where the room for the axes ends at the right and above, as shares.
    """
    wide, high = (side * drawing.dpi for side in drawing.get_size_inches())
    title = above * drawing.dpi
    if len(entries) < 2:
        return 1.0, 1 - title / high
    names = shorten([name for name, _ in entries], _NAME, 2)
    width = sum(columns_of(name) + _MARK for name in names)
    one_row = width <= look.share(_ROW) and not any("\n" in name for name in names)
    at_right = not one_row and look.width == WIDTH
    legend = drawing.legend(
        [cast("Artist", handle) for _, handle in entries],
        names,
        loc="upper right" if at_right else "upper left",
        borderpad=0,
        ncols=len(names) if one_row else 1,
        columnspacing=1.6,
    )
    legend.set_in_layout(False)
    box = legend.get_window_extent(drawing.canvas.get_renderer())  # type: ignore[attr-defined]
    if not one_row:
        high = max(high, box.height + _AIR + title) if at_right else high + box.height
        drawing.set_size_inches(wide / drawing.dpi, high / drawing.dpi)
    top = 1 - title / high
    legend.set_bbox_to_anchor((1 - _EDGE if at_right else _EDGE, top))
    if not at_right:
        return 1.0, top - (box.height + _GAP) / high
    return 1 - (box.width + _GAP) / wide, top


# The axes of all kinds of figures: what they are called, their grid, and their categories.


_LABEL = 70
_ROW_NAME = 24


def name_axes(axes: Axes, figure: Figure, look: Look, *, values: Literal["x", "y"]) -> None:
    """Write what the axes are: the lower one below, the left one level, above its end.

    Args:
        axes: Where.
        figure: Whose labels.
        look: Their language.
        values: Which axis shows the y of the series.
    """
    of_x, of_y = (
        wrap(look.text(label), look.share(_LABEL)) for label in (figure.x_label, figure.y_label)
    )
    below, left = (of_y, of_x) if values == "x" else (of_x, of_y)
    axes.set_xlabel(below)
    axes.set_title(left, loc="left")
    axes.grid(visible=True, axis=values)
    axis = axes.xaxis if values == "x" else axes.yaxis
    whole = all(y is None or float(y).is_integer() for series in figure.series for y in series.y)
    bins = look.share(6) if values == "x" else 6
    axis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 5, 10], integer=whole))


def categories(figure: Figure, look: Look) -> list[str]:
    """The categories of all series, in the order in which they come first."""
    return list(dict.fromkeys(look.text(x) for series in figure.series for x in series.x))


def name_rows(axes: Axes, names: Sequence[str], look: Look) -> None:
    """Let the left axis have a row for each category, the first at the top."""
    axes.set_yticks(range(len(names)), shorten(names, look.share(_ROW_NAME), 2))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.spines["left"].set_visible(False)


def row_height(names: Sequence[str], least: float, look: Look) -> float:
    """The inches that a row needs for its name."""
    two = any("\n" in name for name in shorten(names, look.share(_ROW_NAME), 2))
    return max(least, 0.36 if two else 0.22)


def columns_fit(names: Sequence[str], look: Look) -> bool:
    """Say whether names of categories find room side by side below the axes."""
    room = look.share(84) // max(1, len(names)) - 1
    lines = [wrap(name, max(room, 1), 9).split("\n") for name in names]
    words = [word for name in names for word in name.split() if name.isascii()]
    return max(map(len, lines), default=0) <= 3 and all(columns_of(w) <= room for w in words)


def name_columns(axes: Axes, names: Sequence[str], look: Look) -> None:
    """Let the lower axis have a column for each category."""
    room = max(1, look.share(84) // max(1, len(names)) - 1)
    axes.set_xticks(range(len(names)), shorten(names, room, 3))
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(names) - 0.5)


def raise_floor(axes: Axes, figure: Figure, *, values: Literal["x", "y"], floor: float) -> None:
    """Keep an axis whose values are all 0 from going as far below as above; scores do not.

    Args:
        axes: Where.
        figure: Whose values; if any is not 0, nothing changes.
        values: Which axis shows them.
        floor: Where the axis begins, if it ends at 1.
    """
    if not any(n for series in figure.series for n in (*series.y, *series.low, *series.high)):
        (axes.set_xlim if values == "x" else axes.set_ylim)(floor, 1)


def whiskers(
    places: Sequence[float], series: Series
) -> tuple[list[float], list[float], list[float]]:
    """Collect places, lower and upper ends of intervals; a value may lie outside of its own."""
    rows = [
        (place, low, high)
        for place, low, high in zip(places, series.low, series.high, strict=bool(series.low))
        if low is not None and high is not None
    ]
    return tuple([row[index] for row in rows] for index in range(3))  # type: ignore[return-value]
