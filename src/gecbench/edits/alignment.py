"""The distinct edit sets of all least-cost alignments, without listing the alignments.

The number of co-optimal alignments is exponential; the number of edit sets that differ seldom
is. Three facts make the sets come out one by one, in the order in which ChERRANT's depth-first
listing first meets them:

1. All ways through one run of substitutions, insertions and deletions become one segment, so the
   walk goes over whole segments (`Lattice.arcs`).
2. Merging by windows never looks across a place where a window could not lie: once the segments
   to the right of such a place are known, their edits are final, whatever comes to the left.
3. What can lie to the left of a cell depends on the cell and on the unsettled segments alone, not
   on what has been settled. So it is found once for each, as an ordered list of different edit
   lists, and every way that comes there shares it.

If some cell alone has more different beginnings than the limit, so has the whole, and the search
ends. So the work is bounded by cells times the limit, never by alignments.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import count, groupby
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gecbench.core.edit import Edit

if TYPE_CHECKING:
    from gecbench.core.sample import EditSet
    from gecbench.edits import kernel
    from gecbench.edits.features import FeatureCosts
    from gecbench.edits.kernel import Segment

# The choice between the compiled kernel and the one in Python; both give the same lattice.


try:
    from gecbench.edits import _kernel as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same numbers
    compiled = None


class Lattice(Protocol):
    """All least-cost alignments of two token sequences; see `kernel.Lattice`."""

    def chain(self, first: bool, /) -> list[kernel.Segment] | None:
        """All segments if there is no choice; see `kernel.Lattice.chain`."""
        ...

    def arcs(self, i: int, j: int, in_run: bool, /) -> list[kernel.Arc]:
        """The segments that may end at a cell; see `kernel.Lattice.arcs`."""
        ...

    def steps(self) -> str:
        """The first alignment as letters M, S, I, D."""
        ...


def lattice(source: bytes, target: bytes, costs: FeatureCosts | None) -> Lattice:
    """The lattice of all least-cost alignments.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the other side.
        costs: Graded substitution costs; None means edit distance without transpositions.
    """
    if compiled is None:
        from gecbench.edits import kernel

        return kernel.Lattice(source, target, costs)
    table: Lattice = compiled.Lattice(source, target, costs.data if costs else None)
    return table


def encode(source: Sequence[str], target: Sequence[str]) -> tuple[bytes, bytes]:
    """Encode two token sequences as native 32-bit integers, equal where tokens are."""
    left, right = "".join(source), "".join(target)
    if [*left] == [*source] and [*right] == [*target]:  # characters: code points are codes
        return left.encode(_UTF_32, "surrogatepass"), right.encode(_UTF_32, "surrogatepass")
    code_of = dict(zip((*source, *target), count(), strict=False)).__getitem__
    return array("I", map(code_of, source)).tobytes(), array("I", map(code_of, target)).tobytes()


_UTF_32 = f"utf-32-{sys.byteorder[0]}e"


def distance(source: str, target: str) -> int:
    """The edit distance of two texts in characters.

    >>> distance("今天我很高心。", "今天我很高兴。"), distance("informations", "information")
    (1, 1)
    """
    steps = lattice(*encode(source, target), None).steps()
    return len(steps) - steps.count("M")


def common_prefix(left: Sequence[str], right: Sequence[str]) -> int:
    """How many items two sequences begin with alike.

    >>> common_prefix("高心", "高兴了")
    1
    """
    pairs = enumerate(zip(left, right, strict=False))  # one may be the other's beginning
    return next((k for k, (a, b) in pairs if a != b), min(len(left), len(right)))


def kernel_name() -> str:
    """Which kernel runs: "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


# The changes between two token sequences, whatever tokens are: least edits, neighbours merged.


def changes(source: Sequence[str], target: Sequence[str]) -> EditSet:
    """The edits of a least-cost alignment, each run of changed tokens as one, without types.

    Insertions, deletions and substitutions of tokens cost the same; of equal alignments the one
    that, read from the end, matches equal tokens wherever it can.

    >>> [(e.start, e.end, e.replacement) for e in changes("abcd", "axyd")]
    [(1, 3, ('x', 'y'))]
    """
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


# Merging neighbouring segments of an alignment, by windows of three.


Window = Callable[["Segment", "Segment", "Segment"], "Segment | None"]
"""What three neighbours become when they are merged; None leaves them."""


def merge_windows(segments: Sequence[Segment], window: Window) -> tuple[Segment, ...]:
    """Merge the changes of an alignment from left to right.

    At each segment that is no match and that two others follow, `window` is asked; where it
    merges, the three are one change and the walk goes on behind them, else the first is kept
    unless it is a match ("M") and the walk goes on by one.
    """
    merged: list[Segment] = []
    at = 0
    last_window = len(segments) - 3
    while at < len(segments):
        if at <= last_window and segments[at][0] != "M":
            three = window(segments[at], segments[at + 1], segments[at + 2])
            if three:
                merged.append(three)
                at += 3
                continue
        if segments[at][0] != "M":
            merged.append(segments[at])
        at += 1
    return tuple(merged)


SET_LIMIT = 1000
"""More different edit sets than this between two texts are not listed; the first is kept."""

_RUNS = ("S", "I", "D")


class EditSegments(NamedTuple):
    """Distinct lists of merged segments, in order; only the first where there were too many."""

    sets: tuple[tuple[Segment, ...], ...]
    capped: bool


_State = tuple[int, int, tuple["Segment", ...]]
"""A cell, and the segments behind it that are not settled."""


class _Lists:
    """Lists of edits that share their beginnings; equal lists have equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Segment], int] = {}
        self._nodes: list[tuple[int, Segment]] = []  # list k + 1 is that list, then this segment

    def extend(self, number: int, segments: Sequence[Segment]) -> int:
        """The number of a list with these segments behind it."""
        for segment in segments:
            node = (number, segment)
            number = self._numbers.setdefault(node, len(self._nodes) + 1)
            if number > len(self._nodes):
                self._nodes.append(node)
        return number

    def of(self, number: int) -> tuple[Segment, ...]:
        """The list of a number."""
        segments = []
        while number:
            number, segment = self._nodes[number - 1]
            segments.append(segment)
        return tuple(reversed(segments))


def edit_sets(
    lattice: Lattice, n: int, m: int, *, window: Window, first: bool, limit: int = SET_LIMIT
) -> EditSegments:
    """The distinct edit sets of an alignment lattice.

    Args:
        lattice: Between `n` source and `m` target tokens.
        n: Number of source tokens.
        m: Number of target tokens.
        window: The scheme's merging rule.
        first: Only the set of the first alignment.
        limit: Above this number of different sets only the first is returned.
    """
    chain = lattice.chain(first)
    if chain is not None:
        return EditSegments((merge_windows(chain, window),), capped=False)
    lists = _Lists()
    numbers = _beginnings((n, m, ()), lattice, window, lists, limit)
    if numbers is None:
        return EditSegments((merge_windows(lattice.chain(True) or (), window),), capped=True)
    return EditSegments(tuple(map(lists.of, numbers)), capped=False)


def _beginnings(
    end: _State, lattice: Lattice, window: Window, lists: _Lists, limit: int
) -> list[int] | None:
    """The different edit lists up to a state, in order; None where there are too many."""
    known: dict[_State, list[int]] = {}
    steps: dict[_State, list[tuple[_State, tuple[Segment, ...]]]] = {}
    stack = [end]
    while stack:
        state = stack[-1]
        i, j, tail = state
        if state in known:
            stack.pop()
        elif not i and not j:
            known[state] = [lists.extend(0, merge_windows(tail, window))]
        elif state not in steps:
            steps[state] = _steps(state, lattice, window)
            stack.extend(before for before, _ in steps[state] if before not in known)
        else:
            numbers: dict[int, None] = {}
            for before, settled in steps.pop(state):
                numbers |= dict.fromkeys(lists.extend(number, settled) for number in known[before])
            if len(numbers) > limit:
                return None
            known[state] = list(numbers)
    return known[end]


def _steps(
    state: _State, lattice: Lattice, window: Window
) -> list[tuple[_State, tuple[Segment, ...]]]:
    """The states that may come before one, in order, with the edits settled on the way."""
    i, j, tail = state
    steps: list[tuple[_State, tuple[Segment, ...]]] = []
    for kind, x, y in lattice.arcs(i, j, bool(tail) and tail[0][0] in _RUNS):
        segment = (kind, x, i, y, j)
        if _reaches(segment, tail, window):
            steps.append(((x, y, (segment, *tail)), ()))
        else:
            steps.append(((x, y, (segment,)), merge_windows(tail, window)))
    return steps


def _reaches(segment: Segment, tail: tuple[Segment, ...], window: Window) -> bool:
    """Whether a window may yet lie across a segment and the unsettled ones behind it.

    A window is a run, then a match or transposition, then a run. So nothing spans two
    neighbouring segments of which neither is a run; and where a run starts no window itself,
    what follows it can only be merged from inside.
    """
    if segment[0] in _RUNS:
        return len(tail) > 1 and window(segment, tail[0], tail[1]) is not None
    return bool(tail) and tail[0][0] in _RUNS
