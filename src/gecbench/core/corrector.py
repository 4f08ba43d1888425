"""Correctors: what takes sentences and gives them back corrected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from gecbench.core.errors import EditError


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One change of a text, in characters: what correctors make and browsers show.

    Args:
        start: First character of the source that is replaced; half-open character span.
        end: Character after the last that is replaced; equal to `start` for an insertion.
        replacement: What stands instead; "" deletes.
        score: How sure the corrector is, in [0, 1]; None where it does not say.
        label: What kind of edit it is, in the corrector's own words; None where it does not say.

    Raises:
        EditError: The span is reversed or negative.
    """

    start: int
    end: int
    replacement: str
    score: float | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        """Refuse a span that no text can have."""
        if not 0 <= self.start <= self.end:
            raise EditError(
                f"edit span {self.start} {self.end} is reversed or negative; "
                "a span is start end with 0 <= start <= end"
            )


def apply(edits: Sequence[TextEdit], source: str) -> str:
    """The text that edits make of a source.

    Edits come in the order of their spans; they may touch, and several insertions at one place
    are applied in the order in which they are listed.

    Raises:
        EditError: An edit ends after the source, overlaps the one before, or precedes it.

    >>> apply([TextEdit(5, 6, "兴"), TextEdit(6, 6, "了")], "我今天很高心。")
    '我今天很高兴了。'
    """
    for previous, edit in pairwise(edits):
        if edit.start < previous.end:
            raise EditError(
                f"edit span {edit.start} {edit.end} overlaps or precedes "
                f"edit span {previous.start} {previous.end}"
            )
    if edits and edits[-1].end > len(source):
        raise EditError(
            f"edit span {edits[-1].start} {edits[-1].end} ends after the source, "
            f"which has {len(source)} characters"
        )
    pieces: list[str] = []
    end = 0
    for edit in edits:
        pieces += (source[end : edit.start], edit.replacement)
        end = edit.end
    return "".join((*pieces, source[end:]))


@dataclass(frozen=True, slots=True)
class Correction:
    """What a corrector made of one source.

    Args:
        source: The text that was given, character for character.
        text: The corrected text; `apply(edits, source)`.
        edits: The changes, in the order of their spans; () where nothing changed.
        score: How sure the corrector is of the whole; its meaning is the corrector's.
        flags: What a user must know and cannot see in the text, as "truncated"; names from
            `FLAGS`.
        alternatives: Other texts that the corrector offers, best first.

    Raises:
        EditError: The edits do not lead from the source to the text.
    """

    source: str
    text: str
    edits: tuple[TextEdit, ...] = ()
    score: float | None = None
    flags: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse edits that tell another story than the text."""
        if apply(self.edits, self.source) != self.text:
            raise EditError(
                f"the edits of {self.source!r} do not give the corrected text {self.text!r}"
            )
        if unknown := set(self.flags) - set(FLAGS):
            raise ValueError(f"unknown flags {sorted(unknown)}; add them to FLAGS")


FLAGS: Mapping[str, str] = {
    "too long": "longer than the corrector reads; what lies beyond is unchanged",
    "too short": "shorter than the corrector reads; unchanged",
    "cut": "the corrector's answer ended at its length limit; the source was kept",
    "too different": "the answer differs too much to be a correction; the source was kept",
    "empty": "the answer was empty; the source was kept",
    "refused": "the corrector refused to answer; the source was kept",
    "explained": "the answer held more than a correction; what was not the correction is left out",
    "failed": "no answer came, even after trying again; the source was kept",
    "rounds": "still changing after the last round",
    "restored": "characters unknown to the model were put back from the source",
}
"""What a correction may be flagged with, and what it means."""


@dataclass(frozen=True, slots=True)
class CorrectorInfo:
    """What a corrector is.

    Args:
        name: As people call it, as "zh-homophone" or the name of a model.
        kind: copying, lexical, tagger, seq2seq, chat, causal, or another family.
        languages: Codes of the languages that it corrects; () where it does not depend on one.
        about: One line for people: what it does, and what it cannot do.
        signature: Everything that its output depends on, by name: version, options, hash of the
            weights, seed. Equal signatures give equal output; a run resumes only then.
        deterministic: Whether equal signatures really give equal output (a remote service may
            not).
        window: How many sentences it likes to get at once.
        notice: What people must know before they use it; "" for nothing.
        processes: How many of them correct a file: "many" where that is quicker; "asked" one
            unless more are asked for, as it uses several processors itself; "one" always one, as
            it asks a server, several questions at once.
    """

    name: str
    kind: str
    languages: tuple[str, ...]
    about: str
    signature: Mapping[str, str] = field(default_factory=dict)
    deterministic: bool = True
    window: int = 1024
    notice: str = ""
    processes: Literal["many", "asked", "one"] = "asked"


class Corrector(ABC):
    """Anything that corrects: `gecbench.models` has the table of those we bring.

    Rules, tested for all of them: as many corrections as texts, in their order; each correction's
    source is its text; what a sentence becomes does not depend on the others given with it; the
    same signature gives the same answer; empty, one-character and very long texts come back.
    """

    info: CorrectorInfo
    """What it is, and all that its output depends on."""

    @abstractmethod
    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of what it holds: connections, threads, memory. It is not used afterwards."""

    def report(self) -> tuple[str, ...]:
        """What a user should know after a run, as its cost; callable after `close`, too."""
        return ()
