"""What can be said of a sentence whatever a system makes of it: length, errors, free of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Rewrite, Sample
from gecbench.core.score import Score
from gecbench.formats.texts import text_of
from gecbench.lang import language_of
from gecbench.scoring.results import RunStats
from gecbench.scoring.texts import characters

State = Literal["erroneous", "disputed", "error-free", "unannotatable"]
STATES: tuple[State, ...] = ("erroneous", "disputed", "error-free", "unannotatable")
"""All annotators correct something; some do, some do not; none does; none can."""


def cases_of(run_stats: RunStats) -> Sequence[Case]:
    """Return the cases of one system: what they say of sources and references is true of all."""
    return next(iter(run_stats.cases.values()), ())


def length_unit(run_stats: RunStats) -> str:
    """Return what `length` counts."""
    if language_of(run_stats.lang).unit == "character":
        return "characters"
    return "tokens" if any(case.edit_tokens for case in cases_of(run_stats)) else "words"


def length(case: Case, lang: str) -> int:
    """Return how long a source is.

    Characters without white space where they are the language's unit. Else the tokens that edits
    count in, and where no metric of the run has edits, what white space divides.
    """
    if language_of(lang).unit == "character":
        return len(characters(case.source))
    return len(case.edit_tokens or case.source.split())


def rewrites(sample: Sample, case: Case) -> list[tuple[Rewrite, CaseRewrite]]:
    """Return the references that take part, as they were read and as they are scored.

    Those declared impossible to annotate are none.
    """
    taken = sample.references[: len(case.references)]
    pairs = zip(taken, case.references, strict=True)
    return [(rewrite, version) for rewrite, version in pairs if not version.unannotatable]


def is_free(rewrite: Rewrite, version: CaseRewrite, sample: Sample, case: Case, lang: str) -> bool:
    """Return whether an annotator left a sentence as it is."""
    if rewrite.error_free:
        return True
    if case.edit_tokens:
        return not version.edits
    if rewrite.text is None:
        return not any(rewrite.edit_sets)
    units = language_of(lang).units
    return units(rewrite.text) == units(sample.source)


def state(sample: Sample, case: Case, lang: str) -> State:
    """Return whether the annotators of a sentence find errors in it."""
    free = [is_free(*pair, sample, case, lang) for pair in rewrites(sample, case)]
    if not free:
        return "unannotatable"
    if all(free):
        return "error-free"
    return "disputed" if any(free) else "erroneous"


def edits_of(case: Case, version: CaseRewrite) -> int | None:
    """Return how many edits a reference has, of alternative sets the first; None: not known."""
    if case.edit_tokens:
        return len(version.first)
    return len(version.gold_edits) if case.tokens else None


def text_of_rewrite(rewrite: Rewrite, sample: Sample, lang: str) -> str | None:
    """Return the text of a rewrite; that of one without corrections is the source.

    None where it is known by edits alone that cannot be applied together, as m2-maxmatch has them:
    metrics over gold edits can use it all the same.
    """
    if rewrite.error_free or rewrite.unannotatable:
        return sample.source
    try:
        return text_of(sample, rewrite, lang)
    except CorpusError:
        return None


def content_key(rewrite: Rewrite, sample: Sample, lang: str) -> object:
    """Return what two rewritings of a sentence have alike if they are the same, white space apart.

    Those that are known only by edits that overlap are the same if their edits are.
    """
    text = text_of_rewrite(rewrite, sample, lang)
    if text is None:
        return rewrite.edit_sets
    return language_of(lang).units(text)


def system_scores(run_stats: RunStats, metric: str) -> Mapping[str, Score]:
    """Return the score of each system by one metric of a run."""
    places = run_stats.scored(metric)
    return {
        system: run_stats.metrics[metric].aggregate(
            [run_stats.rows[system, metric][at] for at in places]
        )
        for system in run_stats.systems
    }


def signatures(run_stats: RunStats, metrics: Sequence[str]) -> tuple[str, ...]:
    """Return how the scores of these metrics of a run are made."""
    return tuple(str(run_stats.metrics[name].aggregate([]).signature) for name in metrics)
