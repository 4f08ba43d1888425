"""Which reference of each sentence counts: one by number, or the one systems come nearest to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gecbench.analysis.difficulty.sheet import LEFT_OUT, UNCHANGED, Pick, sheet
from gecbench.core.case import Case
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Sample
from gecbench.core.score import Counts
from gecbench.edits.chunks import FALSE, MISSED, RIGHT, WRONG
from gecbench.formats.weights import WeightFile

Absent = Literal["left-out", "unchanged"]
ABSENT: tuple[Absent, ...] = ("left-out", "unchanged")

CHOSEN = "the chosen references"


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference of a corpus.

    Args:
        name: As "reference 2 (annotator 1)" or "the chosen references".
        picks: Which of its references counts for each sentence.
        notes: What the reader should know, a sentence each.
    """

    name: str
    picks: tuple[Pick, ...]
    notes: tuple[str, ...] = ()


def names(samples: Sequence[Sample]) -> tuple[str, ...]:
    """Return the references of a corpus: its annotators if they have names, else numbers from 1.

    Args:
        samples: All of the corpus, also where only some of them take part.
    """
    annotators = _annotators(samples)
    if annotators:
        return tuple(f"annotator {name}" for name in annotators)
    most = max(len(sample.references) for sample in samples)
    return tuple(str(number) for number in range(1, most + 1))


def numbered(
    samples: Sequence[Sample], number: int, absent: Absent, whole: Sequence[Sample] | None = None
) -> Reference:
    """Return one reference of a corpus.

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
    most = len(names(whole or samples))
    if not 1 <= number <= most:
        raise UsageError(
            f"reference number {number} must be from 1 to {most}, as many as there are"
        )
    name = f"reference {number}"
    if annotators:
        name += f" (annotator {annotators[number - 1]})"
        found = [_by_annotator(sample, annotators[number - 1]) for sample in samples]
    else:
        found = [number - 1 if number <= len(s.references) else None for s in samples]
    missing = found.count(None)
    notes = []
    if missing and absent == "left-out":
        notes.append(
            f"{name}: sentences left out because they have no such reference: {missing} (--absent "
            "unchanged takes them as free of errors)"
        )
    if missing and absent == "unchanged":
        notes.append(
            f"{name}: sentences taken as free of errors because they have no such reference: "
            f"{missing}"
        )
    other = LEFT_OUT if absent == "left-out" else UNCHANGED
    picks = [other if place is None else place for place in found]
    return _annotatable(name, samples, picks, notes)


def chosen(
    samples: Sequence[Sample], cases: Mapping[str, Sequence[Case]], beta: float
) -> Reference:
    """Return for each sentence the reference that the systems, taken together, come nearest to.

    That is the one with the highest F over the unweighted counts of all systems, with precision
    and recall 1 where nothing is wrong or missed; then the one with more true positives, then
    the earlier. It is the same for all systems, as weights need it.
    """
    best: list[tuple[tuple[float, int, int], Pick]] = [((-1.0, 0, 0), LEFT_OUT) for _ in samples]
    for number in range(max(len(sample.references) for sample in samples)):
        tried = [number if _usable(sample, number) else LEFT_OUT for sample in samples]
        places = [at for at, pick in enumerate(tried) if pick is not None]
        made = sheet(cases, tried)
        for at, row in zip(places, zip(*made.letters.values(), strict=True), strict=True):
            of = Counter("".join(row))
            counts = Counts(of[RIGHT], of[FALSE] + of[WRONG], of[MISSED] + of[WRONG])
            best[at] = max(best[at], ((counts.f(beta), counts.tp, -number), number))
    return _chosen([pick for _, pick in best])


def chosen_before(samples: Sequence[Sample], file: WeightFile) -> Reference:
    """Return the references that were chosen when weights were made, as their label says.

    A sentence that the label does not know keeps a reference, so that numbers do not fit.

    Args:
        samples: With references.
        file: Weights.

    Raises:
        CorpusError: The label does not say which were chosen, or a sentence has no such one.
    """
    if file.label is None or file.label.chosen is None:
        raise CorpusError(
            f"{file.path}: does not say which references were chosen when it was made, and these "
            "systems may come nearest to others; take weights that were made with the chosen "
            "references and have their FILE.json beside them, or a reference by its number"
        )
    picks: list[Pick] = []
    for sample in samples:
        usable = [at for at in range(len(sample.references)) if _usable(sample, at)]
        number = file.label.chosen.get(sample.id)
        if number is not None and number - 1 not in usable:
            raise CorpusError(
                f"{file.path}: was made with reference {number} of sentence {sample.id!r}, which "
                "is not there; the weights are of another corpus"
            )
        picks.append(number - 1 if number is not None else next(iter(usable), LEFT_OUT))
    return _chosen(picks)


def _chosen(picks: Sequence[Pick]) -> Reference:
    return Reference(CHOSEN, tuple(picks), _nobody(CHOSEN, picks, 0))


def _usable(sample: Sample, number: int) -> bool:
    return number < len(sample.references) and not sample.references[number].unannotatable


def _annotatable(
    name: str, samples: Sequence[Sample], picks: Sequence[Pick], notes: Sequence[str]
) -> Reference:
    """Return a reference without the sentences that could not be annotated."""
    made = list(picks)
    for at, (sample, pick) in enumerate(zip(samples, picks, strict=True)):
        if pick is not None and pick != UNCHANGED and sample.references[pick].unannotatable:
            made[at] = LEFT_OUT
    return Reference(name, tuple(made), (*notes, *_nobody(name, made, list(picks).count(None))))


def _nobody(name: str, picks: Sequence[Pick], absent: int) -> tuple[str, ...]:
    """Return a note of the sentences that could not be annotated."""
    found = list(picks).count(None) - absent
    return (f"{name}: sentences left out that nobody could correct: {found}",) if found else ()


def _annotators(samples: Sequence[Sample]) -> list[str]:
    """Return the annotators of a corpus, numbers in order; none unless all have names."""
    names: dict[str, None] = {}
    for sample in samples:
        for reference in sample.references:
            if reference.annotator is not None:
                names[reference.annotator] = None
            elif not _says_nothing(sample):
                return []
    if all(name.isdecimal() for name in names):
        return sorted(names, key=int)
    return list(names)


def _says_nothing(sample: Sample) -> bool:
    return len(sample.references) == 1 and sample.references[0].error_free


def _by_annotator(sample: Sample, name: str) -> int | None:
    for place, reference in enumerate(sample.references):
        if reference.annotator == name or (reference.annotator is None and _says_nothing(sample)):
            return place
    return None
