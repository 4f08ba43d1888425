"""Sentences: their properties, verdicts on their edits, and all versions of one in a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import Counts, Score, total
from gecbench.edits.chunks import KEPT, RIGHT, Chunk, corrects, idle, marking
from gecbench.edits.chunks import verdicts as chunk_verdicts
from gecbench.formats.texts import text_of
from gecbench.lang import language_of
from gecbench.scoring.extractor import is_declared
from gecbench.scoring.results import RunStats
from gecbench.scoring.spans import Filter, Key, Pairing, SpanF, keys, keys_of
from gecbench.scoring.spans import pair as count_pair
from gecbench.scoring.texts import characters

# Properties that no system changes: length, number of errors, free of errors.

State = Literal["erroneous", "disputed", "error-free", "unannotatable"]
STATES: tuple[State, ...] = ("erroneous", "disputed", "error-free", "unannotatable")
"""All annotators correct something; some do, some do not; none does; none can."""


def cases_of(run_stats: RunStats) -> Sequence[Case]:
    """The cases of one system, whose sources and references are those of all."""
    return next(iter(run_stats.cases.values()), ())


def length_unit(run_stats: RunStats) -> str:
    """What `length` counts."""
    if language_of(run_stats.lang).unit == "character":
        return "characters"
    return "tokens" if any(case.edit_tokens for case in cases_of(run_stats)) else "words"


def length(case: Case, lang: str) -> int:
    """The length of a source.

    Characters without white space where they are the language's unit. Else the tokens that edits
    count in, and where no metric of the run has edits, what white space divides.
    """
    if language_of(lang).unit == "character":
        return len(characters(case.source))
    return len(case.edit_tokens or case.source.split())


def rewrites(sample: Sample, case: Case) -> list[tuple[Rewrite, CaseRewrite]]:
    """The references that take part, as they were read and as they are scored.

    Those declared impossible to annotate are none.
    """
    references = sample.references[: len(case.references)]
    pairs = zip(references, case.references, strict=True)
    return [(rewrite, version) for rewrite, version in pairs if not version.unannotatable]


def is_free(rewrite: Rewrite, version: CaseRewrite, sample: Sample, case: Case, lang: str) -> bool:
    """Say whether an annotator left a sentence as it is."""
    if rewrite.error_free:
        return True
    if case.edit_tokens:
        return not version.edits
    if rewrite.text is None:
        return not any(rewrite.edit_sets)
    units = language_of(lang).units
    return units(rewrite.text) == units(sample.source)


def state(sample: Sample, case: Case, lang: str) -> State:
    """Say whether the annotators of a sentence find errors in it."""
    free = [is_free(*pair, sample, case, lang) for pair in rewrites(sample, case)]
    if not free:
        return "unannotatable"
    if all(free):
        return "error-free"
    return "disputed" if any(free) else "erroneous"


def edits_of(case: Case, version: CaseRewrite) -> int | None:
    """Count the edits of a reference, of alternative sets the first; None: not known."""
    if case.edit_tokens:
        return len(version.first)
    return len(version.gold_edits) if case.tokens else None


def text_of_rewrite(rewrite: Rewrite, sample: Sample, lang: str) -> str | None:
    """The text of a rewrite; that of one without corrections is the source.

    None where it is known by edits alone that cannot be applied together, as m2-maxmatch has them:
    metrics over gold edits can use it all the same.
    """
    if is_declared(rewrite):
        return sample.source
    try:
        return text_of(sample, rewrite, lang)
    except CorpusError:
        return None


def content_key(rewrite: Rewrite, sample: Sample, lang: str) -> object:
    """A key that is equal for rewrites of a sentence that are the same, white space apart.

    Those that are known only by edits that overlap are the same if their edits are.
    """
    text = text_of_rewrite(rewrite, sample, lang)
    if text is None:
        return rewrite.edit_sets
    return language_of(lang).units(text)


def system_scores(run_stats: RunStats, metric: str) -> Mapping[str, Score]:
    """Score each system by one metric of a run."""
    indices = run_stats.indices_of(metric)
    return {
        system: run_stats.metrics[metric].aggregate(
            [run_stats.rows[system, metric][at] for at in indices]
        )
        for system in run_stats.systems
    }


def separate_sentences(
    corpus: Corpus,
    system: str,
    rows: Sequence[tuple[Sample, Rewrite, tuple[Rewrite, ...]]],
    tokens: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Corpus, SystemOutput]:
    """Make a corpus in which each row is a sentence of its own, and the output of a system.

    Args:
        corpus: Whose sentences they are.
        system: What the system is called.
        rows: A sentence, the rewrite that is scored, and its references.
        tokens: Of the rewrites' sources, by the id of the sentence; None takes the sentence's.
    """
    samples: list[Sample] = []
    outputs: dict[str, tuple[Rewrite, ...]] = {}
    output_tokens: dict[str, tuple[str, ...]] = {}
    for number, (sample, rewrite, references) in enumerate(rows, 1):
        name = f"{sample.id}:{number}"  # one number, one name, whatever ids look like
        samples.append(replace(sample, id=name, references=references))
        outputs[name] = (rewrite,)
        output_tokens[name] = sample.tokens if tokens is None else tokens[sample.id]
    known = {name: output for name, output in output_tokens.items() if output}
    return replace(corpus, samples=tuple(samples)), SystemOutput(system, outputs, known)


def signatures(run_stats: RunStats, metrics: Sequence[str]) -> tuple[str, ...]:
    """How the scores of these metrics of a run are made."""
    return tuple(str(run_stats.metrics[name].aggregate([]).signature) for name in metrics)


# Verdicts on edits: right or wrong, found or missed.


@dataclass(frozen=True, slots=True)
class EditVerdict:
    """An edit, and how much of it the other side has.

    Args:
        edit: As extracted or given. One that stands in several pooled sets is here as often.
        hits: How many of its keys the other side has.
        keys: How many it has: its tokens at level "detection-token", else 1.
    """

    edit: Edit
    hits: int
    keys: int

    @property
    def right(self) -> bool:
        """Whether the other side has all of it: a true edit, or a reference's that was found."""
        return self.hits == self.keys


@dataclass(frozen=True, slots=True)
class EditVerdicts:
    """One hypothesis against one reference, edit by edit.

    Edits that take no part (left out by the metric's options, or detected only where correction
    counts) are on neither side.

    Args:
        hypothesis: Its edits; those that are not right are false positives.
        reference: Its edits; those that are not right were missed.
        declared: What is counted without an edit, by type: one side says that nobody can
            annotate the sentence.
    """

    hypothesis: tuple[EditVerdict, ...]
    reference: tuple[EditVerdict, ...]
    declared: Mapping[str, Counts]

    @property
    def misses(self) -> tuple[Edit, ...]:
        """The edits of the reference that the hypothesis has not."""
        return tuple(verdict.edit for verdict in self.reference if not verdict.right)

    @property
    def counts(self) -> Counts:
        """The counts of the pairing: hits are those of the reference's edits."""
        return total(
            [
                Counts(tp=sum(verdict.hits for verdict in self.reference)),
                Counts(fp=sum(verdict.keys - verdict.hits for verdict in self.hypothesis)),
                Counts(fn=sum(verdict.keys - verdict.hits for verdict in self.reference)),
                *self.declared.values(),
            ]
        )


def edit_verdicts(case: Case, pairing: Pairing, metric: SpanF) -> EditVerdicts:
    """Say of each edit of a chosen pairing whether a span metric counts it as right.

    The sum of it is the pairing's counts. A hit counts on the side of the reference, as in the
    official scripts: where pooled alternatives put several edits on one key, these numbers differ.

    Args:
        case: With the part "edits".
        pairing: One of those that the metric made of this case.
        metric: Whose level and filter decide what is compared.
    """
    hypothesis = case.hypotheses[pairing.hypothesis]
    reference = case.references[pairing.reference]
    ours = keys(hypothesis, metric.level, metric.chosen, metric.rule)
    reference_keys = keys(reference, metric.level, metric.chosen, metric.rule)
    return EditVerdicts(
        _side(hypothesis, reference_keys, metric),
        _side(reference, ours, metric),
        _count_states(hypothesis, reference, ours, reference_keys),
    )


def _side(version: CaseRewrite, others: Collection[Key], metric: SpanF) -> tuple[EditVerdict, ...]:
    if version.unannotatable:
        return ()
    verdicts = []
    for edit in version.edits:
        edit_keys = keys_of(edit, metric.level, metric.chosen, metric.rule)
        if edit_keys:
            verdicts.append(
                EditVerdict(edit, sum(key in others for key in edit_keys), len(edit_keys))
            )
    return tuple(verdicts)


def _count_states(
    hypothesis: CaseRewrite,
    reference: CaseRewrite,
    ours: Mapping[Key, list[str]],
    reference_keys: Mapping[Key, list[str]],
) -> Mapping[str, Counts]:
    """Count the keys that stand for a state, not for an edit."""
    if not (hypothesis.unannotatable or reference.unannotatable):
        return {}
    states = [
        side if version.unannotatable or not version.edits else {}
        for version, side in ((hypothesis, ours), (reference, reference_keys))
    ]
    hypothesis_keys, other_keys = states
    return count_pair(hypothesis_keys, other_keys).by_type


# How difficult each sentence is, edit by edit, for pages that show sentences.


_Correction = tuple[int, int, tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class SentenceDifficulty:
    """How difficult the errors of one sentence are.

    Args:
        id: The sample's id.
        references: For each reference, in order, the weight of each of its edits, in the order
            of `CaseRewrite.edits`: the share of the systems that do not make it, in [0, 1]; 1 where
            none does, and for an edit that only detects.
        value: What sentences are sorted by: the sum of the weights of a reference's edits, that
            is, how many of its errors a system leaves on average; not negative, not bounded by
            1. With several references the smallest of their sums, the reference that systems
            come nearest to; 0 where nobody could correct the sentence.
    """

    id: str
    references: tuple[tuple[float, ...], ...]
    value: float


def edit_weights(cases: Mapping[str, Sequence[Case]]) -> list[SentenceDifficulty]:
    """Weigh the edits of all references, sentence by sentence.

    Weights are GoToScorer's with its usual constants (Gotou et al., COLING 2020, section 3). Of
    several versions of a system the first counts. Where alternative edit sets are pooled, an edit
    is made by a system that has it in any of them, and chunks are those of the edits that can
    stand beside the ones before them.

    Args:
        cases: By system, the cases of a `RunStats`, with part "edits".
    """
    return [_sentence_difficulty(row) for row in zip(*cases.values(), strict=True)]


def _sentence_difficulty(row: Sequence[Case]) -> SentenceDifficulty:
    """Weigh the edits of one sentence, of which each system has a case."""
    first = row[0]
    outputs = [
        (marking(_compatible(edits), first.edit_tokens), {*map(_correction, edits)}, count)
        for edits, count in Counter(case.hypotheses[0].edits for case in row).items()
    ]
    references: list[tuple[float, ...]] = []
    sums: list[float] = []
    for version in first.references:
        if version.unannotatable:
            references.append(())
            continue
        reference = marking(_compatible(version.edits), first.edit_tokens)
        errors = {
            _correction(edit): Chunk(edit.start, edit.end, at)
            for at, edit in enumerate(reference.edits)
        }
        unchanged = {chunk: idle(reference, chunk) for chunk in errors.values()}
        right: Counter[_Correction] = Counter()
        for output, corrections, count in outputs:
            verdicts = unchanged | chunk_verdicts(reference, output)
            for edit in {*map(_correction, version.edits)}:
                if edit in errors:
                    right[edit] += count * (verdicts[errors[edit]] in (RIGHT, KEPT))
                else:  # of a pool, and overlaps one before it
                    right[edit] += count * (edit in corrections)
        references.append(
            tuple(
                1 - right[_correction(edit)] / len(row) if corrects(edit) else 1.0
                for edit in version.edits
            )
        )
        sums.append(sum((1 - right[edit] / len(row) for edit in errors), 0.0))
    return SentenceDifficulty(first.id, tuple(references), min(sums, default=0.0))


def _correction(edit: Edit) -> _Correction:
    return edit.start, edit.end, edit.replacement


def _compatible(edits: Sequence[Edit]) -> list[Edit]:
    """The edits that correct and can stand beside the ones before them, each once."""
    compatible: dict[_Correction, Edit] = {}
    for edit in filter(corrects, edits):
        if not any(_overlap(edit, other) for other in compatible.values()):
            compatible[_correction(edit)] = edit
    return list(compatible.values())


def _overlap(first: Edit, second: Edit) -> bool:
    """Say whether two edits cannot stand together, as `core.edit.check` has it."""
    if first.start > second.start or (first.start == second.start and first.end > second.end):
        first, second = second, first
    return second.start < first.end


# All versions of a sentence in a row.


Declared = Literal["error-free", "unannotatable"]


@dataclass(frozen=True, slots=True)
class ReferenceVersion:
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
    state: Declared | None
    annotator: str | None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class SystemVersion:
    """What a system made of a source.

    Args:
        edits: As in `ReferenceVersion`.
        right: Whether each edit is true; None where it takes no part in the score.
        missed: Edits of the reference that counts which the system has not.
        reference: Place of the reference that counts; None where the sentence is not scored.
        text: As in `ReferenceVersion`.
        state: As in `ReferenceVersion`.
        counts: What the metric counts; None where the sentence is not scored. They may be more
            than the edits: of tokens, or of edits that stand in several alternative sets.
        first: As in `ReferenceVersion`.
    """

    edits: tuple[Edit, ...]
    right: tuple[bool | None, ...]
    missed: tuple[Edit, ...]
    reference: int | None
    text: str | None
    state: Declared | None
    counts: Counts | None = None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class SentenceRow:
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
    references: tuple[ReferenceVersion, ...]
    outputs: tuple[SystemVersion, ...]
    difficulty: float | None
    makers: Mapping[Edit, tuple[int, ...]] = field(default_factory=dict)


def sentence_rows(
    run_stats: RunStats, metric: str | None, difficulty: Sequence[SentenceDifficulty] = ()
) -> Iterator[SentenceRow]:
    """Yield the sentences of a corpus in their order.

    Args:
        run_stats: The systems.
        metric: Name of a span metric that was asked for and applies; None leaves edits out.
        difficulty: Of each sentence, in corpus order; () for none.
    """
    pairings = {name: _pairings(run_stats, name, metric) for name in run_stats.systems}
    span = run_stats.metrics[metric].span_metric if metric else None
    for index, sample in enumerate(run_stats.corpus.samples):
        cases = {name: cases[index] for name, cases in run_stats.cases.items()}
        first = next(iter(cases.values()))
        weights = difficulty[index] if difficulty else None
        chosen = [pairings[name][index] for name in cases]
        yield SentenceRow(
            sample,
            first.edit_tokens,
            tuple(
                _reference(
                    version, sample.references[at], weights.references[at] if weights else ()
                )
                for at, version in enumerate(first.references)
            ),
            tuple(
                _output(case, pairing, span, run_stats.systems[name].hypotheses)
                for (name, case), pairing in zip(cases.items(), chosen, strict=True)
            ),
            weights.value if weights else None,
            _makers(list(cases.values()), chosen, span) if span else {},
        )


def _pairings(run_stats: RunStats, system: str, metric: str | None) -> list[Pairing | None]:
    """The pairing that counts for each sentence; None where it is not scored."""
    if metric is None:
        return [None] * len(run_stats.corpus.samples)
    rows = run_stats.rows[system, metric]
    scorer: Any = run_stats.metrics[metric]
    chosen = iter(scorer.choose([row for row in rows if row is not None]))
    return [None if row is None else next(chosen) for row in rows]


def _version(case: Case, pairing: Pairing | None) -> CaseRewrite:
    """The version of the output that the pairing takes, else the first."""
    return case.hypotheses[pairing.hypothesis if pairing else 0]


def _makers(
    cases: Sequence[Case], chosen: Sequence[Pairing | None], metric: SpanF
) -> Mapping[Edit, tuple[int, ...]]:
    """Find the systems that make each edit of all versions.

    A key says it, not equality: annotators have other labels than extracted edits.
    """
    every = Filter()
    versions = [_version(case, pairing) for case, pairing in zip(cases, chosen, strict=True)]
    having: dict[Key, set[int]] = {}
    for system, version in enumerate(versions):
        for key in keys(version, metric.level, every, metric.rule):
            having.setdefault(key, set()).add(system)
    makers: dict[Edit, tuple[int, ...]] = {}
    for version in (*cases[0].references, *versions):
        for edit in version.edits:
            edit_keys = keys_of(edit, metric.level, every, metric.rule)
            sets = [having.get(key, set()) for key in edit_keys] or [set()]
            makers[edit] = tuple(sorted(set.intersection(*sets)))
    return makers


def _first_size(version: CaseRewrite) -> int | None:
    return version.sizes[0] if version.sizes else None


def _declaration(rewrite: Rewrite) -> Declared | None:
    if rewrite.unannotatable:
        return "unannotatable"
    return "error-free" if rewrite.error_free else None


def _reference(
    version: CaseRewrite, rewrite: Rewrite, weights: tuple[float, ...]
) -> ReferenceVersion:
    return ReferenceVersion(
        version.edits,
        weights,
        rewrite.text,
        _declaration(rewrite),
        rewrite.annotator,
        _first_size(version),
    )


def _output(
    case: Case,
    pairing: Pairing | None,
    metric: SpanF | None,
    hypotheses: Mapping[str, tuple[Rewrite, ...]],
) -> SystemVersion:
    rewrite = hypotheses[case.id][pairing.hypothesis if pairing else 0]
    version = _version(case, pairing)
    plain = SystemVersion(
        edits=version.edits,
        right=(None,) * len(version.edits),
        missed=(),
        reference=None,
        text=rewrite.text,
        state=_declaration(rewrite),
        first=_first_size(version),
    )
    if pairing is None or metric is None:
        return plain
    verdicts = edit_verdicts(case, pairing, metric)
    right = {id(verdict.edit): verdict.right for verdict in verdicts.hypothesis}
    return replace(
        plain,
        right=tuple(right.get(id(edit)) for edit in version.edits),
        missed=verdicts.misses,
        reference=pairing.reference,
        counts=pairing.counts,
    )
