"""What a reader finds in a file: records, and troubles with their lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gecbench.core.sample import Rewrite


@dataclass(frozen=True, slots=True)
class Record:
    """A sentence as a file has it.

    Args:
        line: Where it begins.
        id: As the file names it; None where it has no names of its own.
        text: The sentence.
        references: Texts and declarations, no edits.
        meta: Named facts.
        source: Where it comes from, "" for unknown.
        fluency: Places of the references that repair fluency, too (YACLC).
        left_out: What the file says of it that is not imported, a word each.
    """

    line: int
    id: str | None
    text: str
    references: tuple[Rewrite, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    fluency: frozenset[int] = frozenset()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something in a file that cannot be imported.

    Args:
        line: Where it stands, from 1.
        message: What is wrong and what to do.
    """

    line: int
    message: str


Found = Record | Trouble
