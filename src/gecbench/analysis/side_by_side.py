"""Sentence by sentence: what annotators and systems made of a source, and what is right of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gecbench.analysis.breakdown import verdicts
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.core.sample import Rewrite, Sample
from gecbench.core.score import Counts
from gecbench.edits.chunks import FALSE, KEPT, RIGHT, Chunk, Marking, corrects, idle, marking
from gecbench.edits.chunks import verdicts as chunks_verdicts
from gecbench.scoring.results import RunStats
from gecbench.scoring.spans import Filter, Key, Pairing, SpanF, keys, keys_of

# How difficult each sentence is, edit by edit, for pages that show sentences.


_Correction = tuple[int, int, tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class FalseAlarm:
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
class SentenceDifficulty:
    """How difficult the errors of one sentence are.

    Args:
        id: The sample's id.
        references: For each reference, in order, the weight of each of its edits, in the order
            of `CaseRewrite.edits`: the share of the systems that do not make it, in [0, 1]; 1 where
            none does, and for an edit that only detects.
        wrong: For each reference what it leaves as it is and some system changes, from left to
            right.
        value: What sentences are sorted by: the sum of the weights of a reference's edits, that
            is, how many of its errors a system leaves on average; not negative, not bounded by
            1. With several references the smallest of their sums, the reference that systems
            come nearest to; 0 where nobody could correct the sentence.
    """

    id: str
    references: tuple[tuple[float, ...], ...]
    wrong: tuple[tuple[FalseAlarm, ...], ...]
    value: float


def edit_weights(cases: Mapping[str, Sequence[Case]]) -> list[SentenceDifficulty]:
    """Return the difficulty of each sentence, in order.

    Weights are GoToScorer's with its usual constants. Of several versions of a system the first
    counts. Where alternative edit sets are pooled, an edit is made by a system that has it in any
    of them, and chunks are those of the edits that can stand beside the ones before them.

    Args:
        cases: By system, the cases of a `RunStats`, with part "edits".

    Raises:
        UsageError: There is no system.
    """
    if not cases:
        raise UsageError("difficulty needs at least one system")
    return [_sentence(row) for row in zip(*cases.values(), strict=True)]


def _sentence(row: Sequence[Case]) -> SentenceDifficulty:
    """Return the difficulty of a sentence, given its case of each system."""
    first = row[0]
    systems = _systems([case.hypotheses[0].edits for case in row], first.edit_tokens)
    found = [
        _sentences_reference(version, first.edit_tokens, systems) for version in first.references
    ]
    return SentenceDifficulty(
        first.id,
        tuple(one.weights for one in found),
        tuple(one.wrong for one in found),
        min((one.total for one in found if one.total is not None), default=0.0),
    )


@dataclass(frozen=True, slots=True)
class _Systems:
    """What systems made of a sentence, once for all that made the same of it.

    Args:
        made: The distinct sets of edits, laid out.
        sets: The same as corrections, with those of a pool that make no chunk.
        often: How many systems made each.
        count: How many systems there are.
    """

    made: tuple[Marking, ...]
    sets: tuple[frozenset[_Correction], ...]
    often: tuple[int, ...]
    count: int


def _systems(made: Sequence[Sequence[Edit]], tokens: tuple[str, ...]) -> _Systems:
    distinct: dict[tuple[_Correction, ...], Sequence[Edit]] = {}
    often: dict[tuple[_Correction, ...], int] = {}
    for edits in made:
        key = tuple(_correction(edit) for edit in edits if corrects(edit))
        distinct.setdefault(key, edits)
        often[key] = often.get(key, 0) + 1
    return _Systems(
        tuple(marking(_together(edits), tokens) for edits in distinct.values()),
        tuple(map(frozenset, distinct)),
        tuple(often.values()),
        len(made),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    weights: tuple[float, ...]
    wrong: tuple[FalseAlarm, ...] = ()
    total: float | None = None


def _sentences_reference(
    version: CaseRewrite, tokens: tuple[str, ...], systems: _Systems
) -> _Found:
    if version.unannotatable:
        return _Found(())
    reference = marking(_together(version.edits), tokens)
    right, changed = _often(reference, systems)
    of = {
        _correction(edit): 1 - times / systems.count
        for edit, times in zip(reference.edits, right, strict=True)
    }
    return _Found(
        tuple(_weight(edit, of, systems) for edit in version.edits),
        tuple(
            FalseAlarm(chunk.start, chunk.end, times / systems.count)
            for chunk, times in sorted(changed.items())
        ),
        sum(of.values(), 0.0),
    )


def _weight(edit: Edit, known: Mapping[_Correction, float], systems: _Systems) -> float:
    """Return the weight of an edit, also of one of a pool that made no chunk."""
    if not corrects(edit):
        return 1.0
    one = _correction(edit)
    if one in known:
        return known[one]
    pairs = zip(systems.sets, systems.often, strict=True)
    return 1 - sum(times for made, times in pairs if one in made) / systems.count


def _often(reference: Marking, systems: _Systems) -> tuple[Sequence[int], Mapping[Chunk, int]]:
    """Return how many systems are right on each edit, and how many change what has none."""
    errors = [Chunk(edit.start, edit.end, place) for place, edit in enumerate(reference.edits)]
    alone = [idle(reference, chunk) for chunk in errors]
    right = [0] * len(errors)
    changed: dict[Chunk, int] = {}
    for system, times in zip(systems.made, systems.often, strict=True):
        found = chunks_verdicts(reference, system)
        for place, chunk in enumerate(errors):
            right[place] += times * (found.get(chunk, alone[place]) in (RIGHT, KEPT))
        for chunk, verdict in found.items():
            if verdict == FALSE:
                changed[chunk] = changed.get(chunk, 0) + times
    return right, changed


def _correction(edit: Edit) -> _Correction:
    return edit.start, edit.end, edit.replacement


def _together(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that correct and can stand beside the ones before them.

    One that is there twice, as pooled sets have it, is kept once.
    """
    kept: dict[_Correction, Edit] = {}
    for edit in filter(corrects, edits):
        one = _correction(edit)
        if not any(_overlap(one, other) for other in kept):
            kept[one] = edit
    return list(kept.values())


def _overlap(one: _Correction, other: _Correction) -> bool:
    """Say whether two edits cannot stand together, as `core.edit.check` has it."""
    first, second = sorted((one[:2], other[:2]))
    return second[0] < first[1]


State = Literal["error-free", "unannotatable"]


@dataclass(frozen=True, slots=True)
class Reference:
    """What an annotator made of a source.

    Args:
        edits: All that can be hit, alternative sets pooled, the first set first.
        weights: Difficulty of each edit, in [0, 1]; () where nobody asked for it.
        text: As it was written; None where it is known by its edits alone, or declared.
        state: What it was declared to be.
        annotator: Who made it; None means unknown.
        first: How many of the edits are of the first set, which alone makes the text; None where
            there is one set.
    """

    edits: tuple[Edit, ...]
    weights: tuple[float, ...]
    text: str | None
    state: State | None
    annotator: str | None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """What a system made of a source.

    Args:
        edits: As in `Reference`.
        right: Whether each edit is true; None where it takes no part in the score.
        missed: Edits of the reference that counts which the system has not.
        reference: Place of the reference that counts; None where the sentence is not scored.
        text: As in `Reference`.
        state: As in `Reference`.
        counts: What the metric counts; None where the sentence is not scored. They may be more
            than the edits: of tokens, or of edits that stand in several alternative sets.
        first: As in `Reference`.
    """

    edits: tuple[Edit, ...]
    right: tuple[bool | None, ...]
    missed: tuple[Edit, ...]
    reference: int | None
    text: str | None
    state: State | None
    counts: Counts | None = None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One sentence.

    Args:
        sample: With its source and metadata.
        tokens: Of the source, which the edits count in; () where no edits were made.
        references: In the order of the corpus.
        outputs: In the order of the systems.
        difficulty: Of the sentence: how many of its errors a system leaves on average; None where
            nobody asked for it.
        makers: Places of the systems that have an edit, as the metric compares edits (its
            options may leave the edit out all the same).
    """

    sample: Sample
    tokens: tuple[str, ...]
    references: tuple[Reference, ...]
    outputs: tuple[Output, ...]
    difficulty: float | None
    makers: Mapping[Edit, tuple[int, ...]] = field(default_factory=dict)


def side_by_side(
    run_stats: RunStats, metric: str | None, difficulty: Sequence[SentenceDifficulty] = ()
) -> Iterator[Row]:
    """Yield the sentences of a corpus in their order.

    Args:
        run_stats: The systems.
        metric: Name of a span metric that was asked for and applies; None leaves edits out.
        difficulty: Of each sentence, in corpus order; () for none.
    """
    pairings = {name: _pairings(run_stats, name, metric) for name in run_stats.systems}
    span = run_stats.metrics[metric].span_metric if metric else None
    for place, sample in enumerate(run_stats.corpus.samples):
        cases = {name: cases[place] for name, cases in run_stats.cases.items()}
        first = next(iter(cases.values()))
        hard = difficulty[place] if difficulty else None
        chosen = [pairings[name][place] for name in cases]
        yield Row(
            sample,
            first.edit_tokens,
            tuple(
                _reference(version, sample.references[at], hard.references[at] if hard else ())
                for at, version in enumerate(first.references)
            ),
            tuple(
                _output(case, pairing, span, run_stats.systems[name].hypotheses)
                for (name, case), pairing in zip(cases.items(), chosen, strict=True)
            ),
            hard.value if hard else None,
            _makers(list(cases.values()), chosen, span) if span else {},
        )


def _pairings(run_stats: RunStats, system: str, metric: str | None) -> list[Pairing | None]:
    """Return the pairing that counts for each sentence; None where it is not scored."""
    if metric is None:
        return [None] * len(run_stats.corpus.samples)
    rows = run_stats.rows[system, metric]
    kept: Any = run_stats.metrics[metric]
    chosen = iter(kept.choose([row for row in rows if row is not None]))
    return [None if row is None else next(chosen) for row in rows]


def _version(case: Case, pairing: Pairing | None) -> CaseRewrite:
    """Return what a system's output counts as: the version of the pairing, else the first."""
    return case.hypotheses[pairing.hypothesis if pairing else 0]


def _makers(
    cases: Sequence[Case], chosen: Sequence[Pairing | None], metric: SpanF
) -> Mapping[Edit, tuple[int, ...]]:
    """Return for each edit of all versions the systems that have all that it is compared by.

    A key says it, not equality: annotators have other labels than extracted edits.
    """
    every = Filter()
    versions = [_version(case, one) for case, one in zip(cases, chosen, strict=True)]
    having: dict[Key, set[int]] = {}
    for system, version in enumerate(versions):
        for key in keys(version, metric.level, every, metric.rule):
            having.setdefault(key, set()).add(system)
    found: dict[Edit, tuple[int, ...]] = {}
    for version in (*cases[0].references, *versions):
        for edit in version.edits:
            own = keys_of(edit, metric.level, every, metric.rule)
            sets = [having.get(key, set()) for key in own] or [set()]
            found[edit] = tuple(sorted(set.intersection(*sets)))
    return found


def _first(version: CaseRewrite) -> int | None:
    return version.sizes[0] if version.sizes else None


def _state(rewrite: Rewrite) -> State | None:
    if rewrite.unannotatable:
        return "unannotatable"
    return "error-free" if rewrite.error_free else None


def _reference(version: CaseRewrite, rewrite: Rewrite, weights: tuple[float, ...]) -> Reference:
    return Reference(
        version.edits, weights, rewrite.text, _state(rewrite), rewrite.annotator, _first(version)
    )


def _output(
    case: Case,
    pairing: Pairing | None,
    metric: SpanF | None,
    hypotheses: Mapping[str, tuple[Rewrite, ...]],
) -> Output:
    rewrite = hypotheses[case.id][pairing.hypothesis if pairing else 0]
    version = _version(case, pairing)
    plain = Output(
        edits=version.edits,
        right=(None,) * len(version.edits),
        missed=(),
        reference=None,
        text=rewrite.text,
        state=_state(rewrite),
        first=_first(version),
    )
    if pairing is None or metric is None:
        return plain
    found = verdicts(case, pairing, metric)
    right = {id(one.edit): one.right for one in found.hypothesis}
    return replace(
        plain,
        right=tuple(right.get(id(edit)) for edit in version.edits),
        missed=found.missed,
        reference=pairing.reference,
        counts=pairing.counts,
    )
