"""The steps of a recipe, taken with one pair."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError
from gecbench.core.language import Splitter
from gecbench.datasets.prepare.recipe import Recipe, evaluation_texts
from gecbench.edits.alignment import common_prefix, distance
from gecbench.lang import language_of
from gecbench.text import Normalisation, normalisation
from gecbench.text.tokens import DEFAULT, split

# Pairs that are too long, divided where both sides end a sentence at the same place.


Texts = tuple[str, str]

_MOST_CELLS = 25_000_000
"""Characters of both sides, multiplied: an alignment takes nine bytes of memory for each."""


def is_alignable(source: str, target: str) -> bool:
    """Whether what differs of two texts is short enough for the memory: 5,000 characters."""
    left, right = _differing_parts(source, target)
    return len(left) * len(right) <= _MOST_CELLS


def _differing_parts(source: str, target: str) -> Texts:
    """Two texts without what they begin and end with alike."""
    start = common_prefix(source, target)
    end = common_prefix(source[start:][::-1], target[start:][::-1])
    return source[start : len(source) - end], target[start : len(target) - end]


def split_pair(source: str, target: str, splitter: Splitter = DEFAULT) -> tuple[Texts, ...] | None:
    """A pair sentence by sentence; None where the two sides do not correspond.

    They do where both are short enough to be aligned (some 5,000 characters), have as many
    sentences, a least alignment of the texts goes through all the places where they end (the
    distances of the sentences add up to that of the texts), and of no sentence more than half is
    changed. Blanks round a sentence are left out.
    """
    left, right = split(source, splitter), split(target, splitter)
    if len(left) != len(right) or not is_alignable(source, target):
        return None
    pairs = list(zip(left, right, strict=True))
    distances = [distance(*pair) for pair in pairs]
    if sum(distances) != distance(source, target):
        return None
    if any(2 * n > max(map(len, pair)) for n, pair in zip(distances, pairs, strict=True)):
        return None
    stripped = [(text.strip(), other.strip()) for text, other in pairs]
    return tuple(pair for pair in stripped if pair != ("", ""))


def cut_pair(source: str, target: str, longest: int, splitter: Splitter = DEFAULT) -> Texts | None:
    """The first sentences of a pair, as many as fit; None where not even one does.

    The two sides must end at places that a least alignment of the texts goes through, with no
    more than half changed before them.

    Args:
        source: Longer than `longest`, or its target is.
        target: Of the source.
        longest: Characters of each side.
        splitter: Where sentences of the language end.
    """
    if not is_alignable(source, target):
        return None
    places = _cut_places(split(source, splitter), split(target, splitter), longest)
    whole = distance(source, target) if places else 0
    for i, j in reversed(places):
        before = distance(source[:i], target[:j])
        if 2 * before <= max(i, j) and before + distance(source[i:], target[j:]) == whole:
            return source[:i].strip(), target[:j].strip()
    return None


def _cut_places(left: Sequence[str], right: Sequence[str], longest: int) -> list[tuple[int, int]]:
    """Where the k-th sentences of both sides end, while both fit."""
    ends = zip(accumulate(map(len, left)), accumulate(map(len, right)), strict=False)  # to the less
    return [(i, j) for i, j in ends if max(i, j) <= longest]


# Sentences that are nearly the same: an exact search by Jaccard similarity of n-grams.
#
# The prefix filter of set similarity joins (Bayardo et al. 2007; Chaudhuri et al. 2006), used from
# one side only: of the sentences that are looked among, only the rarest n-grams are indexed, as
# many as are needed so that nothing at least so similar can avoid them all. Unlike MinHash it
# misses nothing, and at a high threshold it is faster: no sentence that is asked about is hashed
# a hundred times.


_SLACK = 1e-9
"""Keeps what is at the threshold in spite of rounding; similarities are compared exactly."""


class Near(NamedTuple):
    """The sentence that is most similar to another.

    Args:
        text: As it was indexed.
        similarity: Jaccard's, in (0, 1].
    """

    text: str
    similarity: float


def shingles(text: str, length: int) -> frozenset[str]:
    """The distinct character n-grams of a text; a shorter text is one itself.

    >>> sorted(shingles("我们我们", 2))
    ['们我', '我们']
    """
    return frozenset([text[i : i + length] for i in range(max(1, len(text) - length + 1))])


class NearIndex:
    """Sentences to look among.

    Args:
        texts: What is indexed; repetitions do not matter.
        threshold: Least Jaccard similarity, in (0, 1].
        length: Of the n-grams.
    """

    def __init__(self, texts: Iterable[str], *, threshold: float, length: int) -> None:
        self._threshold = threshold
        self._length = length
        self._texts = list(dict.fromkeys(texts))
        self._sets = [shingles(text, length) for text in self._texts]
        counts = Counter(gram for grams in self._sets for gram in grams)
        index: defaultdict[str, list[int]] = defaultdict(list)
        for k, grams in enumerate(self._sets):
            rarest = sorted(grams, key=lambda gram: (counts[gram], gram))
            # Similar sets share at least threshold * len(grams) of them, so no more than the
            # others can be missing: one more than those cannot all be.
            shared = math.ceil(threshold * len(grams) - _SLACK)
            for gram in rarest[: len(grams) - shared + 1]:
                index[gram].append(k)
        self._index = dict(index)
        self._keys = self._index.keys()

    def nearest(self, text: str) -> Near | None:
        """The most similar of the sentences; None where all are below the threshold.

        Of several the one that was indexed first.
        """
        grams = shingles(text, self._length)
        candidates: set[int] = set()
        for gram in self._keys & grams:
            candidates.update(self._index[gram])
        size = len(grams)
        least = self._threshold * size - _SLACK
        most = size / self._threshold + _SLACK
        best: tuple[float, int] | None = None
        for k in candidates:
            other = self._sets[k]
            if least <= len(other) <= most:
                shared = len(grams & other)
                similarity = shared / (size + len(other) - shared)
                if similarity >= self._threshold and (best is None or (-similarity, k) < best):
                    best = -similarity, k
        return None if best is None else Near(self._texts[best[1]], -best[0])


# What stands in evaluation sets, and so must not be trained on.


def comparison_key(text: str) -> str:
    """A text as evaluation sets are searched for it: NFKC, without white space.

    >>> comparison_key("Ａ 好　，")
    'A好,'
    """
    return "".join(unicodedata.normalize("NFKC", text).split())


class Match(NamedTuple):
    """A sentence of a training pair that stands in an evaluation set.

    Args:
        side: "source" or "target".
        near: What it is like; None where it is the same.
    """

    side: str
    near: Near | None


def normalise(text: str, changes: Sequence[Normalisation]) -> str:
    """Make all changes of a text, in their order."""
    for change in changes:
        text = change.change(text)
    return text


class EvaluationSets:
    """All sentences of the evaluation sets of a recipe.

    Args:
        paths: Lists of sentences, or corpora in any format, whose references count too.
        near: Jaccard similarity from which a sentence counts as one of theirs; 0 is never.
        shingle: Length of the character n-grams.
        changes: Made of both sides of a pair before it is looked for. Each sentence here is looked
            among as it stands and as it would be changed.

    Attributes:
        files: Each with how many distinct sentences it holds, references included.
        sentences: How many distinct ones there are, as they stand.

    Raises:
        GecbenchError: A file cannot be read or is not what its format promises.
    """

    def __init__(
        self,
        paths: Iterable[str],
        *,
        near: float,
        shingle: int,
        changes: Sequence[Normalisation] = (),
    ) -> None:
        self.files: list[tuple[str, int]] = []
        self._keys: dict[str, None] = {}
        changed: dict[str, None] = {}
        for path in paths:
            texts = list(evaluation_texts(Path(path)))
            keys = dict.fromkeys(filter(None, map(comparison_key, texts)))
            if changes:
                keys_changed = (comparison_key(normalise(text, changes)) for text in texts)
                changed |= dict.fromkeys(filter(None, keys_changed))
            if not keys:
                raise FormatError(
                    f"{path}:1: there is no sentence in it; nothing could be filtered"
                )
            self.files.append((path, len(keys)))
            self._keys |= keys
        self.sentences = len(self._keys)
        self._keys |= changed
        fuzzy = near > 0 and self._keys
        self._index = NearIndex(self._keys, threshold=near, length=shingle) if fuzzy else None

    def find(self, source: str, target: str) -> Match | None:
        """Find a pair in the evaluation sets; None where it is not in them."""
        if not self._keys:
            return None
        sides = [("source", comparison_key(source))]
        if target != source:
            sides.append(("target", comparison_key(target)))
        for side, key in sides:
            if key in self._keys:
                return Match(side, None)
        if self._index is not None:
            for side, key in sides:
                if (near := self._index.nearest(key)) is not None:
                    return Match(side, near)
        return None


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

DROPPED: Mapping[str, str] = {
    "control": "a control character",
    "empty": "an empty source or target",
    "evaluation source": "the source stands in an evaluation set",
    "evaluation target": "the target stands in an evaluation set",
    "near source": "the source is nearly one of an evaluation set",
    "near target": "the target is nearly one of an evaluation set",
    "too long": "too long",
    "correct": "no error",
    "ratio": "lengths differ too much",
    "changed": "changed too much",
    "duplicate": "stands there before",
}
"""Why a pair is dropped, in the order of the steps, and how it is said."""


class Verdict(NamedTuple):
    """What becomes of a pair, or of a piece of one.

    Args:
        source: As the steps left it.
        target: The same.
        dropped: A key of `DROPPED`; "" where it stays.
        match: In the evaluation sets.
        event: "split" of the first piece of a pair, "pieces" of the others, "cut"; "" of others.
    """

    source: str
    target: str
    dropped: str = ""
    match: Match | None = None
    event: str = ""


def digest(seed: int, name: str, text: str) -> int:
    """64 bits for a text: the same on every machine and in every version of Python."""
    return int.from_bytes(blake2b(f"{seed}:{name}:{text}".encode(), digest_size=8).digest())


class Steps:
    """The steps of a recipe; they remember the pairs that they have seen, as 64 bits each.

    Args:
        recipe: What is asked for; its evaluation sets are read.

    Attributes:
        evaluation: The sentences that must not be trained on.
        changes: Of both sides, before all else.

    Raises:
        GecbenchError: A change needs what is not installed, or an evaluation set cannot be read.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.changes = [normalisation(name) for name in recipe.normalise]
        self.evaluation = EvaluationSets(
            recipe.filter, near=recipe.near, shingle=recipe.shingle, changes=self.changes
        )
        self._recipe = recipe
        self._splitter = language_of(recipe.language or "xx").splitter
        self._digests: set[int] = set()

    def verdicts(self, source: str, target: str) -> Iterator[Verdict]:
        """Yield what becomes of a pair: one verdict, or one for each of its sentences.

        Whether it stands there before is for `check_duplicate`, which sees all pairs in order.
        """
        source, target = normalise(source, self.changes), normalise(target, self.changes)
        if _CONTROL.search(source) or _CONTROL.search(target):
            if self._recipe.control == "drop":
                yield Verdict(source, target, "control")
                return
            if self._recipe.control == "remove":
                source, target = _CONTROL.sub("", source), _CONTROL.sub("", target)
        if not source.strip() or not target.strip():
            yield Verdict(source, target, "empty")
            return
        if match := self.evaluation.find(source, target):
            yield _reject(source, target, match)
            return
        if self._recipe.longest and max(len(source), len(target)) > self._recipe.longest:
            yield from self._shorten(source, target)
        else:
            yield self._decide(source, target)

    def _shorten(self, source: str, target: str) -> Iterator[Verdict]:
        recipe = self._recipe
        if recipe.too_long == "keep":
            yield self._decide(source, target)
        elif recipe.too_long == "cut" and (
            start := cut_pair(source, target, recipe.longest, self._splitter)
        ):
            yield self._piece(*start)._replace(event="cut")
        elif (
            recipe.too_long == "split"
            and len(parts := split_pair(source, target, self._splitter) or ()) > 1
        ):
            for k, part in enumerate(parts):
                yield self._piece(*part)._replace(event="pieces" if k else "split")
        else:
            yield Verdict(source, target, "too long")

    def _piece(self, source: str, target: str) -> Verdict:
        """The verdict on a part of a pair, which may stand in an evaluation set itself."""
        if not source or not target:
            return Verdict(source, target, "empty")
        if match := self.evaluation.find(source, target):
            return _reject(source, target, match)
        if max(len(source), len(target)) > self._recipe.longest:
            return Verdict(source, target, "too long")
        return self._decide(source, target)

    def _decide(self, source: str, target: str) -> Verdict:
        return Verdict(source, target, self._fault(source, target))

    def _fault(self, source: str, target: str) -> str:
        """Why a pair is dropped for what it is; "" where it is not."""
        recipe = self._recipe
        if source.strip() == target.strip():  # blanks at the ends are seen by nobody
            stays = digest(recipe.seed, "keep", source) < recipe.keep_correct * 2**64
            return "" if stays else "correct"
        ratio = len(target) / len(source)
        if ratio < recipe.least_ratio or (recipe.most_ratio and ratio > recipe.most_ratio):
            return "ratio"
        if recipe.most_changed < 1:
            if not is_alignable(source, target):
                return "too long"
            longer = max(len(source), len(target))
            if distance(source, target) > recipe.most_changed * longer:
                return "changed"
        return ""

    def check_duplicate(self, verdict: Verdict) -> Verdict:
        """Drop a pair that stands there before, of those that stay."""
        kind = self._recipe.duplicates
        if kind == "keep" or verdict.dropped:
            return verdict
        source, target = verdict.source, verdict.target
        code = digest(0, kind, source if kind == "source" else f"{source}\0{target}")
        if code in self._digests:
            return verdict._replace(dropped="duplicate")
        self._digests.add(code)
        return verdict


def _reject(source: str, target: str, match: Match) -> Verdict:
    where = "evaluation" if match.near is None else "near"
    return Verdict(source, target, f"{where} {match.side}", match)


def group_of(seed: int, source: str) -> int:
    """What decides whether a source is put aside: equal for sources that compare equal."""
    return digest(seed, "dev", comparison_key(source))
