"""Difficulty of errors: weights from how many systems correct each, and scores that use them.

Gotou, Nagata, Mita and Hanawa, "Taking the Correction Difficulty into Account in Grammatical Error
Correction Evaluation", COLING 2020; gotutiyan/GTS 5d120c3 (v1.1.0), whose output is matched.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial, reduce
from math import floor
from operator import add
from typing import TYPE_CHECKING, Any, Literal, cast

from gecbench.analysis.options import Absent, Weighting
from gecbench.core.case import Case
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, EditError, Message, UsageError, count_noun
from gecbench.core.frames import Framed, Frames, flat
from gecbench.core.sample import Sample
from gecbench.core.score import Counts, Signature, f_score, ranks
from gecbench.edits.chunks import (
    FALSE,
    KEPT,
    MISSED,
    RIGHT,
    WRONG,
    Chunk,
    Marking,
    chunks,
    idle,
    marking,
    verdicts,
)
from gecbench.formats.weights import WeightFile, digest
from gecbench.scoring.results import RunStats

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

# Weights.


Weights = tuple[tuple[float, ...], ...]
"""Of each chunk of each sentence."""


# Which reference of each sentence counts: one by number, or the one systems come nearest to.

LEFT_OUT = None
UNCHANGED = -1
"""In place of a reference's number: the sentence takes no part; it is taken as free of errors."""

ReferenceIndex = int | None
"""Which of a sentence's references counts, from 0, or `UNCHANGED`, or `LEFT_OUT`."""


NEAREST = "the chosen references"


@dataclass(frozen=True, slots=True)
class ReferenceChoice:
    """One reference for each sentence of a corpus.

    Args:
        name: As "reference 2 (annotator 1)" or "the chosen references".
        choices: By sentence.
        notes: What the reader should know, a sentence each.
    """

    name: str
    choices: tuple[ReferenceIndex, ...]
    notes: tuple[str, ...] = ()


def reference_names(samples: Sequence[Sample]) -> list[str]:
    """The references of a corpus: its annotators if they have names, else numbers from 1.

    Args:
        samples: All of the corpus, also where only some of them take part.
    """
    most = max(len(sample.references) for sample in samples)
    return _annotators(samples) or [str(number) for number in range(1, most + 1)]


def reference_by_number(
    samples: Sequence[Sample], number: int, absent: Absent, whole: Sequence[Sample] | None = None
) -> ReferenceChoice:
    """Choose a reference by its number.

    Where references say by which annotator they are, as in M2, it is the same annotator's
    everywhere; a sentence that one nameless reference declares free of errors, as a block of M2
    without lines does, is so for every annotator.

    Args:
        samples: With references.
        number: From 1.
        absent: What of the sentences that have no such reference: they are left out, or are
            taken as free of errors, as the official program takes them.
        whole: The corpus that these samples are part of, which says how its references are
            numbered; None means that they are all.

    Raises:
        UsageError: There is no such reference at all.
    """
    annotators = _annotators(whole or samples)
    most = len(reference_names(whole or samples))
    if not 1 <= number <= most:
        raise UsageError(
            f"reference number {number} must be from 1 to {most}, as many as there are"
        )
    name = f"reference {number}"
    indices: list[int | None]
    if annotators:
        name += f" (annotator {annotators[number - 1]})"
        indices = [_index_of(annotators[number - 1], sample) for sample in samples]
    else:
        indices = [number - 1 if number <= len(s.references) else None for s in samples]
    notes: list[str] = []
    if (missing := indices.count(None)) and absent == "left-out":
        notes.append(
            Message(
                "{reference}: sentences left out because they have no such reference: {count} "
                "(--absent unchanged takes them as free of errors)",
                reference=name,
                count=missing,
            )
        )
    elif missing:
        notes.append(
            Message(
                "{reference}: sentences taken as free of errors because they have no such "
                "reference: {count}",
                reference=name,
                count=missing,
            )
        )
    impossible = [
        at is not None and sample.references[at].unannotatable
        for sample, at in zip(samples, indices, strict=True)
    ]
    other = LEFT_OUT if absent == "left-out" else UNCHANGED
    choices = tuple(
        LEFT_OUT if no else other if at is None else at
        for no, at in zip(impossible, indices, strict=True)
    )
    return ReferenceChoice(name, choices, (*notes, *_impossible_note(name, sum(impossible))))


def nearest_references(
    samples: Sequence[Sample], cases: Mapping[str, Sequence[Case]], beta: float
) -> ReferenceChoice:
    """Choose for each sentence the reference that the systems, taken together, come nearest to.

    That is the one with the highest F over the unweighted counts of all systems, with precision
    and recall 1 where nothing is wrong or missed; then the one with more true positives, then
    the earlier. It is the same for all systems, as weights need it.
    """
    choices = [
        max(_usable(sample), key=partial(_agreement, row, beta), default=LEFT_OUT)
        for sample, row in zip(samples, zip(*cases.values(), strict=True), strict=True)
    ]
    return _sentence_by_sentence(choices)


def _agreement(row: Sequence[Case], beta: float, number: int) -> tuple[Fraction, int]:
    """F and true positives of all systems together with a reference of their sentence."""
    _, _, letters, _ = _compare(row, number)
    number_of = Counter("".join(letters))
    wrong = number_of[WRONG]
    counts = Counts(number_of[RIGHT], number_of[FALSE] + wrong, number_of[MISSED] + wrong)
    return counts.exact_f(beta), counts.tp


def references_of_weights(samples: Sequence[Sample], file: WeightFile) -> ReferenceChoice:
    """Choose the references that were chosen when weights were made, as their label says.

    A sentence that the label does not know keeps a reference, so that numbers do not fit.

    Raises:
        CorpusError: The label does not say which were chosen, or a sentence has no such one.
    """
    if file.label is None or file.label.chosen is None:
        raise CorpusError(
            f"{file.path}: does not say which references were chosen when it was made, and these "
            "systems may come nearest to others; take weights that were made with the chosen "
            "references and have their FILE.json beside them, or a reference by its number"
        )
    choices: list[ReferenceIndex] = []
    for sample in samples:
        usable = _usable(sample)
        number = file.label.chosen.get(sample.id)
        if number is not None and number - 1 not in usable:
            raise CorpusError(
                f"{file.path}: was made with reference {number} of sentence {sample.id!r}, which "
                "is not there; the weights are of another corpus"
            )
        choices.append(number - 1 if number is not None else next(iter(usable), LEFT_OUT))
    return _sentence_by_sentence(choices)


def _sentence_by_sentence(choices: Sequence[ReferenceIndex]) -> ReferenceChoice:
    return ReferenceChoice(
        NEAREST, tuple(choices), _impossible_note(NEAREST, list(choices).count(LEFT_OUT))
    )


def _impossible_note(name: str, number: int) -> tuple[str, ...]:
    if not number:
        return ()
    note = "{reference}: sentences left out that nobody could correct: {count}"
    return (Message(note, reference=Message(name), count=number),)


def _usable(sample: Sample) -> list[int]:
    return [at for at, reference in enumerate(sample.references) if not reference.unannotatable]


def _annotators(samples: Sequence[Sample]) -> list[str]:
    """The annotators of a corpus, numbers in order; none unless all have names."""
    names: dict[str, None] = {}
    for sample in samples:
        for reference in sample.references:
            if reference.annotator is not None:
                names[reference.annotator] = None
            elif not _is_error_free(sample):
                return []
    return sorted(names, key=int) if all(name.isdecimal() for name in names) else list(names)


def _is_error_free(sample: Sample) -> bool:
    return len(sample.references) == 1 and sample.references[0].error_free


def _index_of(annotator: str, sample: Sample) -> int | None:
    names = [reference.annotator for reference in sample.references]
    if annotator in names:
        return names.index(annotator)
    return 0 if names == [None] and _is_error_free(sample) else None


# The chunks of a corpus, and what each system did to them.


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """The chunks of some sentences and what each system did to them.

    Args:
        ids: Of the sentences that take part, in order.
        choices: Which of its references counts for each, from 0, or `UNCHANGED`.
        references: The reference of each.
        chunks: Those of each, from left to right.
        verdicts: By system, the verdicts on each sentence's chunks, a letter each; see
            `edits.chunks`.
        right: How many systems are right on each chunk of each sentence.
    """

    ids: tuple[str, ...]
    choices: tuple[int, ...]
    references: tuple[Marking, ...]
    chunks: tuple[tuple[Chunk, ...], ...]
    verdicts: Mapping[str, tuple[str, ...]]
    right: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """How many chunks there are."""
        return sum(map(len, self.chunks))

    @property
    def errors(self) -> int:
        """How many of them are errors."""
        return sum(chunk.edit is not None for row in self.chunks for chunk in row)

    def label(self, sentence: int, chunk: Chunk) -> str | None:
        """The type of the error in a chunk; None where there is no error."""
        if chunk.edit is None:
            return None
        return self.references[sentence].edits[chunk.edit].label or ""

    def fingerprint(self) -> str:
        """A digest of tokens, spans and texts, by which one reference is told from another."""
        rows = [
            [
                list(reference.tokens),
                [
                    [chunk.start, chunk.end, reference.edits[chunk.edit].replacement]
                    for chunk in row
                    if chunk.edit is not None
                ],
            ]
            for reference, row in zip(self.references, self.chunks, strict=True)
        ]
        return digest(json.dumps(rows, ensure_ascii=False))


def chunk_table(
    cases: Mapping[str, Sequence[Case]], choices: Sequence[ReferenceIndex]
) -> ChunkTable:
    """Divide sentences into chunks and compare all systems with them.

    Args:
        cases: By system, in corpus order, with part "edits"; of several versions the first.
        choices: By sentence.

    Raises:
        CorpusError: Edits of one version overlap, as pooled alternatives do; names the sentence.
    """
    pairs = zip(zip(*cases.values(), strict=True), choices, strict=True)
    rows = [(row, choice) for row, choice in pairs if choice is not None]
    sentences = [_compare(row, choice) for row, choice in rows]
    return ChunkTable(
        tuple(row[0].id for row, _ in rows),
        tuple(choice for _, choice in rows),
        tuple(reference for reference, _, _, _ in sentences),
        tuple(row for _, row, _, _ in sentences),
        {
            name: tuple(letters[at] for _, _, letters, _ in sentences)
            for at, name in enumerate(cases)
        },
        tuple(right for _, _, _, right in sentences),
    )


def _compare(
    row: Sequence[Case], choice: int
) -> tuple[Marking, tuple[Chunk, ...], list[str], tuple[int, ...]]:
    """A sentence's reference, chunks, verdicts by system, and how many are right."""
    first = row[0]
    edits = () if choice == UNCHANGED else first.references[choice].edits
    reference = _marking(first, "its reference", edits)
    reference_chunks = tuple(chunks(reference))
    indices = {chunk: at for at, chunk in enumerate(reference_chunks)}
    unchanged = [idle(reference, chunk) for chunk in reference_chunks]
    right = [len(row) * (verdict == KEPT) for verdict in unchanged]
    letters = []
    for case in row:
        row_verdicts = unchanged.copy()
        if case.hypotheses[0].edits:
            system = _marking(first, "a system", case.hypotheses[0].edits)
            for chunk, verdict in verdicts(reference, system).items():
                at = indices[chunk]
                right[at] += (verdict in (RIGHT, KEPT)) - (row_verdicts[at] == KEPT)
                row_verdicts[at] = verdict
        letters.append("".join(row_verdicts))
    return reference, reference_chunks, letters, tuple(right)


def _marking(case: Case, whose: str, edits: Sequence[Edit]) -> Marking:
    try:
        return marking(edits, case.edit_tokens)
    except EditError as error:
        raise CorpusError(
            f"sentence {case.id!r}: in {whose} {error}; difficulty takes one set of edits, not "
            "alternatives pooled"
        ) from error


def check_weights(file: WeightFile, table: ChunkTable, what: str) -> None:
    """Refuse a weight file that was made with another reference, as far as it can be known.

    By the fingerprint in its label, where it has one; by numbers of sentences and chunks.

    Args:
        file: What was read.
        table: The chunks that it is to weigh.
        what: The corpus and its reference, for people.

    Raises:
        CorpusError: Names the first line with another number of chunks.
    """
    if len(file.right) != len(table.ids):
        raise CorpusError(
            f"{file.path}: weights of {count_noun(len(file.right), 'sentence')}, but {what} has "
            f"{len(table.ids)} here; take the file of this reference, or make one by "
            "--write-weights"
        )
    if file.label is not None and file.label.fingerprint != table.fingerprint():
        raise CorpusError(
            f"{file.path}: its weights are of corpus {file.label.corpus!r} with "
            f"{file.label.reference}, not of {what}: tokens or edits differ; take the file of "
            "this reference, or make one by --write-weights"
        )
    pairs = zip(file.right, table.chunks, strict=True)
    wrong = [at for at, (numbers, row) in enumerate(pairs) if len(numbers) != len(row)]
    if wrong:
        first = wrong[0]
        raise CorpusError(
            f"{file.path}:{first + 2}: {len(file.right[first])} numbers, but sentence "
            f"{table.ids[first]!r} of {what} has {len(table.chunks[first])} chunks "
            f"(so in {len(wrong)} of {len(table.ids)} sentences); the file was made with another "
            "reference or with other tokens"
        )


# Weighted precision, recall, F and accuracy.


@dataclass(frozen=True, slots=True)
class WeightedCounts:
    """Sums of weights over chunks, and their ratios; not rounded.

    An error changed into something else is both a false positive and a false negative, so that
    recall divides by all errors. All ratios are 0 where they would divide by 0, as in the
    program; m2scorer has a precision of 1 there.

    Args:
        tp: Of chunks changed as the reference has it.
        fp: Of chunks changed otherwise.
        fn: Of errors that stay, or became something else.
        tn: Of chunks left as the reference leaves them.
        all: Of all chunks.
        precision: Share of changes that are right, by weight.
        recall: Share of errors that are corrected, by weight.
        f: Of precision and recall.
        accuracy: Share of chunks that are right, by weight.
    """

    tp: float
    fp: float
    fn: float
    tn: float
    all: float
    precision: float
    recall: float
    f: float
    accuracy: float


def weighted_counts(
    table: ChunkTable, weights: Sequence[Sequence[float]], beta: float
) -> Mapping[str, WeightedCounts]:
    """Sum the weights of each system's chunks.

    Sums are made from left to right, one weight after another as the program does it, so that
    they agree to the last digit.
    """
    import numpy as np

    flat = np.array([weight for row in weights for weight in row], dtype=np.float64)
    counts = {}
    for system, sentences in table.verdicts.items():
        letters = np.frombuffer("".join(sentences).encode("ascii"), dtype=np.uint8)
        mask = {letter: letters == ord(letter) for letter in (RIGHT, KEPT, FALSE, WRONG, MISSED)}
        tp, tn, whole = (_sum(values) for values in (flat[mask[RIGHT]], flat[mask[KEPT]], flat))
        fp, fn = (_sum(flat[mask[WRONG] | mask[other]]) for other in (FALSE, MISSED))
        precision, recall = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
        f, accuracy = f_score(precision, recall, beta), _ratio(tp + tn, whole)
        counts[system] = WeightedCounts(tp, fp, fn, tn, whole, precision, recall, f, accuracy)
    return counts


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _sum(values: Floats) -> float:
    """Sum from left to right; `sum` of numpy, and of Python 3.12, take other ways."""
    import numpy as np

    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


# How difficult each type of error is: the paper's table 4.

Tier = Literal[1, 2, 3]
TIERS: tuple[Tier, ...] = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class TypeDifficulty:
    """The weights of the errors of one type.

    Args:
        label: The type, or the part of it at a level; "" where a type has no such part.
        mean: Of the weights.
        deviation: Standard deviation of the sample; 0 for one error.
        errors: How many there are.
        low: One deviation below the mean, but not below the least weight of the type.
        high: One deviation above the mean, but not above the greatest.
    """

    label: str
    mean: float
    deviation: float
    errors: int
    low: float
    high: float


def by_type(
    table: ChunkTable, weights: Sequence[Sequence[float]], level: Tier
) -> tuple[TypeDifficulty, ...]:
    """Measure the difficulty of types, the most difficult first.

    Args:
        table: Whose errors are grouped.
        weights: Of each chunk of each sentence.
        level: 1 takes what stands before the first colon of a type (the operation), 2 what
            stands behind it (the category), 3 the whole.
    """
    import statistics

    groups: dict[str, list[float]] = {}
    for at, (row, values) in enumerate(zip(table.chunks, weights, strict=True)):
        for chunk, weight in zip(row, values, strict=True):
            label = table.label(at, chunk)
            if label is not None:
                operation, _, category = label.partition(":")
                part = (operation, category, label)[level - 1]
                groups.setdefault(part, []).append(weight)
    types = []
    for label, values in groups.items():
        deviation = statistics.stdev(values) if len(values) > 1 else 0.0
        mean = statistics.mean(values)
        low, high = max(mean - deviation, min(values)), min(mean + deviation, max(values))
        types.append(TypeDifficulty(label, mean, deviation, len(values), low, high))
    return tuple(sorted(types, key=lambda difficulty: -difficulty.mean))


# How much a system gains by correcting what no other corrects: the paper's section 5.2.


@dataclass(frozen=True, slots=True)
class BreakEven:
    """When a system unlike all others draws level in recall.

    All others are thought to be alike: they correct the same errors, and it corrects others.

    Args:
        level: How many of the remaining errors it has to correct for the same recall; not
            rounded.
        ahead: From how many on its recall is the higher one; more than remain where it cannot.
        possible: Whether so many errors remain.
    """

    level: float
    ahead: int
    possible: bool


def break_even(errors: int, systems: int, corrected: int, weighting: Weighting) -> BreakEven:
    """Compute the break-even point.

    Each error that the others correct weighs w(N - 1), and each that it corrects w(1), so it
    draws level at K w(N - 1) / w(1), where K errors are corrected by the N - 1 others.

    Args:
        errors: In all.
        systems: How many there are, with the one that is unlike; two or more.
        corrected: Errors that the others correct.
        weighting: From numbers of systems to weights.
    """
    level = corrected * weighting.weight(systems - 1, systems) / weighting.weight(1, systems)
    # Exactly, as rounded weights would let 4 be more than 3.9999999999999987.
    a, b, c = map(Fraction, (weighting.a, weighting.b, weighting.c))
    common, rare = (a - (right + b) / (systems + c) for right in (systems - 1, 1))
    ahead = floor(corrected * common / rare) + 1
    return BreakEven(level, ahead, ahead <= errors - corrected)


# Ranks with weights and without: the paper's tables 2 and 3.

Measure = Literal["f", "accuracy"]
MEASURES: Mapping[Measure, Callable[[WeightedCounts], float]] = {
    "f": lambda counts: counts.f,
    "accuracy": lambda counts: counts.accuracy,
}


@dataclass(frozen=True, slots=True)
class RankChange:
    """The ranks of one system.

    Args:
        system: Its name.
        value: With weights.
        rank: From 1; equal values share the better rank.
        plain: Without weights.
        plain_rank: Likewise.
        change: How many ranks higher weights put it; negative for lower.
    """

    system: str
    value: float
    rank: int
    plain: float
    plain_rank: int
    change: int


def rank_changes(
    systems: Sequence[str], values: Sequence[float], plain: Sequence[float]
) -> tuple[RankChange, ...]:
    """Rank systems with weights and without, those of one rank in the order given.

    Args:
        systems: Their names.
        values: With weights, higher is better.
        plain: Without.
    """
    rows = zip(systems, values, ranks(values), plain, ranks(plain), strict=True)
    changes = (RankChange(*row, change=row[4] - row[2]) for row in rows)
    return tuple(sorted(changes, key=lambda row: row.rank))


# Everything of one corpus under one reference.


@dataclass(frozen=True, slots=True)
class SystemDifficulty:
    """The scores of one system.

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
    weighted: WeightedCounts
    plain: WeightedCounts
    corrected: int
    alone: int
    break_even: BreakEven | None


@dataclass(frozen=True, slots=True)
class ErrorWeight:
    """An edit of a reference.

    Args:
        start: First token of the source; half-open token span.
        end: Token after the last.
        correction: What the reference has there; None where it only detects.
        type: Its type; None means unknown.
        weight: Of its chunk; 1 for an edit that only detects.
    """

    start: int
    end: int
    correction: tuple[str, ...] | None
    type: str | None
    weight: float


@dataclass(frozen=True, slots=True)
class FalsePositive:
    """A chunk that the reference leaves as it is and some system changes.

    Args:
        start: First token of the source; half-open token span.
        end: Token after the last; equal to `start` at a boundary, where a system inserts.
        weight: Share of the systems that change it, in [0, 1].
    """

    start: int
    end: int
    weight: float


@dataclass(frozen=True, slots=True)
class SentenceErrors:
    """The difficulty of one sentence.

    Args:
        id: The sample's id.
        value: The sum of the weights of its errors.
        edits: Of the reference, in its order.
        changed: What the reference leaves as it is and some system changes, from left to right.
    """

    id: str
    value: float
    edits: tuple[ErrorWeight, ...]
    changed: tuple[FalsePositive, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Difficulty(Framed):
    """How difficult the errors of a corpus are, and how systems fare with that.

    Args:
        corpus: Its name.
        reference: Which reference counts, as "reference 1".
        table: The chunks and the verdicts on them.
        weights: Of each chunk of each sentence.
        weighting: How they are made.
        voters: How many systems they are made of.
        origin: Where they come from: "these systems" or the name of a file.
        beta: Weight of recall in F.
        scores: Of the systems, in the order given.
        ranking: By measure, the best first.
        types: The difficulty of types at each level, the most difficult first.
        notes: What the reader should know, a sentence each.
        signature: How the numbers were made.
    """

    corpus: str
    reference: str
    table: ChunkTable
    weights: Weights
    weighting: Weighting
    voters: int
    origin: str
    beta: float
    scores: tuple[SystemDifficulty, ...]
    ranking: Mapping[Measure, tuple[RankChange, ...]]
    types: Mapping[Tier, tuple[TypeDifficulty, ...]]
    notes: tuple[str, ...]
    signature: Signature

    def frames(self) -> Frames:
        """A row for each system, type of errors, or error."""
        return {
            "systems": (
                {"system": score.system, "weighted_f": score.weighted.f, "plain_f": score.plain.f}
                | {"corrected": score.corrected, "alone": score.alone}
                | flat(score)
                for score in self.scores
            ),
            "ranking": (
                {"measure": measure} | flat(change)
                for measure, changes in self.ranking.items()
                for change in changes
            ),
            "types": (
                {"tier": tier} | flat(kind) for tier, kinds in self.types.items() for kind in kinds
            ),
            "errors": (
                {"sentence": sentence.id}
                | flat(edit)
                | {"correction": None if edit.correction is None else " ".join(edit.correction)}
                for sentence in self.sentences
                for edit in sentence.edits
            ),
        }

    @property
    def sentences(self) -> Iterator[SentenceErrors]:
        """The difficulty of each sentence, by these weights and this reference alone."""
        for at, name in enumerate(self.table.ids):
            verdicts_ = zip(*(rows[at] for rows in self.table.verdicts.values()), strict=True)
            chunks_ = list(zip(self.table.chunks[at], self.weights[at], verdicts_, strict=True))
            by_edit = {chunk.edit: weight for chunk, weight, _ in chunks_}
            edits = tuple(
                ErrorWeight(
                    edit.start, edit.end, edit.replacement, edit.label, by_edit.get(number, 1.0)
                )
                for number, edit in enumerate(self.table.references[at].edits)
            )
            changed = tuple(
                FalsePositive(chunk.start, chunk.end, weight)
                for chunk, weight, systems in chunks_
                if FALSE in systems
            )
            errors = (weight for chunk, weight, _ in chunks_ if chunk.edit is not None)
            yield SentenceErrors(name, reduce(add, errors, 0.0), edits, changed)


def measure_difficulty(
    run_stats: RunStats,
    choice: ReferenceChoice,
    weighting: Weighting,
    beta: float,
    *,
    file: WeightFile | None = None,
    notes: Sequence[str] = (),
) -> Difficulty:
    """Weigh the chunks of a corpus, and score and rank systems by the weights.

    Args:
        run_stats: By one metric that compares edits; one set of edits for each version.
        choice: Which references count.
        weighting: From numbers of systems to weights.
        beta: Weight of recall in F.
        file: Weights from elsewhere; None makes them of these systems.
        notes: What the reader should know.

    Raises:
        CorpusError: No sentence is left, or the weights are of another reference.
        UsageError: A weight would be negative.
    """
    corpus, reference = run_stats.corpus.name, choice.name
    table = chunk_table(run_stats.cases, choice.choices)
    if file is not None:
        check_weights(file, table, f"corpus {corpus!r} with {reference}")
    if not table.ids:
        raise CorpusError(f"{corpus}, {reference}: no sentence is left to look at")
    voters = file.systems if file else len(table.verdicts)
    by_number = weighting.table(voters)
    right = file.right if file else table.right
    weights = tuple(tuple(by_number[number] for number in row) for row in right)
    origin = f"file {file.path.name}" if file else "these systems"
    scores = _scores(table, weights, weighting, voters, beta)
    (metric,) = run_stats.metrics.values()
    signature = {
        "measure": "gotoscorer",
        "weights": f"{origin}, {voters} systems",
        **{name: f"{value:g}" for name, value in asdict(weighting).items()},
        "beta": f"{beta:g}",
        **cast("Any", metric).context,
    }
    # References are those that count here, whatever the metric was compared with.
    signature.pop("references", None)
    signature["references"] = reference
    return Difficulty(
        corpus=corpus,
        reference=reference,
        table=table,
        weights=weights,
        weighting=weighting,
        voters=voters,
        origin=origin,
        beta=beta,
        scores=scores,
        ranking={
            name: rank_changes(
                [score.system for score in scores],
                [measure(score.weighted) for score in scores],
                [measure(score.plain) for score in scores],
            )
            for name, measure in MEASURES.items()
        },
        types={level: by_type(table, weights, level) for level in TIERS},
        notes=tuple(dict.fromkeys((*run_stats.notes, *notes, *choice.notes))),
        signature=Signature(signature),
    )


def _scores(
    table: ChunkTable, weights: Weights, weighting: Weighting, voters: int, beta: float
) -> tuple[SystemDifficulty, ...]:
    weighted = weighted_counts(table, weights, beta)
    plain = weighted_counts(table, [[1.0] * len(row) for row in weights], beta)
    errors = [chunk.edit is not None for row in table.chunks for chunk in row]
    hits = {
        system: [
            letter == RIGHT for letter, error in zip("".join(rows), errors, strict=True) if error
        ]
        for system, rows in table.verdicts.items()
    }
    times = [sum(column) for column in zip(*hits.values(), strict=True)]
    scores = []
    for system, correct in hits.items():
        corrected = sum(correct)
        alone = sum(hit and n == 1 for hit, n in zip(correct, times, strict=True))
        level = break_even(sum(errors), voters, corrected, weighting) if voters > 1 else None
        scores.append(
            SystemDifficulty(system, weighted[system], plain[system], corrected, alone, level)
        )
    return tuple(scores)


# Systems over several corpora: whether a rank holds beyond the one corpus it was found on.
#
# Mita et al., NAACL 2019, whom the paper follows: the mean over corpora and how far scores spread.


@dataclass(frozen=True, slots=True)
class SystemMean:
    """One system over several corpora.

    Args:
        system: Its name.
        values: On each; None where it was not run.
        ranks: Among the systems of each, from 1; None likewise.
        mean: Of the values there are.
        deviation: Their standard deviation of the sample; 0 for one value.
    """

    system: str
    values: tuple[float | None, ...]
    ranks: tuple[int | None, ...]
    mean: float
    deviation: float


def system_means(results: Sequence[Difficulty], measure: Measure) -> tuple[SystemMean, ...]:
    """Average the weighted scores of each system over corpora, the highest mean first.

    Args:
        results: One for each corpus, or each reference of it.
        measure: Which score.
    """
    import statistics

    rows: dict[str, list[RankChange | None]] = {}
    for at, result in enumerate(results):
        by_name = {change.system: change for change in result.ranking[measure]}
        for score in result.scores:
            rows.setdefault(score.system, [None] * len(results))[at] = by_name[score.system]
    means = []
    for system, row in rows.items():
        known = [change.value for change in row if change]
        means.append(
            SystemMean(
                system,
                tuple(change.value if change else None for change in row),
                tuple(change.rank if change else None for change in row),
                statistics.mean(known),
                statistics.stdev(known) if len(known) > 1 else 0.0,
            )
        )
    mean_ranks = ranks([mean.mean for mean in means])
    rows_by_rank = sorted(zip(mean_ranks, means, strict=True), key=lambda row: row[0])
    return tuple(mean for _, mean in rows_by_rank)
