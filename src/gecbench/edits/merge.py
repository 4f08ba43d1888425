"""Merging neighbouring segments of an alignment, by windows of three."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gecbench.edits.kernel import Segment

Window = Callable[[Segment, Segment, Segment], "Segment | None"]
"""What three neighbours become when they are merged; None leaves them."""


def merge_windows(segments: Sequence[Segment], window: Window) -> tuple[Segment, ...]:
    """Return the changes of an alignment, merged from left to right.

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
