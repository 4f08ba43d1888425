"""What the reader of a score should know of the data behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.api.edits import capped_note
from gecbench.api.options import Options
from gecbench.core.case import Case
from gecbench.core.doubt import Doubt
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.scoring.cases import Cases


def check_outputs(corpus: Corpus, systems: Sequence[SystemOutput]) -> None:
    """Refuse outputs that lack a sentence of this corpus."""
    for system in systems:
        ids = [s.id for s in corpus.samples if not system.hypotheses.get(s.id)]
        if ids:
            some = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
            raise CorpusError(
                f"system {system.system}: no output for {len(ids)} sentences of corpus "
                f"{corpus.name!r}: {some}; give one for each"
            )


def edit_notes(
    made: Cases, outputs: Mapping[str, Sequence[Case]], options: Options
) -> tuple[str, ...]:
    """Return what is to be said of the edits that took part."""
    cases = [case for all_cases in outputs.values() for case in all_cases]
    notes: list[str] = []
    ids = [name for name in dict.fromkeys(case.id for case in cases) if name in made.capped]
    if ids:
        notes.append(Doubt(capped_note(ids)))
    if made.extracted or made.golds_extracted:
        notes += made.scheme().notes
    edits = [e for case in cases for v in (*case.hypotheses, *case.references) for e in v.edits]
    if made.given and made.extracted and not _all_of(made.scheme().name, edits):
        mixed = (
            "some edits were given in files and others found here; they can be compared only if "
            f"one scheme made them all; --scheme {made.scheme().name} finds all of them anew"
        )
        notes.append(Doubt(mixed))
    if any(edit.alternatives for edit in edits if edit.replacement is not None):
        notes.append("some edits have alternative corrections; only the first of each counts")
    labels = {edit.label for edit in edits if edit.label}
    unseen = sorted(set(options.exclude) - labels)
    if unseen:
        absent = (
            f"no edit has a type that was to be left out: {', '.join(unseen)}; types here are "
            f"{', '.join(sorted(labels)) or 'none'}"
        )
        notes.append(Doubt(absent))
    return tuple(notes)


def _all_of(scheme: str, edits: Sequence[Edit]) -> bool:
    """Return whether the types of all edits are those of a scheme that can be told by them."""
    if scheme != "en-errant":  # the types of Chinese edits are the same in all schemes
        return False
    labels = {edit.label for edit in edits if edit.label}
    return all(label == "UNK" or label[:2] in ("M:", "U:", "R:") for label in labels)


def oddities(corpus: Corpus, systems: Sequence[SystemOutput]) -> list[str]:
    """Return what looks like a mistake in the systems' files and cannot be refused."""
    notes: list[str] = []
    ids = {sample.id for sample in corpus.samples}
    for system in systems:
        unknown = len(system.hypotheses.keys() - ids)
        if unknown:
            notes.append(f"{system.system}: outputs for sentences not in the corpus: {unknown}")
        empty: list[str] = []
        strange: list[str] = []
        for sample in corpus.samples:
            for rewrite in system.hypotheses[sample.id]:
                if rewrite.text is None or not sample.source:
                    continue
                if not rewrite.text.strip():
                    empty.append(sample.id)
                elif not 4 * len(set(rewrite.text) & set(sample.source)) >= len(set(rewrite.text)):
                    strange.append(sample.id)
        if empty:
            notes.append(f"{system.system}: empty outputs: {len(empty)} (first: {empty[0]})")
        if 5 * len(strange) > len(corpus.samples):  # a few may be so; many are lines that slipped
            notes.append(
                f"{system.system}: outputs that share almost nothing with their source: "
                f"{len(strange)} (first: {strange[0]}); are they in the order of the corpus?"
            )
    return [Doubt(note) for note in notes]
