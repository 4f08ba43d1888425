"""Perturbed cases: a sentence with errors, and variants whose context was changed around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gecbench.core.errors import CorpusError, count_noun
from gecbench.core.sample import Corpus, Rewrite, Sample, ShortRepr

SYNTHETIC = "synthetic"
"""In the provenance of cases that a program perturbed: they may have gained or lost errors."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One sentence in one context.

    Args:
        source: With its errors.
        reference: The sentence corrected; may be empty, as a few published ones are.
    """

    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class PerturbedCase:
    """A sentence and its variants, whose errors are meant to be the same (RobustGEC, section 3).

    Args:
        id: Unique in its subset.
        original: As the learner wrote it.
        variants: The same with words that do not belong to the errors changed; at least one.

    Raises:
        CorpusError: There is no variant.
    """

    id: str
    original: Variant
    variants: tuple[Variant, ...]

    def __post_init__(self) -> None:
        """Refuse a case with nothing to compare."""
        if not self.variants:
            raise CorpusError(f"case {self.id!r} has no variant; give at least one")

    @property
    def all(self) -> tuple[Variant, ...]:
        """The original and its variants."""
        return (self.original, *self.variants)


@dataclass(frozen=True, slots=True)
class Subset:
    """Cases from one place.

    Args:
        name: As "conll14".
        cases: In the order of the file, which the official rule depends on.

    Raises:
        CorpusError: An id occurs twice, or cases have different numbers of variants.
    """

    name: str
    cases: tuple[PerturbedCase, ...]

    def __post_init__(self) -> None:
        """Refuse ids that occur twice and cases that cannot be counted alike."""
        ids: set[str] = set()
        for case in self.cases:
            if case.id in ids:
                raise CorpusError(f"{self.name}: case {case.id!r} occurs twice; ids are unique")
            ids.add(case.id)
            number, expected = len(case.variants), len(self.cases[0].variants)
            if number != expected:
                raise CorpusError(
                    f"{self.name}: case {case.id!r} has {count_noun(number, 'variant')}, "
                    f"case {self.cases[0].id!r} has {expected}; give all cases the same number"
                )


@dataclass(frozen=True, slots=True, repr=False)
class PerturbedSet(ShortRepr):
    """Subsets of perturbed cases under one name.

    Args:
        name: What tables call it.
        subsets: At least one, each with at least one case; names are unique.
        lang: Language code; None means that nobody has said.
        provenance: Where it comes from.

    Raises:
        CorpusError: There is no case, a name occurs twice, or numbers of variants differ.
    """

    name: str
    subsets: tuple[Subset, ...]
    lang: str | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse sets that nothing can be said of."""
        if not self.subsets or not all(subset.cases for subset in self.subsets):
            raise CorpusError(f"{self.name}: every subset has at least one case; here is none")
        first = self.subsets[0]
        names: set[str] = set()
        for subset in self.subsets:
            if subset.name in names:
                raise CorpusError(f"{self.name}: subset {subset.name!r} occurs twice; name it once")
            names.add(subset.name)
            number, expected = len(subset.cases[0].variants), len(first.cases[0].variants)
            if number != expected:
                raise CorpusError(
                    f"{self.name}: subset {subset.name!r} has {count_noun(number, 'variant')} a "
                    f"case, {first.name!r} has {expected}; analyse them apart"
                )

    @property
    def width(self) -> int:
        """How many sentences a case has: the original and its variants."""
        return 1 + len(self.subsets[0].cases[0].variants)

    @property
    def cases(self) -> tuple[PerturbedCase, ...]:
        """All cases, subset by subset."""
        return tuple(case for subset in self.subsets for case in subset.cases)

    def corpus(self) -> Corpus:
        """Every sentence as a sample of its own, in the order of the files.

        Ids are SUBSET/CASE/O for an original and SUBSET/CASE/A1, A2, ... for its variants.
        """
        samples = tuple(sample for subset in self.subsets for sample in samples_of(subset))
        return Corpus(self.name, samples, self.lang, self.provenance)


def marks(width: int) -> Iterator[str]:
    """Yield what the sentences of a case are called: O, A1, A2, ...

    >>> list(marks(3))
    ['O', 'A1', 'A2']
    """
    yield "O"
    for k in range(1, width):
        yield f"A{k}"


def samples_of(subset: Subset) -> tuple[Sample, ...]:
    """The sentences of a subset as samples, each with its one reference."""
    return tuple(
        Sample(
            f"{subset.name}/{case.id}/{mark}", variant.source, (Rewrite(text=variant.reference),)
        )
        for case in subset.cases
        for mark, variant in zip(marks(1 + len(case.variants)), case.all, strict=True)
    )
