"""The live diff: a text beside its source, marked where the scorer counts an edit."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from typing import Literal

from gecbench.core.edit import Edit
from gecbench.core.scheme import Scheme
from gecbench.core.sentence import Sentence
from gecbench.lang.zh.char import scheme
from gecbench.server.rules.options import PLACEHOLDER

# Where a text may be cut so that no drawn character is cut: graphemes, by few rules.
#
# The rules are those of Unicode's annex 29 for what learner texts hold: marks stay with the letter
# before them, emoji that are joined, coloured or tagged stay one, flags are pairs. They are written
# again in `graphemes.js`, and a test compares both, and the browser's own segmenter.


_JOINER = "\u200d"
_NON_JOINER = "\u200c"
_FIRST_MARK = "\u0300"  # no mark, joiner or emoji comes before it
_REGIONAL = ("\U0001f1e6", "\U0001f1ff")
_EXTENDING = (
    ("\u1160", "\u11ff"),  # vowels and finals of a Hangul syllable
    ("\uff9e", "\uff9f"),  # half-width voicing marks of kana
    ("\U0001f3fb", "\U0001f3ff"),  # skin colours
    ("\U000e0020", "\U000e007f"),  # tags, in flags of regions
)
_PICTURES = (("\U0001f000", "\U0001faff"), ("\u2194", "\u2195"))


def starts(text: str) -> tuple[bool, ...]:
    r"""Say of each code point whether a grapheme starts there.

    >>> starts("e\u0301a")
    (True, False, True)
    """
    found: list[bool] = []
    paired = False  # the code point before is a regional indicator that still lacks its second
    pictured = False  # the grapheme so far began with an emoji
    before = ""
    for character in text:
        if character < _FIRST_MARK:
            found.append(True)
            before, paired, pictured = character, False, False
            continue
        regional = _within(character, (_REGIONAL,))
        picture = not regional and _is_picture(character)
        attached = bool(before) and (
            (regional and paired)
            or _extends(character)
            or (pictured and picture and before == _JOINER)
        )
        found.append(not attached)
        paired = regional and not paired
        pictured = pictured if attached else picture
        before = character
    return tuple(found)


def bounds(text: str) -> tuple[Sequence[int], Sequence[int]]:
    r"""Return for each code point where its grapheme starts, and where it ends (half-open).

    >>> bounds("e\u0301a")
    ([0, 0, 2], [2, 2, 3])
    """
    first = starts(text)
    begin = [0] * len(text)
    for place, opens in enumerate(first):
        begin[place] = place if opens or not place else begin[place - 1]
    end = [len(text)] * len(text)
    for place in range(len(text) - 2, -1, -1):
        end[place] = place + 1 if first[place + 1] else end[place + 1]
    return begin, end


def _extends(character: str) -> bool:
    if character in (_JOINER, _NON_JOINER) or _within(character, _EXTENDING):
        return True
    return unicodedata.category(character)[0] == "M"


def _is_picture(character: str) -> bool:
    return _within(character, _PICTURES) or unicodedata.category(character) == "So"


def _within(character: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(low <= character <= high for low, high in ranges)


# What the live diff compares: characters in Chinese, words and marks in English.
#
# Chinese tokens are those of the scheme `zh-char`: every code point but white space, and the
# placeholder whole. English tokens are words (a run of letters, marks and digits, with apostrophes
# inside, and points and commas between digits), Chinese characters one by one, and every other
# grapheme by itself.


_APOSTROPHES = "'’"
_DECIMALS = ".,"
_LINKS = "-‐‑" + _APOSTROPHES
_HAN = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))


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
    """Say whether a character is a Chinese one.

    >>> is_han("我"), is_han("。")
    (True, False)
    """
    code = ord(character)
    return any(low <= code <= high for low, high in _HAN)


def tokens(text: str, lang: str, placeholder: str) -> tuple[Token, ...]:
    """Return the tokens of a text, in order; only white space lies between them.

    Args:
        text: Any text.
        lang: "zh" for characters, everything else for words.
        placeholder: The project's token for content that cannot be guessed; "" for none.

    >>> [token.form for token in tokens("我 有[缺失成分]。", "zh", "[缺失成分]")]
    ['我', '有', '[缺失成分]', '。']
    >>> [token.form for token in tokens("It's 3.5 km-long!", "en", "")]
    ["It's", '3.5', 'km', '-', 'long', '!']
    """
    return tuple(_characters(text, placeholder) if lang == "zh" else _words(text, placeholder))


def _characters(text: str, placeholder: str) -> Iterator[Token]:
    # As the scheme does it: white space goes first, so the placeholder is found across it.
    places = [place for place, character in enumerate(text) if not character.isspace()]
    packed = "".join(text.split())
    form = "".join(placeholder.split())
    at = 0
    while at < len(packed):
        found = bool(form) and packed.startswith(form, at)
        length = len(form) if found else 1
        last = at + length - 1
        yield Token(packed[at : last + 1], places[at], places[last] + 1, found)
        at += length


def _words(text: str, placeholder: str) -> Iterator[Token]:
    _, ends = bounds(text)
    at = 0
    while at < len(text):
        if placeholder and text.startswith(placeholder, at):
            end = at + len(placeholder)
            yield Token(placeholder, at, end, placeholder=True)
        elif text[at].isspace() and ends[at] == at + 1:
            end = at + 1
        else:
            end = _word_end(text, at, ends)
            yield Token(text[at:end], at, end)
        at = end


def _word_end(text: str, at: int, ends: Sequence[int]) -> int:
    """Return where the token that starts at a place ends."""
    end = ends[at]
    if is_han(text[at]) or not _in_word(text[at]):
        return end
    while end < len(text):
        if _in_word(text[end]) and not is_han(text[end]):
            end = ends[end]
        elif _joins(text, end):
            end += 1
        else:
            break
    return end


def _in_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def _in_name(character: str) -> bool:
    return character in _LINKS or (_in_word(character) and not is_han(character))


def _joins(text: str, at: int) -> bool:
    """Say whether an apostrophe, or a point between digits, goes on with the word."""
    if at + 1 == len(text) or is_han(text[at + 1]):
        return False
    if text[at] in _APOSTROPHES:
        return _in_word(text[at + 1])
    digits = text[at - 1].isdecimal() and text[at + 1].isdecimal()
    return text[at] in _DECIMALS and digits


# The live diff: a text beside its source, marked where the scorer counts an edit.
#
# The edits are those of the scheme `zh-char`: its tokens in Chinese, words in English, the same
# shortest alignment in both. Around them stands what is only drawn: white space, which Chinese
# scoring does not see, and graphemes, which are never cut although the scheme's tokens are code
# points. `diff.js` is the same in the browser; one table of cases holds both together.


Op = Literal["equal", "space", "delete", "insert", "replace", "move_from", "move_to"]


_WORDS_OF_ONE = frozenset(
    "的地得了着过吗呢吧我你他她它这那是有在和与不也都很就还又把被对从到给让向"
)


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

    @property
    def removes(self) -> bool:
        """Whether the source has tokens here."""
        return self.start < self.end

    @property
    def adds(self) -> bool:
        """Whether the rewriting has tokens here."""
        return self.target_start < self.target_end

    @property
    def long(self) -> bool:
        """Whether it has two tokens or more on a side."""
        return max(self.end - self.start, self.target_end - self.target_start) > 1

    def to(self, last: _Atom) -> _Atom:
        """Return the stretch from here to the end of a later one, with the edits of both."""
        edits = self.edits + last.edits
        return replace(self, end=last.end, target_end=last.target_end, edits=edits)


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
    for atom in _rewritten(_whole(_atoms(edits, len(one.tokens)), one, two), one, two, moves):
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
        self._letters = [all(_in_name(one) for one in token.form) for token in found]
        begins, ends = bounds(text)
        self.starts = [begins[token.start] for token in found]
        self.ends = [ends[token.end - 1] for token in found]

    def cut(self, at: int) -> bool:
        """Say whether the text may be cut before a token."""
        inside = 0 < at < len(self.tokens)
        return not inside or self.ends[at - 1] <= self.starts[at]

    def runs_on(self, at: int) -> bool:
        """Say whether a run of letters, digits and hyphens goes on with a token."""
        return (
            0 < at < len(self.tokens)
            and self._letters[at - 1]
            and self._letters[at]
            and self.tokens[at - 1].end == self.tokens[at].start
        )

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
            held = held.to(atom)
    if held is not None:
        yield held


def _rewritten(
    atoms: Iterable[_Atom], one: _Side, two: _Side, moves: Mapping[int, int]
) -> Iterator[_Atom]:
    """Yield the atoms; what rewrites one word becomes one atom, so one deletion and one insertion.

    Changes that touch are one. So are changes in one word, as far as the texts show where a word
    is: `_in_one_word`. A single deletion and a single insertion stay as they are, which is
    shorter; so do deletions alone, insertions alone, and both ends of a move.
    """
    units: list[_Atom] = []
    for atom in atoms:
        if units and _changes(units[-1], moves) and _changes(atom, moves):
            units[-1] = units[-1].to(atom)
        else:
            units.append(atom)
    at = 0
    while at < len(units):
        last = at
        while (after := _next_change(units, last, moves)) and _in_one_word(
            units[last : after + 1], one, two
        ):
            last = after
        word = units[at : last + 1]
        removes = sum(unit.removes for unit in word if unit.edits)
        adds = sum(unit.adds for unit in word if unit.edits)
        if removes and adds and removes + adds > 2:
            word = [reduce(_Atom.to, word)]
        yield from word
        at = last + 1


def _changes(atom: _Atom, moves: Mapping[int, int]) -> bool:
    return bool(atom.edits) and atom.edits[0] not in moves


def _next_change(units: Sequence[_Atom], at: int, moves: Mapping[int, int]) -> int | None:
    """Return where the change after a change is, None where a move or the end comes before it."""
    if not _changes(units[at], moves):
        return None
    after = next((n for n in range(at + 1, len(units)) if units[n].edits), None)
    return after if after and _changes(units[after], moves) else None


def _in_one_word(units: Sequence[_Atom], one: _Side, two: _Side) -> bool:
    """Say whether two changes, and the tokens between them that stay, are of one word.

    They are where letters, digits and hyphens run on from one to the other in one of the texts,
    or where one Chinese character stays between two changes of two characters or more: it is
    half a word then, unless it mostly is a word by itself.
    """
    first, *kept, last = units
    if len(kept) == 1 and first.long and last.long:
        form = one.tokens[kept[0].start].form
        if is_han(form[0]) and form not in _WORDS_OF_ONE:
            return True
    return all(one.runs_on(unit.start) or two.runs_on(unit.target_start) for unit in (*kept, last))


class _Drawing:
    """Makes pieces of atoms and shares out the white space between them."""

    def __init__(self, one: _Side, two: _Side, moves: dict[int, int]) -> None:
        self.one, self.two, self.moves = one, two, moves
        self.done = self.target_done = 0  # characters that stand in pieces already
        self.pieces: list[Piece] = []

    def add(self, atom: _Atom) -> None:
        """Add the pieces of an atom, and of the white space before it."""
        if atom.removes and atom.adds:
            self._blank(self.one.starts[atom.start], self.two.starts[atom.target_start])
            source, target = self._take(
                self.one.ends[atom.end - 1], self.two.ends[atom.target_end - 1]
            )
            differs: Op = "replace" if atom.edits else "space"
            self._put("equal" if source == target else differs, source, target, atom.edits)
        elif atom.removes:
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
        if atom.removes:
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
