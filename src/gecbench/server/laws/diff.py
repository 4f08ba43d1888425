"""The live diff: a text beside its source, marked where the scorer counts an edit.

The edits are those of the scheme `zh-char`: its tokens in Chinese, words in English, the same
shortest alignment in both. Around them stands what is only drawn: white space, which Chinese
scoring does not see, and graphemes, which are never cut although the scheme's tokens are code
points. `diff.js` is the same in the browser; one table of cases holds both together.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from gecbench.core.edit import Edit
from gecbench.core.scheme import Scheme
from gecbench.core.sentence import Sentence
from gecbench.lang.zh.char import scheme
from gecbench.server.laws.graphemes import bounds
from gecbench.server.laws.options import PLACEHOLDER
from gecbench.server.laws.tokens import Token, tokens

Op = Literal["equal", "space", "delete", "insert", "replace", "move_from", "move_to"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of both texts; the pieces in order rebuild both.

    Args:
        op: "equal" where both are the same; "space" where they differ in white space only, which
            is not counted; "move_from" and "move_to" are a deletion and an insertion of the same
            tokens.
        source: What the source has; "" for an insertion.
        target: What the rewriting has; "" for a deletion.
        edits: Numbers, from 1, of the scorer's edits that it shows: one, or more where they touch
            the same grapheme; () for "equal" and "space".
        move: Number, from 1, that both ends of a move share.
    """

    op: Op
    source: str
    target: str
    edits: tuple[int, ...] = ()
    move: int | None = None


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed between two texts.

    Args:
        pieces: For drawing.
        edits: How many edits the scorer counts; both ends of a move count.
    """

    pieces: tuple[Piece, ...]
    edits: int


@dataclass(frozen=True, slots=True)
class _Atom:
    """Spans of tokens that stay together; a pair of equal tokens, or an edit, or some of both."""

    start: int
    end: int
    target_start: int
    target_end: int
    edits: tuple[int, ...] = ()


def diff(source: str, target: str, *, lang: str, placeholder: str = PLACEHOLDER) -> Diff:
    """Return how a rewriting differs from its source.

    Args:
        source: The sentence as it was written.
        target: What somebody made of it.
        lang: "zh" compares characters, everything else words and punctuation marks.
        placeholder: The project's token for content that cannot be guessed; "" for none.

    >>> [(p.op, p.source, p.target) for p in diff("我门去", "我们去", lang="zh").pieces]
    [('equal', '我', '我'), ('replace', '门', '们'), ('equal', '去', '去')]
    >>> diff("我门去", "我们去", lang="zh").edits
    1
    """
    one = _Side(source, tokens(source, lang, placeholder))
    two = _Side(target, tokens(target, lang, placeholder))
    edits = edits_of(one.tokens, two.tokens)
    moves = _moves(edits, one.tokens)
    drawn = _Drawing(one, two, moves)
    for atom in _whole(_atoms(edits, len(one.tokens)), one, two):
        drawn.add(atom)
    return Diff(_single_ends(drawn.finished()), len(edits))


def edits_of(source: Sequence[Token], target: Sequence[Token]) -> tuple[Edit, ...]:
    """Return the edits of the scheme `zh-char` between tokens, of whatever language."""
    codes: dict[str, int] = {}
    sides = [_sentence(side, codes) for side in (source, target)]
    return _scheme().extract(*sides).edit_sets[0]


@cache
def _scheme() -> Scheme:
    return scheme()


def _sentence(side: Sequence[Token], codes: dict[str, int]) -> Sentence:
    forms = tuple(token.form for token in side)
    numbers = array("I", [codes.setdefault(form, len(codes)) for form in forms])
    return Sentence("".join(forms), forms, numbers.tobytes())


def _moves(edits: Sequence[Edit], source: Sequence[Token]) -> dict[int, int]:
    """Return the move that an edit is an end of, by the number of the edit; both from 1."""
    ends: dict[int, int] = {}
    insertions = [(n, edit) for n, edit in enumerate(edits, 1) if edit.label == "W:M"]
    deletions = [(n, edit) for n, edit in enumerate(edits, 1) if edit.label == "W:R"]
    for move, (number, edit) in enumerate(deletions, 1):
        moved = tuple(token.form for token in source[edit.start : edit.end])
        free = (n for n, one in insertions if one.replacement == moved and n not in ends)
        ends[number] = ends[next(free)] = move
    return ends


class _Side:
    """One text with its tokens, and where graphemes allow a cut."""

    def __init__(self, text: str, found: tuple[Token, ...]) -> None:
        self.text, self.tokens = text, found
        begins, ends = bounds(text)
        self.starts = [begins[token.start] for token in found]
        self.ends = [ends[token.end - 1] for token in found]

    def cut(self, at: int) -> bool:
        """Say whether the text may be cut before a token."""
        inside = 0 < at < len(self.tokens)
        return not inside or self.ends[at - 1] <= self.starts[at]

    def gap(self, start: int, at: int) -> str:
        """Return the white space from a place on to a token, or to the end of the text."""
        return self.text[start : self.starts[at] if at < len(self.tokens) else None]


def _atoms(edits: Sequence[Edit], length: int) -> Iterator[_Atom]:
    """Yield the pairs of equal tokens and the edits, in order."""
    at = target_at = 0
    for number, edit in enumerate(edits, 1):
        for start in range(at, edit.start):
            yield _Atom(start, start + 1, target_at, target_at + 1)
            target_at += 1
        target_end = target_at + len(edit.replacement or ())
        yield _Atom(edit.start, edit.end, target_at, target_end, (number,))
        at, target_at = edit.end, target_end
    for start in range(at, length):
        yield _Atom(start, start + 1, target_at, target_at + 1)
        target_at += 1


def _whole(atoms: Iterator[_Atom], one: _Side, two: _Side) -> Iterator[_Atom]:
    """Yield the atoms, joined where a cut between them would cut a grapheme."""
    held: _Atom | None = None
    for atom in atoms:
        if held is None:
            held = atom
        elif one.cut(atom.start) and two.cut(atom.target_start):
            yield held
            held = atom
        else:
            held = replace(
                held,
                end=atom.end,
                target_end=atom.target_end,
                edits=held.edits + atom.edits,
            )
    if held is not None:
        yield held


class _Drawing:
    """Makes pieces of atoms and shares out the white space between them."""

    def __init__(self, one: _Side, two: _Side, moves: dict[int, int]) -> None:
        self.one, self.two, self.moves = one, two, moves
        self.done = self.target_done = 0  # characters that stand in pieces already
        self.pieces: list[Piece] = []

    def add(self, atom: _Atom) -> None:
        """Add the pieces of an atom, and of the white space before it."""
        removes, adds = atom.start < atom.end, atom.target_start < atom.target_end
        if removes and adds:
            self._blank(self.one.starts[atom.start], self.two.starts[atom.target_start])
            source, target = self._take(
                self.one.ends[atom.end - 1], self.two.ends[atom.target_end - 1]
            )
            differs: Op = "replace" if atom.edits else "space"
            self._put("equal" if source == target else differs, source, target, atom.edits)
        elif removes:
            end = self._one_sided(self.one, (atom.start, atom.end), self._other_gap(atom))
            self._end("delete", "move_from", *self._take(end, self.target_done), atom.edits)
        else:
            span = (atom.target_start, atom.target_end)
            end = self._one_sided(self.two, span, self._other_gap(atom))
            self._end("insert", "move_to", *self._take(self.done, end), atom.edits)

    def finished(self) -> tuple[Piece, ...]:
        """Return the pieces, with the white space at the end."""
        self._blank(len(self.one.text), len(self.two.text))
        return tuple(self.pieces)

    def _other_gap(self, atom: _Atom) -> str:
        """Return the white space that the other side has where a one-sided atom stands."""
        if atom.start < atom.end:
            return self.two.gap(self.target_done, atom.target_start)
        return self.one.gap(self.done, atom.start)

    def _one_sided(self, own: _Side, span: tuple[int, int], gap: str) -> int:
        """Settle the white space round tokens that one side has alone; return where they end.

        The other side has one gap where this one has two. The equal one of the two stays, the
        other goes with the tokens: "a big dog" loses "big ", and "a dog barks" loses " barks".
        """
        start, end = own.starts[span[0]], own.ends[span[1] - 1]
        before = own.text[self.done if own is self.one else self.target_done : start]
        after = own.gap(end, span[1])
        if gap and before != gap and after == gap:
            return end  # the gap before goes with them
        if gap and own is self.one:
            self._blank(start, self.target_done + len(gap))
        elif gap:
            self._blank(self.done + len(gap), start)
        return end + len(after)

    def _blank(self, end: int, target_end: int) -> None:
        source, target = self._take(end, target_end)
        if source or target:
            self._put("equal" if source == target else "space", source, target, ())

    def _take(self, end: int, target_end: int) -> tuple[str, str]:
        taken = self.one.text[self.done : end], self.two.text[self.target_done : target_end]
        self.done, self.target_done = end, target_end
        return taken

    def _end(self, op: Op, moved: Op, source: str, target: str, edits: tuple[int, ...]) -> None:
        move = self.moves.get(edits[0])  # two edits in one atom change both sides
        self.pieces.append(Piece(moved if move else op, source, target, edits, move))

    def _put(self, op: Op, source: str, target: str, edits: tuple[int, ...]) -> None:
        last = self.pieces[-1] if self.pieces else None
        if last and op == last.op == "equal":
            joined = last.source + source
            self.pieces[-1] = Piece("equal", joined, joined)
        else:
            self.pieces.append(Piece(op, source, target, edits))


def _single_ends(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return the pieces; what moved to or from inside a grapheme is no move on its own."""
    ends = [piece.move for piece in pieces]
    plain: dict[Op, Op] = {"move_from": "delete", "move_to": "insert"}
    return tuple(
        replace(piece, op=plain[piece.op], move=None)
        if piece.move and ends.count(piece.move) == 1
        else piece
        for piece in pieces
    )
