"""What annotators made of sentences before anybody decided: decisions and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gecbench.analysis.facts import text_of_rewrite
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.scoring.texts import characters

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
    """Return what each annotator made of each sentence; what has no name is left out.

    Args:
        submissions: Each reference is what its annotator handed in.
        lang: Language code; decides what white space is worth.

    Raises:
        CorpusError: No submission says who wrote it, or somebody says two things of a sentence.
    """
    made = tuple(_works(sample, lang) for sample in submissions.samples)
    if not any(made):
        raise CorpusError(
            f"{submissions.name}: no submission says who wrote it; in JSONL each reference has "
            'an "annotator"'
        )
    return made


def _works(sample: Sample, lang: str) -> Mapping[str, Work]:
    given: dict[str, list[Rewrite]] = {}
    for rewrite in sample.references:
        if rewrite.annotator is not None:
            given.setdefault(rewrite.annotator, []).append(rewrite)
    return {name: _work(name, rewrites, sample, lang) for name, rewrites in given.items()}


def _work(name: str, rewrites: Sequence[Rewrite], sample: Sample, lang: str) -> Work:
    decisions = {_decision(rewrite, sample, lang) for rewrite in rewrites}
    if len(decisions) > 1:
        said = " and ".join(sorted(decisions))
        raise CorpusError(
            f"sentence {sample.id!r}: annotator {name!r} says {said}; an annotator says one of "
            f"{', '.join(DECISIONS)}"
        )
    (decision,) = decisions
    texts = [_key(rewrite, sample, lang) for rewrite in rewrites]
    return Work(decision, frozenset(texts if decision == "corrected" else ()), tuple(rewrites))


def _decision(rewrite: Rewrite, sample: Sample, lang: str) -> Decision:
    if rewrite.unannotatable:
        return "unannotatable"
    source = Rewrite(text=sample.source)
    same = _key(rewrite, sample, lang) == _key(source, sample, lang)
    return "error-free" if rewrite.error_free or same else "corrected"


def _key(rewrite: Rewrite, sample: Sample, lang: str) -> object:
    text = text_of_rewrite(rewrite, sample, lang)
    if text is None:
        return rewrite.edit_sets
    return characters(text) if lang == "zh" else tuple(text.split())
