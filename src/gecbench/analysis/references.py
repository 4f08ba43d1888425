"""References: how many there are, how much they change, and what their number does to scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gecbench.analysis.curves import Curve, Sweep, curves, notes_on, swept, taking_part
from gecbench.analysis.facts import cases_of, edits_of, rewrites, signatures, state, text_of_rewrite
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Rewrite, Sample
from gecbench.scoring.judged import Judged
from gecbench.scoring.means import mean
from gecbench.scoring.texts import characters


@dataclass(frozen=True, slots=True)
class Statistics:
    """One row of MuCGEC's table 4; means are not rounded, and None where no sentence is left.

    Args:
        name: "all", or the value of the metadata field that these sentences share.
        sentences: Those that somebody could annotate.
        discarded: The others.
        erroneous: Sentences that somebody corrects.
        characters: Mean length of the sources, without white space.
        edits: Mean number of edits of the references that correct something, of alternative
            edit sets the first; None where the run has no edits.
        references: Mean number of references of a sentence.
        distinct: Mean number of different texts among them; those known only by edits that overlap
            are as different as their edits.
    """

    name: str
    sentences: int
    discarded: int
    erroneous: int
    characters: float | None
    edits: float | None
    references: float | None
    distinct: float | None


@dataclass(frozen=True, slots=True)
class References:
    """What there is to say of a corpus's references.

    Args:
        corpus: Its name.
        statistics: Of all sentences, then of each value of a metadata field.
        everywhere: How many sentences have how many references.
        erroneous: The same of those that somebody corrects.
        curves: By metric and system; none without systems.
        sentences: How many sentences the curves are over.
        sweep: How they were made.
        notes: What the reader should know.
        signatures: How scores were made.
    """

    corpus: str
    statistics: tuple[Statistics, ...]
    everywhere: Mapping[int, int]
    erroneous: Mapping[int, int]
    curves: tuple[Curve, ...] = ()
    sentences: int = 0
    sweep: Sweep = field(default_factory=Sweep)
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


def statistics(judged: Judged, by: str | None = None) -> tuple[Statistics, ...]:
    """Return MuCGEC's table 4 of a corpus (Zhang et al., NAACL 2022).

    Args:
        judged: Any run over it.
        by: A metadata field; each of its values gets a row, too.

    Raises:
        CorpusError: A sentence lacks the field.
    """
    groups: dict[str, list[int]] = {}
    for at, sample in enumerate(judged.corpus.samples):
        if by is not None and by not in sample.meta:
            raise CorpusError(
                f"{judged.corpus.name}: sentence {sample.id!r} has no metadata field {by!r}; "
                "give one that all have, or add it with --meta"
            )
        if by is not None:
            groups.setdefault(sample.meta[by] or "(empty)", []).append(at)
    whole = range(len(judged.corpus.samples))
    rows = [_row("all", judged, whole)]
    return (*rows, *(_row(name, judged, places) for name, places in groups.items()))


def distribution(judged: Judged) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """Return how many sentences have how many references: of all, and of erroneous ones.

    MuCGEC's figure 1 is the second. Sentences that nobody can annotate have none.
    """
    every: Counter[int] = Counter()
    erroneous: Counter[int] = Counter()
    for sample, case in zip(judged.corpus.samples, cases_of(judged), strict=True):
        count = len(rewrites(sample, case))
        every[count] += 1
        erroneous[count] += state(sample, case, judged.lang) in ("erroneous", "disputed")
    return dict(sorted(every.items())), {k: n for k, n in sorted(erroneous.items()) if n}


def of_judged(judged: Judged, *, by: str | None = None, sweep: Sweep | None = None) -> References:
    """Return statistics, distribution and, where `sweep` says how, curves.

    Raises:
        CorpusError: A metadata field is missing, or no sentence has enough references.
    """
    every, erroneous = distribution(judged)
    found = References(judged.corpus.name, statistics(judged, by), every, erroneous)
    notes = [*judged.notes, *judged.refused.values(), *_textless(judged)]
    if sweep is None:
        return replace(found, notes=tuple(notes))
    made = curves(judged, sweep)
    return replace(
        found,
        curves=made,
        sentences=taking_part(judged, sweep),
        sweep=sweep,
        notes=(*notes, *notes_on(judged, made, sweep)),
        signatures=signatures(judged, swept(judged)),
    )


def _row(name: str, judged: Judged, places: Sequence[int]) -> Statistics:
    kept, erroneous = 0, 0
    lengths: list[int] = []
    numbers: list[int] = []
    distinct: list[int] = []
    edits: list[int] = []
    cases = cases_of(judged)
    for at in places:
        sample, case = judged.corpus.samples[at], cases[at]
        found = rewrites(sample, case)
        if not found:
            continue
        kept += 1
        erroneous += state(sample, case, judged.lang) != "error-free"
        lengths.append(len(characters(sample.source)))
        numbers.append(len(found))
        distinct.append(len({_content(each, sample, judged.lang) for each, _ in found}))
        sizes = (edits_of(case, version) for _, version in found)
        edits += [size for size in sizes if size]
    means = [mean(each) if each else None for each in (lengths, edits, numbers, distinct)]
    return Statistics(name, kept, len(places) - kept, erroneous, *means)


def _content(rewrite: Rewrite, sample: Sample, lang: str) -> object:
    """Return what two references have alike if they are the same."""
    text = text_of_rewrite(rewrite, sample, lang)
    return rewrite.edit_sets if text is None else characters(text)


def _textless(judged: Judged) -> list[str]:
    count = sum(
        text_of_rewrite(rewrite, sample, judged.lang) is None
        for sample, case in zip(judged.corpus.samples, cases_of(judged), strict=True)
        for rewrite, _ in rewrites(sample, case)
    )
    if not count:
        return []
    return [
        f"{count} references are known only by edits that overlap and have no text; whether they "
        "are different is told by their edits"
    ]
