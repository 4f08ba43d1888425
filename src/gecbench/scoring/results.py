"""What scoring gives to those who show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from gecbench.core.case import Case
from gecbench.core.errors import count_noun
from gecbench.core.frames import Framed, Frames, Row, interval_columns
from gecbench.core.sample import Corpus, ShortRepr, SystemOutput
from gecbench.core.score import Counts, Score
from gecbench.scoring.metric import Metric
from gecbench.scoring.spans import ERROR_FREE, UNANNOTATABLE

RESULT_SCHEMA = 1
"""Version of the JSON that `gecbench score --format json` prints; scripts depend on it."""


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """How one sentence was scored.

    Args:
        id: The sample's id.
        values: What the metric says of it; None where it leaves the sentence out.
    """

    id: str
    values: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Result:
    """The score of one system by one metric on the corpus or on a subset of it.

    Args:
        system: Name of the system.
        metric: Name of the metric.
        subset: Value of the metadata field that the subset shares; None means the corpus.
        score: The score; None where the metric does not apply.
        note: Why it does not apply.
        higher_is_better: Whether a greater score is a better system.
    """

    system: str
    metric: str
    subset: str | None
    score: Score | None
    note: str | None = None
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class ScoreReport(Framed):
    """Everything that scoring some systems on one corpus found.

    Args:
        corpus: Its name.
        sentences: How many it has.
        left_out: How many were not scored, by reason; together with the scored they make up
            all sentences.
        beta: Weight of recall in F.
        results: Metric by metric and system by system, the whole corpus before its subsets.
        per_sentence: By system and metric, in corpus order; sentences excluded by the number
            of their references are not here.
        notes: What the reader of the numbers should know, a sentence each.
    """

    corpus: str
    sentences: int
    left_out: Mapping[str, int]
    beta: float
    results: tuple[Result, ...]
    per_sentence: Mapping[tuple[str, str], tuple[SentenceResult, ...]]
    notes: tuple[str, ...]

    @property
    def scored(self) -> int:
        """How many sentences were scored."""
        return self.sentences - sum(self.left_out.values())

    def title(self) -> str:
        """What was scored."""
        return f"scores on {self.corpus}, {count_noun(self.scored, 'sentence')} scored"

    def frames(self) -> Frames:
        """A row for each result, for each type of edits, or for each sentence by a metric.

        A sentence has the counts of its chosen reference.
        """
        return {
            "systems": map(_row, self.results),
            "types": self._type_rows(),
            "sentences": self._sentence_rows(),
        }

    def _type_rows(self) -> Iterator[Row]:
        for result in self.results:
            for label, counts in ((result.score and result.score.by_type) or {}).items():
                yield _names(result) | {
                    "type": label,
                    "f": counts.f(self.beta),
                    **count_columns(counts),
                }

    def _sentence_rows(self) -> Iterator[Row]:
        for (system, metric), sentences in self.per_sentence.items():
            for sentence in sentences:
                yield {"system": system, "metric": metric, "sentence": sentence.id} | dict(
                    _flat(sentence.values or {})
                )


def _names(result: Result) -> Row:
    return {"system": result.system, "metric": result.metric, "subset": result.subset}


def _flat(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The texts and numbers of a sentence, and of its candidates those of the chosen one."""
    for name, value in values.items():
        if isinstance(value, str | int | float):
            yield name, value
        elif name in ("pairings", "candidates"):
            yield from _flat(cast("Any", value)[values["chosen"]])


def _row(result: Result) -> Row:
    columns = score_columns(result.score)
    signature = columns.pop("signature")
    return _names(result) | columns | {"note": result.note, "signature": signature}


def count_columns(counts: Counts | None) -> Row:
    """Counts with precision and recall, or nothing in their place."""
    return {
        name: getattr(counts, name) if counts else None
        for name in ("tp", "fp", "fn", "precision", "recall")
    }


def score_columns(score: Score | None) -> Row:
    """A score with its counts, interval and signature, or nothing in their place."""
    return {
        "value": score.value if score else None,
        **count_columns(score.counts if score else None),
        **interval_columns(score.interval if score else None),
        "sentences": score.sentences if score else None,
        "signature": str(score.signature) if score else None,
    }


def by_tier(by_type: Mapping[str, Counts], tier: int) -> dict[str, Counts]:
    """Counts by a part of the edit label, sorted by it.

    Tier 1 is the operation (the letter before the colon), 2 the category (what stands behind
    it; "-" where nothing does), 3 the whole label; ERRANT's and ChERRANT's -cat.
    """
    parts: dict[str, Counts] = {}
    for label, counts in by_type.items():
        part = label
        if tier < 3 and label not in (ERROR_FREE, UNANNOTATABLE):
            operation, _, category = label.partition(":")
            part = operation if tier == 1 else category or "-"
        parts[part] = parts.get(part, Counts()) + counts
    return dict(sorted(parts.items()))


# Statistics of each sentence, before anything is summed up: what scoring and analyses start from.


@dataclass(frozen=True, slots=True, repr=False)
class RunStats(ShortRepr):
    """The statistics of all metrics for each sentence of each system.

    Args:
        corpus: The sentences that take part, their texts normalised if that was asked for.
        systems: Their outputs, by name, in the order given; normalised likewise.
        lang: Language code.
        metrics: By name, in the order asked for, each with its context, so that its scores
            carry whole signatures.
        cases: By system, in corpus order, with the parts that the metrics need.
        rows: By system and metric, in corpus order: `Metric.stats` of each sentence, None where
            the metric leaves it out.
        refused: Why a metric does not apply, by its name; it has no rows.
        left_out: How many sentences of the file take no part, by reason.
        notes: What the reader of the numbers should know, a sentence each.
        joiner: What stands in a text between the tokens that edits count in: "" or a blank.
    """

    corpus: Corpus
    systems: Mapping[str, SystemOutput]
    lang: str
    metrics: Mapping[str, Metric[Any]]
    cases: Mapping[str, Sequence[Case]]
    rows: Mapping[tuple[str, str], Sequence[Any]]
    refused: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    joiner: str = " "

    def indices_of(self, metric: str) -> list[int]:
        """The indices of the sentences that a metric does not leave out.

        These are the same for all systems: whether a sentence can be scored depends on its
        references alone.
        """
        first = next(iter(self.systems))
        return [at for at, row in enumerate(self.rows[first, metric]) if row is not None]


def first_edit_sets(run_stats: RunStats) -> RunStats:
    """A run with the first of alternative edit sets and hypotheses alone.

    The statistics stay as they are.
    """

    def first(case: Case) -> Case:
        return replace(
            case,
            hypotheses=tuple(replace(v, edits=v.first, sizes=()) for v in case.hypotheses[:1]),
            references=tuple(replace(v, edits=v.first, sizes=()) for v in case.references),
        )

    cases = {name: tuple(map(first, cases)) for name, cases in run_stats.cases.items()}
    metrics: dict[str, Metric[Any]] = {
        name: replace(metric, context={**metric.context, "strategy": "first"})
        if "strategy" in metric.context
        else metric
        for name, metric in run_stats.metrics.items()
    }
    return replace(run_stats, cases=cases, metrics=metrics)
