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

_NONE = "no reference"
_UNANNOTATABLE = "references that say unannotatable"
_EMPTY = "empty source"


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence with its correction.

    Args:
        subset: Of the cases it belongs to.
        id: Unique in the subset.
        source: With its errors.
        target: Corrected; may be empty, as a few published ones are.
    """

    subset: str
    id: str
    source: str
    target: str


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
        targets = list(dict.fromkeys(_targets(sample, lang)))
        if not sample.source.strip():
            left_out[_EMPTY].append(sample.id)
        elif not targets:
            left_out[_UNANNOTATABLE if sample.references else _NONE].append(sample.id)
        elif each:
            numbered = enumerate(targets, 1)
            pairs.extend(
                Pair(corpus.name, f"{sample.id}/{n}", sample.source, target)
                for n, target in numbered
            )
        else:
            pairs.append(Pair(corpus.name, sample.id, sample.source, targets[0]))
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
        row = json.dumps([pair.subset, pair.id, pair.source, pair.target])
        made.update(f"{row}\n".encode())
    return made.hexdigest()


def _targets(sample: Sample, lang: str) -> Iterator[str]:
    for reference in sample.references:
        if not reference.unannotatable:
            yield from filter(str.strip, [_text(sample, reference, lang)])


def _text(sample: Sample, reference: Rewrite, lang: str) -> str:
    return sample.source if reference.error_free else text_of(sample, reference, lang)
