"""Corpora part by part: the statistics of each are taken apart, in one process or in several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gecbench.core.case import Case, Part
from gecbench.core.errors import MissingExtraError
from gecbench.core.options import Cluster, Workers, jobs_error, jobs_of_step
from gecbench.core.processes import can_travel, cores, map_in_processes
from gecbench.core.sample import Corpus, Rewrite, SystemOutput
from gecbench.core.scheme import LabelCounts, Scheme, TextSentence, Watch, no_progress
from gecbench.formats import stored
from gecbench.formats.stored import Block, StoredOutputs
from gecbench.scoring.cases import Cases, Tokens, make_cases, token_shares
from gecbench.scoring.extractor import Decision, Extractor, is_declared

if TYPE_CHECKING:
    from gecbench.scoring.metric import Metric

_PAYS = 20_000
"""Texts from which several processes are quicker than one, which need not be started."""

_COUNTED_AT_ONCE = 50
"""Sentences between which the user sees how far the work is."""


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


def _facts_of(cases: Cases, needs: frozenset[Part]) -> CaseFacts:
    """The facts of the cases of a part, for metrics that read these parts of a case."""
    edits = [
        edit
        for of_system in cases.by_system.values()
        for case in of_system
        for version in (*case.hypotheses, *case.references)
        for edit in version.edits
    ]
    case_edits = cases.edits
    capped = case_edits.capped if case_edits else ()
    return CaseFacts(
        from_files=case_edits is not None and case_edits.from_files,
        extracted=case_edits is not None and case_edits.extracted,
        gold_edits_extracted=cases.gold_edits_extracted,
        capped=tuple(s.id for s in case_edits.corpus.samples if s.id in capped)
        if case_edits
        else (),
        labels=frozenset(edit.label for edit in edits if edit.label),
        alternatives=any(edit.alternatives for edit in edits if edit.replacement is not None),
        several={
            system: sum(len(case.hypotheses) > 1 for case in of_system)
            for system, of_system in cases.by_system.items()
        },
        token_shares={
            system: token_shares(of_system)
            for system, of_system in cases.by_system.items()
            if "gold_edits" in needs
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
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class PartTask(ABC, Generic[Result]):
    """What is done with each part of a corpus.

    Args:
        decision: Whose edits count; None where nothing compares any.
        watch: Wraps the loop over the texts of a part, to show progress.
    """

    decision: Decision | None
    watch: Watch = no_progress

    @abstractmethod
    def __call__(self, part: PartOfCorpus) -> Result:
        """Do it for a part."""


@dataclass(frozen=True, kw_only=True)
class StatsTask(PartTask[PartStats]):
    """Takes the statistics of each sentence by all metrics.

    Args:
        metrics: Those whose statistics are taken part by part.
        needs: What they and others read.
        segment: Tokens of a text, for metrics that compare it with gold edits.
        keep_cases: Whether the cases are wanted, too.
    """

    metrics: Sequence[Metric[Any]]
    needs: frozenset[Part]
    segment: Callable[[str], Tokens]
    keep_cases: bool

    def __call__(self, part: PartOfCorpus) -> PartStats:
        """Take them for a part."""
        corpus, systems = part
        if counted := self._count(corpus, systems):
            return counted
        cases = make_cases(
            corpus,
            systems,
            self.needs,
            Extractor(decided_already, watch=self.watch),
            decision=self.decision,
            segment=self.segment,
        )
        rows, refused = take_stats(self.metrics, cases.by_system)
        return PartStats(
            rows,
            refused,
            _facts_of(cases, self.needs),
            cases.by_system if self.keep_cases else {},
        )

    def _count(self, corpus: Corpus, systems: Sequence[SystemOutput]) -> PartStats | None:
        """The same of texts alone, where the scheme counts without making edits; else None."""
        scheme = self.decision.scheme if self.decision else None
        kinds = {
            metric.name: stats_of_counts
            for metric in self.metrics
            if (stats_of_counts := metric.stats_of_counts)
        }
        if (
            scheme is None
            or scheme.count_matches is None
            or len(kinds) < len(self.metrics)
            or self.needs != {"edits"}
            or self.keep_cases
        ):
            return None
        sentences: list[TextSentence] = []
        sizes: list[list[int]] = []  # hypotheses of each system
        counts: list[Sequence[LabelCounts]] = []
        labels: set[str] = set()
        extracted = False
        waiting = iter(self.watch("sentences", corpus.samples))
        # Few at a time: those of a part may be documents, which take the kernel long.
        while samples := list(islice(waiting, _COUNTED_AT_ONCE)):
            for sample in samples:
                outputs = [system.hypotheses[sample.id] for system in systems]
                hypotheses = tuple(chain.from_iterable(outputs))
                rewrites = (*hypotheses, *sample.references)
                if any(rewrite.edit_sets for rewrite in rewrites):
                    return None
                extracted = extracted or not all(map(is_declared, rewrites))
                sizes.append([len(rewrites) for rewrites in outputs])
                sentences.append(
                    (
                        sample.source,
                        tuple([_text(rewrite, sample.source) for rewrite in hypotheses]),
                        tuple([_text(rewrite, sample.source) for rewrite in sample.references]),
                    )
                )
            of_these, found = scheme.count_matches(sentences[-len(samples) :])
            counts += of_these
            labels.update(found)
        rows: Rows = {(system.system, metric): [] for system in systems for metric in kinds}
        for (_, _, references), lengths, pairs in zip(sentences, sizes, counts, strict=True):
            start = 0
            for system, length in zip(systems, lengths, strict=True):
                of_system = pairs[start : start + length * len(references)]
                start += length * len(references)
                for metric, stats_of_counts in kinds.items():
                    row = stats_of_counts(of_system, references)
                    rows[system.system, metric].append(row)
        several = {
            system.system: sum(lengths[at] > 1 for lengths in sizes)
            for at, system in enumerate(systems)
        }
        facts = CaseFacts(extracted=extracted, labels=frozenset(labels), several=several)
        return PartStats(rows, {}, facts, {})


def _text(rewrite: Rewrite, source: str) -> str | None:
    """A rewrite without edits as `Scheme.count_matches` takes it."""
    if rewrite.unannotatable:
        return None
    return source if rewrite.text is None else rewrite.text


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


def decided_already() -> Scheme:
    """Stand for what loads a scheme where whose edits count is decided already."""
    raise AssertionError("no decision was made for the corpus of this part")


def measure(
    task: StatsTask,
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    load: Callable[[], Scheme],
    jobs: Workers = 1,
    watch: Watch = no_progress,
) -> PartStats:
    """Take the statistics of all sentences of a corpus; see `in_parts`."""
    rows: Rows = {}
    cases: dict[str, list[Case]] = {}
    refused: dict[str, MissingExtraError] = {}
    facts: list[CaseFacts] = []
    for part in in_parts(task, corpus, systems, load=load, jobs=jobs, watch=watch):
        facts.append(part.facts)
        refused |= part.refused
        for key, of_metric in part.rows.items():
            rows.setdefault(key, []).extend(of_metric)
        for system, of_system in part.cases.items():
            cases.setdefault(system, []).extend(of_system)
    rows = {key: of_metric for key, of_metric in rows.items() if key[1] not in refused}
    return PartStats(rows, refused, _add(facts), cases)


def in_parts(
    task: PartTask[Result],
    corpus: Corpus,
    systems: Sequence[SystemOutput] = (),
    *,
    load: Callable[[], Scheme],
    jobs: Workers = 1,
    watch: Watch = no_progress,
) -> Iterator[Result]:
    """Do a task for all sentences of a corpus, part by part, and yield the results in order.

    Args:
        task: What is done.
        corpus: For statistics, every sample has a reference.
        systems: With outputs for every sample.
        load: Gives the scheme of the decision to another process.
        jobs: Processes, or a cluster; None takes one for each processor where that is quicker.
        watch: Wraps the loop over parts, to show progress.

    Raises:
        UsageError: Several processes are asked for, and the task cannot be sent to them.
        GecbenchError: What a part raises.
    """
    starts = range(0, len(corpus.samples) or 1, stored.BLOCK)  # an empty corpus is one part, too
    decision = task.decision
    remote: Callable[[PartOfCorpus], Result] = replace(task, watch=no_progress)
    if decision and decision.scheme:
        if isinstance(jobs, Cluster):
            jobs = jobs_of_step(jobs, inputs=decision.scheme.signature)
        without_scheme = replace(decision, scheme=None)
        remote = _TaskElsewhere(replace(task, watch=no_progress, decision=without_scheme), load)
    if jobs is None:
        counts = accumulate(len(sample.references) + len(systems) for sample in corpus.samples)
        jobs = cores() if any(n >= _PAYS for n in counts) and can_travel(remote) else 1
    if isinstance(jobs, int):
        jobs = min(jobs, len(starts))
    if jobs == 1:
        for start in watch("thousands of sentences", starts):
            yield task(_part(corpus, systems, start))
        return
    if not can_travel(remote):
        raise jobs_error(
            jobs,
            "the scheme, a metric or the segmenter cannot be sent to other processes",
            "take jobs 1",
        )
    parts = (_part(corpus, systems, start) for start in starts)
    with closing(map_in_processes(remote, parts, jobs, _describe)) as results:
        for _, result in zip(watch("thousands of sentences", starts), results, strict=True):
            yield result


@dataclass(frozen=True)
class _TaskElsewhere(Generic[Result]):
    """A task in another process, to which it came without the scheme of its decision."""

    task: PartTask[Result]
    load: Callable[[], Scheme]

    def __call__(self, part: PartOfCorpus) -> Result:
        return self._with_scheme(part)

    @cached_property
    def _with_scheme(self) -> PartTask[Result]:
        decision = self.task.decision and replace(self.task.decision, scheme=self.load())
        return replace(self.task, decision=decision)


def _part(corpus: Corpus, systems: Sequence[SystemOutput], start: int) -> PartOfCorpus:
    stop = start + stored.BLOCK
    samples = corpus.samples[start:stop]
    outputs = []
    for system in systems:
        hypotheses: Mapping[str, tuple[Rewrite, ...]]
        if isinstance(samples, Block) and isinstance(system.hypotheses, StoredOutputs):
            hypotheses = system.hypotheses.part(start, stop)
        else:
            hypotheses = {sample.id: system.hypotheses[sample.id] for sample in samples}
        known = system.tokens
        tokens = {s.id: known[s.id] for s in samples if s.id in known} if known else {}
        outputs.append(replace(system, hypotheses=hypotheses, tokens=tokens))
    return replace(corpus, samples=samples), outputs


def _describe(part: PartOfCorpus) -> str:
    samples = part[0].samples
    return f"sentences {samples[0].id!r} to {samples[-1].id!r}"
