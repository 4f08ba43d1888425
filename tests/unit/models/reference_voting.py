"""The rule votes as slowly and plainly as it can be said, and what systems may propose."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from gecbench.core.edit import Edit

SOURCE = tuple("abcdef")

Plain = tuple[int, int, tuple[str, ...]]


@st.composite
def system_edits(draw: st.DrawFn) -> tuple[Edit, ...]:
    """Edits of one system over SOURCE, in order; few different ones, so that systems agree."""
    cuts = sorted(draw(st.lists(st.integers(0, len(SOURCE)), max_size=6)))
    edits: list[Edit] = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):  # an odd one is left over
        words = draw(st.lists(st.sampled_from("xy"), max_size=1, min_size=start == end))
        insertions = edits and edits[-1].start == edits[-1].end == start == end
        if not insertions:
            edits.append(Edit(start, end, tuple(words)))
    return tuple(edits)


def plain(edit: Edit) -> Plain:
    return edit.start, edit.end, edit.replacement or ()


def occupied(edit: Plain) -> set[int]:
    """Token k is place 2k + 1; between the tokens lie the even places."""
    start, end, _ = edit
    return {2 * start} if start == end else set(range(2 * start + 1, 2 * end))


def vote(
    sets: list[tuple[Edit, ...]], weights: list[Fraction], threshold: Fraction | None
) -> set[Plain]:
    """What is kept: above half of the weight, or from the threshold on; of overlaps the best."""
    left = {plain(edit) for edits in sets for edit in edits}
    votes = {
        edit: sum(w for edits, w in zip(sets, weights, strict=True) if edit in map(plain, edits))
        for edit in left
    }
    if threshold is None:
        left = {edit for edit in left if 2 * votes[edit] > sum(weights)}
    else:
        left = {edit for edit in left if votes[edit] >= threshold}
    rest: set[Plain] = set()
    while left:
        best = min(left, key=lambda edit: (-votes[edit], edit))
        rest.add(best)
        left = {edit for edit in left if not occupied(edit) & occupied(best)}
    return rest
