"""Where two targets are to be said alike: of a sentence, and of the same in another context.

RobustGEC compares the predictions of a tagger at tokens of the source (section 5.1) and leaves
open what a decoder's are. Here they are those of the target: its words are aligned, and compared
is what predicts the tokens of a word that both have, the target before them given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gecbench.core.errors import UsageError
from gecbench.edits.changes import changes
from gecbench.models.robust.alignment import matched
from gecbench.models.robust.comparable import Twin
from gecbench.models.training.config import Robust
from gecbench.text.tokens import Token, tokens_of

_HEADS_OF_OTHERS = ("classifier_", "summary_")
"""What transformers calls settings of heads for classes: there are none here, so nothing drops."""

Places = tuple[tuple[int, int], ...]
"""Pairs of places in two examples, ascending in both."""


class Said(NamedTuple):
    """A target as a decoder says it, token by token.

    Args:
        text: The target.
        ids: Of its tokens, without what opens and closes it.
        spans: Where they stand in the text: half-open character spans, perhaps with white space.
        first: The place of the first of them in the example.
        end: The place of the end in the example; without one the example is cut there.
        ended: Whether the end stands there because the text ends.
    """

    text: str
    ids: Sequence[int]
    spans: Sequence[tuple[int, int]]
    first: int
    end: int
    ended: bool


class _Group(NamedTuple):
    """Words that share tokens, and all tokens of theirs: as a rule one word and its pieces.

    Args:
        words: Half-open.
        tokens: Half-open.
    """

    words: tuple[int, int]
    tokens: tuple[int, int]


def places_of(twin: Twin, one: Said, two: Said, robust: Robust, kind: str) -> Places:
    """Return the places at which two targets are to be predicted alike.

    A token is compared where the words that it belongs to stand in both targets and consist of
    the same tokens there, white space before them included; the end always is.

    Args:
        twin: Where the targets come from.
        one: The target of the original.
        two: The target of the perturbed one.
        robust: Says which places to leave out.
        kind: Of words, a name of `text.tokens`.
    """
    words, others = tokens_of(one.text, kind), tokens_of(two.text, kind)
    same = _matched(words, others, skip_after=robust.skip_after)
    if robust.sources_too:
        same = _of_same_sources(twin, words, others, same, kind)
    there = {group.words: group.tokens for group in _groups(others, two.spans)}
    found: list[tuple[int, int]] = []
    for (start, end), (first, last) in _groups(words, one.spans):
        images = [same.get(k) for k in range(start, end)]
        image = [each for each in images if each is not None]
        if len(image) < len(images) or image[-1] - image[0] != end - 1 - start:
            continue
        begins, ends = there.get((image[0], image[-1] + 1), (0, 0))
        if [*one.ids[first:last]] == [*two.ids[begins:ends]]:
            found += zip(range(first, last), range(begins, ends), strict=True)
    found = [(one.first + i, two.first + j) for i, j in found]
    kept = [(i, j) for i, j in found if i < one.end and j < two.end]
    return (*kept, (one.end, two.end)) if one.ended and two.ended else tuple(kept)


def refuse_for_targets(robust: Robust) -> None:
    """Refuse what the predictions of a decoder cannot be asked for.

    Raises:
        UsageError: Names the option.
    """
    if robust.heads != "labels":
        raise UsageError(
            f'robust.heads "{robust.heads}": only a tagger detects; a decoder says tokens alone, '
            "so leave it out"
        )
    if robust.disagreeing != "skip":
        raise UsageError(
            f'robust.disagreeing "{robust.disagreeing}": a decoder is compared where it is to say '
            "the same token, so nothing disagrees; leave it out"
        )


def refuse_without_dropout(
    robust: Robust | None, settings: Mapping[str, object], *others: float
) -> None:
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
    shares = (
        each
        for name, each in settings.items()
        if "drop" in name and not name.startswith(_HEADS_OF_OTHERS)
    )
    if not any(isinstance(each, float) and each > 0 for each in (*shares, *others)):
        raise UsageError(
            'robust.method "r-drop" compares two passes under different dropouts, and nothing is '
            "dropped; raise model.dropout"
        )


def _matched(
    words: Sequence[Token], others: Sequence[Token], *, skip_after: int = 0
) -> dict[int, int]:
    """Return which of the others a word is, for those that are one."""
    one, two = [word.text for word in words], [word.text for word in others]
    return dict(matched(one, two, skip_after=skip_after))


def _of_same_sources(
    twin: Twin,
    words: Sequence[Token],
    others: Sequence[Token],
    same: Mapping[int, int],
    kind: str,
) -> dict[int, int]:
    """Return the words that were made from source words which are the same, too."""
    source = tokens_of(twin.original.source, kind)
    perturbed = tokens_of(twin.perturbed.source, kind)
    between = _matched(source, perturbed)
    here, there = _origins(source, words), _origins(perturbed, others)
    return {
        word: image
        for word, image in same.items()
        if [between.get(each) for each in here[word]] == [*there[image]]
    }


def _origins(source: Sequence[Token], target: Sequence[Token]) -> list[range]:
    """Return the source words that each target word was made from; none for what was inserted."""
    edits = changes([word.text for word in source], [word.text for word in target])
    origins: list[range] = []
    done = 0
    for edit in edits:
        origins += (range(k, k + 1) for k in range(done, edit.start))
        origins += [range(edit.start, edit.end)] * len(edit.replacement or ())
        done = edit.end
    return [*origins, *(range(k, k + 1) for k in range(done, len(source)))]


def _groups(words: Sequence[Token], spans: Sequence[tuple[int, int]]) -> Iterator[_Group]:
    """Yield words with their tokens, those together that a token holds parts of.

    A token without a character of a word, as the blank of a byte-level vocabulary may be, belongs
    to the word after it; tokens after the last word belong to none.
    """
    first = low = high = ends = 0  # `first` is the group's first token; `ends` follows its last
    begins = -1  # the group's first word; -1 before there is one
    for token, (start, end) in enumerate(spans):
        while low < len(words) and words[low].end <= start:
            low += 1
        until = low
        while until < len(words) and words[until].start < end:
            until += 1
        if until == low:
            continue
        if low >= high:
            if begins >= 0:
                yield _Group((begins, high), (first, ends))
            begins, first = low, ends
        high, ends = max(high, until), token + 1
    if begins >= 0:
        yield _Group((begins, high), (first, ends))
