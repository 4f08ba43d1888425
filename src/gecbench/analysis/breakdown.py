"""Scores by parts: types and positions of edits; lengths, errors and origin of sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gecbench.analysis.options import FIELD, OF_EDITS, OF_SENTENCES, BreakdownOptions
from gecbench.analysis.sentences import (
    STATES,
    State,
    cases_of,
    edit_verdicts,
    edits_of,
    length,
    length_unit,
    rewrites,
    signatures,
    state,
    system_scores,
    text_of_rewrite,
)
from gecbench.core.case import Case
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, Message, UnknownNameError, UsageError
from gecbench.core.frames import Framed, Frames, Row, flat, interval_columns
from gecbench.core.sample import Sample
from gecbench.core.score import Counts, Interval, ranks, total
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import draw_blocks, f_scores, interval, occurrences, sums_of
from gecbench.scoring.results import RunStats, by_tier, count_columns
from gecbench.scoring.run import field_values, fields, part_warnings
from gecbench.scoring.spans import ERROR_FREE, UNANNOTATABLE, UNCLASSIFIED, SpanF, keys_of

if TYPE_CHECKING:
    from gecbench.scoring.metric import Integers, Values

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
        interval: Of the value, by resampling sentences; None where nobody asked for it, and where
            edits are counted and there is nothing to correct.
    """

    value: float | None
    counts: Counts | None = None
    interval: Interval | None = None


class Resampling(NamedTuple):
    """How the intervals of cells are made: by resamples of sentences, under a seed."""

    resamples: int
    seed: int

    @classmethod
    def of(cls, resamples: int, seed: int) -> Resampling | None:
        """So many resamples; None for none."""
        return cls(resamples, seed) if resamples else None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The scores of all systems by the groups of one kind.

    Args:
        by: Kind of the groups: type-1, type-2, type-3, position, length, errors, state, or
            field:NAME.
        metric: Name of the metric.
        unit: Whether edits are grouped, each pairing chosen as for the whole corpus, or sentences,
            each group scored as a corpus of its own.
        scale: What the groups are measured in, as "characters"; None where nothing is measured.
        groups: Their names, in order.
        sizes: How many sentences each has; or how many edits all references together have.
        cells: By system, one for each group.
        higher_is_better: Whether a greater value is a better system.
        members: Where sentences are grouped, the place of each sentence's group, None for those
            that are not scored; else ().
    """

    by: str
    metric: str
    unit: Unit
    scale: str | None
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    cells: Mapping[str, tuple[Cell, ...]]
    higher_is_better: bool = True
    members: tuple[int | None, ...] = ()


def by_type(
    run_stats: RunStats, metric: str, tier: int, resampling: Resampling | None = None
) -> Breakdown:
    """Group scores by the type of the edits.

    Args:
        run_stats: Systems.
        metric: Name of a span metric.
        tier: 1 the operation, 2 the category, 3 the whole label, as `score --by-type`.
        resampling: Of the intervals; None for none.

    Raises:
        UsageError: The metric compares no edits with types.
    """
    span = spans(run_stats, metric)
    counts = {
        system: [
            by_tier(pairing.by_type, tier)
            for _, pairing in _choose_pairings(span, run_stats, system)
        ]
        for system in run_stats.systems
    }
    labels = Counter(edit.label or UNCLASSIFIED for _, edit in _edits(run_stats, span))
    edits = by_tier({label: Counts(count) for label, count in labels.items()}, tier)
    fixed_types = {group for sentences in counts.values() for types in sentences for group in types}
    groups = sorted({*edits, *fixed_types})
    sizes = tuple(edits.get(group, Counts()).tp for group in groups)
    return _of_edits(f"type-{tier}", span, groups, sizes, counts, resampling)


def by_position(
    run_stats: RunStats, metric: str, resampling: Resampling | None = None
) -> Breakdown:
    """Group scores by where in its sentence an edit is: by fifths of the source's tokens.

    The middle of the edit's span counts; an insertion behind the last token is in the last fifth.
    What is counted without an edit has no place, and a group of its own where there is any.

    Raises:
        UsageError: The metric compares no edits with places.
    """
    span = spans(run_stats, metric)
    groups = [f"{100 * n // _PARTS}-{100 * (n + 1) // _PARTS}%" for n in range(_PARTS)]
    groups.append(NOWHERE)
    counts: dict[str, list[dict[str, Counts]]] = {}
    for system in run_stats.systems:
        counts[system] = []
        for case, pairing in _choose_pairings(span, run_stats, system):
            rows: dict[str, list[Counts]] = {}
            verdicts = edit_verdicts(case, pairing, span)
            for verdict in verdicts.hypothesis:
                wrong = Counts(fp=verdict.keys - verdict.hits)
                rows.setdefault(groups[fifth(verdict.edit, case.edit_tokens)], []).append(wrong)
            for verdict in verdicts.reference:
                right = Counts(verdict.hits, 0, verdict.keys - verdict.hits)
                rows.setdefault(groups[fifth(verdict.edit, case.edit_tokens)], []).append(right)
            if verdicts.declared:
                rows[NOWHERE] = [*verdicts.declared.values()]
            counts[system].append({group: total(row) for group, row in rows.items()})
    fifths = Counter(fifth(edit, case.edit_tokens) for case, edit in _edits(run_stats, span))
    if not any(
        sentence.get(NOWHERE, Counts()) != Counts()
        for sentences in counts.values()
        for sentence in sentences
    ):
        groups.remove(NOWHERE)
    sizes = tuple(fifths[at] for at in range(len(groups)))
    return _of_edits("position", span, groups, sizes, counts, resampling)


def by_length(
    run_stats: RunStats,
    metric: str,
    ends: Sequence[int] = (),
    resampling: Resampling | None = None,
) -> Breakdown:
    """Group scores by the length of the source.

    Args:
        run_stats: Systems.
        metric: Name of any metric.
        ends: Greatest lengths of all bins but the last, ascending; () takes `LENGTHS`.
        resampling: Of the intervals; None for none.

    Raises:
        UsageError: The ends do not ascend.
    """
    scale = length_unit(run_stats)
    ends = tuple(ends) or LENGTHS[scale]
    if list(ends) != sorted({*ends}) or ends[0] < 1:
        raise UsageError(
            f"length bins {','.join(map(str, ends))} must be ascending whole numbers from 1 on, "
            "the greatest length of each bin, as 10,20,30"
        )
    starts = [0, *(end + 1 for end in ends)]
    names = [f"{low}-{high}" for low, high in zip(starts, ends, strict=False)] + [f"{starts[-1]}+"]
    lengths = (length(case, run_stats.lang) for case in cases_of(run_stats))
    groups = [names[bisect_left(ends, size)] for size in lengths]
    return _of_sentences("length", run_stats, metric, names, groups, resampling, scale)


def by_errors(
    run_stats: RunStats, metric: str, resampling: Resampling | None = None
) -> Breakdown | None:
    """Group scores by the number of errors: the mean over the references, halves rounded up.

    None where no metric of the run has edits of the references.
    """
    names = [*map(str, range(_MANY)), f"{_MANY}+", NOBODY]
    groups = []
    for sample, case in zip(run_stats.corpus.samples, cases_of(run_stats), strict=True):
        numbers = [edits_of(case, version) for _, version in rewrites(sample, case)]
        known = [number for number in numbers if number is not None]
        group = names[min(_MANY, int(sum(known) / len(known) + 0.5))] if known else NOBODY
        groups.append(group)
    if set(groups) <= {NOBODY}:
        return None
    return _of_sentences("errors", run_stats, metric, names, groups, resampling)


def by_state(run_stats: RunStats, metric: str, resampling: Resampling | None = None) -> Breakdown:
    """Group scores by whether sentences have errors, are in dispute, or have none."""
    pairs = zip(run_stats.corpus.samples, cases_of(run_stats), strict=True)
    groups = [state(sample, case, run_stats.lang) for sample, case in pairs]
    return _of_sentences("state", run_stats, metric, STATES, groups, resampling)


def by_field(
    run_stats: RunStats, metric: str, field: str, resampling: Resampling | None = None
) -> Breakdown:
    """Group scores by a metadata field, as the source of the sentences.

    Raises:
        CorpusError: A sentence lacks the field.
    """
    values = [value or "(empty)" for value in field_values(run_stats.corpus, field)]
    names = list(dict.fromkeys(values))
    return _of_sentences(f"field:{field}", run_stats, metric, names, values, resampling)


def spans(run_stats: RunStats, metric: str) -> SpanF:
    """Get a span metric of a run.

    Raises:
        UsageError: The metric is of another kind.
    """
    span = run_stats.metrics[metric].span_metric
    if span is None:
        raise UsageError(
            f"{metric} compares no edits with types and places; for these groups take a span "
            "metric, as cherrant or errant"
        )
    return span


def _choose_pairings(span: SpanF, run_stats: RunStats, system: str) -> Iterator[tuple[Case, Any]]:
    indices = run_stats.indices_of(span.name)
    rows = run_stats.rows[system, span.name]
    chosen = span.choose([rows[at] for at in indices])
    return zip((run_stats.cases[system][at] for at in indices), chosen, strict=True)


def _edits(run_stats: RunStats, span: SpanF) -> list[tuple[Case, Edit]]:
    """The edits of all references that take part, of alternative sets the first."""
    cases = cases_of(run_stats)
    return [
        (cases[at], edit)
        for at in run_stats.indices_of(span.name)
        for version in cases[at].references
        for edit in version.first
        if keys_of(edit, span.level, span.chosen, span.rule)
    ]


def fifth(edit: Edit, tokens: Sequence[str]) -> int:
    """The part of a sentence that an edit is in, by the middle of its span."""
    middle = (edit.start + edit.end) / 2
    return min(_PARTS - 1, int(_PARTS * middle / max(1, len(tokens))))


def _of_edits(
    by: str,
    span: SpanF,
    groups: Sequence[str],
    sizes: tuple[int, ...],
    counts: Mapping[str, Sequence[Mapping[str, Counts]]],
    resampling: Resampling | None,
) -> Breakdown:
    """Score groups of edits; counts are by system, sentence and group."""
    intervals = _edit_intervals(span, groups, counts, resampling) if resampling else {}
    cells = {
        system: _cells_of_edits(span, groups, sentences, intervals.get(system))
        for system, sentences in counts.items()
    }
    return Breakdown(by, span.name, "edits", None, tuple(groups), sizes, cells)


def _cells_of_edits(
    span: SpanF,
    groups: Sequence[str],
    sentences: Sequence[Mapping[str, Counts]],
    intervals: Sequence[Interval] | None,
) -> tuple[Cell, ...]:
    by_group: dict[str, list[Counts]] = {group: [] for group in groups}
    for sentence in sentences:
        for group, sentence_counts in sentence.items():
            by_group[group].append(sentence_counts)
    totals = [total(by_group[group]) for group in groups]
    none: Sequence[None] = [None] * len(groups)
    return tuple(
        Cell(
            None if counts == Counts() else counts.f(span.beta),
            counts,
            interval if _has_errors(counts) else None,
        )
        for counts, interval in zip(totals, intervals or none, strict=True)
    )


def _edit_intervals(
    span: SpanF,
    groups: Sequence[str],
    counts: Mapping[str, Sequence[Mapping[str, Counts]]],
    resampling: Resampling,
) -> dict[str, list[Interval]]:
    """Resample sentences, the same for all systems, the choice of the references held."""
    import numpy as np

    size = len(next(iter(counts.values())))
    places = {group: at for at, group in enumerate(groups)}
    rows: dict[str, Integers] = {}
    for system, sentences in counts.items():
        rows[system] = np.zeros((size, len(groups), 3), dtype=np.int32)
        for row, sentence in zip(rows[system], sentences, strict=True):
            for group, c in sentence.items():
                row[places[group]] = c.tp, c.fp, c.fn
    scores: dict[str, list[Values]] = {system: [] for system in counts}
    for block in draw_blocks(size, resamples=resampling.resamples, seed=resampling.seed):
        often = occurrences(block, size)
        for system in counts:
            totals = sums_of(rows[system].reshape(size, -1), often)
            scores[system].append(f_scores(totals.reshape(len(block), -1, 3), span.beta))
    return {
        system: [_interval(values, resampling) for values in np.concatenate(blocks).T]
        for system, blocks in scores.items()
    }


def _interval(values: Values, resampling: Resampling) -> Interval:
    return replace(interval(values), resamples=resampling.resamples, seed=resampling.seed)


def _has_errors(counts: Counts | None) -> bool:
    """Say whether there is something to correct; else F is 0 or 1, and no interval helps.

    Metrics that count nothing are means, and those have intervals.
    """
    return counts is None or counts.tp + counts.fn > 0


def _of_sentences(
    by: str,
    run_stats: RunStats,
    metric: str,
    names: Sequence[str],
    groups: Sequence[str],
    resampling: Resampling | None,
    scale: str | None = None,
) -> Breakdown:
    """Score groups of sentences; groups of no sentence are not there.

    Args:
        by: Kind of the groups.
        run_stats: Systems.
        metric: Name of any metric.
        names: Of the groups, in order.
        groups: The group of each sentence.
        resampling: Of the intervals; None for none.
        scale: What the groups are measured in.
    """
    members: dict[str, list[int]] = {name: [] for name in names}
    for at in run_stats.indices_of(metric):
        members[groups[at]].append(at)
    members = {name: indices for name, indices in members.items() if indices}
    scorer = run_stats.metrics[metric]
    cells: dict[str, list[Cell]] = {system: [] for system in run_stats.systems}
    for indices in members.values():
        rows = {
            system: [run_stats.rows[system, metric][at] for at in indices]
            for system in run_stats.systems
        }
        scores = {system: scorer.aggregate(rows[system]) for system in rows}
        resampled = {
            system: rows[system] for system, score in scores.items() if _has_errors(score.counts)
        }
        intervals = _intervals(scorer, resampled, resampling) if resampling and resampled else {}
        for system, score in scores.items():
            cells[system].append(Cell(score.value, score.counts, intervals.get(system)))
    places = {at: place for place, indices in enumerate(members.values()) for at in indices}
    return Breakdown(
        by,
        metric,
        "sentences",
        scale,
        tuple(members),
        tuple(map(len, members.values())),
        {system: tuple(row) for system, row in cells.items()},
        scorer.higher_is_better,
        tuple(places.get(at) for at in range(len(groups))),
    )


def _intervals(
    scorer: Metric[Any], rows: Mapping[str, Sequence[Any]], resampling: Resampling
) -> dict[str, Interval]:
    """Resample the sentences of a group, the same for all systems, some resamples at a time."""
    import numpy as np

    prepared = {system: scorer.prepare(stats) for system, stats in rows.items()}
    values: dict[str, list[Values]] = {system: [] for system in rows}
    size = len(next(iter(rows.values())))
    for block in draw_blocks(size, resamples=resampling.resamples, seed=resampling.seed):
        for system in rows:
            values[system].append(prepared[system].resample(block))
    return {system: _interval(np.concatenate(values[system]), resampling) for system in rows}


# Where two systems differ most, and the sentences that decide a difference.


_AT_ONCE = 4_000_000
"""Places of a block of resamples, which bounds memory by some tens of megabytes."""

_NOTHING = 1e-12
"""Sums in another order differ by no more."""

_DIGITS = 12
"""Differences that are equal up to here keep the order of what they are of."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems in one group.

    Args:
        by: Kind of the group.
        group: Its name.
        size: How many sentences or edits it has, as in the breakdown.
        unit: Which of them.
        values: Of both systems, not rounded.
        difference: What the first has more than the second.
    """

    by: str
    group: str
    size: int
    unit: Unit
    values: tuple[float, float]
    difference: float


@dataclass(frozen=True, slots=True)
class Contribution:
    """A sentence and what it does to the difference of two systems.

    Args:
        id: Of the sentence.
        contribution: The difference (first less second) with the sentence, less that without it;
            not rounded. Above 0 it speaks for the first system, if higher is better.
        source: Its text.
        outputs: What both systems made of it; of several versions the one that was chosen. None
            where it is known only by edits that overlap.
        references: What the annotators made of it.
    """

    id: str
    contribution: float
    source: str
    outputs: tuple[str | None, str | None]
    references: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class PairDifferences:
    """Where two systems differ by one metric.

    Args:
        metric: Name.
        between: The two systems.
        differences: The groups in which they differ most, the widest first.
        sentences: Those that do most to their difference.
    """

    metric: str
    between: tuple[str, str]
    differences: tuple[Difference, ...]
    sentences: tuple[Contribution, ...]


def best_two(run_stats: RunStats, metric: str) -> tuple[str, str] | None:
    """The systems with the best two scores, the best first; None where there is one."""
    if len(run_stats.systems) < 2:
        return None
    scores = system_scores(run_stats, metric)
    system_ranks = ranks(
        [score.value for score in scores.values()],
        higher_is_better=run_stats.metrics[metric].higher_is_better,
    )
    (_, best), (_, second), *_ = sorted(
        zip(system_ranks, scores, strict=True), key=lambda pair: pair[0]
    )
    return best, second


def check_pair(run_stats: RunStats, pair: Sequence[str]) -> tuple[str, str]:
    """Check that a pair names two systems of the run.

    Raises:
        UnknownNameError: There is no such system.
        UsageError: They are not two.
    """
    for name in pair:
        if name not in run_stats.systems:
            raise UnknownNameError("system", name, run_stats.systems)
    if len(pair) != 2 or pair[0] == pair[1]:
        raise UsageError(f"{','.join(pair)}: name two different systems, as A,B")
    return pair[0], pair[1]


def differences(
    breakdowns: Sequence[Breakdown], first: str, second: str, *, least: int
) -> tuple[Difference, ...]:
    """Rank groups by how far two systems are apart in them, the widest first.

    Args:
        breakdowns: Of one metric.
        first: Name of a system.
        second: Name of the other.
        least: Groups with fewer sentences or edits are left out: there a difference means little.

    A group that stands in two tiers of types with the same numbers is here once.
    """
    rows = [
        Difference(breakdown.by, group, size, breakdown.unit, (a.value, b.value), a.value - b.value)
        for breakdown in breakdowns
        for group, size, a, b in zip(
            breakdown.groups,
            breakdown.sizes,
            breakdown.cells[first],
            breakdown.cells[second],
            strict=True,
        )
        if size >= least and a.value is not None and b.value is not None
    ]
    distinct = {(row.unit, row.group, row.size, row.values): row for row in rows[::-1]}.values()
    return tuple(
        sorted(
            distinct,
            key=lambda row: (-round(abs(row.difference), _DIGITS), -row.size, row.by, row.group),
        )
    )


def contributions(
    run_stats: RunStats, metric: str, first_system: str, second_system: str, *, most: int
) -> tuple[Contribution, ...]:
    """Find the sentences that do most to the difference of two systems, the greatest first.

    A sentence's contribution is the difference less what it is when the sentence is left out of
    the corpus. What was chosen for the other sentences (the reference, by metrics that choose
    one as they go through the corpus) stays as it was, so that the contribution is the
    sentence's own. Sentences of which the metric says the same for both systems decide nothing,
    and a corpus of one scored sentence has none that could be left out.

    Args:
        run_stats: Systems.
        metric: Name of any metric.
        first_system: Name of a system.
        second_system: Name of the other.
        most: How many to return.
    """
    if not most:
        return ()
    indices = run_stats.indices_of(metric)
    scorer = run_stats.metrics[metric]
    sides = [
        [run_stats.rows[name, metric][at] for at in indices]
        for name in (first_system, second_system)
    ]
    # Before anything is chosen: two hypotheses that are alike differ in nothing.
    apart = [n for n, (a, b) in enumerate(zip(*sides, strict=True)) if a != b]
    if not apart or len(indices) < 2:
        return ()
    first_side, second_side = map(scorer.fix_references, sides)
    whole = scorer.aggregate(first_side).value - scorer.aggregate(second_side).value
    moved = whole - (
        _scores_without(scorer, first_side, apart) - _scores_without(scorer, second_side, apart)
    )
    ranked = sorted(
        zip(moved.tolist(), apart, strict=True), key=lambda pair: -round(abs(pair[0]), _DIGITS)
    )
    result = []
    for contribution, n in ranked[:most]:
        if abs(contribution) > _NOTHING:
            sample = run_stats.corpus.samples[indices[n]]
            ours = _output(run_stats, metric, first_system, sample, first_side[n])
            second_output = _output(run_stats, metric, second_system, sample, second_side[n])
            texts = (text_of_rewrite(r, sample, run_stats.lang) for r in sample.references)
            result.append(
                Contribution(
                    sample.id, contribution, sample.source, (ours, second_output), tuple(texts)
                )
            )
    return tuple(result)


def _scores_without(scorer: Metric[Any], rows: Sequence[Any], indices: Sequence[int]) -> Values:
    """Score without each of the sentences at these indices.

    F over summed counts is found by taking a sentence's counts away. Others are computed over the
    rest of the corpus each time, in time that grows with the square of its sentences.

    Args:
        scorer: Any metric.
        rows: As `Metric.fix_references` gives them.
        indices: In them.
    """
    import numpy as np

    if scorer.f_beta is not None:
        counts = np.array(_counts(scorer, rows), dtype=np.float64)
        return f_scores(counts.sum(axis=0) - counts[list(indices)], scorer.f_beta)
    every = np.arange(len(rows) - 1)
    step = max(1, _AT_ONCE // len(rows))
    values = []
    for first in range(0, len(indices), step):
        block = np.array(indices[first : first + step])[:, None]
        values.append(scorer.resample(rows, every + (every >= block)))
    scores: Values = np.concatenate(values)
    return scores


def _counts(scorer: Metric[Any], rows: Sequence[Any]) -> list[tuple[int, int, int]]:
    """True and false positives and false negatives of each row; none for a mean."""
    scores = (scorer.aggregate([row]) for row in rows)
    return [(c.tp, c.fp, c.fn) for score in scores if (c := score.counts) is not None]


def _output(run_stats: RunStats, metric: str, name: str, sample: Sample, row: Any) -> str | None:
    """The output of a system for a sentence: of several versions the one that counts."""
    chosen = run_stats.metrics[metric].choose([row])
    system = run_stats.systems[name]
    tokenised = replace(sample, tokens=system.tokens.get(sample.id, sample.tokens))
    version = system.hypotheses[sample.id][chosen[0].hypothesis if chosen else 0]
    return text_of_rewrite(version, tokenised, run_stats.lang)


# All breakdowns of systems at once, and what separates two of them.


_VALUES = 20
"""Fields with more values are no groups, unless they are asked for."""
_NO_CATEGORIES = frozenset(("-", "M", "R", ERROR_FREE, UNANNOTATABLE))
"""What stands behind the colon of no label: M and R are halves of word order, W:M and W:R."""


@dataclass(frozen=True, slots=True, repr=False)
class Breakdowns(Framed):
    """The breakdowns of some systems.

    Args:
        corpus: Name of the corpus.
        systems: Their names.
        breakdowns: Metric by metric.
        comparisons: By each metric, of two systems; none for one system.
        notes: What the reader should know.
        signatures: How the numbers were made.
    """

    corpus: str
    systems: tuple[str, ...]
    breakdowns: tuple[Breakdown, ...]
    comparisons: tuple[PairDifferences, ...] = ()
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()

    def frames(self) -> Frames:
        """A row for each group and system; each group, or sentence, in which two systems differ."""
        return {
            "groups": self._group_rows(),
            "differences": (
                {"metric": pair.metric, "first": pair.between[0], "second": pair.between[1]}
                | flat(difference)
                | dict(zip(("value_first", "value_second"), difference.values, strict=True))
                for pair in self.comparisons
                for difference in pair.differences
            ),
            "sentences": (
                {"metric": pair.metric, "first": pair.between[0], "second": pair.between[1]}
                | flat(sentence)
                | dict(zip(("output_first", "output_second"), sentence.outputs, strict=True))
                for pair in self.comparisons
                for sentence in pair.sentences
            ),
        }

    def _group_rows(self) -> Iterator[Row]:
        for breakdown in self.breakdowns:
            for at, (group, size) in enumerate(zip(breakdown.groups, breakdown.sizes, strict=True)):
                for system, cells in breakdown.cells.items():
                    cell = cells[at]
                    yield {
                        "by": breakdown.by,
                        "metric": breakdown.metric,
                        "group": group,
                        "size": size,
                        "unit": breakdown.unit,
                        "system": system,
                        "value": cell.value,
                        **count_columns(cell.counts),
                        **interval_columns(cell.interval),
                    }


def break_down(
    run_stats: RunStats,
    options: BreakdownOptions | None = None,
    resampling: Resampling | None = None,
) -> Breakdowns:
    """Break the scores of all systems down, by all metrics that apply.

    Args:
        run_stats: Systems.
        options: How; None is the default.
        resampling: Of intervals of all cells, the choice of references held where edits are
            grouped; None for none.

    Raises:
        GecbenchError: A field or system that is asked for is not there, or no metric of the run
            can be grouped as asked.
    """
    options = options or BreakdownOptions()
    metrics = [name for name in run_stats.metrics if name not in run_stats.refused]
    by_metric = {name: _breakdowns(run_stats, name, options, resampling) for name in metrics}
    _check_kinds(run_stats, by_metric, options)
    comparisons = []
    for name, breakdowns in by_metric.items():
        pair = (
            check_pair(run_stats, options.between) if options.between else best_two(run_stats, name)
        )
        if pair:
            ahead = differences(breakdowns, *pair, least=options.least)
            sentences = contributions(run_stats, name, *pair, most=options.most)
            comparisons.append(PairDifferences(name, pair, ahead, sentences))
    every = tuple(chain.from_iterable(by_metric.values()))
    return Breakdowns(
        corpus=run_stats.corpus.name,
        systems=tuple(run_stats.systems),
        breakdowns=every,
        comparisons=tuple(comparisons),
        notes=(
            *(*run_stats.notes, *run_stats.refused.values(), *_notes(run_stats, every)),
            *_notes_on_sentences(run_stats, comparisons, options),
            *_notes_on_intervals(every, resampling),
            *_warnings(run_stats, every),
        ),
        signatures=signatures(run_stats, metrics),
    )


def _breakdowns(
    run_stats: RunStats, metric: str, options: BreakdownOptions, resampling: Resampling | None
) -> list[Breakdown]:
    if not options.by:
        return _informative(run_stats, metric, options, resampling)
    of_edits = run_stats.metrics[metric].span_metric is not None
    kinds = [kind for kind in options.by if of_edits or kind not in OF_EDITS]
    breakdowns = [_break_down_by(run_stats, metric, kind, options, resampling) for kind in kinds]
    return [breakdown for breakdown in breakdowns if breakdown is not None]


def _break_down_by(
    run_stats: RunStats,
    metric: str,
    kind: str,
    options: BreakdownOptions,
    resampling: Resampling | None,
) -> Breakdown | None:
    if kind.startswith(FIELD):
        return by_field(run_stats, metric, kind.removeprefix(FIELD), resampling)
    if kind.startswith("type-"):
        return by_type(run_stats, metric, int(kind[-1]), resampling)
    if kind == "length":
        return by_length(run_stats, metric, options.length_ends, resampling)
    plain = {"position": by_position, "errors": by_errors, "state": by_state}
    return plain[kind](run_stats, metric, resampling)


def _informative(
    run_stats: RunStats, metric: str, options: BreakdownOptions, resampling: Resampling | None
) -> list[Breakdown]:
    """Break down by all kinds, without tiers of types that repeat another or have no categories."""
    samples = run_stats.corpus.samples
    kinds = [*OF_EDITS] * (run_stats.metrics[metric].span_metric is not None) + [*OF_SENTENCES]
    for name in fields(run_stats.corpus):
        values = {sample.meta.get(name) for sample in samples}
        if None not in values and 1 < len(values) <= _VALUES:
            kinds.append(f"{FIELD}{name}")
    breakdowns: list[Breakdown] = []
    for kind in kinds:
        breakdown = _break_down_by(run_stats, metric, kind, options, resampling)
        known = [other.groups for other in breakdowns if other.unit == "edits"]
        if breakdown is None or (kind.startswith("type-") and breakdown.groups in known):
            continue
        if kind != "type-2" or not _NO_CATEGORIES.issuperset(breakdown.groups):
            breakdowns.append(breakdown)
    return breakdowns


def _check_kinds(
    run_stats: RunStats, by_metric: Mapping[str, Sequence[Breakdown]], options: BreakdownOptions
) -> None:
    """Refuse kinds of groups that no metric has."""
    known = {breakdown.by for breakdowns in by_metric.values() for breakdown in breakdowns}
    for kind in options.by:
        if kind not in known:
            needs = "a span metric, as cherrant or errant"
            if kind == "errors":
                if any(run_stats.metrics[name].needs != "texts" for name in by_metric):
                    raise CorpusError(
                        f"{run_stats.corpus.name}: --by errors needs references with edits, and "
                        "nobody could correct any sentence; leave it out"
                    )
                needs = "a metric that reads edits of the references, as cherrant, errant or m2"
            raise UsageError(f"--by {kind} needs {needs}; here is {', '.join(by_metric)}")


def _notes_on_sentences(
    run_stats: RunStats, comparisons: Sequence[PairDifferences], options: BreakdownOptions
) -> list[str]:
    notes: list[str] = [
        Message(
            "{metric}: one sentence alone is scored; what it decides cannot be told, as nothing "
            "is left without it",
            metric=comparison.metric,
        )
        for comparison in comparisons
        if options.most and len(run_stats.indices_of(comparison.metric)) == 1
    ]
    examples = {
        sentence.id: sentence for comparison in comparisons for sentence in comparison.sentences
    }
    lost = sum((*row.outputs, *row.references).count(None) for row in examples.values())
    if lost:
        notes.append(
            Message(
                "texts of the sentences that decide, known only by edits that overlap, which "
                "cannot be shown: {count}",
                count=lost,
            )
        )
    return notes


def _warnings(run_stats: RunStats, breakdowns: Sequence[Breakdown]) -> Iterator[str]:
    """Warn of groups of sentences of which a metric warns, and not of the whole corpus."""
    for breakdown in breakdowns:
        parts: dict[str, list[int]] = {}
        for at, place in enumerate(breakdown.members):
            if place is not None:
                name = f"{breakdown.by} {breakdown.groups[place]}"
                parts.setdefault(name, []).append(at)
        yield from part_warnings(run_stats, breakdown.metric, parts)


def _notes_on_intervals(
    breakdowns: Sequence[Breakdown], resampling: Resampling | None
) -> Iterator[str]:
    if resampling is None:
        return
    yield Message(
        "{name}: percentile bootstrap, {resamples} resamples of sentences, seed {seed}",
        name=Message("95% intervals"),
        resamples=resampling.resamples,
        seed=resampling.seed,
    )
    if any(breakdown.unit == "edits" for breakdown in breakdowns):
        yield Message("intervals of types and positions: the choice of references is held")
    if any(
        cell.value is not None and cell.interval is None
        for breakdown in breakdowns
        for cells in breakdown.cells.values()
        for cell in cells
    ):
        yield Message(
            "without an interval: groups with nothing to correct, where F is 1 for a system that "
            "changes nothing and 0 for every other; an interval of zero width is not shown"
        )


def _notes(run_stats: RunStats, breakdowns: Sequence[Breakdown]) -> list[str]:
    kinds = {kind for breakdown in breakdowns for kind in (breakdown.unit, breakdown.by)}
    notes = {
        "edits": Message(
            "types and positions: the edits of the whole corpus's choice of references, so that "
            "the counts of all groups make up the score's; n and the column “edits” count the "
            "edits of all references"
        ),
        "sentences": Message("groups of sentences are scored each as a corpus of its own"),
        "length": Message(
            "length: in characters of the source"
            if length_unit(run_stats) == "characters"
            else "length: in tokens of the source"
            if length_unit(run_stats) == "tokens"
            else "length: in words of the source"
        ),
        "errors": Message(
            "errors: mean number of edits of a sentence's references, halves rounded up; of "
            "alternative edit sets the first"
        ),
        "state": Message(
            "state: erroneous if all annotators correct something, disputed if some do, "
            "error-free if none does"
        ),
    }
    return [note for kind, note in notes.items() if kind in kinds]
