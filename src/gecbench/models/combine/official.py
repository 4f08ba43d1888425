"""The rule mucgec-official: MuCGEC's ensemble as its programs compute it, faults and all.

`rule_ensemble.py` and `m2convertor.py` of MuCGEC 3922193 (cherrant_spec, section 10). What they do
and the rule votes does not:

- the veto of "no error" counts as if there were six systems, however many there are;
- edits that overlap are taken by their start alone: votes do not count, and of those that begin at
  one place the first system's is taken;
- W and spelling errors need one vote less, so that of two systems one is enough;
- types are looked for in the whole line, so that a correction that is the letter W counts as word
  order;
- a text loses an insertion at its beginning where a replacement of the first token follows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.core.sample import Rewrite
from gecbench.formats.m2.marks import BARS, NONE, NOOP, NOT_ANNOTATED
from gecbench.models.combine.candidates import Similar
from gecbench.models.combine.voting import Fate

_SYSTEMS = 6
"""How many there are in the paper; the program counts with it whatever is given."""


class Line(NamedTuple):
    """An A line, which is all that the program compares.

    Args:
        start: Token; -1 where there is no edit.
        end: Token; -1 where there is no edit.
        label: The type.
        correction: Tokens with spaces between them, -NONE- for none.
    """

    start: int
    end: int
    label: str
    correction: str

    def __str__(self) -> str:
        """Return the line as M2 has it."""
        return BARS.join(
            (f"A {self.start} {self.end}", self.label, self.correction, "REQUIRED", NONE, "0")
        )

    def has(self, label: str) -> bool:
        """Return whether the program takes it for one of this type."""
        return f"{BARS}{label}{BARS}" in str(self)


_NO_ERROR = Line(-1, -1, NOOP, NONE)


class Outcome(NamedTuple):
    """What the program makes of a sentence.

    Args:
        lines: That it keeps, in its order; the one of "no error" where nothing is kept.
        fates: Number of systems and fate of each line that is an edit.
    """

    lines: tuple[Line, ...]
    fates: tuple[tuple[int, Fate], ...]


def lines_of(rewrite: Rewrite, tokens: Sequence[str]) -> tuple[Line, ...]:
    """Return the A lines of what a system made of a sentence: of its first edit set."""
    if rewrite.unannotatable:
        return (_NO_ERROR._replace(label=NOT_ANNOTATED),)
    if not any(rewrite.edit_sets):
        return (_NO_ERROR,)
    return tuple(_line(edit, tokens) for edit in rewrite.edit_sets[0])


def check_threshold(threshold: int) -> None:
    """Refuse a threshold that the program cannot have meant.

    Raises:
        UsageError: It is below 1.
    """
    if threshold < 1:
        raise UsageError(f"the threshold is {threshold}; mucgec-official counts systems: 1 or more")


def combine(
    tokens: Sequence[str], systems: Sequence[Sequence[Line]], threshold: int, similar: Similar
) -> Outcome:
    """Return what `rule_ensemble.py` keeps of the edits of one sentence.

    Args:
        tokens: Of the source.
        systems: Lines of each system, in the order in which the systems are given.
        threshold: T.
        similar: ChERRANT's test of spelling errors, `similarity.by_shape_and_sound`.
    """
    votes = Counter(line for lines in systems for line in lines)  # in order of first appearance
    fates: dict[Line, Fate] = {line: "too few votes" for line in votes if line != _NO_ERROR}
    passed = [line for line in fates if _passes(line, votes[line], tokens, threshold, similar)]
    if votes[_NO_ERROR] > _SYSTEMS - threshold:
        fates.update(dict.fromkeys(passed, "unchanged by most"))
        return Outcome((_NO_ERROR,), _counted(fates, votes))
    taken: list[Line] = []
    for line in sorted(passed, key=lambda line: line.start):
        last = taken[-1] if taken else None
        if last and (line.start < last.end or line[:2] == last[:2]):
            fates[line] = "overlap"
        else:
            fates[line] = "kept"
            taken.append(line)
    return Outcome(tuple(taken) or (_NO_ERROR,), _counted(fates, votes))


def block(tokens: Sequence[str], lines: Iterable[Line]) -> str:
    """Return a sentence as the program writes it to M2: without a line of the target."""
    return "\n".join((f"S {' '.join(tokens)}", *map(str, lines), "", ""))


def converted(tokens: Sequence[str], lines: Iterable[Line]) -> str:
    """Return the text that `m2convertor.py` makes of kept lines, tokens parted by spaces."""
    places = list(tokens)
    for line in lines:
        if line.start == -1:
            continue
        if line.start < line.end:
            put = "" if line.correction in (NONE, "") else line.correction
            places[line.start : line.end] = [put, *[""] * (line.end - line.start - 1)]
        elif line.start:
            places[line.start - 1] += f" {line.correction}"
        else:
            places[0] = f"{line.correction} {places[0]}"
    return re.sub(" +", " ", " ".join(places).strip())


def _line(edit: Edit, tokens: Sequence[str]) -> Line:
    """Return an edit as M2 has it; what is only detected stands beside the source itself."""
    written = edit.alternatives
    if edit.replacement is not None:
        written = (edit.replacement, *written)
    elif not written:
        written = (tuple(tokens[edit.start : edit.end]),)
    correction = "||".join(" ".join(each) or NONE for each in written)
    return Line(edit.start, edit.end, edit.label or "", correction)


def _passes(
    line: Line, votes: int, tokens: Sequence[str], threshold: int, similar: Similar
) -> bool:
    """Return whether a line has votes enough: T, or T - 1 for word order and spelling."""
    if votes >= threshold:
        return True
    if votes < threshold - 1:
        return False
    if line.has("W"):
        return True
    source = "".join(tokens[line.start : line.end])
    return line.has("S") and similar(source, line.correction.replace(" ", ""))


def _counted(fates: dict[Line, Fate], votes: Counter[Line]) -> tuple[tuple[int, Fate], ...]:
    return tuple((votes[line], fate) for line, fate in fates.items())
