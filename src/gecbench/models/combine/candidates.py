"""What systems propose for one sentence: each change once, with all who propose it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gecbench.core.edit import Edit, check
from gecbench.core.sample import EditSet

Kind = Literal["order", "spelling"]
"""Kinds of change that may have a threshold of their own, whatever label they bear."""

Similar = Callable[[str, str], bool]
"""Says of a text and its replacement, both of one length, whether this is a spelling error."""

Words = Callable[[Sequence[str]], tuple[str, ...]]
"""Returns the words in a piece of the source or of a replacement, without white space."""

Change = tuple[tuple[int, int, tuple[str, ...]], ...]
"""What counts as one proposal: spans of the source and what stands instead, in order."""


class Opinion(NamedTuple):
    """What one system says of a sentence.

    Args:
        edits: That do not overlap; () where it changes nothing.
        scores: Of each edit, in [0, 1]; () where the system gives none.
    """

    edits: EditSet
    scores: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that one system or several propose: an edit, or a move, which is two.

    Args:
        edits: In the order of their spans, labelled as most of the backers label them.
        backers: Places of the systems that propose it.
        kind: None for all that is neither word order nor spelling.
        score: Mean of the scores that backers give it; None where no backer gives one.
    """

    edits: EditSet
    backers: frozenset[int]
    kind: Kind | None
    score: float | None

    @property
    def key(self) -> Change:
        """What it does, which no other candidate of the sentence does."""
        return tuple((e.start, e.end, e.replacement or ()) for e in self.edits)


def candidates(
    source: Sequence[str],
    opinions: Sequence[Opinion],
    *,
    all_moves: bool = False,
    similar: Similar | None = None,
    words: Words | None = None,
) -> list[Candidate]:
    """Return the changes that systems propose, in an order that does not depend on theirs.

    Args:
        source: What the edits' spans count: tokens, or the characters of a text.
        opinions: One for each system.
        all_moves: Join every deletion and insertion of the same tokens into one change; else only
            those labelled W:R and W:M, as the scheme zh-char does.
        similar: Which substitutions are spelling errors, beside those that a label calls so.
        words: The words in some characters, where the source is not tokens.

    Raises:
        EditError: Edits of one system overlap, or one ends after the source.
    """
    parted = words or tuple
    found: dict[Change, list[tuple[int, EditSet, float | None]]] = {}
    for place, opinion in enumerate(opinions):
        for edits, score in _changes(source, opinion, parted, all_moves=all_moves):
            key = tuple((e.start, e.end, e.replacement or ()) for e in edits)
            found.setdefault(key, []).append((place, edits, score))
    return [_candidate(source, found[key], similar, parted) for key in sorted(found)]


def cleaned(source: Sequence[str], edits: Iterable[Edit]) -> EditSet:
    """Return the edits that correct something, in order; insertions at one place become one.

    Edits that only detect, or put in place what stands there already, propose nothing.

    Raises:
        EditError: Edits overlap, or one ends after the source.
    """
    wanted = tuple(
        edit
        for edit in edits
        if edit.replacement is not None and edit.replacement != tuple(source[edit.start : edit.end])
    )
    check(wanted, len(source))
    made: list[Edit] = []
    for edit in sorted(wanted, key=lambda edit: (edit.start, edit.end)):
        last = made[-1] if made else None
        if last and last.start == last.end == edit.start == edit.end:
            both = (*(last.replacement or ()), *(edit.replacement or ()))
            made[-1] = Edit(edit.start, edit.end, both, last.label)
        else:
            made.append(edit)
    return tuple(made)


def _changes(
    source: Sequence[str], opinion: Opinion, words: Words, *, all_moves: bool
) -> list[tuple[EditSet, float | None]]:
    """Return the changes of one system; a move is as sure as its less sure half."""
    edits = cleaned(source, opinion.edits)
    scores = _scores(opinion)
    partners = _moved(source, edits, words, all_moves=all_moves)
    made: list[tuple[EditSet, float | None]] = []
    for at, edit in enumerate(edits):
        other = partners.get(at)
        if other is None:
            made.append(((edit,), scores.get((edit.start, edit.end))))
        elif at < other:
            parts = (edit, edits[other])
            known = [s for e in parts if (s := scores.get((e.start, e.end))) is not None]
            made.append((parts, min(known, default=None)))
    return made


def _scores(opinion: Opinion) -> Mapping[tuple[int, int], float | None]:
    """Return the score of what stands at a span; of several insertions there, the last's."""
    if not opinion.scores:
        return {}
    pairs = zip(opinion.edits, opinion.scores, strict=True)
    return {(edit.start, edit.end): score for edit, score in pairs}


def _moved(
    source: Sequence[str], edits: EditSet, words: Words, *, all_moves: bool
) -> dict[int, int]:
    """Return the places of deletions and insertions that are moves, each with its other half.

    MuCGEC's definition (Zhang et al. 2022, section 6.2): a deletion and an insertion of the same
    tokens are one word-order edit. Each deletion, from the left, takes the leftmost insertion of
    the same tokens that is still free, as in the scheme zh-char. White space does not count.
    """
    halves = [at for at, edit in enumerate(edits) if all_moves or edit.label in ("W:R", "W:M")]
    free: dict[tuple[str, ...], list[int]] = {}
    for at in halves:
        if edits[at].op == "M" and (put := words(edits[at].replacement or ())):
            free.setdefault(put, []).append(at)
    partners: dict[int, int] = {}
    for at in halves:
        edit = edits[at]
        if edit.op == "R" and (others := free.get(words(source[edit.start : edit.end]))):
            other = others.pop(0)
            partners |= {at: other, other: at}
    return partners


def _candidate(
    source: Sequence[str],
    proposals: Sequence[tuple[int, EditSet, float | None]],
    similar: Similar | None,
    words: Words,
) -> Candidate:
    """Return one change with all who propose it."""
    sets = [edits for _, edits, _ in proposals]
    edits = sets[0]
    labels = [tuple(edit.label for edit in each) for each in sets]
    if len(set(labels)) > 1:
        # The most frequent, of equally frequent ones the first by name: not the first system's.
        edits = min(
            zip(sets, labels, strict=True),
            key=lambda pair: (-labels.count(pair[1]), [label or "\uffff" for label in pair[1]]),
        )[0]
    scores = sorted(score for _, _, score in proposals if score is not None)
    return Candidate(
        edits,
        frozenset(place for place, _, _ in proposals),
        _kind(source, edits, similar, words),
        sum(scores) / len(scores) if scores else None,
    )


def _kind(
    source: Sequence[str], edits: EditSet, similar: Similar | None, words: Words
) -> Kind | None:
    """Return whether a change is one of word order or of spelling.

    Labels decide where they can: W and W:... (ChERRANT), R:WO and R:SPELL (ERRANT), S:SPELL
    (ChERRANT at word level). Else a permutation of the tokens it replaces is word order.
    """
    if len(edits) > 1:
        return "order"
    (edit,) = edits
    label = edit.label or ""
    if label == "W" or label.startswith("W:") or label.endswith(":WO"):
        return "order"
    if label.endswith(":SPELL"):
        return "spelling"
    before, after = words(source[edit.start : edit.end]), words(edit.replacement or ())
    if len(before) > 1 and before != after and sorted(before) == sorted(after):
        return "order"
    one, two = "".join(before), "".join(after)
    if similar and one and len(one) == len(two) and similar(one, two):
        return "spelling"
    return None
