"""The sentences that are perturbed: of a corpus with references, or of cases that exist."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gecbench.core.perturbed import PerturbedSet
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import text_of
from gecbench.text.spans import Spans, spans

_NONE = "no reference"
_UNANNOTATABLE = "references that say unannotatable"
_EMPTY = "empty source"
_EMPTIED = "empty references"


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence with its correction.

    Args:
        subset: Of the cases it belongs to.
        id: Unique in the subset.
        source: With its errors.
        target: Corrected; may be empty, as a few published ones are.
        errors: Half-open character spans of the source that gold edits name, where a corpus has
            some: they may hold words that both sides have, as those of word order do.
    """

    subset: str
    id: str
    source: str
    target: str
    errors: Spans = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """Pairs, and what has none.

    Args:
        pairs: In the order of the file.
        left_out: Reason to ids of sentences.
    """

    pairs: tuple[Pair, ...]
    left_out: Mapping[str, Sequence[str]]


def of_corpus(corpus: Corpus, lang: str, *, each: bool) -> Gathered:
    """Return the pairs of a corpus.

    Args:
        corpus: Any, with references.
        lang: Of the corpus.
        each: A pair for each different reference, whose ids are ID/1, ID/2, ...; else one for the
            first that is neither unannotatable nor empty.
    """
    pairs: list[Pair] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for sample in corpus.samples:
        targets = _targets(sample, lang)
        if not sample.source.strip():
            left_out[_EMPTY].append(sample.id)
        elif not targets:
            left_out[_why(sample)].append(sample.id)
        elif each:
            numbered = enumerate(targets, 1)
            pairs.extend(
                Pair(corpus.name, f"{sample.id}/{n}", sample.source, target, targets[target])
                for n, target in numbered
            )
        else:
            target, errors = next(iter(targets.items()))
            pairs.append(Pair(corpus.name, sample.id, sample.source, target, errors))
    return Gathered(tuple(pairs), dict(left_out))


def of_cases(cases: PerturbedSet) -> Gathered:
    """Return the originals of perturbed cases; the variants that they have do not matter."""
    pairs = (
        Pair(subset.name, case.id, case.original.source, case.original.reference)
        for subset in cases.subsets
        for case in subset.cases
    )
    return Gathered(tuple(pairs), {})


def digest(pairs: Sequence[Pair]) -> str:
    """Return a hash of the pairs, for what is not a file."""
    made = hashlib.sha256()
    for pair in pairs:
        errors = [pair.errors] if pair.errors else []
        row = json.dumps([pair.subset, pair.id, pair.source, pair.target, *errors])
        made.update(f"{row}\n".encode())
    return made.hexdigest()


def _why(sample: Sample) -> str:
    """Return why a sentence has no reference that counts."""
    if not sample.references:
        return _NONE
    refused = all(reference.unannotatable for reference in sample.references)
    return _UNANNOTATABLE if refused else _EMPTIED


def _targets(sample: Sample, lang: str) -> dict[str, Spans]:
    """Return the different corrected texts, each with the gold edits of all that have it."""
    found: dict[str, Spans] = {}
    for reference in sample.references:
        if not reference.unannotatable:
            text = _text(sample, reference, lang)
            if text.strip():
                found[text] = found.get(text, ()) + tuple(_errors(sample, reference))
    return found


def _errors(sample: Sample, reference: Rewrite) -> Iterator[tuple[int, int]]:
    """Yield where the gold edits of a reference stand; for what is missing, its neighbours."""
    length = len(sample.source)
    tokens = spans(sample.source, sample.tokens or sample.source.split())
    for edit in (edit for edits in reference.edit_sets for edit in edits):
        if tokens is None:  # nobody knows where it stands
            yield 0, length
        elif edit.start < edit.end:
            yield tokens[edit.start][0], tokens[edit.end - 1][1]
        else:
            before = tokens[edit.start - 1][1] - 1 if edit.start else 0
            yield before, tokens[edit.end][0] + 1 if edit.end < len(tokens) else length


def _text(sample: Sample, reference: Rewrite, lang: str) -> str:
    return sample.source if reference.error_free else text_of(sample, reference, lang)
