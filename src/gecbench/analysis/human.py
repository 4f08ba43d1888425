"""How annotators fare against the final references of what they annotated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gecbench.analysis.facts import signatures, text_of_rewrite
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import Score
from gecbench.scoring.judged import Judged
from gecbench.scoring.means import mean
from gecbench.scoring.options import check_least
from gecbench.scoring.texts import characters

Against = Literal["final", "others"]

SUBMISSIONS = "submissions"
"""Name of the one system that all submissions together are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How annotators are scored.

    Args:
        against: "final": all final references; "others": those that somebody else wrote, too.
        least: Annotators with fewer scored submissions are not in the mean.
        anonymous: Show annotators as A1, A2, ..., the one with most submissions first.

    Raises:
        UsageError: A value means nothing.
    """

    against: Against = "final"
    least: int = 10
    anonymous: bool = False

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.against not in ("final", "others"):
            raise UsageError(f"against is {self.against!r}; it is final or others")
        check_least("least", self.least, 1)


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
class Mean:
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


@dataclass(frozen=True, slots=True)
class Human:
    """Annotators against final references.

    Args:
        corpus: Name of the corpus of final references.
        asked: How they were scored.
        annotators: The one with most submissions first; those without a name last.
        means: By metric, over the annotators with a name and enough submissions.
        together: By metric, all submissions as one output.
        higher_is_better: By metric.
        notes: What the reader should know.
        signatures: How scores were made.
    """

    corpus: str
    asked: Asked
    annotators: tuple[Annotator, ...]
    means: Mapping[str, Mean]
    together: Mapping[str, Score]
    higher_is_better: Mapping[str, bool]
    notes: tuple[str, ...]
    signatures: tuple[str, ...]


def submissions_of(
    corpus: Corpus, submitted: Corpus, lang: str, asked: Asked, only: Collection[int]
) -> tuple[Submission, ...]:
    """Return all submissions, in the order of the corpus.

    Final references may hold the annotator's own text. Against "others" a reference is left out
    that this annotator alone wrote: the name on the reference is theirs, or they submitted its
    text, and nobody else did either. What two annotators wrote alike stays for both.

    Args:
        corpus: With the final references.
        submitted: The same sentences or some of them; each reference is one submission.
        lang: Language code; decides what white space is worth.
        asked: What to score against.
        only: Places of the sentences of the corpus that take part.

    Raises:
        CorpusError: A sentence is not in the corpus, or has another text there, or there is no
            submission.
    """
    found = {
        at: _of_sentence(at, sample, corpus.samples[at], lang, asked)
        for at, sample in _joined(corpus, submitted).items()
    }
    made = tuple(one for at in sorted(found) if at in only for one in found[at])
    if not made:
        raise CorpusError(
            f"{submitted.name}: none of its sentences that take part has a reference, and "
            "references are what was submitted"
        )
    if all(one.annotator is None for one in made):
        raise CorpusError(
            f"{submitted.name}: no submission says who wrote it; in JSONL each reference has "
            'an "annotator"'
        )
    if not any(one.references for one in made):
        raise CorpusError(
            f"{corpus.name}: no submission has a final reference that somebody else wrote, too"
        )
    return made


def scorable(
    corpus: Corpus, submitted: Corpus, made: Sequence[Submission]
) -> tuple[Corpus, SystemOutput]:
    """Return a corpus in which each submission is a sentence of its own, and them as its output.

    Those without references are left out.
    """
    tokens = {sample.id: sample.tokens for sample in submitted.samples}
    samples: list[Sample] = []
    outputs: dict[str, tuple[Rewrite, ...]] = {}
    counted: dict[str, tuple[str, ...]] = {}
    for number, one in enumerate(made, 1):
        if one.references:
            final = corpus.samples[one.sample]
            name = f"{final.id}:{number}"  # one number, one name, whatever ids look like
            samples.append(replace(final, id=name, references=one.references))
            outputs[name] = (one.rewrite,)
            counted[name] = tokens[final.id]
    given = {name: own for name, own in counted.items() if own}
    return replace(corpus, samples=tuple(samples)), SystemOutput(SUBMISSIONS, outputs, given)


def of_judged(judged: Judged, corpus: Corpus, made: Sequence[Submission], asked: Asked) -> Human:
    """Return how each annotator fares.

    Args:
        judged: The run over what `scorable` gave, all of it.
        corpus: With the final references.
        made: All submissions.
        asked: How they are scored.
    """
    scored = [one for one in made if one.references]
    metrics = [name for name in judged.metrics if name not in judged.refused]
    names = sorted(
        {one.annotator for one in made},
        key=lambda name: (name is None, -_count(made, name), name or ""),
    )
    annotators = [_annotator(name, made, scored, judged, metrics) for name in names]
    if asked.anonymous:
        named = [one for one in annotators if one.name is not None]
        hidden = [replace(one, name=f"A{n}") for n, one in enumerate(named, 1)]
        annotators = hidden + annotators[len(named) :]
    whole = {name: _score(judged, name, range(len(scored))) for name in metrics}
    return Human(
        corpus=corpus.name,
        asked=asked,
        annotators=tuple(annotators),
        means={name: found for name in metrics if (found := _mean(annotators, name, asked.least))},
        together={name: score for name, score in whole.items() if score is not None},
        higher_is_better={name: judged.metrics[name].higher_is_better for name in metrics},
        notes=(*judged.notes, *judged.refused.values(), *_notes(corpus, made, annotators, asked)),
        signatures=signatures(judged, metrics),
    )


def _joined(corpus: Corpus, submitted: Corpus) -> dict[int, Sample]:
    """Return the submitted sentences by their places in the corpus."""
    places = {sample.id: at for at, sample in enumerate(corpus.samples)}
    found: dict[int, Sample] = {}
    for sample in submitted.samples:
        if sample.id not in places:
            raise CorpusError(
                f"{submitted.name}: sentence {sample.id!r} is not in corpus {corpus.name!r}; "
                "give the corpus that was annotated, with its ids"
            )
        final = corpus.samples[places[sample.id]]
        if characters(sample.source) != characters(final.source):
            raise CorpusError(
                f"{submitted.name}: sentence {sample.id!r} is {sample.source[:40]!r} here and "
                f"{final.source[:40]!r} in corpus {corpus.name!r}; give the corpus that was "
                "annotated"
            )
        found[places[sample.id]] = sample
    return found


def _of_sentence(
    at: int, sample: Sample, final: Sample, lang: str, asked: Asked
) -> list[Submission]:
    """Return the submissions of one sentence."""
    writers: dict[object, set[str | None]] = {}
    for rewrite in sample.references:
        writers.setdefault(_key(rewrite, sample, lang), set()).add(rewrite.annotator)
    finals = [(reference, _key(reference, final, lang)) for reference in final.references]
    found = []
    for rewrite in sample.references:
        who, references = rewrite.annotator, final.references
        if asked.against == "others":
            references = tuple(
                reference
                for reference, key in finals
                if writers.get(key, set()) | ({reference.annotator} - {None}) != {who}
            )
        kept = _key(rewrite, sample, lang) in [key for _, key in finals]
        found.append(Submission(at, who, rewrite, kept, references))
    return found


def _key(rewrite: Rewrite, sample: Sample, lang: str) -> object:
    """Return what two rewritings have alike if they are the same."""
    if rewrite.unannotatable:
        return None
    text = text_of_rewrite(rewrite, sample, lang)
    if text is None:
        return rewrite.edit_sets
    return characters(text) if lang == "zh" else tuple(text.split())


def _count(made: Sequence[Submission], name: str | None) -> int:
    return sum(one.annotator == name for one in made)


def _annotator(
    name: str | None,
    made: Sequence[Submission],
    scored: Sequence[Submission],
    judged: Judged,
    metrics: Sequence[str],
) -> Annotator:
    own = [one for one in made if one.annotator == name]
    places = [at for at, one in enumerate(scored) if one.annotator == name]
    scores = {metric: _score(judged, metric, places) for metric in metrics}
    known = {metric: score for metric, score in scores.items() if score is not None}
    count = max((score.sentences for score in known.values()), default=0)
    return Annotator(name, len(own), count, sum(one.kept for one in own), known)


def _score(judged: Judged, metric: str, places: Sequence[int]) -> Score | None:
    rows = judged.rows[SUBMISSIONS, metric]
    some = [rows[at] for at in places if rows[at] is not None]
    return judged.metrics[metric].aggregate(some) if some else None


def _mean(annotators: Sequence[Annotator], metric: str, least: int) -> Mean | None:
    scores = [
        one.scores[metric]
        for one in annotators
        if one.name is not None and one.scored >= least and metric in one.scores
    ]
    if not scores:
        return None
    counts = [score.counts for score in scores if score.counts is not None]
    return Mean(
        mean([score.value for score in scores]),
        mean([each.precision for each in counts]) if counts else None,
        mean([each.recall for each in counts]) if counts else None,
        len(scores),
    )


def _notes(
    corpus: Corpus,
    made: Sequence[Submission],
    annotators: Sequence[Annotator],
    asked: Asked,
) -> list[str]:
    notes = []
    sentences = len({one.sample for one in made})
    if sentences < len(corpus.samples):
        notes.append(f"submissions are of {sentences} of {len(corpus.samples)} sentences")
    alone = sum(not one.references for one in made)
    if alone:
        notes.append(
            f"submissions not scored, because no final reference is of somebody else: {alone}"
        )
    if asked.against == "final" and any(one.kept for one in made):
        notes.append(
            "the final references may hold an annotator's own text, which then counts as right; "
            "--against others leaves these references out"
        )
    lost = sum(bool(one.references) for one in made) - sum(one.scored for one in annotators)
    if lost:
        notes.append(
            f"submissions not scored, because by the references nobody could annotate: {lost}"
        )
    nameless = _count(made, None)
    if nameless:
        notes.append(f"submissions that do not say who wrote them, and are in no mean: {nameless}")
    few = [one for one in annotators if one.name is not None and one.scored < asked.least]
    if few:
        names = ", ".join(f"{one.name} {one.scored}" for one in few)
        notes.append(f"not in the mean, fewer than {asked.least} scored submissions: {names}")
    impossible = sum(one.rewrite.unannotatable for one in made)
    if impossible:
        notes.append(f"submissions that say nobody can annotate the sentence: {impossible}")
    return notes
