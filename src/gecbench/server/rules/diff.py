"""The difference between a sentence and its correction, marked where the scorer counts an edit.

`web/static/gecbench/diff.js` is the same program in the browser; one table of cases holds both
together, and docs/annotate/diff.md explains the rules.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from typing import Literal

import regex

from gecbench.core.edit import Edit, Sentence
from gecbench.core.scheme import Scheme
from gecbench.lang.zh.char import scheme
from gecbench.server.rules.options import PLACEHOLDER

_HAN = r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--{_HAN}]"
_LETTER_OR_MARK = rf"[[\p{{L}}\p{{M}}\p{{N}}_\u200d\p{{Gr_Ext}}\p{{EMod}}]--{_HAN}]"
_WORD = regex.compile(
    rf"{_LETTER}(?:{_LETTER_OR_MARK}|['’](?={_LETTER})|(?<=\p{{Nd}})[.,](?=\p{{Nd}}))*", regex.V1
)
_NAME = regex.compile(rf"[{_LETTER}\-‐‑'’]+", regex.V1)
_IS_HAN = re.compile(_HAN)
_GRAPHEME = regex.compile(r"\X")
_SINGLE_WORDS = frozenset(
    "的地得了着过吗呢吧我你他她它这那是有在和与不也都很就还又把被对从到给让向"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a text.

    Args:
        form: What is compared: the text without the white space in it.
        start: Its first character in the text; half-open character span.
        end: The character after its last.
        placeholder: It is the project's placeholder.
    """

    form: str
    start: int
    end: int
    placeholder: bool = False


def is_han(character: str) -> bool:
    """Whether a character is a Chinese one.

    >>> is_han("我"), is_han("。")
    (True, False)
    """
    return _IS_HAN.match(character) is not None


def tokenize(text: str, lang: str, placeholder: str) -> tuple[Token, ...]:
    """Divide a text into tokens; only white space lies between them.

    Chinese tokens are those of the scheme `zh-char`: every character but white space, and the
    placeholder whole. Others are words (letters, marks and digits, with apostrophes inside, and
    points and commas between digits), Chinese characters, and every other grapheme by itself.

    Args:
        text: Any text.
        lang: "zh" for characters, everything else for words.
        placeholder: The project's token for content that cannot be guessed; "" for none.

    >>> [token.form for token in tokenize("我 有[缺失成分]。", "zh", "[缺失成分]")]
    ['我', '有', '[缺失成分]', '。']
    >>> [token.form for token in tokenize("It's 3.5 km-long!", "en", "")]
    ["It's", '3.5', 'km', '-', 'long', '!']
    """
    if lang == "zh":
        return tuple(_tokenize_characters(text, "".join(placeholder.split())))
    return tuple(_tokenize_words(text, placeholder))


def _tokenize_characters(text: str, placeholder: str) -> Iterator[Token]:
    # The scheme drops white space first, so the placeholder is found across it.
    pattern = r"\s*".join(map(re.escape, placeholder)) + r"|\S" if placeholder else r"\S"
    for match in re.finditer(pattern, text):
        form = "".join(match[0].split())
        yield Token(form, *match.span(), placeholder=form == placeholder)


def _tokenize_words(text: str, placeholder: str) -> Iterator[Token]:
    start = 0
    while start < len(text):
        is_placeholder = bool(placeholder) and text.startswith(placeholder, start)
        if is_placeholder:
            end = start + len(placeholder)
        else:
            end = (_WORD.match(text, start) or _GRAPHEME.match(text, start)).end()
        if is_placeholder or not text[start:end].isspace():
            yield Token(text[start:end], start, end, is_placeholder)
        start = end


Op = Literal["equal", "space", "delete", "insert", "replace", "move_from", "move_to"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of both texts; the pieces in order rebuild both.

    Args:
        op: "equal" where both are the same; "space" where they differ in white space only, which
            is not counted; "move_from" and "move_to" are a deletion and an insertion of the same
            tokens.
        source: What the source has; "" for an insertion.
        target: What the correction has; "" for a deletion.
        edits: Numbers, from 1, of the scorer's edits that it shows: one, or more where they touch
            the same grapheme or rewrite one word; () for "equal" and "space".
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


def diff(source: str, target: str, *, lang: str, placeholder: str = PLACEHOLDER) -> Diff:
    """Compare a correction with its source.

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
    sides = (_Side(source, lang, placeholder), _Side(target, lang, placeholder))
    edits = extract_edits(sides[0].tokens, sides[1].tokens)
    moves = _number_moves(edits, sides[0].tokens)
    builder = _PieceBuilder(sides, moves)
    for unit in _join_words(_list_units(edits, *sides), moves, *sides):
        builder.add(unit)
    return Diff(builder.build(), len(edits))


def extract_edits(source: Sequence[Token], target: Sequence[Token]) -> tuple[Edit, ...]:
    """Extract the edits of the scheme `zh-char` between tokens, of whatever language."""
    codes: dict[str, int] = {}
    sentences = [_encode(tokens, codes) for tokens in (source, target)]
    return _scheme().extract(*sentences).edit_sets[0]


@cache
def _scheme() -> Scheme:
    return scheme()


def _encode(tokens: Sequence[Token], codes: dict[str, int]) -> Sentence:
    forms = tuple(token.form for token in tokens)
    numbers = array("I", [codes.setdefault(form, len(codes)) for form in forms])
    return Sentence("".join(forms), forms, numbers.tobytes())


def _number_moves(edits: Sequence[Edit], source: Sequence[Token]) -> dict[int, int]:
    """Number the moves: the number of an edit to that of the move it is an end of, both from 1."""
    moves: dict[int, int] = {}
    insertions = [(n, edit) for n, edit in enumerate(edits, 1) if edit.label == "W:M"]
    deletions = [(n, edit) for n, edit in enumerate(edits, 1) if edit.label == "W:R"]
    for move, (number, deletion) in enumerate(deletions, 1):
        forms = tuple(token.form for token in source[deletion.start : deletion.end])
        free = (n for n, edit in insertions if edit.replacement == forms and n not in moves)
        moves[number] = moves[next(free)] = move
    return moves


class _Side:
    """A text with its tokens, and where the graphemes round them start and end."""

    def __init__(self, text: str, lang: str, placeholder: str) -> None:
        self.text, self.tokens = text, tokenize(text, lang, placeholder)
        graphemes = [match.span() for match in _GRAPHEME.finditer(text) for _ in match[0]]
        self.starts = [graphemes[token.start][0] for token in self.tokens]
        self.ends = [graphemes[token.end - 1][1] for token in self.tokens]

    def can_cut(self, at: int) -> bool:
        """Whether the text may be cut before a token: not within a grapheme."""
        return at in (0, len(self.tokens)) or self.ends[at - 1] <= self.starts[at]

    def runs_on(self, at: int) -> bool:
        """Whether a run of letters, digits and hyphens goes on with a token."""
        if not 0 < at < len(self.tokens):
            return False
        before, token = self.tokens[at - 1], self.tokens[at]
        return before.end == token.start and bool(_NAME.fullmatch(before.form + token.form))

    def gap(self, start: int, at: int) -> str:
        """The white space from a place on to a token, or to the end of the text."""
        return self.text[start : self.starts[at] if at < len(self.tokens) else None]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Spans of tokens that are drawn as one: two equal tokens, an edit, or several of them."""

    start: int
    end: int
    target_start: int
    target_end: int
    edits: tuple[int, ...] = ()

    @property
    def deletes(self) -> bool:
        """Whether the source has tokens here."""
        return self.start < self.end

    @property
    def inserts(self) -> bool:
        """Whether the correction has tokens here."""
        return self.target_start < self.target_end

    @property
    def is_long(self) -> bool:
        """Whether it has two tokens or more on a side."""
        return max(self.end - self.start, self.target_end - self.target_start) > 1

    def join(self, last: _Unit) -> _Unit:
        """Join with a later one."""
        edits = self.edits + last.edits
        return replace(self, end=last.end, target_end=last.target_end, edits=edits)


def _list_units(edits: Sequence[Edit], source: _Side, target: _Side) -> list[_Unit]:
    """List the pairs of equal tokens and the edits in order; what shares a grapheme is one unit."""
    units: list[_Unit] = []
    for unit in _pairs_and_edits(edits, len(source.tokens)):
        cut = source.can_cut(unit.start) and target.can_cut(unit.target_start)
        units.append(unit if cut or not units else units.pop().join(unit))
    return units


def _pairs_and_edits(edits: Sequence[Edit], length: int) -> Iterator[_Unit]:
    i = j = 0
    for number, edit in enumerate((*edits, Edit(length, length, ())), 1):
        for start in range(i, edit.start):
            yield _Unit(start, start + 1, j, j + 1)
            j += 1
        target_end = j + len(edit.replacement or ())
        if number <= len(edits):
            yield _Unit(edit.start, edit.end, j, target_end, (number,))
        i, j = edit.end, target_end


def _join_words(
    units: Iterable[_Unit], moves: Mapping[int, int], source: _Side, target: _Side
) -> Iterator[_Unit]:
    """Join the units that rewrite one word, so that it is one deletion and one insertion.

    Changes that touch are one. So are changes in one word, as far as the texts show where a word
    is: `_are_one_word`. A single deletion and a single insertion stay as they are, which is
    shorter; so do deletions alone, insertions alone, and both ends of a move.
    """

    def is_change(unit: _Unit) -> bool:
        return bool(unit.edits) and unit.edits[0] not in moves

    changes: list[_Unit] = []
    for unit in units:
        touch = changes and is_change(changes[-1]) and is_change(unit)
        changes.append(changes.pop().join(unit) if touch else unit)

    def next_change(at: int) -> int | None:
        """Where the change after a change is; None where a move or the end comes before it."""
        after = next((n for n in range(at + 1, len(changes)) if changes[n].edits), None)
        return after if after and is_change(changes[at]) and is_change(changes[after]) else None

    at = 0
    while at < len(changes):
        last = at
        while (after := next_change(last)) and _are_one_word(
            changes[last : after + 1], source, target
        ):
            last = after
        word = changes[at : last + 1]
        deletions = sum(unit.deletes for unit in word if unit.edits)
        insertions = sum(unit.inserts for unit in word if unit.edits)
        is_shorter = deletions and insertions and deletions + insertions > 2
        yield from [reduce(_Unit.join, word)] if is_shorter else word
        at = last + 1


def _are_one_word(units: Sequence[_Unit], source: _Side, target: _Side) -> bool:
    """Whether two changes, and the tokens between them that stay, are of one word.

    They are where letters, digits and hyphens run on from one to the other in one of the texts,
    or where one Chinese character stays between two changes of two characters or more: it is
    half a word then, unless it mostly is a word by itself.
    """
    if len(units) == 3 and units[0].is_long and units[2].is_long:
        form = source.tokens[units[1].start].form
        if is_han(form[0]) and form not in _SINGLE_WORDS:
            return True
    return all(
        source.runs_on(unit.start) or target.runs_on(unit.target_start) for unit in units[1:]
    )


class _PieceBuilder:
    """Makes pieces of units, and shares out the white space between them."""

    def __init__(self, sides: tuple[_Side, _Side], moves: Mapping[int, int]) -> None:
        self.sides, self.moves = sides, moves
        self.ends = (0, 0)  # of the pieces so far
        self.pieces: list[Piece] = []

    def add(self, unit: _Unit) -> None:
        """Add the pieces of a unit, and of the white space before it."""
        source, target = self.sides
        if not unit.inserts:
            self._add_one_sided(0, (unit.start, unit.end), unit.target_start, unit.edits)
        elif not unit.deletes:
            self._add_one_sided(1, (unit.target_start, unit.target_end), unit.start, unit.edits)
        else:
            self._add_space(source.starts[unit.start], target.starts[unit.target_start])
            texts = self._advance(source.ends[unit.end - 1], target.ends[unit.target_end - 1])
            self._push("replace" if unit.edits else "space", *texts, unit.edits)

    def build(self) -> tuple[Piece, ...]:
        """The pieces; a move whose other end is in a wider piece is a plain change."""
        self._add_space(len(self.sides[0].text), len(self.sides[1].text))
        moves = [piece.move for piece in self.pieces]
        plain: dict[Op, Op] = {"move_from": "delete", "move_to": "insert"}
        return tuple(
            replace(piece, op=plain[piece.op], move=None)
            if piece.move and moves.count(piece.move) == 1
            else piece
            for piece in self.pieces
        )

    def _add_one_sided(
        self, side: int, span: tuple[int, int], other_start: int, edits: tuple[int, ...]
    ) -> None:
        """Add tokens that one side has alone, with white space that goes with them.

        The other side has one gap where this one has two. The equal one of the two stays, the
        other goes with the tokens: "a big dog" loses "big ", and "a dog barks" loses " barks".
        """
        side_pieces = self.sides[side]
        start, end = side_pieces.starts[span[0]], side_pieces.ends[span[1] - 1]
        gap = self.sides[1 - side].gap(self.ends[1 - side], other_start)
        after = side_pieces.gap(end, span[1])
        takes_gap_before = side_pieces.text[self.ends[side] : start] != gap == after
        if gap and not takes_gap_before:
            other = self.ends[1 - side] + len(gap)
            self._add_space(*((other, start) if side else (start, other)))
        to = end if gap and takes_gap_before else end + len(after)
        source, target = self._advance(*((self.ends[0], to) if side else (to, self.ends[1])))
        move = self.moves.get(edits[0])  # two edits in one unit change both sides
        ops: tuple[Op, Op] = ("move_from", "move_to") if move else ("delete", "insert")
        self.pieces.append(Piece(ops[side], source, target, edits, move))

    def _add_space(self, end: int, target_end: int) -> None:
        source, target = self._advance(end, target_end)
        if source or target:
            self._push("space", source, target, ())

    def _advance(self, end: int, target_end: int) -> tuple[str, str]:
        """Move on in both texts; return what lies between."""
        (source, target), (start, target_start) = self.sides, self.ends
        self.ends = (end, target_end)
        return source.text[start:end], target.text[target_start:target_end]

    def _push(self, op: Op, source: str, target: str, edits: tuple[int, ...]) -> None:
        if source != target:
            self.pieces.append(Piece(op, source, target, edits))
        elif self.pieces and self.pieces[-1].op == "equal":
            text = self.pieces[-1].source + source
            self.pieces[-1] = Piece("equal", text, text)
        else:
            self.pieces.append(Piece("equal", source, target, edits))
