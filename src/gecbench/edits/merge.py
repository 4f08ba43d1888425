"""Merging neighbouring segments of an alignment, by windows of three."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Segment = tuple[str, int, int, int, int]
"""Kind, then half-open spans of source and target: (kind, start, end, start, end)."""

Window = Callable[[Segment, Segment, Segment], "Segment | None"]
"""What three neighbours become when they are merged; None leaves them."""


def merge_windows(segments: Sequence[Segment], window: Window) -> tuple[Segment, ...]:
    """Return the changes of an alignment, merged from left to right.

    At each segment that two others follow, `window` is asked; where it merges, the three are
    one change and the walk goes on behind them, else the first is kept unless it is a match
    ("M") and the walk goes on by one.
    """
    merged: list[Segment] = []
    at = 0
    while at < len(segments):
        if at + 2 < len(segments):
            three = window(*segments[at : at + 3])
            if three:
                merged.append(three)
                at += 3
                continue
        if segments[at][0] != "M":
            merged.append(segments[at])
        at += 1
    return tuple(merged)
