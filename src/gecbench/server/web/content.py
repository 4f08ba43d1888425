"""A guideline's text as the key of what is made of it: versions never change."""

from __future__ import annotations

from dataclasses import dataclass, field

from gecbench.server.models import Guideline


@dataclass(frozen=True, slots=True)
class Content:
    """A version, equal to all versions of the same text; the text itself is read when needed.

    Every request has the project's version at hand, without its text: whoever keeps by it what is
    made of the text asks for the text once.
    """

    sha256: str
    guideline: Guideline = field(compare=False, repr=False)

    @classmethod
    def of(cls, guideline: Guideline) -> Content:
        """Return the key of a version."""
        return cls(guideline.sha256, guideline)
