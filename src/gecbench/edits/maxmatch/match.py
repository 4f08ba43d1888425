"""The edits of a hypothesis, found so that as many as possible are gold, and what they match.

Dahlmeier and Ng, "Better Evaluation for Grammatical Error Correction", NAACL 2012; m2scorer
cb874a7 (levenshtein.py), whose counts and edits these are.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gecbench.core.edit import Edit
from gecbench.edits.maxmatch import exact
from gecbench.edits.maxmatch.exact import Gold, Span
from gecbench.edits.maxmatch.linear import approximate

try:
    from gecbench.edits import _maxmatch as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same numbers
    compiled = None

Level = Literal["exact", "linear"]

MOST_PAIRS = 4_000_000
"""Pairs of vertices up to which the lattice is closed: 52 tokens rewritten into as many others,
which makes two million arcs."""

Text = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """What a hypothesis proposes against the gold edits of one annotator.

    Args:
        proposed: Its edits from left to right, as they are compared. They may begin or end with
            unchanged tokens.
        matched: Places of a proposed edit and of the gold edit that it matches. Where an
            annotator wrote an edit twice, one proposal can match both.
        golds: How many gold edits there are.
        level: "linear" where the lattice was too large to be closed; then the counts are nearly
            always, and the edits often, those of the official program.
    """

    proposed: tuple[Edit, ...]
    matched: tuple[tuple[int, int], ...]
    golds: int
    level: Level = "exact"


def match(
    source: Text,
    hypothesis: Text,
    golds: Sequence[Sequence[Edit]],
    *,
    max_unchanged_words: int = 2,
    ignore_whitespace_casing: bool = False,
) -> tuple[Matching, ...]:
    """Return what a hypothesis proposes and matches, for each annotator.

    Args:
        source: Tokens.
        hypothesis: Tokens.
        golds: The edits of each annotator, in the order of the file, which matters: the official
            program matches an edit only behind those it has matched. Labels are not looked at.
            An edit without a replacement stands for its alternatives, and without these for the
            source's own text.
        max_unchanged_words: How many unchanged tokens one proposed edit may cover.
        ignore_whitespace_casing: Drop proposals that change white space and letter case alone.

    >>> (found,) = match(("a", "b"), ("a", "c", "b"), [[Edit(1, 1, ("c",))]])
    >>> found.matched
    ((0, 0),)
    """
    accepted = [[_texts(gold, source) for gold in each] for each in golds]
    if source == hypothesis:
        return tuple(Matching((), (), len(each)) for each in golds)
    limit = min(max_unchanged_words, len(source))
    spans, level = _propose(source, hypothesis, limit, golds, accepted)
    found = []
    for each, texts, proposals in zip(golds, accepted, spans, strict=True):
        if ignore_whitespace_casing:
            proposals = [span for span in proposals if _differs(source, hypothesis, span)]
        edits = tuple(Edit(i, x, hypothesis[j:y]) for i, x, j, y in proposals)
        found.append(Matching(edits, _matched(edits, each, texts), len(each), level))
    return tuple(found)


def kernel_name() -> str:
    """Return "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


def trimmed(edit: Edit, source: Text) -> Edit:
    """Return an edit without the tokens that both sides begin or end with, as m2scorer shows it.

    >>> trimmed(Edit(0, 2, ("a", "gene", ".")), ("gene", ".")).replacement
    ('a',)
    """
    before, after = source[edit.start : edit.end], edit.replacement or ()
    most = min(len(before), len(after))
    head = next((n for n in range(most) if before[n] != after[n]), most)
    tail = next((n for n in range(most - head) if before[-1 - n] != after[-1 - n]), most - head)
    return Edit(edit.start + head, edit.end - tail, after[head : len(after) - tail])


def _texts(gold: Edit, source: Text) -> tuple[Text, ...]:
    """Return the texts that a gold edit accepts."""
    if gold.replacement is not None:
        return (gold.replacement, *gold.alternatives)
    return gold.alternatives or (source[gold.start : gold.end],)


def _propose(
    source: Text,
    hypothesis: Text,
    limit: int,
    golds: Sequence[Sequence[Edit]],
    accepted: Sequence[Sequence[tuple[Text, ...]]],
) -> tuple[list[list[Span]], Level]:
    codes = {token: n for n, token in enumerate(dict.fromkeys((*source, *hypothesis)))}
    a, b = _encoded(source, codes), _encoded(hypothesis, codes)
    asked = tuple(
        tuple(
            _asked(gold, texts, codes)
            for gold, texts in zip(each, accepts, strict=True)
            if gold.end <= len(source)  # beyond it, no proposal can match
        )
        for each, accepts in zip(golds, accepted, strict=True)
    )
    propose = exact.proposals if compiled is None else compiled.proposals
    spans: list[list[Span]] | None = propose(a, b, limit, asked, MOST_PAIRS)
    if spans is None:
        return approximate(a, b, limit, asked), "linear"
    return spans, "exact"


def _asked(gold: Edit, texts: Sequence[Text], codes: Mapping[str, int]) -> Gold:
    """Return a gold edit in codes, without texts that hold tokens which the pair does not have."""
    known = (text for text in texts if all(token in codes for token in text))
    return gold.start, gold.end, tuple(_encoded(text, codes) for text in known)


def _encoded(text: Text, codes: Mapping[str, int]) -> bytes:
    return array("I", [codes[token] for token in text]).tobytes()


def _differs(source: Text, hypothesis: Text, span: Span) -> bool:
    i, x, j, y = span
    return "".join(source[i:x]).lower() != "".join(hypothesis[j:y]).lower()


def _matched(
    edits: Sequence[Edit], golds: Sequence[Edit], accepted: Sequence[tuple[Text, ...]]
) -> tuple[tuple[int, int], ...]:
    """Return which proposals match which gold edits: the pointer into the golds never goes back.

    Behind a match the search for the same proposal goes on, so a gold edit that is written twice
    is matched twice.
    """
    pairs: list[tuple[int, int]] = []
    behind = 0
    for n, edit in enumerate(edits):
        for place in range(behind, len(golds)):
            gold = golds[place]
            if (edit.start, edit.end) == (gold.start, gold.end) and (
                edit.replacement in accepted[place]
            ):
                pairs.append((n, place))
                behind = place + 1
    return tuple(pairs)
