"""Where a sentence, and the same in another context, are to be corrected alike.

RobustGEC compares the predictions of a tagger at tokens of the source (section 5.1) and leaves
open what a decoder's are. Here they are those of the target: its words are aligned, and compared
is what predicts the tokens of a word that both have, the target before them given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gecbench.core.errors import UsageError
from gecbench.edits.apply import changes
from gecbench.models.batches import Pair
from gecbench.models.training.config import Robust
from gecbench.text.tokens import Token, tokens_of

Span = tuple[int, int]
Places = tuple[tuple[int, int], ...]
"""Pairs of places in two examples, ascending in both."""


class ContextPair(NamedTuple):
    """Two pairs whose corrections are to be the same, as their errors are.

    Args:
        original: As the learner wrote it.
        perturbed: The same errors in a changed context; equal to the original for R-Drop, where
            two passes with dropout are compared instead.
    """

    original: Pair
    perturbed: Pair


class DecoderTarget(NamedTuple):
    """A target as a decoder writes it, token by token.

    Args:
        text: The target.
        ids: Of its tokens, without what opens and closes it.
        spans: Where they stand in the text: half-open character spans, perhaps with white space.
        first: The place of the first of them in the example.
        end: The place of the end in the example; a truncated example has none and stops there.
        complete: Whether the end stands there because the text ends.
    """

    text: str
    ids: Sequence[int]
    spans: Sequence[Span]
    first: int
    end: int
    complete: bool


def align_tokens(
    original: Sequence[str], perturbed: Sequence[str], *, skip_after: int = 0
) -> Places:
    """Find the places of equal tokens in a least-cost alignment, ascending.

    Args:
        original: Tokens of the original.
        perturbed: Tokens of the perturbed sentence.
        skip_after: So many equal tokens right after each change are left out.

    >>> align_tokens("I go to school".split(), "I often go to work".split())
    ((0, 0), (1, 2), (2, 3))
    >>> align_tokens("他去学校了", "我去学校了", skip_after=1)
    ((2, 2), (3, 3), (4, 4))
    """
    places: list[tuple[int, int]] = []
    start = shift = 0
    for edit in changes(original, perturbed):
        places += ((i, i + shift) for i in range(start, edit.start))
        shift += len(edit.replacement or ()) - (edit.end - edit.start)
        start = edit.end + skip_after
    places += ((i, i + shift) for i in range(start, len(original)))
    return tuple(places)


def align_targets(
    pair: ContextPair,
    original: DecoderTarget,
    perturbed: DecoderTarget,
    robust: Robust,
    kind: str,
) -> Places:
    """Find the places at which two targets are to be predicted alike.

    A token is compared where the words that it belongs to stand in both targets and consist of
    the same tokens there, white space before them included; the end always is.

    Args:
        pair: Where the targets come from.
        original: The target of the original.
        perturbed: The target of the perturbed one.
        robust: Says which places to leave out.
        kind: Of words, a name of `text.tokens`.
    """
    words, others = tokens_of(original.text, kind), tokens_of(perturbed.text, kind)
    same = _equal_words(words, others, robust.skip_after)
    if robust.sources_too:
        same = _with_equal_sources(pair, words, others, same, kind)
    tokens_in = dict(_group_words(others, perturbed.spans))
    places: list[tuple[int, int]] = []
    for (start, end), (first, last) in _group_words(words, original.spans):
        images = [same[word] for word in range(start, end) if word in same]
        if len(images) < end - start or images[-1] - images[0] != end - 1 - start:
            continue
        other_first, other_last = tokens_in.get((images[0], images[-1] + 1), (0, 0))
        if [*original.ids[first:last]] == [*perturbed.ids[other_first:other_last]]:
            places += zip(range(first, last), range(other_first, other_last), strict=True)
    places = [(original.first + i, perturbed.first + j) for i, j in places]
    places = [(i, j) for i, j in places if i < original.end and j < perturbed.end]
    if original.complete and perturbed.complete:
        places.append((original.end, perturbed.end))
    return tuple(places)


def check_decoder(robust: Robust | None) -> None:
    """Refuse what the predictions of a decoder cannot honour of a `[robust]` table.

    Raises:
        UsageError: Names the option.
    """
    if robust is not None and robust.heads != "labels":
        raise UsageError(
            f'robust.heads "{robust.heads}": only a tagger detects; a decoder says tokens alone, '
            "so leave it out"
        )
    if robust is not None and robust.disagreeing != "skip":
        raise UsageError(
            f'robust.disagreeing "{robust.disagreeing}": a decoder is compared where it is to say '
            "the same token, so nothing disagrees; leave it out"
        )


def check_dropout(robust: Robust | None, settings: Mapping[str, object], *others: float) -> None:
    """Refuse R-Drop of a network that says the same twice: there is nothing to bring together.

    Args:
        robust: The table, if there is one.
        settings: Of the network, by the names of transformers.
        others: Shares that are dropped beside those of the settings.

    Raises:
        UsageError: Nothing is dropped.
    """
    if robust is None or robust.method != "r-drop":
        return
    # "classifier_" and "summary_" are heads for classes: there are none here, so nothing drops.
    shares = [
        share
        for name, share in settings.items()
        if "drop" in name and not name.startswith(("classifier_", "summary_"))
    ]
    if not any(isinstance(share, float) and share > 0 for share in (*shares, *others)):
        raise UsageError(
            'robust.method "r-drop" compares two passes under different dropouts, and nothing is '
            "dropped; raise model.dropout"
        )


def _equal_words(
    words: Sequence[Token], others: Sequence[Token], skip_after: int = 0
) -> dict[int, int]:
    """Map words to the equal ones of another text."""
    texts = [word.text for word in words], [word.text for word in others]
    return dict(align_tokens(*texts, skip_after=skip_after))


def _with_equal_sources(
    pair: ContextPair,
    words: Sequence[Token],
    others: Sequence[Token],
    same: Mapping[int, int],
    kind: str,
) -> dict[int, int]:
    """Select the words that come from source words which are equal, too."""
    source, perturbed = (tokens_of(side.source, kind) for side in pair)
    between = _equal_words(source, perturbed)
    origins, other_origins = _origins(source, words), _origins(perturbed, others)
    return {
        word: image
        for word, image in same.items()
        if [between.get(origin) for origin in origins[word]] == [*other_origins[image]]
    }


def _origins(source: Sequence[Token], target: Sequence[Token]) -> list[range]:
    """Return the source words that each target word comes from; none for what was inserted."""
    origins: list[range] = []
    start = 0
    for edit in changes([word.text for word in source], [word.text for word in target]):
        origins += (range(k, k + 1) for k in range(start, edit.start))
        origins += [range(edit.start, edit.end)] * len(edit.replacement or ())
        start = edit.end
    return [*origins, *(range(k, k + 1) for k in range(start, len(source)))]


def _group_words(words: Sequence[Token], spans: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Yield spans of words with the span of their tokens, together where they share a token.

    A token without a character of a word, as the blank of a byte-level vocabulary may be, belongs
    to the word after it; tokens after the last word belong to none.
    """
    first = low = high = last = 0  # `first` is the group's first token; `last` follows its last
    start = -1  # the group's first word; -1 before there is one
    for token, (begin, end) in enumerate(spans):
        while low < len(words) and words[low].end <= begin:
            low += 1
        until = low
        while until < len(words) and words[until].start < end:
            until += 1
        if until == low:
            continue
        if low >= high:
            if start >= 0:
                yield (start, high), (first, last)
            start, first = low, last
        high, last = max(high, until), token + 1
    if start >= 0:
        yield (start, high), (first, last)
