"""Spelling hints for Chinese: characters in the place of others that sound the same."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from gecbench.backends.dictionaries import WordList, jieba_words, read_words
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.core.errors import FormatError
from gecbench.core.files import read_lines
from gecbench.formats.validation import options_of
from gecbench.lang.zh.sounds import Sounds, keys, sounds
from gecbench.models import CorrectorKind

# A Chinese vocabulary as a unigram model: how likely the best division into words is.


Edge = tuple[int, int, float]
"""A word in a text: first character, character after the last, logarithm of its probability."""


@dataclass(frozen=True, slots=True)
class UnigramModel:
    """Words with logarithms of their probabilities.

    Args:
        logs: By word.
        longest: First two characters to the length of the longest word that begins with them,
            where that is three or more.
        unseen: Of a character that is no word: that of a count of one.
    """

    logs: Mapping[str, float]
    longest: Mapping[str, int]
    unseen: float


@dataclass(frozen=True, slots=True)
class WordLattice:
    """The best divisions of a text into words.

    Args:
        before: Logarithm of the probability of the best division of the first k characters.
        after: The same of what follows them.
        words: Every word of two characters or more that stands in the text.
    """

    before: Sequence[float]
    after: Sequence[float]
    words: Sequence[Edge]

    @property
    def best(self) -> float:
        """Of the whole text."""
        return self.before[-1]


def build_unigrams(words: WordList, extra: Sequence[str] = ()) -> UnigramModel:
    """Build a vocabulary.

    Args:
        words: With counts.
        extra: Words of the user's; each counts as `EXTRA` occurrences, or as it did before.
    """
    counts = dict(zip(words.words, words.counts, strict=True))
    for word in extra:
        counts[word] = max(EXTRA, counts.get(word, 0))
    total = math.log(sum(counts.values()))
    # Counts repeat, so few logarithms are taken.
    known = {count: math.log(count) - total for count in set(counts.values())}
    longest: dict[str, int] = {}
    for word in counts:
        if (length := len(word)) > 2 and longest.get(word[:2], 0) < length:
            longest[word[:2]] = length
    return UnigramModel({word: known[n] for word, n in counts.items()}, longest, -total)


EXTRA = 1000
"""Occurrences that a word of the user's counts as: those of a usual word of jieba's list."""


def segment(text: str, words: UnigramModel) -> WordLattice:
    """Find the best divisions of a text without blanks and marks."""
    edges = _edges(text, words)
    length = len(text)
    before = [0.0, *[-math.inf] * length]
    for start, end, log in edges:
        if (total := before[start] + log) > before[end]:
            before[end] = total
    after = [*[-math.inf] * length, 0.0]
    for start, end, log in reversed(edges):
        if (total := after[end] + log) > after[start]:
            after[start] = total
    return WordLattice(before, after, [edge for edge in edges if edge[1] - edge[0] > 1])


def _edges(text: str, words: UnigramModel) -> list[Edge]:
    """Find every word and every single character of a text, by their starts."""
    get, longest, unseen = words.logs.get, words.longest.get, words.unseen
    length = len(text)
    edges: list[Edge] = []
    for start, character in enumerate(text):
        edges.append((start, start + 1, get(character, unseen)))
        pair = text[start : start + 2]
        log = get(pair)
        if log is not None and len(pair) == 2:
            edges.append((start, start + 2, log))
        for end in range(start + 3, min(start + longest(pair, 0), length) + 1):
            log = get(text[start:end])
            if log is not None:
                edges.append((start, end, log))
    return edges


# Words that sound like what stands in a Chinese text, and how much likelier they make it.

SHORTEST, LONGEST = 2, 8
"""Characters of the words that are offered. A single one says nothing of its context."""

COVERED = 2.0
"""Asked for in addition where a word of two characters or more is broken: it may be rare."""

TWICE = 8.0
"""Asked for in addition where two characters that stand together change."""


NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两")


class HomophoneReplacement(NamedTuple):
    """A change that makes a text likelier.

    Args:
        gain: By how much, as a difference of natural logarithms, less what is asked for in
            addition.
        start: First character that changes.
        end: Character after the last.
        replacement: As long as what it replaces.
    """

    gain: float
    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Homophones:
    """Words by their sound.

    Args:
        sounds: Of characters.
        words: Sound to words that have it, with blanks between them.
        best: Length to the highest logarithm of a word of that length; to stop looking early.
    """

    sounds: Sounds
    words: Mapping[str, str]
    best: Mapping[int, float]


def index_homophones(
    vocabulary: UnigramModel, sounds: Sounds, excluded: Collection[str] = frozenset()
) -> Homophones:
    """Index the words of a vocabulary by their sound.

    Args:
        vocabulary: Words with their probabilities.
        sounds: Of characters.
        excluded: Words that are not offered, as names: their sound does not say their spelling.
    """
    by_sound: dict[str, str] = {}
    logs, phrases = vocabulary.logs, sounds.phrases
    words = [word for word in logs if SHORTEST <= len(word) <= LONGEST and word not in excluded]
    # One translation of all words is much faster than one each.
    main = "\n".join(words).translate(sounds.table).split("\n") if words else []
    for word, sound in zip(words, main, strict=True):
        for key in keys(word, sounds) if word in phrases else (sound,):
            by_sound[key] = f"{by_sound[key]} {word}" if key in by_sound else word
    best = dict.fromkeys(range(SHORTEST, LONGEST + 1), -math.inf)
    for word in words:
        best[len(word)] = max(best[len(word)], logs[word])
    return Homophones(sounds, by_sound, best)


def find_replacements(
    text: str, lattice: WordLattice, vocabulary: UnigramModel, by_sound: Homophones, *, least: float
) -> Iterator[HomophoneReplacement]:
    """Yield the changes that gain something.

    Exactly one word of a division covers a place, and words that do not are the same before and
    after a change there. So the best division after a change runs through a new word over it,
    between the best divisions of what precedes and what follows: nothing is divided again.

    Args:
        text: Characters with sounds only.
        lattice: Of the text.
        vocabulary: That it was divided with.
        by_sound: The words by sound.
        least: Gain below which a candidate is not worth naming.
    """
    sound = text.translate(by_sound.sounds.table)
    before, after, best = lattice.before, lattice.after, lattice.best
    covered = _word_places(lattice)
    for start in range(len(text) - 1):
        for end in range(start + SHORTEST, min(start + LONGEST, len(text)) + 1):
            room = before[start] + after[end] - best
            if room + by_sound.best[end - start] < least:
                continue
            span = text[start:end]
            for word in find_alike(span, sound[start:end], by_sound):
                gain = room + vocabulary.logs[word]
                change = _change(span, word, start, gain, covered) if gain >= least else None
                if change and change.gain >= least:
                    yield change


def find_alike(span: str, sound: str, by_sound: Homophones) -> Iterator[str]:
    """Yield words that sound like a span, one of whose characters may have another reading."""
    get, others = by_sound.words.get, by_sound.sounds.others
    if words := get(sound):
        yield from words.split(" ")
    for position, character in enumerate(span):
        for syllable in others.get(character, ""):
            if words := get(sound[:position] + syllable + sound[position + 1 :]):
                # The other reading must be the difference.
                yield from (word for word in words.split(" ") if word[position] != character)


def _change(
    span: str, word: str, start: int, gain: float, covered: frozenset[int]
) -> HomophoneReplacement | None:
    """Find what a word changes in a span; None where that is nothing, or too much."""
    positions = [k for k, (a, b) in enumerate(zip(span, word, strict=True)) if a != b]
    if not positions or positions[-1] - positions[0] > 1:
        return None
    if any(span[k] in NUMERALS and word[k] in NUMERALS for k in positions):
        return None  # another number is no spelling
    gain -= TWICE * (len(positions) == 2) + COVERED * any(start + k in covered for k in positions)
    first, end = positions[0], positions[-1] + 1
    return HomophoneReplacement(gain, start + first, start + end, word[first:end])


def _word_places(lattice: WordLattice) -> frozenset[int]:
    """Find the places that words of a best division cover, single characters apart."""
    before, after, best = lattice.before, lattice.after, lattice.best
    return frozenset(
        position
        for start, end, log in lattice.words
        if before[start] + log + after[end] >= best - 1e-9
        for position in range(start, end)
    )


# A model of character trigrams, counted from a text in about a second.

_DISCOUNT = 0.75
_EDGE = "\n"
"""Stands before the first and after the last character of a line."""


class NgramCounts(NamedTuple):
    """Counts of the n-grams of one length.

    Args:
        seen: By n-gram.
        context: By n-gram without its last character: occurrences, and different last characters.
    """

    seen: Mapping[str, int]
    context: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class TrigramModel:
    """How likely a character is after the two before it.

    Interpolated absolute discounting (Ney, Essen and Kneser 1994, section 4) with one discount.

    Args:
        name: Hash of the text that was counted.
        levels: Of n-grams of length 1, 2, 3.
        kinds: Different characters of the text, and one for all others.
    """

    name: str
    levels: Sequence[NgramCounts]
    kinds: int

    def log(self, trigram: str) -> float:
        """Compute the natural logarithm of the probability of the last character."""
        chance = 1 / self.kinds
        for length, level in enumerate(self.levels, 1):
            gram = trigram[-length:]
            total, different = level.context.get(gram[:-1], (0, 0))
            if not total:
                break
            rest = _DISCOUNT * different / total
            chance = max(level.seen.get(gram, 0) - _DISCOUNT, 0.0) / total + rest * chance
        return math.log(chance)

    def gain(self, text: str, start: int, end: int, replacement: str) -> float:
        """Compute by how much a change makes a text likelier, in natural logarithms."""
        left = (_EDGE * 2 + text[max(0, start - 2) : start])[-2:]
        right = (text[end : end + 2] + _EDGE)[:2]
        return self._sum(left + replacement + right) - self._sum(left + text[start:end] + right)

    def _sum(self, window: str) -> float:
        return sum(self.log(window[k : k + 3]) for k in range(len(window) - 2))


def build_trigrams(path: Path) -> TrigramModel:
    """Count the model of a text file, a sentence or a paragraph a line.

    Raises:
        FormatError: The file is not UTF-8, or has no text.
        GecbenchError: It cannot be read.
    """
    lines = [line.strip() for line in read_lines(path) if line.strip()]
    if not lines:
        raise FormatError(f"{path}: no text; give some clean text, a sentence a line")
    # Two edges before each line; the one after it is the first of the next's.
    text = _EDGE * 2 + (_EDGE * 2).join(lines) + _EDGE
    levels = [_level(text, length) for length in (1, 2, 3)]
    digest = hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()[:12]
    return TrigramModel(digest, levels, len(levels[0].seen) + 1)


def _level(text: str, length: int) -> NgramCounts:
    counts = Counter(text[k : k + length] for k in range(len(text) - length + 1))
    context: dict[str, tuple[int, int]] = {}
    for gram, count in counts.items():
        total, different = context.get(gram[:-1], (0, 0))
        context[gram[:-1]] = total + count, different + 1
    return NgramCounts(counts, context)


VERSION = "2"
"""Goes up when the same options give other output."""

_ABOUT = (
    "Spelling hints: characters taken for others with the same sound (因该 for 应该). It does not "
    "correct grammar: it fixes about 1 in 100 of the errors that learners make."
)

RARITY = 5.0
"""A score of 1/2 is given to this gain: a likelihood ratio of e^5, about 150 to 1."""

_CLAUSE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_SIMPLIFIED = re.compile(r"[\ue000-\uf8ff]+")

THRESHOLD, CLEAN_THRESHOLD = 5.0, 7.0
"""Least gains by the dictionary alone, and with clean text.

From 5 to 6 made errors on the first four fifths of MuCGEC's development set are found equally well
(F0.5 .869 to .871); 5 finds more of the real ones in SIGHAN 2015. With clean text 7 was chosen, and
the weight, with a view of the last fifth and of SIGHAN: those figures are no held-out ones.
"""

TRADITIONAL = 0.05
"""Share of traditional among Chinese characters from which a whole text is left alone."""


class _HomophoneOptions(msgspec.Struct):
    """What can be chosen.

    Args:
        threshold: Least gain of a change, in natural logarithms; more is more careful. None is
            5, and 7 with clean text.
        text: File of clean text, for a model of character trigrams beside the dictionary.
        weight: Of this model, where that of the dictionary is 1.
        words: File of words that are right, as names and terms, one a line.
    """

    threshold: Annotated[float, msgspec.Meta(ge=0, le=1000)] | None = None
    text: str = ""
    weight: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 0.5
    words: str = ""


@dataclass(frozen=True, slots=True)
class ZhHomophone(Corrector):
    """Looks for words with the same sound that make a text likelier.

    The score of an edit is 1 / (1 + e^(5 - gain)), where the gain is the difference of the
    logarithms of the likelihoods of the text after and before: how probable the edit is if, of
    150 such characters, one is wrong.
    """

    info: CorrectorInfo
    vocabulary: UnigramModel
    homophones: Homophones
    threshold: float
    characters: TrigramModel | None
    weight: float

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text by the characters that gain most."""
        return [self._correct(text) for text in texts]

    def _correct(self, text: str) -> Correction:
        edits = []
        sound = text.translate(self.homophones.sounds.table)
        for start, end in simplified_spans(text, sound):
            for gain, first, last, replacement in self._changes(text[start:end]):
                score = 1 / (1 + math.exp(RARITY - gain))
                edits.append(
                    TextEdit(start + first, start + last, replacement, score, "same sound")
                )
        edits.sort(key=lambda edit: edit.start)
        return Correction(text, apply(edits, text), tuple(edits))

    def _changes(self, text: str) -> list[HomophoneReplacement]:
        """Find changes that do not overlap, best first, each for the text after those before.

        Changes of one round are so far apart that they have no word in common.
        """
        changes: list[HomophoneReplacement] = []
        fixed: set[int] = set()
        while True:
            best: list[HomophoneReplacement] = []
            for change in sorted(self._candidates(text), key=lambda c: (-c.gain, *c[1:])):
                if fixed.isdisjoint(range(change.start, change.end)) and all(
                    change.start >= other.end + LONGEST or change.end + LONGEST <= other.start
                    for other in best
                ):
                    best.append(change)
            if not best:
                return changes
            for change in best:
                text = text[: change.start] + change.replacement + text[change.end :]
                fixed.update(range(change.start, change.end))
            changes += best

    def _candidates(self, text: str) -> list[HomophoneReplacement]:
        lattice = segment(text, self.vocabulary)
        model = self.characters
        least = self.threshold if model is None else 0.0
        changes = find_replacements(text, lattice, self.vocabulary, self.homophones, least=least)
        if model is None:
            return list(changes)
        gains = (
            change._replace(gain=change.gain + self.weight * model.gain(text, *change[1:]))
            for change in changes
        )
        return [change for change in gains if change.gain >= self.threshold]


def simplified_spans(text: str, sound: str) -> list[tuple[int, int]]:
    """Find the spans that are looked at: simplified characters, of clauses that are simplified.

    A clause with a traditional character is left alone, and so is a text with several: its other
    characters may be of both kinds, but words of the dictionary that replaced them would not be.
    """
    clauses = [match.span() for match in _CLAUSE.finditer(text)]
    spans, traditional, total = [], 0, 0
    for start, end in clauses:
        number = sum(map(_traditional, text[start:end], sound[start:end]))
        total += end - start
        traditional += number
        if not number:
            spans += [match.span() for match in _SIMPLIFIED.finditer(sound, start, end)]
    if traditional and traditional >= TRADITIONAL * total:
        return []
    return [(start, end) for start, end in spans if end - start > 1]


def _traditional(character: str, sound: str) -> bool:
    """Say whether a character is in Big5, the traditional set, and not in GB 2312."""
    if character != sound:  # it has a sound here, so it is in GB 2312
        return False
    try:
        character.encode("big5")
    except UnicodeEncodeError:
        return False
    return True


def load(_place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector.

    Raises:
        UsageError: An option is unknown or wrong.
        MissingExtraError: jieba or pypinyin, of the extra `spelling`, is not installed.
        FormatError: The clean text or the words cannot be read as such.
    """
    settings = options_of("zh-homophone", _HomophoneOptions, options)
    extra = read_words(Path(settings.words)) if settings.words else ()
    name, words, known = _index_words(extra)
    model = build_trigrams(Path(settings.text)) if settings.text else None
    threshold = settings.threshold
    if threshold is None:
        threshold = CLEAN_THRESHOLD if model else THRESHOLD
    signature = {
        "corrector": "zh-homophone",
        "version": VERSION,
        "dictionary": name,
        "readings": known.sounds.name,
        "threshold": str(threshold),
    }
    if model:
        signature |= {"text": model.name, "weight": str(settings.weight)}
    if extra:
        signature["words"] = " ".join(extra)
    info = CorrectorInfo(
        name="zh-homophone",
        kind="lexical",
        languages=("zh",),
        about=_ABOUT,
        signature=signature,
        notice=_ABOUT,
        processes="many",
    )
    return ZhHomophone(info, words, known, threshold, model, settings.weight)


@lru_cache(maxsize=1)
def _index_words(extra: tuple[str, ...]) -> tuple[str, UnigramModel, Homophones]:
    """Index the words of jieba and of the user: name, vocabulary and sounds; it takes seconds."""
    words, readings = jieba_words(), sounds()
    vocabulary = build_unigrams(words, extra)
    excluded = frozenset(words.people) - set(extra)
    return words.name, vocabulary, index_homophones(vocabulary, readings, excluded)


KIND = CorrectorKind(load, "none")
