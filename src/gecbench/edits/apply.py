"""Applying edits to a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from gecbench.core.edit import Edit, check
from gecbench.core.sample import EditSet

if TYPE_CHECKING:
    from gecbench.edits.kernel import Segment


def apply(edits: Sequence[Edit], source: Sequence[str]) -> tuple[str, ...]:
    """Apply edits to the tokens of a source.

    Edits without a replacement (detected, not corrected) leave their span as it is. Several
    insertions at one place come in the order in which they are listed.

    Raises:
        EditError: Names the first edit that is out of range or overlaps another.

    >>> apply([Edit(1, 2, ("went",)), Edit(3, 3, (".",))], ["I", "goed", "home"])
    ('I', 'went', 'home', '.')
    """
    check(edits, len(source))
    tokens: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.replacement is not None:
            tokens += [*source[at : edit.start], *edit.replacement]
            at = edit.end
    tokens.extend(source[at:])
    return tuple(tokens)


# The changes between two token sequences, whatever tokens are: least edits, neighbours merged.


def changes(source: Sequence[str], target: Sequence[str]) -> EditSet:
    """The edits of a least-cost alignment, each run of changed tokens as one, without types.

    Insertions, deletions and substitutions of tokens cost the same; of equal alignments the one
    that, read from the end, matches equal tokens wherever it can.

    >>> [(e.start, e.end, e.replacement) for e in changes("abcd", "axyd")]
    [(1, 3, ('x', 'y'))]
    """
    from gecbench.edits.alignment import encode, lattice  # many apply edits and align nothing

    steps = lattice(*encode(source, target), None).steps()
    runs = step_runs(steps, "M".__eq__)
    return tuple(
        Edit(start, end, tuple(target[target_start:target_end]))
        for step, start, end, target_start, target_end in runs
        if step != "M"
    )


def step_runs(steps: str, key: Callable[[str], object]) -> Iterator[Segment]:
    """Yield runs of steps with one key: the first step, and the spans of source and target.

    Args:
        steps: Of an alignment: M, S, I and D.
        key: What steps of a run have in common.
    """
    i = j = 0
    for _, letters in groupby(steps, key):
        run = "".join(letters)
        end = i + len(run) - run.count("I")
        target_end = j + len(run) - run.count("D")
        yield run[0], i, end, j, target_end
        i, j = end, target_end
