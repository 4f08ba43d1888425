"""Rewritings of one sentence, cut at the same places, so that the eye sees where they differ.

The source is cut into stretches that nobody changed and regions that somebody did. A region is as
wide as the changes that touch one another need; every rewriting has one cell for each, and the
page gives the cells of a region the same width in each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from gecbench.server.models import Project
from gecbench.server.rules.diff import Diff, Piece, diff
from gecbench.server.web.messages import DIFF_WORDS

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of a diff, and the switch that puts it back to the source.

    Args:
        piece: What is drawn.
        switch: Number, from 1, of what is put back together: both ends of a move are one switch;
            None for what is not an edit.
    """

    piece: Piece
    switch: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """What one rewriting has in one stretch or region.

    Args:
        region: Number of the region, from 1; None in a stretch that nobody changed.
        marks: What is drawn, in order.
        changed: Whether this rewriting changes something here.
        split: Whether the rewritings differ from one another here.
    """

    region: int | None
    marks: tuple[Mark, ...]
    changed: bool = False
    split: bool = False

    @property
    def target(self) -> str:
        """What the rewriting has here."""
        return "".join(mark.piece.target for mark in self.marks)


@dataclass(frozen=True, slots=True)
class Row:
    """One rewriting.

    Args:
        text: As it was written.
        cells: In the order of the source.
        edits: How many edits the scorer counts.
    """

    text: str
    cells: tuple[Cell, ...]
    edits: int

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All that is drawn, in order."""
        return tuple(mark for cell in self.cells for mark in cell.marks)

    @property
    def switches(self) -> tuple[tuple[Mark, ...], ...]:
        """The marks of each switch, in order."""
        numbers = sorted({mark.switch for mark in self.marks if mark.switch})
        return tuple(
            tuple(mark for mark in self.marks if mark.switch == number) for number in numbers
        )

    def restored(self, off: Iterable[int]) -> str:
        """The text with some of its edits put back to the source.

        Args:
            off: Numbers of the switches; unknown ones mean nothing.
        """
        back = set(off)
        return "".join(
            mark.piece.source if mark.switch in back else mark.piece.target for mark in self.marks
        )


@dataclass(frozen=True, slots=True)
class Alignment:
    """The source and its rewritings, with the same number of cells in each."""

    source: Row
    rows: tuple[Row, ...]


def align(source: str, texts: Sequence[str], *, lang: str, placeholder: str) -> Alignment:
    """Rewritings of a source, cut at the same places.

    >>> rows = align("我门去玩", ["我们去玩", "我们去游玩"], lang="zh", placeholder="").rows
    >>> [[cell.target for cell in row.cells] for row in rows]
    [['我', '们', '去', '', '玩'], ['我', '们', '去', '游', '玩']]
    """
    diffs = [_compare(source, text, lang, placeholder) for text in texts]
    marked = [tuple(_runs(_number_switches(difference.pieces))) for difference in diffs]
    spans = _merge_spans((run.start, run.end) for runs in marked for run in runs if run.changed)
    cut = [tuple(_cells(runs, spans, len(source))) for runs in marked]
    split = [len({row[at].target for row in cut}) > 1 for at in range(len(cut[0]) if cut else 0)]
    rows = tuple(
        Row(
            text,
            tuple(_mark_cell(cell, here) for cell, here in zip(cells, split, strict=True)),
            n.edits,
        )
        for text, cells, n in zip(texts, cut, diffs, strict=True)
    )
    whole = _Run(0, len(source), (Mark(Piece("equal", source, source)),), changed=False)
    cells = tuple(_cells((whole,), spans, len(source)))
    return Alignment(Row(source, cells, 0), rows)


@lru_cache(maxsize=512)
def _compare(source: str, text: str, lang: str, placeholder: str) -> Diff:
    """A difference; each question about a review asks for the same ones.

    Two texts of 5,000 characters take two seconds.
    """
    return diff(source, text, lang=lang, placeholder=placeholder)


def _mark_cell(cell: Cell, split: bool) -> Cell:
    changed = any(mark.piece.op != "equal" for mark in cell.marks)
    return replace(cell, changed=changed, split=split)


def _number_switches(pieces: Iterable[Piece]) -> tuple[Mark, ...]:
    """The pieces with the numbers of their switches."""
    numbers: dict[tuple[str, int], int] = {}
    marks = []
    for piece in pieces:
        if not piece.edits:
            marks.append(Mark(piece))
            continue
        what = ("move", piece.move) if piece.move else ("edit", piece.edits[0])
        marks.append(Mark(piece, numbers.setdefault(what, len(numbers) + 1)))
    return tuple(marks)


@dataclass(frozen=True, slots=True)
class _Run:
    """Marks that stand together: one that is equal, or all between two such."""

    start: int
    end: int
    marks: tuple[Mark, ...]
    changed: bool


def _runs(marks: Iterable[Mark]) -> Iterator[_Run]:
    """The runs of a rewriting, with their spans of the source."""
    at = 0
    for changed, group in groupby(marks, lambda mark: mark.piece.op != "equal"):
        held = tuple(group)
        end = at + sum(len(mark.piece.source) for mark in held)
        yield _Run(at, end, held, changed)
        at = end


def _merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans that touch nowhere but end to begin: what overlaps is one region."""
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged:
            first, last = merged[-1]
            point = start == end or first == last
            if start < last or (start == last and point):
                merged[-1] = (first, max(last, end))
                continue
        merged.append((start, end))
    return tuple(merged)


def _cells(runs: Sequence[_Run], spans: Sequence[Span], length: int) -> Iterator[Cell]:
    """The cells of one rewriting: stretch, region, stretch, ...; empty stretches are not.

    A run of changes lies in one region wholly. An insertion at the border of two belongs to the
    first, in every row alike.
    """
    homes = [
        next((n for n, (a, z) in enumerate(spans) if a <= run.start and run.end <= z), None)
        if run.changed
        else None
        for run in runs
    ]
    placed = list(zip(runs, homes, strict=True))
    at = 0
    for number, (start, end) in enumerate(spans):
        if at < start:
            yield Cell(None, tuple(_between(placed, at, start)))
        yield Cell(number + 1, tuple(_between(placed, start, end, number)))
        at = end
    if at < length:
        yield Cell(None, tuple(_between(placed, at, length)))


def _between(
    placed: Sequence[tuple[_Run, int | None]], start: int, end: int, region: int = -1
) -> Iterator[Mark]:
    """Yield what a rewriting has between two places of the source, and the changes of a region."""
    for run, home in placed:
        if home == region:
            yield from run.marks
        elif not run.changed:
            source = "".join(mark.piece.source for mark in run.marks)
            text = source[max(start - run.start, 0) : max(end - run.start, 0)]
            if text:
                yield Mark(Piece("equal", text, text))


# HTML of a diff; `draw-diff.js` makes the same in the page.


def render_diff(project: Project, source: str, target: str) -> SafeString:
    """Show how a text differs from its source."""
    placeholder = project.rules.placeholder
    compared = diff(source, target, lang=project.lang, placeholder=placeholder)
    return render_pieces(compared.pieces, placeholder)


def render_row(row: Row, placeholder: str) -> SafeString:
    """Show an aligned text: a span for each cell."""
    return format_html_join(
        "", '<span class="{}"{}>{}</span>', (_cell_parts(cell, placeholder) for cell in row.cells)
    )


def _cell_parts(cell: Cell, placeholder: str) -> tuple[str, SafeString | str, SafeString]:
    pieces = render_pieces((mark.piece for mark in cell.marks), placeholder)
    if cell.region is None:
        return "stretch", "", pieces
    classes = "cell" + " changed" * cell.changed + " split" * cell.split
    return classes, format_html(' data-region="{}"', cell.region), pieces


def render_pieces(pieces: Iterable[Piece], placeholder: str) -> SafeString:
    """Show pieces of a diff: changes as <del> and <ins>, placeholders as chips."""
    return format_html_join("", "{}", ((_render_piece(piece, placeholder),) for piece in pieces))


def _render_piece(piece: Piece, placeholder: str) -> SafeString:
    if piece.op == "equal":
        return _render_text(piece.source, placeholder)
    if piece.op == "space":
        return format_html(
            '<span class="diff-space diff-space-{}" title="{}">{}</span>',
            "added" if piece.target else "removed",
            DIFF_WORDS["space"],
            piece.target or piece.source,
        )
    changes = []
    if piece.op in {"delete", "move_from", "replace"}:
        changes.append(("del", "moveFrom" if piece.move else "delete", piece.source))
    if piece.op in {"insert", "move_to", "replace"}:
        changes.append(("ins", "moveTo" if piece.move else "insert", piece.target))
    html = format_html_join(
        "",
        '<{0} class="diff-{1}"><span class="diff-said">{2} </span>{3}'
        '<span class="diff-said">{4}</span></{0}>',
        (
            (
                tag,
                "move" if piece.move else word,
                DIFF_WORDS[word],
                _render_text(text, placeholder),
                DIFF_WORDS["pause"],
            )
            for tag, word, text in changes
        ),
    )
    return format_html('<span class="diff-replace">{}</span>', html) if len(changes) > 1 else html


def _render_text(text: str, placeholder: str) -> SafeString:
    chip = format_html('<span class="diff-chip">{}</span>', placeholder)
    parts = text.split(placeholder) if placeholder else [text]
    return format_html_join(chip, "{}", ((part,) for part in parts))
