"""How far annotators agree before anybody decides: decisions, texts, edits.

Decisions by Krippendorff's alpha, nominal; edits by the F of one annotator against another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any, Literal

from gecbench.analysis.sentences import content_key, separate_sentences, signatures
from gecbench.core.errors import CorpusError, MissingExtraError
from gecbench.core.frames import Framed, Frames, flat
from gecbench.core.options import check_least
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.scoring.results import RunStats

# What annotators made of sentences before anybody decided: decisions and texts.


Decision = Literal["corrected", "error-free", "unannotatable"]
DECISIONS: tuple[Decision, ...] = ("corrected", "error-free", "unannotatable")


@dataclass(frozen=True, slots=True)
class Work:
    """What one annotator made of one sentence.

    Args:
        decision: What they say of the sentence.
        texts: What their rewritings have alike if they are the same; none without corrections.
        rewrites: Their rewritings.
    """

    decision: Decision
    texts: frozenset[object]
    rewrites: tuple[Rewrite, ...]


Works = tuple[Mapping[str, Work], ...]
"""For each sentence, what each annotator made of it."""


def works_of(submissions: Corpus, lang: str) -> Works:
    """Group rewrites by sentence and annotator; those without a name are left out.

    Args:
        submissions: Each reference is what its annotator handed in.
        lang: Language code; decides what white space is worth.

    Raises:
        CorpusError: No submission says who wrote it, or somebody says two things of a sentence.
    """
    works = tuple(_works(sample, lang) for sample in submissions.samples)
    if not any(works):
        raise CorpusError(
            f"{submissions.name}: no submission says who wrote it; in JSONL each reference has "
            'an "annotator"'
        )
    return works


def _works(sample: Sample, lang: str) -> Mapping[str, Work]:
    by_name: dict[str, list[Rewrite]] = {}
    for rewrite in sample.references:
        if rewrite.annotator is not None:
            by_name.setdefault(rewrite.annotator, []).append(rewrite)
    return {name: _work(name, rewrites, sample, lang) for name, rewrites in by_name.items()}


def _work(name: str, rewrites: Sequence[Rewrite], sample: Sample, lang: str) -> Work:
    decisions = {_decision(rewrite, sample, lang) for rewrite in rewrites}
    if len(decisions) > 1:
        several = " and ".join(sorted(decisions))
        raise CorpusError(
            f"sentence {sample.id!r}: annotator {name!r} says {several}; an annotator says one of "
            f"{', '.join(DECISIONS)}"
        )
    (decision,) = decisions
    texts = [content_key(rewrite, sample, lang) for rewrite in rewrites]
    return Work(decision, frozenset(texts if decision == "corrected" else ()), tuple(rewrites))


def _decision(rewrite: Rewrite, sample: Sample, lang: str) -> Decision:
    if rewrite.unannotatable:
        return "unannotatable"
    source = Rewrite(text=sample.source)
    same = content_key(rewrite, sample, lang) == content_key(source, sample, lang)
    return "error-free" if rewrite.error_free or same else "corrected"


Why = Literal["alone", "one-decision", "no-text"]
"""Why there is no value: nobody shares a sentence with anybody; only one decision ever occurs, so
that agreement by chance is certain; no sentence was corrected or found free by two."""

ANNOTATOR = "annotator"
"""Name of the one system that the first of each pair is."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A number, or why there is none.

    Args:
        value: Not rounded; None where it is undefined.
        of: Over how many cases.
        why: Why it is undefined; None where it is not.
    """

    value: float | None
    of: int
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class RewriteComparison:
    """One rewriting of one annotator, to be scored against all that another made of the sentence.

    Args:
        sample: Place of the sentence.
        one: Who wrote it.
        other: Whose rewritings are the references.
        rewrite: What was written.
        references: The other's.
    """

    sample: int
    one: str
    other: str
    rewrite: Rewrite
    references: tuple[Rewrite, ...]


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """Two annotators.

    Args:
        one: A name.
        other: Another.
        sentences: That both annotated.
        decisions: Share of them on which they decided alike.
        exact: Share of them for which both handed in just the same.
        forth: Score of the edits of `one` against those of `other`.
        back: The other way round.
    """

    one: str
    other: str
    sentences: int
    decisions: Rate
    exact: Rate
    forth: Rate
    back: Rate


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """One annotator against all others.

    Args:
        name: Of the annotator.
        sentences: That somebody else annotated, too.
        decisions: Of all pairs with others: share that decided alike.
        exact: Likewise: share that handed in just the same.
        made: Score of their edits against those of the others.
        met: Score of the others' edits against theirs.
    """

    name: str
    sentences: int
    decisions: Rate
    exact: Rate
    made: Rate
    met: Rate


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Framed):
    """How far the annotators of a corpus agree.

    Args:
        corpus: Its name.
        metric: What edits are compared by.
        sentences: With answers of two annotators or more.
        alpha: Krippendorff's alpha of decisions, nominal.
        decisions: Of all pairs of annotators of a sentence: share that decided alike.
        exact: Share that handed in just the same texts.
        common: Share that have at least one answer in common.
        edits: Score of all pairs together, both ways.
        each: By annotator, the one with most sentences first.
        pairs: With enough sentences, the one with most first.
        notes: What the reader should know.
        signatures: How scores were made.
    """

    corpus: str
    metric: str
    sentences: int
    alpha: Rate
    decisions: Rate
    exact: Rate
    common: Rate
    edits: Rate
    each: tuple[AnnotatorAgreement, ...]
    pairs: tuple[AnnotatorPair, ...]
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()

    def frames(self) -> Frames:
        """A row for each measure, annotator, or pair of annotators."""
        measures = ("alpha", "decisions", "exact", "common", "edits")
        return {
            "measures": ({"measure": name, **flat(getattr(self, name))} for name in measures),
            "annotators": map(flat, self.each),
            "pairs": map(flat, self.pairs),
        }


def alpha(counts: Sequence[Sequence[int]]) -> Rate:
    """Krippendorff's alpha of decisions, nominal (by the package `krippendorff`).

    1 is agreement, 0 what chance gives, below 0 less. It is over sentences on which two or more
    decided; undefined where there is none, or where all ever decided the same: then chance alone
    would give all the agreement there is.

    Args:
        counts: By sentence, how many made each of `DECISIONS`.

    Raises:
        MissingExtraError: krippendorff is not installed.
    """
    if not counts:
        return Rate(None, 0, "alone")
    if sum(any(column) for column in zip(*counts, strict=True)) < 2:
        return Rate(None, len(counts), "one-decision")
    try:
        import krippendorff
    except ImportError as error:
        raise MissingExtraError("krippendorff, which computes alpha,", "annotate") from error
    value = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    return Rate(float(value), len(counts))


def comparisons(works: Works) -> tuple[RewriteComparison, ...]:
    """Pair all rewrites with those of each other annotator of the sentence, both ways.

    An error-free answer is the source. Who says that nobody can annotate the sentence has no
    edits to compare.
    """
    rows = []
    for at, work in enumerate(works):
        usable = [
            (name, answer) for name, answer in work.items() if answer.decision != "unannotatable"
        ]
        for (name, answer), (other, references) in permutations(usable, 2):
            rows += [
                RewriteComparison(at, name, other, rewrite, references.rewrites)
                for rewrite in answer.rewrites
            ]
    return tuple(rows)


def scorable(submissions: Corpus, rows: Sequence[RewriteComparison]) -> tuple[Corpus, SystemOutput]:
    """Make a corpus in which each comparison is a sentence of its own, and its output."""
    return separate_sentences(
        submissions,
        ANNOTATOR,
        [(submissions.samples[row.sample], row.rewrite, row.references) for row in rows],
    )


@dataclass(slots=True)
class AgreementCounts:
    """What is counted of annotators, piece by piece: a large project need not be in memory.

    Args:
        corpus: Name of all pieces together.
        lang: Language code of the texts.
        metric: What edits are compared by.
    """

    corpus: str
    lang: str
    metric: str
    _shared: list[list[Decision]] = field(default_factory=list)
    _with: Counter[str] = field(default_factory=Counter)
    _shares: dict[tuple[str, ...], list[int]] = field(default_factory=dict)
    _stats: dict[tuple[str | None, str | None], list[Any]] = field(default_factory=dict)
    _nameless: int = 0
    _notes: dict[str, None] = field(default_factory=dict)
    _run_stats: RunStats | None = None

    def add(
        self,
        submissions: Corpus,
        works: Works,
        rows: Sequence[RewriteComparison],
        run_stats: RunStats | None,
    ) -> None:
        """Count some sentences.

        Args:
            submissions: What was handed in.
            works: The same, by sentence and annotator.
            rows: The comparisons of edits.
            run_stats: The run over what `scorable` gave; None where there are no comparisons.
        """
        references = [
            reference for sample in submissions.samples for reference in sample.references
        ]
        self._nameless += sum(reference.annotator is None for reference in references)
        for work in works:
            several = len(work) > 1
            self._with.update({name: int(several) for name in work})
            if several:
                self._shared.append([answer.decision for answer in work.values()])
                self._compare(work)
        if run_stats is None:
            return
        self._run_stats = run_stats
        self._notes |= dict.fromkeys(run_stats.notes)
        for row, stats in zip(rows, run_stats.rows[ANNOTATOR, self.metric], strict=True):
            for key in ((row.one, row.other), (row.one, None), (None, row.other), (None, None)):
                self._stats.setdefault(key, []).append(stats)

    def _compare(self, work: Mapping[str, Work]) -> None:
        """Compare annotators by pair, by each one of a pair, and all together (by no name).

        Whether they decide alike, write the same texts, and have a text in common.
        """
        for pair in combinations(sorted(work), 2):
            first, second = work[pair[0]], work[pair[1]]
            alike = first.decision == second.decision
            exact = alike and first.texts == second.texts
            common = exact or bool(first.texts & second.texts)
            for names in (pair, pair[:1], pair[1:], ()):
                counts = self._shares.setdefault(names, [0, 0, 0, 0])
                for at, value in enumerate((True, alike, exact, common)):
                    counts[at] += value

    def _rates(self, *names: str) -> tuple[Rate, Rate, Rate]:
        cases, *counts = self._shares.get(names, (0, 0, 0, 0))
        if not cases:
            return (Rate(None, 0, "alone"),) * 3
        alike, exact, common = (Rate(count / cases, cases) for count in counts)
        return alike, exact, common

    def _score(self, annotator: str | None, other: str | None) -> Rate:
        stats = self._stats.get((annotator, other))
        if self._run_stats is None or not stats:
            return Rate(None, 0, "no-text")
        return Rate(self._run_stats.metrics[self.metric].aggregate(stats).value, len(stats))

    def measure(self, *, least: int) -> Agreement:
        """Measure how far annotators agree.

        Args:
            least: Pairs with fewer sentences in common are not listed.

        Raises:
            UsageError: `least` means nothing.
        """
        check_least("least", least, 1)
        pairs = {names: counts[0] for names, counts in self._shares.items() if len(names) == 2}
        listed = sorted(
            (names for names, count in pairs.items() if count >= least),
            key=lambda names: (-pairs[names], names),
        )
        notes = list(self._notes)
        if self._nameless:
            reason = "submissions that do not say who wrote them, and are left out"
            notes.append(f"{reason}: {self._nameless}")
        if few := len(pairs) - len(listed):
            notes.append(f"pairs with fewer than {least} sentences in common, not listed: {few}")
        decisions, exact_texts, common_texts = self._rates()
        return Agreement(
            corpus=self.corpus,
            metric=self.metric,
            sentences=len(self._shared),
            alpha=alpha([[*map(decided.count, DECISIONS)] for decided in self._shared]),
            decisions=decisions,
            exact=exact_texts,
            common=common_texts,
            edits=self._score(None, None),
            each=tuple(
                AnnotatorAgreement(
                    name,
                    shared,
                    *self._rates(name)[:2],
                    self._score(name, None),
                    self._score(None, name),
                )
                for name, shared in sorted(self._with.items(), key=lambda item: (-item[1], item[0]))
            ),
            pairs=tuple(
                AnnotatorPair(
                    first,
                    second,
                    pairs[first, second],
                    *self._rates(first, second)[:2],
                    self._score(first, second),
                    self._score(second, first),
                )
                for first, second in listed
            ),
            notes=tuple(notes),
            signatures=signatures(self._run_stats, [self.metric]) if self._run_stats else (),
        )
