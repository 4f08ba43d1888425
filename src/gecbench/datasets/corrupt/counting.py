"""What corrupting a file came to."""

from __future__ import annotations

from collections import Counter

import msgspec

from gecbench.datasets.corrupt.makers import Made

NO_TEXT, UNANNOTATABLE = "empty", "no corrected text"
UNMADE = "no place for any error"


class Counts(msgspec.Struct):
    """What was made, in numbers.

    Attributes:
        sentences: Correct texts that were read.
        written: Pairs.
        with_errors: Pairs whose source has at least one.
        left_correct: Pairs that were drawn to be left as they are.
        unmade: Sentences that were to get errors and have no place for any.
        left_out: Sentences that are not written, by reason.
        drawn: Errors that were drawn.
        made: Errors that were made.
        types: Errors by type.
        shares: What the profile asks for, by type, as a share of all errors.
        errors: Pairs by number of errors.
        units: Characters (Chinese) or tokens (English) of the correct texts that are written.
        changed: Of these, how many the errors replace or leave out.
        added: Characters or tokens that stand in their place, or are too much.
        of_errors: Errors by length, as "1>0": units in the text with errors > in the correct one.
    """

    sentences: int = 0
    written: int = 0
    with_errors: int = 0
    left_correct: int = 0
    unmade: int = 0
    left_out: dict[str, int] = {}
    drawn: int = 0
    made: int = 0
    types: dict[str, int] = {}
    shares: dict[str, float] = {}
    errors: dict[int, int] = {}
    units: int = 0
    changed: int = 0
    added: int = 0
    of_errors: dict[str, int] = {}

    @property
    def impossible(self) -> int:
        """Errors that were drawn and could not be made."""
        return self.drawn - self.made


class Tally:
    """Counts one sentence after another."""

    def __init__(self, shares: dict[str, float]) -> None:
        self._counts = Counts(shares=shares)
        self._types: Counter[str] = Counter()
        self._errors: Counter[int] = Counter()
        self._left_out: Counter[str] = Counter()
        self._lengths: Counter[tuple[int, int]] = Counter()

    def leave_out(self, why: str) -> None:
        """Count a sentence that is not written."""
        self._counts.sentences += 1
        self._left_out[why] += 1

    def add(self, made: Made, *, kept: bool) -> None:
        """Count a sentence; `kept` says whether one without a place for errors is written."""
        counts = self._counts
        counts.drawn += made.wanted
        if made.corrupted is None and made.wanted:
            counts.unmade += 1
            if not kept:
                self.leave_out(UNMADE)
                return
        counts.sentences += 1
        counts.written += 1
        counts.units += made.units
        if made.corrupted is None:
            counts.left_correct += not made.wanted
            self._errors[0] += 1
            return
        edits = made.corrupted.edits
        self._errors[len(edits)] += 1
        for start, end, replacement, label in edits:
            self._types[label] += 1
            self._lengths[end - start, len(replacement)] += 1

    def result(self) -> Counts:
        """Return the numbers so far."""
        counts = self._counts
        counts.left_out = dict(sorted(self._left_out.items()))
        counts.types = dict(self._types.most_common())
        counts.errors = dict(sorted(self._errors.items()))
        counts.made = self._types.total()
        counts.with_errors = counts.written - self._errors[0]
        counts.changed = sum(right * n for (_, right), n in self._lengths.items())
        counts.added = sum(wrong * n for (wrong, _), n in self._lengths.items())
        ordered = sorted(self._lengths.items(), key=lambda one: (-one[1], one[0]))
        counts.of_errors = {f"{wrong}>{right}": n for (wrong, right), n in ordered}
        return counts
