"""A changed block of a pair: which of its target tokens each source token becomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gecbench.models.tags.distances import distance
from gecbench.models.tags.labels import DELETE, KEEP, MERGE_SWAP, replace, transform
from gecbench.models.tags.transforms import Transforms

_LARGEST = 4096
"""Blocks of more cells (source times target tokens) are aligned by whole tokens: characters of
such a rewriting say nothing any more, and looking at them would take seconds."""


class Block(NamedTuple):
    """Tokens of the source, and what stands in their place; not both are empty."""

    source: tuple[str, ...]
    target: tuple[str, ...]


class Explained(NamedTuple):
    """What happens in a block.

    Args:
        head: Tokens inserted before its first token.
        tokens: For each source token the label of what happens to itself, and the tokens inserted
            behind it.
    """

    head: tuple[str, ...]
    tokens: tuple[tuple[str, tuple[str, ...]], ...]


_DELETED = (DELETE, ())


def explained(block: Block, transforms: Transforms, *, swaps: bool = False) -> Explained:
    """Return what happens to each token of a block."""
    source, target = block
    if not source:
        return Explained(target, ())
    if not target:
        return Explained((), (_DELETED,) * len(source))
    if swaps and len(source) == 2 and source == target[::-1]:
        return Explained((), ((MERGE_SWAP, ()), (KEEP, ())))
    if len(source) == len(target) == 1:
        return Explained((), ((_own(source[0], target[0], transforms), ()),))
    by_tokens = all(len(token) == 1 for token in source + target)
    if by_tokens or len(source) * len(target) > _LARGEST:
        return _by_tokens(block, transforms)
    return _by_characters(block, transforms)


def _own(token: str, target: str, transforms: Transforms) -> str:
    """Return the label that makes one token another."""
    if token == target:
        return KEEP
    name = transforms.explain(token, target)
    return replace(target) if name is None else transform(name)


def _by_tokens(block: Block, transforms: Transforms) -> Explained:
    """Return what happens where tokens are equal or not, and nothing else is to be seen.

    Of least alignments one with the most equal tokens is taken: a word that moved is deleted here
    and inserted there, instead of all that it passed being replaced.
    """
    head: list[str] = []
    tokens: list[tuple[str, list[str]]] = []
    for part, matched in _parts(block):
        first, rest = _spread(part, transforms)
        (tokens[-1][1] if tokens else head).extend(first)
        tokens += rest
        if matched:
            tokens.append((KEEP, []))
    return Explained(tuple(head), tuple((own, tuple(behind)) for own, behind in tokens))


def _parts(block: Block) -> Iterator[tuple[Block, bool]]:
    """Yield what lies between equal tokens, each with whether an equal token follows."""
    source, target = block
    if len(source) == 1 or len(target) == 1 or set(source).isdisjoint(target):
        yield block, False  # at least as many changes as the longer side has tokens
        return
    i = j = 0
    for x, y in _matches(source, target):
        yield Block(source[i:x], target[j:y]), True
        i, j = x + 1, y + 1
    yield Block(source[i:], target[j:]), False


def _matches(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
    """Return the equal tokens of a least alignment that has as many as a least one can."""
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
    found = []
    x, y = len(source), len(target)
    while x and y:
        here = table[x][y]
        same = source[x - 1] == target[y - 1]
        if here == table[x - 1][y - 1] + (0 if same else step + 1):
            x, y = x - 1, y - 1
            if same:
                found.append((x, y))
        elif here == table[x - 1][y] + step:
            x -= 1
        else:
            y -= 1
    return found[::-1]


def _spread(part: Block, transforms: Transforms) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return what is inserted before, and what happens to tokens of which none is equal.

    Surplus source tokens are deleted at the end. Surplus target tokens are spread evenly over the
    token before the block and those in it, because each takes one label a round.
    """
    source, target = part
    if len(source) >= len(target):
        own = [_own(a, b, transforms) for a, b in zip(source, target, strict=False)]
        own += [DELETE] * (len(source) - len(target))
        return [], [(label, []) for label in own]
    each, more = divmod(len(target), len(source) + 1)
    at = each + (more > 0)
    head, tokens = list(target[:at]), []
    for place, token in enumerate(source, 1):
        end = at + each + (place < more)
        tokens.append((_own(token, target[at], transforms), list(target[at + 1 : end])))
        at = end
    return head, tokens


def _by_characters(block: Block, transforms: Transforms) -> Explained:
    """Return what happens where words resemble one another more or less.

    Each source token gets a run of target tokens (`runs`); of a run the token most like the
    source token is what it becomes, those before it are inserted behind the token before.
    """
    from gecbench.models.tags.runs import assigned  # numpy, which Chinese pairs hardly need

    head: list[str] = []
    tokens: list[tuple[str, list[str]]] = []
    for token, run, merged in assigned(block.source, block.target, transforms):
        if merged is not None:
            tokens.append((merged, []))
            continue
        before, own, behind = _one(token, run, transforms)
        (tokens[-1][1] if tokens else head).extend(before)
        tokens.append((own, list(behind)))
    return Explained(tuple(head), tuple((own, tuple(behind)) for own, behind in tokens))


def _one(
    token: str, run: tuple[str, ...], transforms: Transforms
) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Return what is inserted before a token, its own label, and what is inserted behind."""
    if not run:
        return (), DELETE, ()
    if len(run) > 1 and "-" in token:
        for length in range(len(run), 1, -1):
            if name := transforms.explain(token, " ".join(run[:length])):
                return (), transform(name), run[length:]
    best, label = _nearest(token, run, transforms)
    return run[:best], label, run[best + 1 :]


def _nearest(token: str, run: Sequence[str], transforms: Transforms) -> tuple[int, str]:
    """Return the place of the target token most like a token, and the label that makes it so.

    Of equally near ones it is the middle one, so that no token gets more to insert than it must.
    """
    if len(run) == 1:
        return 0, _own(token, run[0], transforms)
    if token in run:
        return run.index(token), KEEP
    for place, target in enumerate(run):
        if name := transforms.explain(token, target):
            return place, transform(name)
    ranked = [
        (distance(token, target), abs(2 * place + 1 - len(run)), place)
        for place, target in enumerate(run)
    ]
    place = min(ranked)[2]
    return place, replace(run[place])
