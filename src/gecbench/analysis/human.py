"""How annotators fare against the final references of what they annotated.

Zhang et al., "MuCGEC", NAACL 2022, section 3 and figure 2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gecbench.analysis.options import HumanOptions
from gecbench.analysis.sentences import content_key, separate_sentences, signatures
from gecbench.core.errors import CorpusError, count_noun
from gecbench.core.frames import Framed, Frames, flat
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import Score
from gecbench.scoring.resample import mean
from gecbench.scoring.results import RunStats, score_columns
from gecbench.scoring.texts import characters

SUBMISSIONS = "submissions"
"""Name of the one system that all submissions together are."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One rewriting of a sentence by an annotator.

    Args:
        sample: Place of the sentence in the corpus.
        annotator: Who wrote it; None is unknown.
        rewrite: What was written.
        kept: Whether it is, word for word, one of the final references.
        references: The final references that it is scored against.
    """

    sample: int
    annotator: str | None
    rewrite: Rewrite
    kept: bool
    references: tuple[Rewrite, ...]


@dataclass(frozen=True, slots=True)
class Annotator:
    """One annotator's work.

    Args:
        name: As shown; None stands for all whose name is not known.
        submissions: How many rewritings were handed in.
        scored: How many of them were scored.
        kept: How many of them became final references as they were.
        scores: By metric; none where nothing was scored.
    """

    name: str | None
    submissions: int
    scored: int
    kept: int
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class AnnotatorMean:
    """Means over annotators: each counts the same, however much they did; not rounded.

    Args:
        value: Of the metric.
        precision: None for metrics that count no edits.
        recall: Likewise.
        annotators: Over how many.
    """

    value: float
    precision: float | None
    recall: float | None
    annotators: int


@dataclass(frozen=True, slots=True, repr=False)
class Human(Framed):
    """Annotators against final references.

    Args:
        corpus: Name of the corpus of final references.
        options: How they were scored.
        annotators: The one with most submissions first; those without a name last.
        means: By metric, over the annotators with a name and enough submissions.
        together: By metric, all submissions as one output.
        higher_is_better: By metric.
        notes: What the reader should know.
        signatures: How scores were made.
    """

    corpus: str
    options: HumanOptions
    annotators: tuple[Annotator, ...]
    means: Mapping[str, AnnotatorMean]
    together: Mapping[str, Score]
    higher_is_better: Mapping[str, bool]
    notes: tuple[str, ...]
    signatures: tuple[str, ...]

    def frames(self) -> Frames:
        """A row for each annotator by a metric, or for each metric over all of them."""
        return {
            "annotators": (
                {"annotator": annotator.name, "metric": metric}
                | score_columns(annotator.scores.get(metric))
                | {
                    "submissions": annotator.submissions,
                    "scored": annotator.scored,
                    "kept": annotator.kept,
                }
                for annotator in self.annotators
                for metric in self.higher_is_better
            ),
            "means": ({"metric": metric} | flat(mean) for metric, mean in self.means.items()),
            "together": (
                {"metric": metric} | score_columns(score) for metric, score in self.together.items()
            ),
        }


def find_submissions(
    corpus: Corpus, annotations: Corpus, lang: str, options: HumanOptions, only: Collection[int]
) -> tuple[Submission, ...]:
    """Find all submissions, in the order of the corpus.

    Final references may hold the annotator's own text. Against "others" a reference is left out
    that this annotator alone wrote: the name on the reference is theirs, or they submitted its
    text, and nobody else did either. What two annotators wrote alike stays for both.

    Args:
        corpus: With the final references.
        annotations: The same sentences or some of them; each reference is one submission.
            Sentences that the corpus lacks, as those that nobody has decided yet, are left out.
        lang: Language code; decides what white space is worth.
        options: What to score against.
        only: Places of the sentences of the corpus that take part.

    Raises:
        CorpusError: No sentence is in the corpus, or one has another text there, or there is no
            submission.
    """
    by_index = {
        at: _of_sentence(at, sample, corpus.samples[at], lang, options)
        for at, sample in _match_sentences(corpus, annotations).items()
    }
    submissions = tuple(
        submission for at in sorted(by_index) if at in only for submission in by_index[at]
    )
    if not submissions:
        raise CorpusError(
            f"{annotations.name}: none of its sentences that take part has a reference, and "
            "references are what was submitted"
        )
    if all(submission.annotator is None for submission in submissions):
        raise CorpusError(
            f"{annotations.name}: no submission says who wrote it; in JSONL each reference has "
            'an "annotator"'
        )
    if not any(submission.references for submission in submissions):
        raise CorpusError(
            f"{corpus.name}: no submission has a final reference that somebody else wrote, too"
        )
    return submissions


def scorable(
    corpus: Corpus, annotations: Corpus, submissions: Sequence[Submission]
) -> tuple[Corpus, SystemOutput]:
    """Make a corpus in which each submission is a sentence of its own, and its output.

    Those without references are left out.
    """
    tokens = {sample.id: sample.tokens for sample in annotations.samples}
    rows = []
    for submission in submissions:
        if submission.references:
            sample = corpus.samples[submission.sample]
            rows.append((sample, submission.rewrite, submission.references))
    return separate_sentences(corpus, SUBMISSIONS, rows, tokens)


def score_annotators(
    run_stats: RunStats,
    corpus: Corpus,
    annotations: Corpus,
    submissions: Sequence[Submission],
    options: HumanOptions,
) -> Human:
    """Score each annotator.

    Args:
        run_stats: The run over what `scorable` gave, all of it.
        corpus: With the final references.
        annotations: With what was submitted.
        submissions: All submissions of sentences of the corpus.
        options: How they are scored.
    """
    scored = [submission for submission in submissions if submission.references]
    metrics = [name for name in run_stats.metrics if name not in run_stats.refused]
    names = sorted(
        {submission.annotator for submission in submissions},
        key=lambda name: (name is None, -_count(submissions, name), name or ""),
    )
    annotators = [_annotator(name, submissions, scored, run_stats, metrics) for name in names]
    if options.anonymous:
        with_names = [annotator for annotator in annotators if annotator.name is not None]
        hidden = [replace(annotator, name=f"A{n}") for n, annotator in enumerate(with_names, 1)]
        annotators = hidden + annotators[len(with_names) :]
    whole = {name: _score(run_stats, name, range(len(scored))) for name in metrics}
    return Human(
        corpus=corpus.name,
        options=options,
        annotators=tuple(annotators),
        means={name: mean for name in metrics if (mean := _mean(annotators, name, options.least))},
        together={name: score for name, score in whole.items() if score is not None},
        higher_is_better={name: run_stats.metrics[name].higher_is_better for name in metrics},
        notes=(
            *run_stats.notes,
            *run_stats.refused.values(),
            *_notes(corpus, annotations, submissions, annotators, options),
        ),
        signatures=signatures(run_stats, metrics),
    )


def _match_sentences(corpus: Corpus, annotations: Corpus) -> dict[int, Sample]:
    """Find the submitted sentences by their indices in the corpus; others are left out."""
    indices = {sample.id: at for at, sample in enumerate(corpus.samples)}
    by_index: dict[int, Sample] = {}
    for sample in annotations.samples:
        if sample.id not in indices:
            continue
        final = corpus.samples[indices[sample.id]]
        if characters(sample.source) != characters(final.source):
            raise CorpusError(
                f"{annotations.name}: sentence {sample.id!r} is {sample.source[:40]!r} here and "
                f"{final.source[:40]!r} in corpus {corpus.name!r}; give the corpus that was "
                "annotated"
            )
        by_index[indices[sample.id]] = sample
    if annotations.samples and not by_index:
        raise CorpusError(
            f"{annotations.name}: none of its sentences, as {annotations.samples[0].id!r}, is in "
            f"corpus {corpus.name!r}; give the corpus that was annotated, with its ids"
        )
    return by_index


def _of_sentence(
    at: int, sample: Sample, final: Sample, lang: str, options: HumanOptions
) -> list[Submission]:
    """The submissions of one sentence."""
    writers: dict[object, set[str | None]] = {}
    for rewrite in sample.references:
        writers.setdefault(_key(rewrite, sample, lang), set()).add(rewrite.annotator)
    finals = [(reference, _key(reference, final, lang)) for reference in final.references]
    result = []
    for rewrite in sample.references:
        annotator, references = rewrite.annotator, final.references
        if options.against == "others":
            references = tuple(
                reference
                for reference, key in finals
                if writers.get(key, set()) | ({reference.annotator} - {None}) != {annotator}
            )
        is_final = _key(rewrite, sample, lang) in [key for _, key in finals]
        result.append(Submission(at, annotator, rewrite, is_final, references))
    return result


def _key(rewrite: Rewrite, sample: Sample, lang: str) -> object:
    return None if rewrite.unannotatable else content_key(rewrite, sample, lang)


def _count(submissions: Sequence[Submission], name: str | None) -> int:
    return sum(submission.annotator == name for submission in submissions)


def _annotator(
    name: str | None,
    submissions: Sequence[Submission],
    scored: Sequence[Submission],
    run_stats: RunStats,
    metrics: Sequence[str],
) -> Annotator:
    by_annotator = [submission for submission in submissions if submission.annotator == name]
    indices = [at for at, submission in enumerate(scored) if submission.annotator == name]
    scores = {metric: _score(run_stats, metric, indices) for metric in metrics}
    known = {metric: score for metric, score in scores.items() if score is not None}
    count = max((score.sentences for score in known.values()), default=0)
    return Annotator(
        name,
        len(by_annotator),
        count,
        sum(submission.kept for submission in by_annotator),
        known,
    )


def _score(run_stats: RunStats, metric: str, indices: Sequence[int]) -> Score | None:
    rows = run_stats.rows[SUBMISSIONS, metric]
    stats = [rows[at] for at in indices if rows[at] is not None]
    return run_stats.metrics[metric].aggregate(stats) if stats else None


def _mean(annotators: Sequence[Annotator], metric: str, least: int) -> AnnotatorMean | None:
    scores = [
        annotator.scores[metric]
        for annotator in annotators
        if annotator.name is not None and annotator.scored >= least and metric in annotator.scores
    ]
    if not scores:
        return None
    counts = [score.counts for score in scores if score.counts is not None]
    return AnnotatorMean(
        mean([score.value for score in scores]),
        mean([count.precision for count in counts]) if counts else None,
        mean([count.recall for count in counts]) if counts else None,
        len(scores),
    )


def _notes(
    corpus: Corpus,
    annotations: Corpus,
    submissions: Sequence[Submission],
    annotators: Sequence[Annotator],
    options: HumanOptions,
) -> list[str]:
    notes = []
    sentences = len({submission.sample for submission in submissions})
    if sentences < len(corpus.samples):
        notes.append(
            f"submissions are of {sentences} of {count_noun(len(corpus.samples), 'sentence')}"
        )
    ids = {sample.id for sample in corpus.samples}
    undecided = sum(sample.id not in ids for sample in annotations.samples)
    if undecided:
        notes.append(
            f"submitted sentences that are not in {corpus.name} and are not scored, as those still "
            f"undecided: {undecided}"
        )
    alone = sum(not submission.references for submission in submissions)
    if alone:
        notes.append(
            f"submissions not scored, because no final reference is of somebody else: {alone}"
        )
    if options.against == "final" and any(submission.kept for submission in submissions):
        notes.append(
            "the final references may hold an annotator's own text, which then counts as right; "
            "--against others leaves these references out"
        )
    with_references = sum(bool(submission.references) for submission in submissions)
    lost = with_references - sum(annotator.scored for annotator in annotators)
    if lost:
        notes.append(
            f"submissions not scored, because by the references nobody could annotate: {lost}"
        )
    nameless = _count(submissions, None)
    if nameless:
        notes.append(f"submissions that do not say who wrote them, and are in no mean: {nameless}")
    few = [
        annotator
        for annotator in annotators
        if annotator.name is not None and annotator.scored < options.least
    ]
    if few:
        names = ", ".join(f"{annotator.name} {annotator.scored}" for annotator in few)
        notes.append(f"not in the mean, fewer than {options.least} scored submissions: {names}")
    impossible = sum(submission.rewrite.unannotatable for submission in submissions)
    if impossible:
        notes.append(f"submissions that say nobody can annotate the sentence: {impossible}")
    return notes
