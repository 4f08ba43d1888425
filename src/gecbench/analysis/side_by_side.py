"""Sentence by sentence: what annotators and systems made of a source, and what is right of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gecbench.analysis.difficulty.sentences import SentenceDifficulty
from gecbench.analysis.verdicts import verdicts
from gecbench.core.case import Case, Version
from gecbench.core.edit import Edit
from gecbench.core.sample import Rewrite, Sample
from gecbench.core.score import Counts
from gecbench.scoring.judged import Judged
from gecbench.scoring.pairing import Filter, Key, Pairing, keys, keys_of
from gecbench.scoring.spans import SpanF

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
    judged: Judged, metric: str | None, difficulty: Sequence[SentenceDifficulty] = ()
) -> Iterator[Row]:
    """Yield the sentences of a corpus in their order.

    Args:
        judged: The systems.
        metric: Name of a span metric that was asked for and applies; None leaves edits out.
        difficulty: Of each sentence, in corpus order; () for none.
    """
    pairings = {name: _pairings(judged, name, metric) for name in judged.systems}
    span = judged.metrics[metric] if metric else None
    for place, sample in enumerate(judged.corpus.samples):
        cases = {name: cases[place] for name, cases in judged.cases.items()}
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
                _output(case, pairing, span, judged.systems[name].hypotheses)
                for (name, case), pairing in zip(cases.items(), chosen, strict=True)
            ),
            hard.value if hard else None,
            _makers(list(cases.values()), chosen, span) if isinstance(span, SpanF) else {},
        )


def _pairings(judged: Judged, system: str, metric: str | None) -> list[Pairing | None]:
    """Return the pairing that counts for each sentence; None where it is not scored."""
    if metric is None:
        return [None] * len(judged.corpus.samples)
    rows = judged.rows[system, metric]
    kept: Any = judged.metrics[metric]
    chosen = iter(kept.choose([row for row in rows if row is not None]))
    return [None if row is None else next(chosen) for row in rows]


def _version(case: Case, pairing: Pairing | None) -> Version:
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


def _first(version: Version) -> int | None:
    return version.sizes[0] if version.sizes else None


def _state(rewrite: Rewrite) -> State | None:
    if rewrite.unannotatable:
        return "unannotatable"
    return "error-free" if rewrite.error_free else None


def _reference(version: Version, rewrite: Rewrite, weights: tuple[float, ...]) -> Reference:
    return Reference(
        version.edits, weights, rewrite.text, _state(rewrite), rewrite.annotator, _first(version)
    )


def _output(
    case: Case,
    pairing: Pairing | None,
    metric: Any,
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
    if pairing is None or not isinstance(metric, SpanF):
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
