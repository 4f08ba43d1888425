"""Scores by parts: types and positions of edits; lengths, errors and origin of sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gecbench.analysis.facts import (
    STATES,
    State,
    cases_of,
    edits_of,
    length,
    length_unit,
    rewrites,
    state,
)
from gecbench.analysis.verdicts import verdicts
from gecbench.core.case import Case
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.score import Counts, total
from gecbench.scoring.judged import Judged
from gecbench.scoring.pairing import UNCLASSIFIED, keys_of
from gecbench.scoring.results import by_tier
from gecbench.scoring.spans import SpanF

Unit = Literal["edits", "sentences"]

LENGTHS: Mapping[str, tuple[int, ...]] = {
    "characters": (20, 40, 60, 80),
    "tokens": (10, 20, 30, 40),
    "words": (10, 20, 30, 40),
}
"""Greatest lengths of all bins but the last, by what is counted."""

_MANY = 5
"""This many errors and more are one group."""
NOBODY: State = "unannotatable"
"""The group of sentences that no annotator could correct, where a metric scores them."""
NOWHERE = "no place"
"""The group of what is counted without an edit: one side says that nobody can correct it."""
_PARTS = 5
"""A sentence is divided into this many equal parts for the positions of its edits."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One system in one group.

    Args:
        value: The metric's, not rounded; None where there is nothing to score.
        counts: What it was made of, for metrics that count edits.
    """

    value: float | None
    counts: Counts | None = None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The scores of all systems by the groups of one kind.

    Args:
        by: Kind of the groups: type-1, type-2, type-3, position, length, errors, state, or
            field:NAME.
        metric: Name of the metric.
        unit: Whether edits are grouped, each pairing chosen as for the whole corpus, or sentences,
            each group scored as a corpus of its own.
        groups: Their names, in order.
        sizes: How many sentences each has; or how many edits all references together have.
        cells: By system, one for each group.
        scale: What the groups are measured in, as "characters"; "" where nothing is measured.
        higher_is_better: Whether a greater value is a better system.
    """

    by: str
    metric: str
    unit: Unit
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    cells: Mapping[str, tuple[Cell, ...]]
    scale: str = ""
    higher_is_better: bool = True


def by_type(judged: Judged, metric: str, tier: int) -> Breakdown:
    """Return scores by the type of the edits.

    Args:
        judged: Systems.
        metric: Name of a span metric.
        tier: 1 the operation, 2 the category, 3 the whole label, as `score --by-type`.

    Raises:
        UsageError: The metric compares no edits with types.
    """
    span = spans(judged, metric)
    counts = {system: by_tier(_by_label(span, judged, system), tier) for system in judged.systems}
    labels = Counter(edit.label or UNCLASSIFIED for _, edit in _edits(judged, span))
    often = by_tier({label: Counts(count) for label, count in labels.items()}, tier)
    groups = sorted({*often, *(group for found in counts.values() for group in found)})
    sizes = tuple(often.get(group, Counts()).tp for group in groups)
    return _of_edits(f"type-{tier}", span, groups, sizes, counts)


def by_position(judged: Judged, metric: str) -> Breakdown:
    """Return scores by where in its sentence an edit is: by fifths of the source's tokens.

    The middle of the edit's span counts; an insertion behind the last token is in the last fifth.
    What is counted without an edit has no place, and a group of its own where there is any.

    Raises:
        UsageError: The metric compares no edits with places.
    """
    span = spans(judged, metric)
    groups = [f"{100 * n // _PARTS}-{100 * (n + 1) // _PARTS}%" for n in range(_PARTS)]
    groups.append(NOWHERE)
    found: dict[str, dict[str, Counts]] = {}
    for system in judged.systems:
        rows: dict[str, list[Counts]] = {group: [] for group in groups}
        for case, pairing in _chosen(span, judged, system):
            made = verdicts(case, pairing, span)
            for one in made.hypothesis:
                wrong = Counts(fp=one.keys - one.hits)
                rows[groups[_fifth(one.edit, case)]].append(wrong)
            for one in made.reference:
                counts = Counts(one.hits, 0, one.keys - one.hits)
                rows[groups[_fifth(one.edit, case)]].append(counts)
            rows[NOWHERE] += made.declared.values()
        found[system] = {group: total(counts) for group, counts in rows.items()}
    places = [_fifth(edit, case) for case, edit in _edits(judged, span)]
    sizes = tuple(map(places.count, range(len(groups))))
    if all(own[NOWHERE] == Counts() for own in found.values()):
        groups, sizes = groups[:_PARTS], sizes[:_PARTS]
    return _of_edits("position", span, groups, sizes, found)


def by_length(judged: Judged, metric: str, ends: Sequence[int] = ()) -> Breakdown:
    """Return scores by the length of the source.

    Args:
        judged: Systems.
        metric: Name of any metric.
        ends: Greatest lengths of all bins but the last, ascending; () takes `LENGTHS`.

    Raises:
        UsageError: The ends do not ascend.
    """
    scale = length_unit(judged)
    ends = tuple(ends) or LENGTHS[scale]
    if list(ends) != sorted({*ends}) or ends[0] < 1:
        raise UsageError(
            f"length bins {','.join(map(str, ends))} must be ascending whole numbers from 1 on, "
            "the greatest length of each bin, as 10,20,30"
        )
    names = [*_ranges(ends), f"{ends[-1] + 1}+"]

    def group(at: int) -> str:
        size = length(cases_of(judged)[at], judged.lang)
        return names[sum(size > end for end in ends)]

    return replace(_of_sentences("length", judged, metric, names, group), scale=scale)


def by_errors(judged: Judged, metric: str) -> Breakdown | None:
    """Return scores by the number of errors: the mean over the references, halves rounded up.

    None where no metric of the run has edits of the references.
    """
    cases = cases_of(judged)
    names = [*map(str, range(_MANY)), f"{_MANY}+", NOBODY]
    numbers = [_errors(judged, at) for at in range(len(cases))]
    if all(number is None for number in numbers):
        return None

    def group(at: int) -> str:
        number = numbers[at]
        return NOBODY if number is None else names[min(_MANY, int(number + 0.5))]

    return _of_sentences("errors", judged, metric, names, group)


def by_state(judged: Judged, metric: str) -> Breakdown:
    """Return scores of sentences with errors, of those in dispute, and of those without."""

    def group(at: int) -> str:
        return state(judged.corpus.samples[at], cases_of(judged)[at], judged.lang)

    return _of_sentences("state", judged, metric, STATES, group)


def by_field(judged: Judged, metric: str, field: str) -> Breakdown:
    """Return scores by a metadata field, as the source of the sentences.

    Raises:
        CorpusError: A sentence lacks the field.
    """
    values = []
    for sample in judged.corpus.samples:
        if field not in sample.meta:
            raise CorpusError(
                f"{judged.corpus.name}: sentence {sample.id!r} has no metadata field {field!r}; "
                f"fields are: {', '.join(fields(judged)) or 'none (add some with --meta)'}"
            )
        values.append(sample.meta[field] or "(empty)")
    names = list(dict.fromkeys(values))
    return _of_sentences(f"field:{field}", judged, metric, names, values.__getitem__)


def fields(judged: Judged) -> list[str]:
    """Return the metadata fields that any sentence has."""
    return sorted({name for sample in judged.corpus.samples for name in sample.meta})


def spans(judged: Judged, metric: str) -> SpanF:
    """Return a span metric of a run.

    Raises:
        UsageError: The metric is of another kind.
    """
    found = judged.metrics[metric]
    if not isinstance(found, SpanF):
        raise UsageError(
            f"{metric} compares no edits with types and places; for these groups take a span "
            "metric, as cherrant or errant"
        )
    return found


def _chosen(span: SpanF, judged: Judged, system: str) -> Iterator[tuple[Case, Any]]:
    places = judged.scored(span.name)
    rows = judged.rows[system, span.name]
    chosen = span.choose([rows[at] for at in places])
    return zip((judged.cases[system][at] for at in places), chosen, strict=True)


def _by_label(span: SpanF, judged: Judged, system: str) -> Mapping[str, Counts]:
    by_label: dict[str, list[Counts]] = {}
    for _, pairing in _chosen(span, judged, system):
        for label, counts in pairing.by_type.items():
            by_label.setdefault(label, []).append(counts)
    return {label: total(counts) for label, counts in by_label.items()}


def _edits(judged: Judged, span: SpanF) -> list[tuple[Case, Edit]]:
    """Return the edits of all references that take part, of alternative sets the first."""
    cases = cases_of(judged)
    return [
        (cases[at], edit)
        for at in judged.scored(span.name)
        for version in cases[at].references
        for edit in version.first
        if keys_of(edit, span.level, span.chosen, span.rule)
    ]


def _fifth(edit: Edit, case: Case) -> int:
    middle = (edit.start + edit.end) / 2
    return min(_PARTS - 1, int(_PARTS * middle / max(1, len(case.edit_tokens))))


def _errors(judged: Judged, at: int) -> float | None:
    case = cases_of(judged)[at]
    found = [edits_of(case, each) for _, each in rewrites(judged.corpus.samples[at], case)]
    known = [number for number in found if number is not None]
    return sum(known) / len(known) if known else None


def _ranges(ends: Sequence[int]) -> list[str]:
    starts = [0, *(end + 1 for end in ends[:-1])]
    return [f"{low}-{high}" for low, high in zip(starts, ends, strict=True)]


def _of_edits(
    by: str,
    span: SpanF,
    groups: Sequence[str],
    sizes: tuple[int, ...],
    counts: Mapping[str, Mapping[str, Counts]],
) -> Breakdown:
    def cell(found: Counts) -> Cell:
        return Cell(found.f(span.beta) if found != Counts() else None, found)

    cells = {
        system: tuple(cell(own.get(group, Counts())) for group in groups)
        for system, own in counts.items()
    }
    return Breakdown(by, span.name, "edits", tuple(groups), sizes, cells)


def _of_sentences(
    by: str,
    judged: Judged,
    metric: str,
    names: Sequence[str],
    group: Callable[[int], str],
) -> Breakdown:
    """Return scores of groups of sentences; groups of no sentence are not there."""
    members: dict[str, list[int]] = {name: [] for name in names}
    for at in judged.scored(metric):
        members[group(at)].append(at)
    kept = {name: places for name, places in members.items() if places}
    judge = judged.metrics[metric]

    def cell(system: str, places: Sequence[int]) -> Cell:
        rows = judged.rows[system, metric]
        score = judge.aggregate([rows[at] for at in places])
        return Cell(score.value, score.counts)

    cells = {
        system: tuple(cell(system, places) for places in kept.values()) for system in judged.systems
    }
    sizes = tuple(map(len, kept.values()))
    better = judge.higher_is_better
    return Breakdown(by, metric, "sentences", tuple(kept), sizes, cells, higher_is_better=better)
