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
from gecbench.core.sample import Rewrite
from gecbench.formats.m2 import BARS, NONE, NOOP, NOT_ANNOTATED
from gecbench.models.combine.candidates import Similar
from gecbench.models.combine.voting import VoteOutcome

_SYSTEMS = 6
"""How many there are in the paper; the program counts with it whatever is given."""


class OfficialLine(NamedTuple):
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
        """Write the line as M2 has it."""
        return BARS.join(
            (f"A {self.start} {self.end}", self.label, self.correction, "REQUIRED", NONE, "0")
        )

    def has(self, label: str) -> bool:
        """Say whether the program takes it for one of this type."""
        return f"{BARS}{label}{BARS}" in str(self)


_NO_ERROR = OfficialLine(-1, -1, NOOP, NONE)


class OfficialResult(NamedTuple):
    """What the program makes of a sentence.

    Args:
        lines: That it keeps, in its order; the one of "no error" where nothing is kept.
        outcomes: Number of systems and outcome of each line that is an edit.
    """

    lines: tuple[OfficialLine, ...]
    outcomes: tuple[tuple[int, VoteOutcome], ...]


def format_lines(rewrite: Rewrite, tokens: Sequence[str]) -> tuple[OfficialLine, ...]:
    """Write the A lines of what a system made of a sentence: of its first edit set."""
    if rewrite.unannotatable:
        return (_NO_ERROR._replace(label=NOT_ANNOTATED),)
    if not any(rewrite.edit_sets):
        return (_NO_ERROR,)
    return tuple(_line(edit, tokens) for edit in rewrite.edit_sets[0])


def _line(edit: Edit, tokens: Sequence[str]) -> OfficialLine:
    """Write an edit as M2 has it; what is only detected stands beside the source itself."""
    replacements = edit.alternatives
    if edit.replacement is not None:
        replacements = (edit.replacement, *replacements)
    elif not replacements:
        replacements = (tuple(tokens[edit.start : edit.end]),)
    correction = "||".join(" ".join(words) or NONE for words in replacements)
    return OfficialLine(edit.start, edit.end, edit.label or "", correction)


def combine_lines(
    tokens: Sequence[str],
    systems: Sequence[Sequence[OfficialLine]],
    threshold: int,
    similar: Similar,
) -> OfficialResult:
    """Find what `rule_ensemble.py` keeps of the edits of one sentence.

    Args:
        tokens: Of the source.
        systems: Lines of each system, in the order in which the systems are given.
        threshold: T.
        similar: ChERRANT's test of spelling errors, `voting.by_shape_and_sound`.
    """
    votes = Counter(line for lines in systems for line in lines)  # in order of first appearance
    outcomes: dict[OfficialLine, VoteOutcome] = {
        line: "too few votes" for line in votes if line != _NO_ERROR
    }
    eligible = [n for n in outcomes if _has_votes(n, votes[n], tokens, threshold, similar)]
    veto = votes[_NO_ERROR] > _SYSTEMS - threshold
    lines: list[OfficialLine] = []
    for line in sorted(eligible, key=lambda line: line.start):
        last = lines[-1] if lines else None
        if veto:
            outcomes[line] = "unchanged by most"
        elif last and (line.start < last.end or line[:2] == last[:2]):
            outcomes[line] = "overlap"
        else:
            outcomes[line] = "kept"
            lines.append(line)
    rows = tuple((votes[line], outcome) for line, outcome in outcomes.items())
    return OfficialResult(tuple(lines) or (_NO_ERROR,), rows)


def format_block(tokens: Sequence[str], lines: Iterable[OfficialLine]) -> str:
    """Write a sentence to M2 as the program does: without a line of the target."""
    return "\n".join((f"S {' '.join(tokens)}", *map(str, lines), "", ""))


def convert_lines(tokens: Sequence[str], lines: Iterable[OfficialLine]) -> str:
    """Build the text that `m2convertor.py` makes of lines, with spaces between its tokens."""
    words = list(tokens)
    for line in lines:
        if line.start == -1:
            continue
        if line.start < line.end:
            new = "" if line.correction == NONE else line.correction
            words[line.start : line.end] = [new, *[""] * (line.end - line.start - 1)]
        elif line.start:
            words[line.start - 1] += f" {line.correction}"
        else:
            words[0] = f"{line.correction} {words[0]}"
    return re.sub(" +", " ", " ".join(words).strip())


def _has_votes(
    line: OfficialLine, votes: int, tokens: Sequence[str], threshold: int, similar: Similar
) -> bool:
    """Say whether a line has votes enough: T, or T - 1 for word order and spelling."""
    if votes >= threshold:
        return True
    if votes < threshold - 1:
        return False
    if line.has("W"):
        return True
    source = "".join(tokens[line.start : line.end])
    return line.has("S") and similar(source, line.correction.replace(" ", ""))
