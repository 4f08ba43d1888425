"""What stands on a report page, before it is written as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gecbench.core.doubt import Doubt
from gecbench.reports.exhibit import Exhibit
from gecbench.reports.words import Words

Fact = tuple[Words, str | Words]


@dataclass(frozen=True, slots=True)
class Page:
    """A report.

    Args:
        title: In whatever language its author writes.
        facts: What the corpus is and where it comes from: names and values.
        exhibits: The analyses, in the order of reading.
        sentences: As `packing.packed_sentences` gives them.
        edits: Whether edits were compared, so that there are marks to explain.
        example: A word of the corpus's language, to show the marks on.
    """

    title: str
    facts: tuple[Fact, ...]
    exhibits: tuple[Exhibit, ...]
    sentences: Mapping[str, object] = field(default_factory=dict)
    edits: bool = True
    example: str = "word"

    @property
    def doubts(self) -> tuple[str, ...]:
        """What makes numbers on it doubtful, once each."""
        notes = (note for one in self.exhibits for note in one.notes)
        return tuple(dict.fromkeys(note for note in notes if isinstance(note, Doubt)))
