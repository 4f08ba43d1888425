"""From a parallel pair of token sequences to labels: align, then explain each changed block.

The recipe is GECToR's (Omelianchuk et al. 2020, section 3; MuCGEC, section 4.1): a coarse
alignment, and inside each changed block a finer one. Differs from both published programs: the
coarse alignment is the least edit distance of `edits.alignment`, not difflib's longest blocks, and
`gecbench.models.tags.derive` spreads insertions so that fewer rounds are needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench.core.language import Transforms
from gecbench.edits.alignment import distance, encode, lattice
from gecbench.models.tags.labels import (
    DELETE,
    KEEP,
    MERGE_HYPHEN,
    MERGE_SPACE,
    append_label,
    replace_label,
    transform_label,
)
from gecbench.models.tags.replay import resolve_labels

_distance = lru_cache(maxsize=1 << 16)(distance)


# A changed block of a pair: which of its target tokens each source token becomes.


_LARGEST = 4096
"""Blocks of more cells (source times target tokens) are aligned by whole tokens: characters of
such a rewriting say nothing any more, and looking at them would take seconds."""


class ChangedBlock(NamedTuple):
    """Tokens of the source, and what stands in their place; not both are empty."""

    source: tuple[str, ...]
    target: tuple[str, ...]


TokenLabels = tuple[str, list[str]]
"""The label of what happens to a token itself, and the tokens inserted behind it."""


def explain_block(block: ChangedBlock, transforms: Transforms) -> list[TokenLabels]:
    """Explain what happens to the token before a block, which stays, and to each token of it."""
    source, target = block
    if not source:
        return [(KEEP, list(target))]
    rows: list[TokenLabels] = [(KEEP, [])]
    if not target:
        return rows + [(DELETE, [])] * len(source)
    if len(source) == len(target) == 1:
        return [*rows, (_label(source[0], target[0], transforms), [])]
    by_tokens = all(len(token) == 1 for token in source + target)
    if by_tokens or len(source) * len(target) > _LARGEST:
        _explain_by_tokens(rows, block, transforms)
    else:
        _explain_by_characters(rows, block, transforms)
    return rows


def _label(token: str, target: str, transforms: Transforms) -> str:
    """Build the label that makes one token another."""
    if token == target:
        return KEEP
    name = transforms.explain(token, target)
    return replace_label(target) if name is None else transform_label(name)


def _explain_by_tokens(
    rows: list[TokenLabels], block: ChangedBlock, transforms: Transforms
) -> None:
    """Add what happens where tokens are equal or not, and nothing else is to be seen.

    Of least alignments one with the most equal tokens is taken: a word that moved is deleted here
    and inserted there, instead of all that it passed being replaced.
    """
    for part, is_equal in _parts(block):
        before, rest = _pair_up(part, transforms)
        rows[-1][1].extend(before)
        rows += rest
        if is_equal:
            rows.append((KEEP, []))


def _parts(block: ChangedBlock) -> Iterator[tuple[ChangedBlock, bool]]:
    """Yield what lies between equal tokens, each with whether an equal token follows."""
    source, target = block
    if len(source) == 1 or len(target) == 1 or set(source).isdisjoint(target):
        yield block, False  # at least as many changes as the longer side has tokens
        return
    i = j = 0
    for x, y in _align(source, target):
        yield ChangedBlock(source[i:x], target[j:y]), True
        i, j = x + 1, y + 1
    yield ChangedBlock(source[i:], target[j:]), False


def _align(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
    """Find the equal tokens of a least alignment that has as many as a least one can."""
    # An operation costs more than all extra parts of substitutions together.
    step = len(source) + len(target)
    table = [list(range(0, step * (len(target) + 1), step))]
    for x, token in enumerate(source, 1):
        above, left = table[-1], x * step
        row = [left]
        for y, other in enumerate(target):
            least = above[y] if token == other else above[y] + step + 1
            left = min(least, above[y + 1] + step, left + step)
            row.append(left)
        table.append(row)
    pairs = []
    x, y = len(source), len(target)
    while x and y:
        here = table[x][y]
        same = source[x - 1] == target[y - 1]
        if here == table[x - 1][y - 1] + (0 if same else step + 1):
            x, y = x - 1, y - 1
            if same:
                pairs.append((x, y))
        elif here == table[x - 1][y] + step:
            x -= 1
        else:
            y -= 1
    return pairs[::-1]


def _pair_up(part: ChangedBlock, transforms: Transforms) -> tuple[list[str], list[TokenLabels]]:
    """Pair up tokens of which none is equal: what is inserted before, what happens to each.

    Surplus source tokens are deleted at the end. Surplus target tokens are spread evenly over the
    token before the block and those in it, because each takes one label a round.
    """
    source, target = part
    if len(source) >= len(target):
        labels = [_label(a, b, transforms) for a, b in zip(source, target, strict=False)]
        labels += [DELETE] * (len(source) - len(target))
        return [], [(label, []) for label in labels]
    share, more = divmod(len(target), len(source) + 1)
    at = share + (more > 0)
    head, rows = list(target[:at]), []
    for number, token in enumerate(source, 1):
        end = at + share + (number < more)
        rows.append((_label(token, target[at], transforms), list(target[at + 1 : end])))
        at = end
    return head, rows


def _explain_by_characters(
    rows: list[TokenLabels], block: ChangedBlock, transforms: Transforms
) -> None:
    """Add what happens where words resemble one another more or less.

    Each source token gets a run of target tokens (`runs`); of a run the token most like the
    source token is what it becomes, those before it are inserted behind the token before.
    """
    for token, run, merge_label in assign_runs(block.source, block.target, transforms):
        before, label, behind = (
            _split_run(token, run, transforms) if merge_label is None else ((), merge_label, ())
        )
        rows[-1][1].extend(before)
        rows.append((label, list(behind)))


def _split_run(
    token: str, run: tuple[str, ...], transforms: Transforms
) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Split a run: what is inserted before a token, its own label, and what is inserted behind."""
    if not run:
        return (), DELETE, ()
    if len(run) > 1 and "-" in token:
        for length in range(len(run), 1, -1):
            if name := transforms.explain(token, " ".join(run[:length])):
                return (), transform_label(name), run[length:]
    best, label = _nearest(token, run, transforms)
    return run[:best], label, run[best + 1 :]


def _nearest(token: str, run: Sequence[str], transforms: Transforms) -> tuple[int, str]:
    """Find the place of the target token most like a token, and the label that makes it so.

    Of equally near ones it is the middle one, so that no token gets more to insert than it must.
    """
    if len(run) == 1:
        return 0, _label(token, run[0], transforms)
    if token in run:
        return run.index(token), KEEP
    for position, target in enumerate(run):
        if name := transforms.explain(token, target):
            return position, transform_label(name)
    ranked = [
        (_distance(token, target), abs(2 * position + 1 - len(run)), position)
        for position, target in enumerate(run)
    ]
    position = min(ranked)[2]
    return position, replace_label(run[position])


_CHANGED = re.compile("[^M]+")


def derive_labels(
    source: Sequence[str], target: Sequence[str], transforms: Transforms
) -> tuple[tuple[str, ...], ...]:
    """Derive all labels of each position; done in order, all of them give the target exactly.

    Args:
        source: Tokens; none is empty or holds white space.
        target: Tokens, the same.
        transforms: The changes of form that labels may name.

    Returns:
        As many as source tokens and one: position 0 is $START, that of token i is i + 1. Each
        begins with what happens to the token itself, be it $KEEP; $APPEND_* follow.

    >>> derive_labels("我今天高心", "我今天很高兴", Transforms())[3:]
    (('$KEEP', '$APPEND_很'), ('$KEEP',), ('$REPLACE_兴',))
    """
    labels: list[tuple[str, ...]] = [(KEEP,)] * (len(source) + 1)
    for start, block in _blocks(source, target):
        _place(labels, start, explain_block(block, transforms))
    return tuple(labels)


def choose_labels(labels: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Choose one label of each position, the first that is not $KEEP: what training learns.

    >>> choose_labels((("$KEEP",), ("$KEEP", "$APPEND_很"), ("$REPLACE_a", "$APPEND_b")))
    ('$KEEP', '$APPEND_很', '$REPLACE_a')
    """
    return tuple(row[0] if len(row) == 1 or row[0] != KEEP else row[1] for row in labels)


def _blocks(source: Sequence[str], target: Sequence[str]) -> Iterator[tuple[int, ChangedBlock]]:
    """Yield the changed blocks of a least alignment, each with its first source token."""
    steps = lattice(*encode(source, target), None).steps()
    i = j = position = 0
    for run in _CHANGED.finditer(steps):
        equal = run.start() - position
        i, j, position = i + equal, j + equal, run.end()
        kinds = run.group()
        end, target_end = i + len(kinds) - kinds.count("I"), j + len(kinds) - kinds.count("D")
        yield i, ChangedBlock(tuple(source[i:end]), tuple(target[j:target_end]))
        i, j = end, target_end


def _place(labels: list[tuple[str, ...]], start: int, rows: Sequence[TokenLabels]) -> None:
    """Write the labels of a block over those of its tokens; what precedes keeps its own."""
    for offset, (label, behind) in enumerate(rows, start):
        if offset == start:
            labels[offset] += tuple(map(append_label, behind))
        elif label == DELETE and behind:
            labels[offset] = (replace_label(behind[0]), *map(append_label, behind[1:]))
        else:
            labels[offset] = (label, *map(append_label, behind))


# Runs of target tokens for source tokens: the least total of character edit distances.


IntArray = npt.NDArray[np.int64]
TargetRun = tuple[str, tuple[str, ...], str | None]
"""A token, its run, and its label where it is part of a merge."""

_UNIT = 1 << 20
"""Cost of one changed character; what only decides between equals is less in all."""


def assign_runs(
    source: Sequence[str], target: Sequence[str], transforms: Transforms
) -> list[TargetRun]:
    """Assign to each source token the run of target tokens that it becomes.

    Every run is contiguous, maybe empty; together they are the target. A run costs the edit
    distance, in characters, between the token and the run without blanks, and nothing where a
    transform makes it; source tokens that joined are one target token cost nothing. Of equal
    totals the one with the shorter runs is taken.
    """
    costs = _costs(source, target, transforms)
    merges = list(_merges(source, target, transforms))
    totals = [np.full(len(target) + 1, np.iinfo(np.int64).max // 4)]
    totals[0][0] = 0
    origins: list[IntArray] = []
    merges_by_end: dict[tuple[int, int], tuple[int, str]] = {}
    for i, cost in enumerate(costs):
        sums = totals[-1][:, None] + cost
        origin = sums.argmin(axis=0)
        total = sums[origin, np.arange(len(target) + 1)]
        for start, end, at, label in merges:
            if end == i + 1 and totals[start][at] < total[at + 1]:
                total[at + 1] = totals[start][at]
                merges_by_end[end, at + 1] = start, label
        totals.append(total)
        origins.append(origin)
    return list(_trace(source, target, origins, merges_by_end))[::-1]


def _trace(
    source: Sequence[str],
    target: Sequence[str],
    origins: Sequence[IntArray],
    merges_by_end: dict[tuple[int, int], tuple[int, str]],
) -> Iterator[TargetRun]:
    """Yield what the best way gives to each token, from the last to the first."""
    i, j = len(source), len(target)
    while i:
        if (i, j) in merges_by_end:
            start, label = merges_by_end[i, j]
            yield source[i - 1], (), KEEP
            yield from ((source[at], (), label) for at in range(i - 2, start - 1, -1))
            i, j = start, j - 1
            continue
        origin = int(origins[i - 1][j])
        yield source[i - 1], tuple(target[origin:j]), None
        i, j = i - 1, origin


def _costs(source: Sequence[str], target: Sequence[str], transforms: Transforms) -> list[IntArray]:
    """Compute for each source token what runs cost; shape (first target token, end of run)."""
    lengths = np.arange(len(target) + 1) - np.arange(len(target) + 1)[:, None]
    long = np.minimum(np.where(lengths > 1, (lengths - 1) ** 2, 0), _UNIT // (4 * len(source)))
    penalties = np.where(lengths < 0, np.int64(1) << 50, long)
    costs = []
    for token, letters in zip(source, _distances(source, target), strict=True):
        cost = letters * _UNIT + penalties
        _zero_costs(cost, token, target, transforms)
        costs.append(cost)
    return costs


def _distances(source: Sequence[str], target: Sequence[str]) -> Iterator[IntArray]:
    """Yield for each source token its edit distance to each run, row by row for all runs."""
    ends = np.array([0, *accumulate(map(len, target))])
    letters = _letters("".join(target))
    columns = np.arange(len(letters) + 1)
    # Before any letter of the token a run costs its letters; before its first token there is none.
    empty = np.where(columns >= ends[:, None], columns - ends[:, None], len(letters) * 4 + 4096)
    for token in source:
        row = empty
        for letter in _letters(token):
            step = row + 1
            step[:, 1:] = np.minimum(step[:, 1:], row[:, :-1] + (letters != letter))
            row = np.minimum.accumulate(step - columns, axis=1) + columns
        yield row[:, ends]


def _zero_costs(cost: IntArray, token: str, target: Sequence[str], transforms: Transforms) -> None:
    """Write 0 where a token is equal to a run or a transform makes it."""
    for at, other in enumerate(target):
        if token == other or transforms.explain(token, other):
            cost[at, at + 1] = 0
    pieces = tuple(token.split("-"))
    if len(pieces) > 1:
        for at in range(len(target) - len(pieces) + 1):
            run = target[at : at + len(pieces)]
            if tuple(run) == pieces and transforms.explain(token, " ".join(run)):
                cost[at, at + len(pieces)] = 0


def _merges(
    source: Sequence[str], target: Sequence[str], transforms: Transforms
) -> Iterator[tuple[int, int, int, str]]:
    """Yield source tokens that joined are one target token: start, end, target token, label."""
    for label, hyphen in ((MERGE_SPACE, ""), (MERGE_HYPHEN, "-")):
        if hyphen not in transforms.joins:
            continue
        for at, other in enumerate(target):
            for start, token in enumerate(source):
                merged = token
                for end in range(start + 1, len(source)):
                    if len(merged) >= len(other) or not other.startswith(merged):
                        break
                    merged += hyphen + source[end]
                    if merged == other:
                        yield start, end + 1, at, label


def _letters(text: str) -> IntArray:
    return np.fromiter(map(ord, text), np.int64, len(text))


# Rounds: a tagger gives one label to a token, so what needs more is done in several rounds.


class Round(NamedTuple):
    """One round on the way to a target: what a tagger reads, and what it is to say.

    Args:
        tokens: As they stand before the round, without $START.
        labels: One for $START and one for each token.
    """

    tokens: tuple[str, ...]
    labels: tuple[str, ...]


def derive_rounds(
    source: Sequence[str],
    target: Sequence[str],
    transforms: Transforms,
    *,
    limit: int | None = None,
) -> tuple[Round, ...]:
    """Derive the rounds from a source to its target; () where they are equal.

    It always ends there: the first round does all that happens to tokens themselves, each later
    one inserts at least one of the tokens that are still missing.

    Args:
        source: Tokens.
        target: Tokens.
        transforms: The changes of form that labels may name.
        limit: End after so many rounds, wherever they lead; None goes on to the target.

    >>> [round.labels for round in derive_rounds("他很高", "他今天很高", Transforms())]
    [('$KEEP', '$APPEND_今', '$KEEP', '$KEEP'), ('$KEEP', '$KEEP', '$APPEND_天', '$KEEP', '$KEEP')]
    """
    rounds: list[Round] = []
    tokens, goal = tuple(source), tuple(target)
    while tokens != goal and (limit is None or len(rounds) < limit):
        labels = choose_labels(derive_labels(tokens, goal, transforms))
        rounds.append(Round(tokens, labels))
        tokens = apply_labels(tokens, labels, transforms)
    return tuple(rounds)


def apply_labels(
    tokens: Sequence[str], labels: Sequence[str], transforms: Transforms
) -> tuple[str, ...]:
    """Apply one round of labels to tokens: `replay.text_edits` for tokens without a text.

    A label that cannot be done keeps its token; `resolve_labels` says which.

    Args:
        tokens: Without $START.
        labels: One for $START and one for each token.
        transforms: What labels may name.

    >>> labels = ["$KEEP", "$KEEP", "$REPLACE_go", "$APPEND_."]
    >>> apply_labels(["I", "goes", "home"], labels, Transforms())
    ('I', 'go', 'home', '.')
    """
    words: list[str] = []
    joint: str | None = None
    for outcome in resolve_labels(tokens, labels, transforms):
        for word in outcome.words:
            if joint is None:
                words.append(word)
            else:
                words[-1] += joint + word
            joint = None
        words += outcome.behind.split()
        joint = joint if outcome.joint is None else outcome.joint
    return tuple(words)
