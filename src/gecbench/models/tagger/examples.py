"""From parallel pairs to what a tagger learns from."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gecbench.models.pairs import Pair
from gecbench.models.tagger.encoding import Encoding
from gecbench.models.tags.labels import KEEP
from gecbench.models.tags.rounds import Round, applied, rounds_of
from gecbench.models.tags.transforms import Transforms, transforms_for
from gecbench.models.tags.vocabulary import LabelVocabulary
from gecbench.models.training.task import Prepared
from gecbench.text.tokens import token_texts

_AT_ONCE = 1000

EMPTY = "source without a token"
UNKNOWN = "labels outside the vocabulary"
UNREAD = "examples that are longer than what is read"
FURTHER = "pairs that need more rounds than are learned"
ROUNDS = "examples of later rounds"


class Example(NamedTuple):
    """A sentence in one round.

    Args:
        ids: Of its positions.
        firsts: The position of each token's first piece, $START first.
        labels: The id of each token's label, $START first.
    """

    ids: array[int]
    firsts: array[int]
    labels: array[int]


class Derived(NamedTuple):
    """The rounds of a pair that are learned.

    Args:
        rounds: () where the pair cannot be used.
        dropped: Why it cannot; "" where it can.
        needs_more: Whether the target takes more rounds than these.
    """

    rounds: tuple[Round, ...]
    dropped: str = ""
    needs_more: bool = False


def derived(pair: Pair, tokens: str, transforms: Transforms, most: int) -> Derived:
    """Return the first rounds of a pair: what is to be said of the source, then of what it became.

    The target, where it is reached earlier, is the last of them: nothing is left to do.

    Args:
        pair: With the same tokens on both sides it has one round that keeps everything.
        tokens: Their kind.
        transforms: Of the language.
        most: Rounds at most.
    """
    source = tuple(token_texts(pair.source, tokens))
    target = tuple(token_texts(pair.target, tokens))
    if not source:
        return Derived((), EMPTY)
    if source == target:
        return Derived((_finished(source),))
    rounds = rounds_of(source, target, transforms, most=most)
    reached = applied(*rounds[-1], transforms) == target
    if reached and len(rounds) < most:
        rounds += (_finished(target),)
    return Derived(rounds, needs_more=not reached)


def _finished(tokens: tuple[str, ...]) -> Round:
    """Return the round in which nothing is left to do: a tagger is to learn when to stop."""
    return Round(tokens, (KEEP,) * (len(tokens) + 1))


def counted_labels(pairs: Sequence[Pair], tokens: str, language: str, most: int) -> Counter[str]:
    """Return how often each label occurs in the rounds that are learned."""
    transforms = transforms_for(language)
    found: Counter[str] = Counter()
    for pair in pairs:
        for each in derived(pair, tokens, transforms, most).rounds:
            found.update(each.labels)
    return found


def prepared(
    pairs: Sequence[Pair],
    tokens: str,
    language: str,
    *,
    vocabulary: LabelVocabulary,
    encoding: Encoding,
    rounds: int,
) -> Prepared[Example]:
    """Return the examples of pairs.

    Args:
        pairs: In any order; examples keep it.
        tokens: Their kind.
        language: zh or en.
        vocabulary: Other labels are learned as unknown.
        encoding: How the network reads.
        rounds: Of each pair, at most.
    """
    transforms = transforms_for(language)
    examples: list[Example] = []
    places: list[int] = []
    dropped: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for start in range(0, len(pairs), _AT_ONCE):
        found = [
            derived(pair, tokens, transforms, rounds) for pair in pairs[start : start + _AT_ONCE]
        ]
        dropped.update(each.dropped for each in found if each.dropped)
        counted[FURTHER] += sum(each.needs_more for each in found)
        counted[ROUNDS] += sum(max(0, len(each.rounds) - 1) for each in found)
        places += (k for k, each in enumerate(found, start) for _ in each.rounds)
        examples += _examples(
            [r for each in found for r in each.rounds], vocabulary, encoding, counted
        )
    kept = {what: n for what, n in counted.items() if n}
    return Prepared(examples, dict(dropped), kept, places)


def _examples(
    rounds: Sequence[Round],
    vocabulary: LabelVocabulary,
    encoding: Encoding,
    counted: Counter[str],
) -> Iterator[Example]:
    """Yield an example of each round; counts go into the last argument."""
    positions = encoding.positions([each.tokens for each in rounds])
    for each, where in zip(rounds, positions, strict=True):
        labels = array("i", map(vocabulary.id_of, each.labels[: len(where.firsts)]))
        counted[UNKNOWN] += labels.count(vocabulary.unknown)
        counted[UNREAD] += len(where.firsts) < len(each.labels)
        yield Example(array("i", where.ids), array("i", where.firsts), labels)
