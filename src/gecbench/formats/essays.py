"""Lines of essays whose edits are places in the text, as two formats have them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gecbench.core.errors import Message
from gecbench.core.sample import Rewrite, Sample

_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_ACROSS = Message("an edit across lines")
_OVERLAP = Message("an edit that overlaps another of its annotator")
_UNCORRECTED = Message("the mark of an error that nobody corrected")


class TextEdit(NamedTuple):
    """An edit of an essay.

    Args:
        start: First character that is replaced.
        end: Behind the last one.
        text: What is put there; None marks an error without a correction.
    """

    start: int
    end: int
    text: str | None


def essay_lines(
    name: str,
    text: str,
    annotators: Sequence[tuple[str, Sequence[TextEdit]]],
    meta: Mapping[str, str],
    left_out: Counter[str],
    *,
    first: int = 1,
) -> Iterator[Sample]:
    """Yield the lines of a text that are not blank, with a reference of each annotator.

    Args:
        name: Of the essay; ids are this and the number of the line.
        text: All of it, or a paragraph.
        annotators: Names with edits of the text.
        meta: Of each line, beside the essay and the number in it.
        left_out: Counts what cannot be kept.
        first: Number of the first line.
    """
    lines = list(_LINE.finditer(text))
    for _, edits in annotators:
        left_out[_ACROSS] += sum(
            not any(line.start() <= e.start and e.end <= line.end() for line in lines)
            for e in edits
        )
    for n, line in enumerate(lines, first):
        yield Sample(
            f"{name}/{n}",
            line[0],
            tuple(_rewrite(line, key, edits, left_out) for key, edits in annotators),
            {**meta, "document": name, "position": str(n)},
        )


def _rewrite(
    line: re.Match[str], annotator: str, edits: Iterable[TextEdit], left_out: Counter[str]
) -> Rewrite:
    """What an annotator makes of a line."""
    inside = [e for e in edits if line.start() <= e.start and e.end <= line.end()]
    if not inside:
        return Rewrite(error_free=True, annotator=annotator)
    corrections = sorted((e for e in inside if e.text is not None), key=lambda e: e[:2])
    # Marks around corrections say nothing more than these do (FCE).
    left_out[_UNCORRECTED] += sum(
        e.text is None and not any(e.start <= c.start and c.end <= e.end for c in corrections)
        for e in inside
    )
    pieces, at = [], line.start()
    for edit in corrections:
        if edit.start < at:
            left_out[_OVERLAP] += 1
            continue
        pieces += [line.string[at : edit.start], edit.text or ""]
        at = edit.end
    pieces.append(line.string[at : line.end()])
    # A correction may bring a line end, which a sentence has not.
    return Rewrite(text=re.sub(r"[\r\n]+", " ", "".join(pieces)), annotator=annotator)
