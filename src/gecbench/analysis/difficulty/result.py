"""Everything that is found of the difficulty of one corpus under one reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gecbench.analysis.difficulty.scores import Tally, tallies
from gecbench.analysis.difficulty.sentences import FalseAlarm, SentenceDifficulty
from gecbench.analysis.difficulty.sheet import Sheet
from gecbench.analysis.difficulty.types import LEVELS, Level, TypeDifficulty, by_type
from gecbench.analysis.difficulty.unique import BreakEven, break_even
from gecbench.analysis.difficulty.weights import Weighting
from gecbench.core.errors import CorpusError
from gecbench.core.score import Signature
from gecbench.edits.chunks import FALSE, RIGHT
from gecbench.formats.weights import WeightFile


@dataclass(frozen=True, slots=True)
class SystemScores:
    """What is found of one system.

    Args:
        system: Its name.
        weighted: Sums of weights.
        plain: Numbers of chunks: every weight is 1.
        corrected: Errors that it corrects.
        alone: Errors that it corrects and no other of these systems does.
        break_even: When one unlike it draws level, if all others were like it; None where the
            weights are of one system.
    """

    system: str
    weighted: Tally
    plain: Tally
    corrected: int
    alone: int
    break_even: BreakEven | None


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How difficult the errors of a corpus are, and how systems fare with that.

    Args:
        corpus: Its name.
        reference: Which reference counts, as "reference 1".
        sheet: The chunks and the verdicts on them.
        weights: Of each chunk of each sentence.
        weighting: How they are made.
        voters: How many systems they are made of.
        origin: Where they come from: "these systems" or the name of a file.
        beta: Weight of recall in F.
        scores: Of the systems, in the order given.
        types: The difficulty of types at each level, the most difficult first.
        notes: What the reader should know, a sentence each.
        signature: How the numbers were made.
    """

    corpus: str
    reference: str
    sheet: Sheet
    weights: tuple[tuple[float, ...], ...]
    weighting: Weighting
    voters: int
    origin: str
    beta: float
    scores: tuple[SystemScores, ...]
    types: Mapping[Level, tuple[TypeDifficulty, ...]]
    notes: tuple[str, ...]
    signature: Signature

    @property
    def sentences(self) -> tuple[SentenceDifficulty, ...]:
        """The difficulty of each sentence, by these weights and this reference alone.

        The value of a sentence is the sum of the weights of its errors.
        """
        return tuple(self._sentence(at) for at in range(len(self.sheet.ids)))

    def _sentence(self, at: int) -> SentenceDifficulty:
        rows = zip(self.sheet.chunks[at], self.weights[at], strict=True)
        changed = {
            place
            for sentences in self.sheet.letters.values()
            for place, letter in enumerate(sentences[at])
            if letter == FALSE
        }
        edits = [1.0] * len(self.sheet.references[at].edits)
        wrong = []
        value = 0.0
        for place, (chunk, weight) in enumerate(rows):
            if chunk.edit is not None:
                edits[chunk.edit] = weight
                value += weight
            elif place in changed:
                wrong.append(FalseAlarm(chunk.start, chunk.end, weight))
        return SentenceDifficulty(self.sheet.ids[at], (tuple(edits),), (tuple(wrong),), value)


@dataclass(frozen=True, slots=True)
class Named:
    """What a result is of, in words.

    Args:
        corpus: Its name.
        reference: Which reference counts.
        notes: What the reader should know.
        context: What the edits come from, for the signature.
    """

    corpus: str
    reference: str
    notes: tuple[str, ...]
    context: Mapping[str, str]


def analysed(
    sheet: Sheet, weighting: Weighting, beta: float, file: WeightFile | None, named: Named
) -> Difficulty:
    """Return everything that chunks and verdicts say.

    Args:
        sheet: Chunks and verdicts.
        weighting: From numbers of systems to weights.
        beta: Weight of recall in F.
        file: Weights from elsewhere, which fit the sheet; None makes them of these systems.
        named: What all this is of.

    Raises:
        CorpusError: No sentence is left.
        UsageError: The weights would be negative.
    """
    if not sheet.ids:
        raise CorpusError(f"{named.corpus}, {named.reference}: no sentence is left to look at")
    voters = file.systems if file else len(sheet.letters)
    table = weighting.table(voters)
    right = file.right if file else sheet.right
    weights = tuple(tuple(table[number] for number in row) for row in right)
    origin = f"file {file.path.name}" if file else "these systems"
    return Difficulty(
        corpus=named.corpus,
        reference=named.reference,
        sheet=sheet,
        weights=weights,
        weighting=weighting,
        voters=voters,
        origin=origin,
        beta=beta,
        scores=_scores(sheet, weights, weighting, voters),
        types={level: by_type(sheet, weights, level) for level in LEVELS},
        notes=named.notes,
        signature=_signature(weighting, beta, f"{origin}, {voters} systems", named),
    )


def _signature(weighting: Weighting, beta: float, origin: str, named: Named) -> Signature:
    parts = {"measure": "gotoscorer", "weights": origin}
    parts |= {name: f"{getattr(weighting, name):g}" for name in "abc"}
    parts |= {"beta": f"{beta:g}", **named.context, "references": named.reference}
    return Signature(parts)


def _scores(
    sheet: Sheet, weights: Sequence[Sequence[float]], weighting: Weighting, voters: int
) -> tuple[SystemScores, ...]:
    weighted = tallies(sheet, weights)
    plain = tallies(sheet, [[1.0] * len(row) for row in weights])
    own = _errors(sheet)
    often = [sum(column) for column in zip(*own.values(), strict=True)]
    made = []
    for system, hits in own.items():
        corrected = sum(hits)
        alone = sum(hit and times == 1 for hit, times in zip(hits, often, strict=True))
        level = break_even(sheet.errors, voters, corrected, weighting) if voters > 1 else None
        made.append(SystemScores(system, weighted[system], plain[system], corrected, alone, level))
    return tuple(made)


def _errors(sheet: Sheet) -> Mapping[str, list[bool]]:
    """Return by system whether it corrects each error."""
    places = [
        (at, place)
        for at, row in enumerate(sheet.chunks)
        for place, chunk in enumerate(row)
        if chunk.edit is not None
    ]
    return {
        system: [rows[at][place] == RIGHT for at, place in places]
        for system, rows in sheet.letters.items()
    }
