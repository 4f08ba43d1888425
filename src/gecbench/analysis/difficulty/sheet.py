"""All chunks of a corpus, under one reference a sentence, with the verdicts on every system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gecbench.core.case import Case
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, EditError
from gecbench.edits.chunks import (
    KEPT,
    RIGHT,
    Chunk,
    Marking,
    chunks,
    idle,
    marking,
    verdicts,
)

LEFT_OUT = None
UNCHANGED = -1
"""In place of a reference's number: the sentence takes no part; it is taken as free of errors."""

Pick = int | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """The chunks of some sentences and what each system did to them.

    Args:
        ids: Of the sentences that take part, in order.
        picks: Which of its references counts for each, from 0, or `UNCHANGED`.
        references: The reference of each.
        chunks: Those of each, from left to right.
        letters: By system, the verdicts on each sentence's chunks, a letter each; see
            `edits.chunks`.
        right: How many systems are right on each chunk of each sentence.
        size: How many chunks there are.
        errors: How many of them are errors.
    """

    ids: tuple[str, ...]
    picks: tuple[int, ...]
    references: tuple[Marking, ...]
    chunks: tuple[tuple[Chunk, ...], ...]
    letters: Mapping[str, tuple[str, ...]]
    right: tuple[tuple[int, ...], ...]
    size: int
    errors: int

    def label(self, sentence: int, chunk: Chunk) -> str | None:
        """Return the type of the error in a chunk; None where there is no error."""
        if chunk.edit is None:
            return None
        return self.references[sentence].edits[chunk.edit].label or ""


def sheet(cases: Mapping[str, Sequence[Case]], picks: Sequence[Pick]) -> Sheet:
    """Return the chunks of a corpus and the verdicts on all systems.

    Args:
        cases: By system, in corpus order, with part "edits"; of several versions the first.
        picks: For each sentence which of its references counts, or `UNCHANGED`, or `LEFT_OUT`.

    Raises:
        CorpusError: Edits of one version overlap, as pooled alternatives do; names the sentence.
    """
    rows = list(zip(*cases.values(), strict=True))
    kept = [(row, pick) for row, pick in zip(rows, picks, strict=True) if pick is not None]
    made = [_sentence(row, pick) for row, pick in kept]
    return Sheet(
        tuple(row[0].id for row, _ in kept),
        tuple(pick for _, pick in kept),
        tuple(one.reference for one in made),
        tuple(one.chunks for one in made),
        {name: tuple(one.letters[at] for one in made) for at, name in enumerate(cases)},
        tuple(one.right for one in made),
        sum(len(one.chunks) for one in made),
        sum(chunk.edit is not None for one in made for chunk in one.chunks),
    )


@dataclass(frozen=True, slots=True)
class _Sentence:
    reference: Marking
    chunks: tuple[Chunk, ...]
    letters: tuple[str, ...]
    right: tuple[int, ...]


def _sentence(row: Sequence[Case], pick: int) -> _Sentence:
    first = row[0]
    edits = () if pick == UNCHANGED else first.references[pick].edits
    reference = _marking(first.id, "its reference", edits, first.edit_tokens)
    found = tuple(chunks(reference))
    places = {chunk: place for place, chunk in enumerate(found)}
    alone = [idle(reference, chunk) for chunk in found]
    right = [len(row) * (verdict == KEPT) for verdict in alone]
    silent = "".join(alone)
    letters = []
    for case in row:
        own = case.hypotheses[0].edits
        if not own:
            letters.append(silent)
            continue
        system = _marking(first.id, "a system", own, first.edit_tokens)
        made = alone.copy()
        for chunk, verdict in verdicts(reference, system).items():
            place = places[chunk]
            made[place] = verdict
            right[place] += (verdict in (RIGHT, KEPT)) - (alone[place] == KEPT)
        letters.append("".join(made))
    return _Sentence(reference, found, tuple(letters), tuple(right))


def _marking(name: str, whose: str, edits: Sequence[Edit], tokens: Sequence[str]) -> Marking:
    try:
        return marking(edits, tokens)
    except EditError as error:
        raise CorpusError(
            f"sentence {name!r}: in {whose} {error}; difficulty takes one set of edits, not "
            "alternatives pooled"
        ) from error
