"""Corpora part by part: the statistics of each are taken apart, in one process or in several."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from gecbench.core.case import Case, Part
from gecbench.core.errors import MissingExtraError, UsageError
from gecbench.core.processes import cores, map_in_processes
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme, Watch, no_progress
from gecbench.scoring.cases import Cases, Tokens, make_cases
from gecbench.scoring.extractor import Decision, Extractor
from gecbench.scoring.segmenters import token_shares

if TYPE_CHECKING:
    from gecbench.scoring.metric import Metric

PART = 1000
"""Sentences of a part; numbers do not depend on it."""

_PAYS = 20_000
"""Texts from which several processes are quicker than one, which need not be started."""


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What notes and signatures say of cases; those of parts add up to those of a corpus.

    Args:
        from_files: Whether some edits are those of files.
        extracted: Whether some edits are those of the scheme.
        gold_edits_extracted: Whether gold edits were extracted, because a file has none.
        capped: Ids of sentences with more different edit sets than a scheme lists.
        labels: The types of all edits.
        alternatives: Whether an edit has alternative corrections.
        several: Sentences with several hypotheses, by system.
        token_shares: By system, see `segmenters.token_shares`.
    """

    from_files: bool = False
    extracted: bool = False
    gold_edits_extracted: bool = False
    capped: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()
    alternatives: bool = False
    several: Mapping[str, int] = field(default_factory=dict)
    token_shares: Mapping[str, Sequence[float]] = field(default_factory=dict)


def _facts_of(cases: Cases) -> CaseFacts:
    """The facts of the cases of a part."""
    edits = [
        edit
        for of_system in cases.by_system.values()
        for case in of_system
        for version in (*case.hypotheses, *case.references)
        for edit in version.edits
    ]
    found = cases.edits
    capped = found.capped if found else ()
    return CaseFacts(
        from_files=found is not None and found.from_files,
        extracted=found is not None and found.extracted,
        gold_edits_extracted=cases.gold_edits_extracted,
        capped=tuple(s.id for s in found.corpus.samples if s.id in capped) if found else (),
        labels=frozenset(edit.label for edit in edits if edit.label),
        alternatives=any(edit.alternatives for edit in edits if edit.replacement is not None),
        several={
            system: sum(len(case.hypotheses) > 1 for case in of_system)
            for system, of_system in cases.by_system.items()
        },
        token_shares={
            system: token_shares(of_system) for system, of_system in cases.by_system.items()
        },
    )


def _add(parts: Sequence[CaseFacts]) -> CaseFacts:
    """The facts of all parts together, in their order."""
    several: Counter[str] = Counter()
    shares: dict[str, list[float]] = {}
    for part in parts:
        several.update(part.several)
        for system, of_system in part.token_shares.items():
            shares.setdefault(system, []).extend(of_system)
    return CaseFacts(
        from_files=any(part.from_files for part in parts),
        extracted=any(part.extracted for part in parts),
        gold_edits_extracted=any(part.gold_edits_extracted for part in parts),
        capped=tuple(name for part in parts for name in part.capped),
        labels=frozenset().union(*(part.labels for part in parts)),
        alternatives=any(part.alternatives for part in parts),
        several=several,
        token_shares=shares,
    )


Rows = dict[tuple[str, str], list[Any]]
"""Statistics of each sentence by system and metric."""


@dataclass(frozen=True, slots=True)
class PartStats:
    """What is found in a part of a corpus, or in the whole.

    Args:
        rows: Of the metrics of the task.
        refused: Why metrics cannot be computed, by their name.
        facts: Of the cases.
        cases: By system; empty where nobody asked for them.
    """

    rows: Rows
    refused: Mapping[str, MissingExtraError]
    facts: CaseFacts
    cases: Mapping[str, Sequence[Case]]


PartOfCorpus = tuple[Corpus, Sequence[SystemOutput]]


@dataclass(frozen=True)
class Task:
    """What is to be found in each part of a corpus.

    Args:
        metrics: Those whose statistics are taken part by part.
        needs: What they and others read.
        decision: Whose edits count; None where no metric compares any.
        segment: Tokens of a text, for metrics that compare it with gold edits.
        keep_cases: Whether the cases are wanted, too.
        watch: Wraps the loop over the texts of a part, to show progress.
        load: Gives the scheme of the decision, in a process that the decision came to without it.
    """

    metrics: Sequence[Metric[Any]]
    needs: frozenset[Part]
    decision: Decision | None
    segment: Callable[[str], Tokens]
    keep_cases: bool
    watch: Watch = no_progress
    load: Callable[[], Scheme] | None = None

    @cached_property
    def _decision(self) -> Decision | None:
        if self.decision is None or self.load is None:
            return self.decision
        return replace(self.decision, scheme=self.load())

    def __call__(self, part: PartOfCorpus) -> PartStats:
        """Take the statistics of each sentence of a part by all metrics."""
        corpus, systems = part
        cases = make_cases(
            corpus,
            systems,
            self.needs,
            Extractor(_decided_already, watch=self.watch),
            decision=self._decision,
            segment=self.segment,
        )
        rows, refused = take_stats(self.metrics, cases.by_system)
        return PartStats(
            rows, refused, _facts_of(cases), cases.by_system if self.keep_cases else {}
        )


def take_stats(
    metrics: Sequence[Metric[Any]], cases: Mapping[str, Sequence[Case]]
) -> tuple[Rows, dict[str, MissingExtraError]]:
    """Take the statistics of each sentence, all systems of a metric at once.

    Args:
        metrics: Those that apply.
        cases: By system.

    Returns:
        Statistics by system and metric; why metrics cannot be computed, by their name.
    """
    rows: Rows = {}
    refused: dict[str, MissingExtraError] = {}
    for metric in metrics:
        try:
            stats = iter(metric.stats_of(list(chain.from_iterable(cases.values()))))
            rows |= {
                (system, metric.name): list(islice(stats, len(of_system)))
                for system, of_system in cases.items()
            }
        except MissingExtraError as error:
            refused[metric.name] = error
    return rows, refused


def _decided_already() -> Scheme:
    raise AssertionError("no decision was made for the corpus of this part")


def measure(
    task: Task,
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    load: Callable[[], Scheme],
    jobs: int | None = 1,
    watch: Watch = no_progress,
) -> PartStats:
    """Do a task for all sentences of a corpus, part by part.

    Args:
        task: What is to be found.
        corpus: Every sample has a reference.
        systems: With outputs for every sample.
        load: Gives the scheme of the decision to another process.
        jobs: Processes; None takes one for each processor where that is quicker.
        watch: Wraps the loop over parts, to show progress.

    Raises:
        UsageError: Several processes are asked for, and the task cannot be sent to them.
        GecbenchError: What a part raises.
    """
    starts = range(0, len(corpus.samples) or 1, PART)  # an empty corpus is one part, too
    decision = task.decision
    remote = replace(task, watch=no_progress)
    if decision and decision.scheme:
        remote = replace(remote, decision=replace(decision, scheme=None), load=load)
    if jobs is None:
        texts = sum(len(sample.references) + len(systems) for sample in corpus.samples)
        jobs = cores() if texts >= _PAYS and _can_travel(remote) else 1
    jobs = min(jobs, len(starts))
    if jobs > 1:
        if not _can_travel(remote):
            raise UsageError(
                f"jobs {jobs}: the scheme, a metric or the segmenter cannot be sent to other "
                "processes; take jobs 1"
            )
        task = remote
    parts = (_part(corpus, systems, start) for start in starts)
    with closing(map_in_processes(task, parts, jobs, _describe)) as results:
        found = [
            result
            for _, result in zip(watch("thousands of sentences", starts), results, strict=True)
        ]
    return _join(found)


def _can_travel(task: Task) -> bool:
    """Whether a task can be sent to other processes."""
    try:
        pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _part(corpus: Corpus, systems: Sequence[SystemOutput], start: int) -> PartOfCorpus:
    samples = corpus.samples[start : start + PART]
    return replace(corpus, samples=samples), [
        replace(
            system,
            hypotheses={sample.id: system.hypotheses[sample.id] for sample in samples},
            tokens={s.id: system.tokens[s.id] for s in samples if s.id in system.tokens},
        )
        for system in systems
    ]


def _describe(part: PartOfCorpus) -> str:
    samples = part[0].samples
    return f"sentences {samples[0].id!r} to {samples[-1].id!r}"


def _join(parts: Sequence[PartStats]) -> PartStats:
    """What was found in all parts, in their order."""
    rows: Rows = {}
    cases: dict[str, list[Case]] = {}
    refused: dict[str, MissingExtraError] = {}
    for part in parts:
        refused |= part.refused
        for key, of_metric in part.rows.items():
            rows.setdefault(key, []).extend(of_metric)
        for system, of_system in part.cases.items():
            cases.setdefault(system, []).extend(of_system)
    rows = {key: of_metric for key, of_metric in rows.items() if key[1] not in refused}
    return PartStats(rows, refused, _add([part.facts for part in parts]), cases)
