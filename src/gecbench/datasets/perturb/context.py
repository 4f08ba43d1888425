"""A sentence, its errors, and the places around them that may change.

Aligning is language neutral: the tokens are those of `text.tokens`, the edits those of
`edits.alignment.changes`. A token may change where it is the same on both sides and stands beside
no place where one side has nothing: there a new neighbour could be taken for a part of the error.
Nor may what a gold edit names, where the corpus has some: an edit of word order holds words of
both sides.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.core.language import Language
from gecbench.core.perturbed import PerturbedSet, Variant
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample
from gecbench.edits.alignment import changes
from gecbench.formats.texts import text_of
from gecbench.text.tokens import Spans, Token, spans, token_kind, token_texts, tokens_of

# The sentences that are perturbed: of a corpus with references, or of cases that exist.


_NONE = "no reference"
_UNANNOTATABLE = "references that say unannotatable"
_EMPTY = "empty source"
EMPTY_REFERENCES = "empty references"


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence with its correction.

    Args:
        subset: Of the cases it belongs to.
        id: Unique in the subset.
        source: With its errors.
        target: Corrected; may be empty, as a few published ones are.
        errors: Half-open character spans of the source that gold edits name, where a corpus has
            some: they may hold words that both sides have, as those of word order do.
    """

    subset: str
    id: str
    source: str
    target: str
    errors: Spans = ()


@dataclass(frozen=True, slots=True)
class SentencePairs:
    """Pairs, and what has none.

    Args:
        pairs: In the order of the file.
        left_out: Reason to ids of sentences.
    """

    pairs: tuple[SentencePair, ...]
    left_out: Mapping[str, Sequence[str]]


def pairs_of_corpus(corpus: Corpus, lang: str, *, each_reference: bool) -> SentencePairs:
    """The pairs of a corpus.

    Args:
        corpus: Any, with references.
        lang: Of the corpus.
        each_reference: A pair for each different reference, whose ids are ID/1, ID/2, ...; else
            one for the first that is neither unannotatable nor empty.
    """
    pairs: list[SentencePair] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for sample in corpus.samples:
        targets = _targets(sample, lang)
        if not sample.source.strip():
            left_out[_EMPTY].append(sample.id)
        elif not targets:
            left_out[_why(sample)].append(sample.id)
        elif each_reference:
            numbered = enumerate(targets, 1)
            pairs.extend(
                SentencePair(
                    corpus.name, f"{sample.id}/{n}", sample.source, target, targets[target]
                )
                for n, target in numbered
            )
        else:
            target, errors = next(iter(targets.items()))
            pairs.append(SentencePair(corpus.name, sample.id, sample.source, target, errors))
    return SentencePairs(tuple(pairs), dict(left_out))


def pairs_of_cases(cases: PerturbedSet) -> SentencePairs:
    """The originals of perturbed cases; the variants that they have do not matter."""
    pairs = (
        SentencePair(subset.name, case.id, case.original.source, case.original.reference)
        for subset in cases.subsets
        for case in subset.cases
    )
    return SentencePairs(tuple(pairs), {})


def digest(pairs: Sequence[SentencePair]) -> str:
    """A hash of the pairs, for what is not a file."""
    sha256 = hashlib.sha256()
    for pair in pairs:
        errors = [pair.errors] if pair.errors else []
        row = json.dumps([pair.subset, pair.id, pair.source, pair.target, *errors])
        sha256.update(f"{row}\n".encode())
    return sha256.hexdigest()


def _why(sample: Sample) -> str:
    """Why a sentence has no reference that counts."""
    if not sample.references:
        return _NONE
    refused = all(reference.unannotatable for reference in sample.references)
    return _UNANNOTATABLE if refused else EMPTY_REFERENCES


def _targets(sample: Sample, lang: str) -> dict[str, Spans]:
    """The different corrected texts, each with the gold edits of all that have it."""
    errors: dict[str, Spans] = {}
    for reference in sample.references:
        if not reference.unannotatable:
            text = text_of(sample, reference, lang)
            if text.strip():
                errors[text] = errors.get(text, ()) + tuple(_errors(sample, reference))
    return errors


def _errors(sample: Sample, reference: Rewrite) -> Iterator[tuple[int, int]]:
    """Yield where the gold edits of a reference stand; for what is missing, its neighbours."""
    length = len(sample.source)
    tokens = spans(sample.source, sample.tokens or sample.source.split())
    for edit in (edit for edits in reference.edit_sets for edit in edits):
        if tokens is None:  # nobody knows where it stands
            yield 0, length
        elif edit.start < edit.end:
            yield tokens[edit.start][0], tokens[edit.end - 1][1]
        else:
            before = tokens[edit.start - 1][1] - 1 if edit.start else 0
            yield before, tokens[edit.end][0] + 1 if edit.end < len(tokens) else length


# The words of a text: spans of its tokens, with parts of speech where something knows them.


Tag = Callable[[Sequence[tuple[str, ...]]], Iterable[tuple[str, ...]]]
"""Tokens of sentences, none empty, to their parts of speech."""

Cut = Callable[[str], Sequence[tuple[str, str]]]
"""A text without spaces to its words and their parts of speech, "" where these are not known."""


class Word(NamedTuple):
    """A word of a text.

    Args:
        text: As it is written.
        start: First token; half-open token span.
        end: Token after the last.
        tag: Its part of speech; "" is unknown.
        initial: Whether no word stands before it.
    """

    text: str
    start: int
    end: int
    tag: str
    initial: bool


WordSplitter = Callable[[Sequence[str]], Iterator[tuple[Word, ...]]]
"""Texts to their words; punctuation is no word."""


def is_word(text: str) -> bool:
    """Whether a token is a word or a number, not punctuation.

    >>> is_word("n't"), is_word("3.5"), is_word("——")
    (True, True, False)
    """
    return any(map(str.isalnum, text))


def is_han(text: str) -> bool:
    """Whether a word is of Chinese characters alone.

    >>> is_han("图书馆"), is_han("T恤"), is_han("３")
    (True, False, False)
    """
    return all(c.isalpha() and not c.isascii() and c.lower() == c.upper() for c in text)


def token_splitter(kind: str, tag: Tag | None) -> WordSplitter:
    """A division into words that takes each token for one.

    Args:
        kind: Of tokens, as `text.tokens` names them.
        tag: Gives parts of speech; None leaves them unknown.
    """

    def divide(texts: Sequence[str]) -> Iterator[tuple[Word, ...]]:
        rows = [tuple(token_texts(text, kind)) for text in texts]
        tag_rows = iter(tag(list(filter(None, rows))) if tag else ())
        for tokens in rows:
            tags = next(tag_rows) if tag and tokens else ("",) * len(tokens)
            pieces = enumerate(zip(tokens, tags, strict=True))
            yield _words((token, n, n + 1, tag) for n, (token, tag) in pieces)

    return divide


def segmenter_splitter(kind: str, cut: Cut) -> WordSplitter:
    """A division into words for texts whose tokens are characters.

    A word of the program that begins or ends inside a token is left out.

    Args:
        kind: Of tokens, as `text.tokens` names them.
        cut: The program.
    """

    def divide(texts: Sequence[str]) -> Iterator[tuple[Word, ...]]:
        return (_words(_spans(text, tokens_of(text, kind), cut(text))) for text in texts)

    return divide


def _spans(
    text: str, tokens: Sequence[Token], pieces: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, int, int, str]]:
    starts = {token.start: n for n, token in enumerate(tokens)}
    ends = {token.end: n for n, token in enumerate(tokens, 1)}
    places = spans(text, [word for word, _ in pieces])
    if places is None:
        raise UsageError(
            f"the segmenter does not give back the text that it divides: {text[:40]!r}"
        )
    for (word, tag), (start, end) in zip(pieces, places, strict=True):
        if start in starts and end in ends:
            yield word, starts[start], ends[end], tag


def _words(pieces: Iterable[tuple[str, int, int, str]]) -> tuple[Word, ...]:
    words: list[Word] = []
    for text, start, end, tag in pieces:
        if is_word(text):
            words.append(Word(text, start, end, tag, not words))
    return tuple(words)


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
class AlignedSpan:
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

    pair: SentencePair
    kind: str
    sides: tuple[Side, Side]
    edits: EditSet
    words: tuple[AlignedSpan, ...]
    gaps: tuple[AlignedSpan, ...]

    @property
    def has_blanks(self) -> bool:
        """Whether blanks divide words."""
        return bool(token_kind(self.kind).joiner)

    @property
    def deletable(self) -> tuple[AlignedSpan, ...]:
        """The words that may be deleted: none where it is the only one of its side."""
        lonely = any(sum(map(is_word, side.words)) < 2 for side in self.sides)
        return () if lonely else self.words


def context_of(pair: SentencePair, kind: str, words: tuple[Word, ...]) -> Context:
    """What can be changed in a pair.

    Args:
        pair: The sentence and its correction.
        kind: Of tokens, as `text.tokens` names them.
        words: Of the target, spans of its tokens.
    """
    source, target = _side(pair.source, kind), _side(pair.target, kind)
    edits = changes(source.words, target.words)
    links = _links(edits, len(source.tokens))
    in_errors = _tokens_in_errors(source, pair)
    fixed = {at for edit in edits for at in _beside(edit)} | in_errors.keys()
    inside = {j for word in words for j in range(word.start + 1, word.end)}
    places = tuple(
        AlignedSpan((links[word.start], links[word.end - 1] + 1), (word.start, word.end), word)
        for word in words
        if _is_free(word, links, fixed)
    )
    gaps = tuple(
        AlignedSpan((i, i), (j, j))
        for j, i in links.items()
        if j not in inside
        and (links.get(j - 1) == i - 1 or i == j == 0)
        and not in_errors.get(i, set()) & in_errors.get(i - 1, set())
        and (not token_kind(kind).joiner or (_opens(source, i) and _opens(target, j)))
    )
    return Context(pair, kind, (source, target), edits, places, gaps)


def _side(text: str, kind: str) -> Side:
    tokens = tokens_of(text, kind)
    return Side(text, tokens, tuple(token.text for token in tokens))


def _links(edits: EditSet, length: int) -> dict[int, int]:
    """The tokens of the target that are unchanged, and which of the source each is."""
    links: dict[int, int] = {}
    i = j = 0
    spans = [(edit.start, edit.end, len(edit.replacement or ())) for edit in edits]
    for start, end, size in (*spans, (length, length, 0)):
        links.update({j + n: i + n for n in range(start - i)})
        i, j = end, j + start - i + size
    return links


def _beside(edit: Edit) -> tuple[int, ...]:
    """The source tokens on both sides of an insertion or a deletion."""
    empty = edit.start == edit.end or not edit.replacement
    return (edit.start - 1, edit.end) if empty else ()


def _tokens_in_errors(side: Side, pair: SentencePair) -> Mapping[int, Set[int]]:
    """The source tokens that gold edits name, and which of the edits do."""
    edits: dict[int, set[int]] = {}
    for n, (start, end) in enumerate(pair.errors):
        for at, token in enumerate(side.tokens):
            if start < token.end and token.start < end:
                edits.setdefault(at, set()).add(n)
    return edits


def _is_free(word: Word, links: Mapping[int, int], fixed: Set[int]) -> bool:
    first = links.get(word.start)
    return first is not None and all(
        links.get(j) == first + n and first + n not in fixed
        for n, j in enumerate(range(word.start, word.end))
    )


def _opens(side: Side, at: int) -> bool:
    """Whether nothing but blanks, or the beginning, stands right before a token."""
    start = side.tokens[at].start
    return start == 0 or side.text[start - 1].isspace()


def replace_word(context: Context, place: AlignedSpan, word: str | None) -> Variant | str:
    """The sentence with another word at a place on both sides, or why it cannot be.

    Args:
        context: The sentence.
        place: One of its words or gaps.
        word: What stands there afterwards; None deletes.
    """
    insertion = _side(word or "", context.kind).words
    sides = []
    for side, span in zip(context.sides, (place.source, place.target), strict=True):
        text = _put_word(side, span, word, has_blanks=context.has_blanks)
        new = _side(text, context.kind)
        if new.words != (*side.words[: span[0]], *insertion, *side.words[span[1] :]):
            return RUN_TOGETHER
        sides.append(new)
    source, target = sides
    step = len(source.tokens) - len(context.sides[0].tokens)
    if changes(source.words, target.words) != _shift_edits(context.edits, place.source[1], step):
        return TOUCHED
    return UNCHANGED if source.text == context.pair.source else Variant(source.text, target.text)


def _shift_edits(edits: EditSet, behind: int, step: int) -> EditSet:
    """The edits, those behind a place moved by so many tokens."""
    return tuple(
        replace(edit, start=edit.start + step, end=edit.end + step)
        if edit.start >= behind
        else edit
        for edit in edits
    )


def _put_word(side: Side, span: tuple[int, int], word: str | None, *, has_blanks: bool) -> str:
    """The text of a side with a word in the place of a token span; the rest stays."""
    text = side.text
    first, last = span
    if first == last:
        at = side.tokens[first].start
        return f"{text[:at]}{word}{' ' if has_blanks else ''}{text[at:]}"
    start, end = side.tokens[first].start, side.tokens[last - 1].end
    if word is None:  # with one of the blanks that divide it from the rest
        before = start > 0 and text[start - 1].isspace()
        after = end < len(text) and text[end].isspace()
        if has_blanks or ((before or start == 0) and (after or end == len(text))):
            start, end = start - before, end + (after and not before)
    return f"{text[:start]}{word or ''}{text[end:]}"


def kind_of(language: Language, texts: Sequence[str]) -> str:
    """What tokens are: those of the language, or what blanks divide, where they divide all.

    A text is taken for divided where a blank stands before the mark that ends it; most of the
    texts that end in one decide.

    >>> from gecbench.lang import language_of
    >>> english = language_of("en")
    >>> kind_of(english, ["He goes home .", "Why ?"]), kind_of(english, ["He goes home."])
    ('space', 'en')
    """
    if not language.joiner:
        return language.tokens
    ends = [end for text in texts if (end := text.rstrip()[-2:]).endswith((".", "?", "!"))]
    blanks = sum(end[0].isspace() for end in ends)
    return "space" if 2 * blanks > len(ends) else language.tokens
