"""What fills a place in a sentence: words of similar frequency, or a masked language model."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from gecbench.backends.transformers import MaskedGap, MaskedModel
from gecbench.core.errors import CorpusError, FormatError, UsageError
from gecbench.core.files import read_lines
from gecbench.datasets.perturb.context import Word, WordSplitter, is_word
from gecbench.formats.perturbed import is_count, read_counts


@dataclass(frozen=True, slots=True)
class Blank:
    """A place to be filled.

    Args:
        before: The corrected sentence up to it.
        after: And from there on.
        word: What stood there; None where a word is inserted.
        size: How many characters are missing where a filler gives one after another, as in
            Chinese; 0 wants a whole word.
    """

    before: str
    after: str
    word: Word | None
    size: int = 0

    @property
    def original(self) -> str:
        """What must not come back: the word, or its first missing character."""
        if self.word is None:
            return ""
        return self.word.text[-self.size] if self.size else self.word.text


@dataclass(frozen=True, slots=True)
class Offer:
    """What may fill a place.

    Args:
        words: Any number; where they are one, it is not `exclude`.
        weights: Of each, positive; () means that all are equally likely.
        exclude: One that must not be taken, if it is among them.
    """

    words: Sequence[str]
    weights: Sequence[float] = ()
    exclude: str = ""


class Filler(Protocol):
    """Offers words for places."""

    @property
    def name(self) -> str:
        """What the offers depend on, with a fingerprint of it."""
        ...

    @property
    def by_character(self) -> bool:
        """Whether it gives the characters of a Chinese word one after another."""
        ...

    @property
    def vocabulary(self) -> Sequence[str]:
        """All words that it knows, each once, in an order of their own; not empty."""
        ...

    def offers(self, blanks: Sequence[Blank], /) -> Sequence[Offer]:
        """What may fill each place."""
        ...


# tuple[Word, ...] of similar frequency and the same part of speech, without any model.


_SPREAD = 3
_LONGEST_HAN = 4
_AT_ONCE = 1000

Counts = Mapping[tuple[str, str], int]
"""How often a word stands with a part of speech."""


@dataclass(frozen=True)
class Vocabulary:
    """A filler that knows how often words stand in a text.

    A word is replaced by one of the same part of speech and class (numbers, capitalised words,
    Chinese words by their length, ...) whose count lies between the same powers of two; where
    there is none, between the next ones, at most three away on each side.

    Args:
        counts: At least one word.
        source: What was counted, for the name.
    """

    counts: Counts
    source: str
    by_character: bool = field(default=False, init=False)
    _nearest: dict[tuple[str, str, int], Sequence[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def name(self) -> str:
        """What was counted, and a hash of the counts."""
        rows = sorted((word, tag, count) for (word, tag), count in self.counts.items())
        digest = hashlib.sha256("".join(f"{w}\t{t}\t{n}\n" for w, t, n in rows).encode())
        return f"frequency ({self.source}, {len(rows)} words, sha256 {digest.hexdigest()[:16]})"

    @cached_property
    def vocabulary(self) -> Sequence[str]:
        """All words, in the order of their characters."""
        return sorted({word for word, _ in self.counts})

    def offers(self, blanks: Sequence[Blank], /) -> Sequence[Offer]:
        """tuple[Word, ...] of similar frequency for each place, all equally likely."""
        return [self._similar(blank.word) if blank.word else Offer(()) for blank in blanks]

    def _similar(self, word: Word) -> Offer:
        form = self._usual(word)
        count = self.counts.get((form, word.tag), 1)
        near = self._near(word.tag, _class(form), count.bit_length())
        return Offer(() if near == [form] else near, exclude=form)

    def _usual(self, word: Word) -> str:
        """A word as it is written inside a sentence."""
        small = word.text.lower()
        return small if word.initial and (small, word.tag) in self.counts else word.text

    def _near(self, tag: str, kind: str, size: int) -> Sequence[str]:
        """The words of the nearest sizes that have at least two."""
        key = tag, kind, size
        if key not in self._nearest:
            words: list[str] = []
            for spread in range(_SPREAD + 1):
                for near_size in sorted({size - spread, size + spread}):
                    words.extend(self._sizes.get((tag, kind, near_size), ()))
                if len(words) > 1:
                    break
            self._nearest[key] = sorted(words)
        return self._nearest[key]

    @cached_property
    def _sizes(self) -> Mapping[tuple[str, str, int], Sequence[str]]:
        sizes: dict[tuple[str, str, int], list[str]] = defaultdict(list)
        for (word, tag), count in self.counts.items():
            sizes[tag, _class(word), count.bit_length()].append(word)
        return sizes


def _class(word: str) -> str:
    """What a word looks like; words are replaced by others that look alike."""
    if any(map(str.isdecimal, word)):
        return "number"
    if not word[0].isascii() and not (word.islower() or word.isupper() or word.istitle()):
        return f"uncased {min(len(word), _LONGEST_HAN)}"
    if len(word) > 1 and word.isupper():
        return "capitals"
    return "capitalised" if word[0].isupper() else "small"


def count_words(texts: Iterable[tuple[Word, ...]]) -> Counts:
    """Count how often words stand in texts, each text's words in their order.

    The first word of a text is counted as it is written inside of others, if it is there.
    """
    counts: Counter[tuple[str, str]] = Counter()
    first: Counter[tuple[str, str]] = Counter()
    for words in texts:
        for word in words:
            (first if word.initial else counts)[word.text, word.tag] += 1
    small = {form for form, _ in (*counts, *first)}
    for (form, tag), count in first.items():
        counts[form.lower() if form.lower() in small else form, tag] += count
    return counts


def read_vocabulary(path: Path, divide: WordSplitter, *, tagged: bool) -> Vocabulary:
    """Read the vocabulary of a file: lines of a word, TAB and a count, or of text.

    Args:
        path: The first line says which it is.
        divide: Texts into words.
        tagged: Whether parts of speech are wanted, which a table does not have.

    Raises:
        FormatError: The file is empty, or a line of a table is none.
        UsageError: Parts of speech are wanted of a table.
        CorpusError: There is no word in it.
    """
    lines = read_lines(path)
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; give a text, or words TAB counts")
    table = is_count(lines[0])
    if table and tagged:
        raise UsageError(
            f"{path}: a table of words has no parts of speech to match by; give a text, or say "
            "--no-pos"
        )
    counts = _table(path, lines) if table else count_words(_split_lines(lines, divide))
    return vocabulary_of(counts, path.name)


def vocabulary_of(counts: Counts, source: str) -> Vocabulary:
    """A vocabulary of what was counted.

    Raises:
        CorpusError: There is no word.
    """
    if not counts:
        raise CorpusError(f"{source}: there is no word in it to put in the place of others")
    return Vocabulary(counts, source)


def _split_lines(lines: Sequence[str], divide: WordSplitter) -> Iterator[tuple[Word, ...]]:
    for start in range(0, len(lines), _AT_ONCE):
        yield from divide(lines[start : start + _AT_ONCE])


def _table(path: Path, lines: Sequence[str]) -> Counts:
    counts: Counter[tuple[str, str]] = Counter()
    for word, count in read_counts(path, lines):
        if count and is_word(word) and not any(map(str.isspace, word)):
            counts[word, ""] += count
    return counts


# A filler that asks a masked language model.


@dataclass(frozen=True)
class MaskedFiller:
    """Offers the likeliest words of a model, by their probabilities among themselves.

    A word is one mask; in Chinese, whose models know characters, a word of as many characters as
    the old one is filled from the left, each with those before it in sight.

    Args:
        model: That is asked.
        place: What it was named by.
        top: How many words are offered.
        by_character: Whether it offers Chinese characters.
    """

    model: MaskedModel
    place: str
    top: int
    by_character: bool

    @cached_property
    def name(self) -> str:
        """The model with a hash of its weights and vocabulary, and how many words it offers."""
        return f"mask ({self.place}, sha256 {self.model.fingerprint[:16]}, top {self.top})"

    @cached_property
    def vocabulary(self) -> Sequence[str]:
        """All words that the model can offer."""
        return self.model.vocabulary

    def offers(self, blanks: Sequence[Blank], /) -> Sequence[Offer]:
        """The likeliest words for each place, all of them asked for together."""
        gaps = [
            MaskedGap(blank.before, blank.after, blank.size or 1, blank.original)
            for blank in blanks
        ]
        return [Offer(words, weights) for words, weights in self.model.likely(gaps, self.top)]
