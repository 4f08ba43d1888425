"""From a parallel pair of token sequences to labels: align, then explain each changed block.

The recipe is GECToR's (Omelianchuk et al. 2020, section 3; MuCGEC, section 4.1): a coarse
alignment, and inside each changed block a finer one. Differs from both published programs: the
coarse alignment is the least edit distance of `edits.align`, not difflib's longest blocks, and
`gecbench.models.tags.blocks` spreads insertions so that fewer rounds are needed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import count

from gecbench.edits.align import lattice
from gecbench.models.tags.blocks import Block, Explained, explained
from gecbench.models.tags.distances import UTF_32
from gecbench.models.tags.labels import DELETE, KEEP, append, replace
from gecbench.models.tags.transforms import Transforms

_CHANGED = re.compile("[^M]+")
_KEPT = (KEEP,)


def labels_of(
    source: Sequence[str], target: Sequence[str], transforms: Transforms, *, swaps: bool = False
) -> tuple[tuple[str, ...], ...]:
    """Return all labels of each position; done in order, all of them give the target exactly.

    Args:
        source: Tokens; none is empty or holds white space.
        target: Tokens, the same.
        transforms: The changes of form that labels may name.
        swaps: Derive $MERGE_SWAP where a change is two tokens in each other's place; neither
            released vocabulary has it.

    Returns:
        As many as source tokens and one: position 0 is $START, that of token i is i + 1. Each
        begins with what happens to the token itself, be it $KEEP; $APPEND_* follow.

    >>> labels_of("我今天高心", "我今天很高兴", Transforms())[3:]
    (('$KEEP', '$APPEND_很'), ('$KEEP',), ('$REPLACE_兴',))
    """
    rows: list[tuple[str, ...]] = [_KEPT] * (len(source) + 1)
    for start, block in _blocks(source, target):
        _place(rows, start, explained(block, transforms, swaps=swaps))
    return tuple(rows)


def first_labels(labels: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return one label of each position, the first that is not $KEEP: what training learns.

    >>> first_labels((("$KEEP",), ("$KEEP", "$APPEND_很"), ("$REPLACE_a", "$APPEND_b")))
    ('$KEEP', '$APPEND_很', '$REPLACE_a')
    """
    return tuple(row[0] if len(row) == 1 or row[0] != KEEP else row[1] for row in labels)


def _blocks(source: Sequence[str], target: Sequence[str]) -> Iterator[tuple[int, Block]]:
    """Yield the changed blocks of a least alignment, each with its first source token."""
    steps = lattice(*_coded(source, target), None).steps()
    i = j = done = 0
    for run in _CHANGED.finditer(steps):
        kept = run.start() - done
        i, j, done = i + kept, j + kept, run.end()
        kinds = run.group()
        end, target_end = i + len(kinds) - kinds.count("I"), j + len(kinds) - kinds.count("D")
        yield i, Block(tuple(source[i:end]), tuple(target[j:target_end]))
        i, j = end, target_end


def _coded(source: Sequence[str], target: Sequence[str]) -> tuple[bytes, bytes]:
    """Return both sides as native 32-bit codes, equal where tokens are."""
    left, right = "".join(source), "".join(target)
    if len(left) == len(source) and len(right) == len(target):
        return left.encode(UTF_32, "surrogatepass"), right.encode(UTF_32, "surrogatepass")
    code_of = dict(zip((*source, *target), count(), strict=False)).__getitem__
    one, two = list(map(code_of, source)), list(map(code_of, target))
    return array("I", one).tobytes(), array("I", two).tobytes()


def _place(rows: list[tuple[str, ...]], start: int, block: Explained) -> None:
    """Write the labels of a block over rows: what is inserted first belongs to what precedes."""
    if block.head:
        rows[start] = (*rows[start], *map(append, block.head))
    for offset, (own, behind) in enumerate(block.tokens, start + 1):
        if own == DELETE and behind:
            rows[offset] = (replace(behind[0]), *map(append, behind[1:]))
        else:
            rows[offset] = (own, *map(append, behind))
