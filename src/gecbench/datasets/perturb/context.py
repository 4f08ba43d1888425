"""A sentence, its errors, and the places around them that may change.

Aligning is language neutral: the tokens are those of `text.tokens`, the edits those of
`edits.changes`. A token may change where it is the same on both sides and stands beside no place
where one side has nothing: there a new neighbour could be taken for a part of the error. Nor may
what a gold edit names, where the corpus has some: an edit of word order holds words of both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from gecbench.core.edit import Edit
from gecbench.core.perturbed import Variant
from gecbench.core.sample import EditSet
from gecbench.datasets.perturb.pairs import Pair
from gecbench.datasets.perturb.words import Word, Words, is_word
from gecbench.edits.changes import changes
from gecbench.text.tokens import Token, tokens_of

UNCHANGED = "the same as the original"
REPEATED = "the same as another variant"
RUN_TOGETHER = "tokens run together"
TOUCHED = "an error would have changed"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair.

    Args:
        text: As it is written.
        tokens: In it.
        words: The tokens without their places.
    """

    text: str
    tokens: tuple[Token, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Aligned token spans on both sides.

    Args:
        source: Half-open token span; an empty one is a gap.
        target: The same in the target.
        word: What stands there; None in a gap.
    """

    source: tuple[int, int]
    target: tuple[int, int]
    word: Word | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """A pair with everything that can be changed in it.

    Args:
        pair: The sentence and its correction.
        kind: Of tokens.
        sides: Source and target.
        edits: From the tokens of the source to those of the target.
        words: That may be replaced, or deleted where the sentence has another word.
        gaps: Where a word may be inserted.
    """

    pair: Pair
    kind: str
    sides: tuple[Side, Side]
    edits: EditSet
    words: tuple[Place, ...]
    gaps: tuple[Place, ...]

    @property
    def spaced(self) -> bool:
        """Whether blanks divide words."""
        return self.kind != "zh"

    @property
    def deletable(self) -> tuple[Place, ...]:
        """The words that may be deleted: none where it is the only one of its side."""
        lonely = any(sum(map(is_word, side.words)) < 2 for side in self.sides)
        return () if lonely else self.words


def context_of(pair: Pair, kind: str, words: Words) -> Context:
    """Return what can be changed in a pair.

    Args:
        pair: The sentence and its correction.
        kind: Of tokens, as `text.tokens` names them.
        words: Of the target, spans of its tokens.
    """
    source, target = _side(pair.source, kind), _side(pair.target, kind)
    edits = changes(source.words, target.words)
    links = _links(edits, len(source.tokens))
    wrong = _named(source, pair)
    barred = {at for edit in edits for at in _beside(edit)} | wrong.keys()
    inside = {j for word in words for j in range(word.start + 1, word.end)}
    places = tuple(
        Place((links[word.start], links[word.end - 1] + 1), (word.start, word.end), word)
        for word in words
        if _free(word, links, barred)
    )
    gaps = tuple(
        Place((i, i), (j, j))
        for j, i in links.items()
        if j not in inside
        and (links.get(j - 1) == i - 1 or i == j == 0)
        and not wrong.get(i, set()) & wrong.get(i - 1, set())
        and (kind == "zh" or (_opens(source, i) and _opens(target, j)))
    )
    return Context(pair, kind, (source, target), edits, places, gaps)


def _side(text: str, kind: str) -> Side:
    tokens = tokens_of(text, kind)
    return Side(text, tokens, tuple(token.text for token in tokens))


def _links(edits: EditSet, length: int) -> dict[int, int]:
    """Return the tokens of the target that are unchanged, and which of the source each is."""
    links: dict[int, int] = {}
    i = j = 0
    spans = [(edit.start, edit.end, len(edit.replacement or ())) for edit in edits]
    for start, end, made in (*spans, (length, length, 0)):
        links.update({j + n: i + n for n in range(start - i)})
        i, j = end, j + start - i + made
    return links


def _beside(edit: Edit) -> tuple[int, ...]:
    """Return the source tokens on both sides of an insertion or a deletion."""
    empty = edit.start == edit.end or not edit.replacement
    return (edit.start - 1, edit.end) if empty else ()


def _named(side: Side, pair: Pair) -> Mapping[int, Set[int]]:
    """Return the source tokens that gold edits name, and which of the edits do."""
    found: dict[int, set[int]] = {}
    for n, (start, end) in enumerate(pair.errors):
        for at, token in enumerate(side.tokens):
            if start < token.end and token.start < end:
                found.setdefault(at, set()).add(n)
    return found


def _free(word: Word, links: Mapping[int, int], barred: Set[int]) -> bool:
    first = links.get(word.start)
    return first is not None and all(
        links.get(j) == first + n and first + n not in barred
        for n, j in enumerate(range(word.start, word.end))
    )


def _opens(side: Side, at: int) -> bool:
    """Return whether nothing but blanks, or the beginning, stands right before a token."""
    start = side.tokens[at].start
    return start == 0 or side.text[start - 1].isspace()


def changed(context: Context, place: Place, word: str | None) -> Variant | str:
    """Return the sentence with another word at a place on both sides, or why it cannot be.

    Args:
        context: The sentence.
        place: One of its words or gaps.
        word: What stands there afterwards; None deletes.
    """
    texts = []
    for side, span in zip(context.sides, (place.source, place.target), strict=True):
        text = _written(side, span, word, spaced=context.spaced)
        new = _side(word or "", context.kind).words
        wanted = (*side.words[: span[0]], *new, *side.words[span[1] :])
        if _side(text, context.kind).words != wanted:
            return RUN_TOGETHER
        texts.append((text, wanted))
    (source, source_tokens), (target, target_tokens) = texts
    step = len(source_tokens) - len(context.sides[0].tokens)
    if changes(source_tokens, target_tokens) != _moved(context.edits, place.source[1], step):
        return TOUCHED
    return UNCHANGED if source == context.pair.source else Variant(source, target)


def _moved(edits: EditSet, behind: int, step: int) -> EditSet:
    """Return the edits, those behind a place moved by so many tokens."""
    return tuple(
        replace(edit, start=edit.start + step, end=edit.end + step)
        if edit.start >= behind
        else edit
        for edit in edits
    )


def _written(side: Side, span: tuple[int, int], word: str | None, *, spaced: bool) -> str:
    """Return the text of a side with a word in the place of a token span; the rest stays."""
    text = side.text
    first, last = span
    if first == last:
        at = side.tokens[first].start
        return f"{text[:at]}{word}{' ' if spaced else ''}{text[at:]}"
    start, end = side.tokens[first].start, side.tokens[last - 1].end
    return (
        _deleted(text, start, end, spaced=spaced)
        if word is None
        else (f"{text[:start]}{word}{text[end:]}")
    )


def _deleted(text: str, start: int, end: int, *, spaced: bool) -> str:
    """Return the text without a span, and without one blank that had divided it from the rest."""
    before = start > 0 and text[start - 1].isspace()
    after = end < len(text) and text[end].isspace()
    alone = (before or start == 0) and (after or end == len(text))
    if before and (spaced or alone):
        start -= 1
    elif after and (spaced or alone):
        end += 1
    return text[:start] + text[end:]


def kind_of(lang: str, texts: Sequence[str]) -> str:
    """Return what tokens are: Chinese characters; what blanks divide, where they divide all.

    A text is taken for divided where a blank stands before the mark that ends it; most of the
    texts that end in one decide.

    >>> kind_of("en", ["He goes home .", "Why ?"]), kind_of("en", ["He goes home."])
    ('space', 'en')
    """
    if lang == "zh":
        return "zh"
    ends = [text.rstrip() for text in texts if text.rstrip().endswith((".", "?", "!"))]
    divided = sum(len(text) > 1 and text[-2].isspace() for text in ends)
    return "space" if 2 * divided > len(ends) else "en"
