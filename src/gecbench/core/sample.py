"""Samples, their rewrites, and the corpora they form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from reprlib import Repr
from typing import overload

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.language import normalise_code

EditSet = tuple[Edit, ...]

NOT_KEPT = "not kept"
"""Provenance under this name says what a file held that its reader could not keep."""

GOLD_EDITS = "gold edits"
"""Provenance under this name says how gold edits were made that nobody gave."""


_REPR = Repr()
_REPR.maxlevel, _REPR.maxstring, _REPR.maxother = 2, 60, 60
_REPR.maxtuple = _REPR.maxlist = _REPR.maxdict = 2


class ShortRepr:
    """A dataclass with a `repr` of one short line: some hold whole corpora."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Name the fields, each with the beginning of its value."""
        values = (f"{f.name}={_REPR.repr(getattr(self, f.name))}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(values)})"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What somebody made of a source: an annotator (then it is a reference) or a system.

    Args:
        text: The rewritten sentence; None where there is none: error free or unannotatable by
            declaration, or known only as edits that leave an error uncorrected.
        error_free: Declared free of error.
        unannotatable: Declared impossible to annotate.
        edit_sets: Edits that lead from the source to the text, over the tokens of the sample, in
            the order of the file they come from: one set, or several where co-optimal
            alignments differ; () means not extracted. An error-free rewrite that was extracted
            has one empty set. Edits that overlap come from m2-maxmatch alone.
        annotator: Who made it, a name that is not empty; None means unknown.
        capped: True where more different edit sets exist than are kept.

    Raises:
        CorpusError: Two states at once, or neither text nor state nor edits; or an annotator
            without a name.
    """

    text: str | None = None
    error_free: bool = False
    unannotatable: bool = False
    edit_sets: tuple[EditSet, ...] = ()
    annotator: str | None = None
    capped: bool = False

    def __reduce__(self) -> tuple[type[Rewrite], tuple[object, ...]]:
        """Pickle as `Counts` do."""
        return Rewrite, (
            self.text,
            self.error_free,
            self.unannotatable,
            self.edit_sets,
            self.annotator,
            self.capped,
        )

    def __post_init__(self) -> None:
        """Refuse contradictory states."""
        plain = self.text is not None and self.annotator is None
        if plain and not (self.error_free or self.unannotatable):
            return  # as most, of millions
        states = self.error_free + self.unannotatable + (self.text is not None)
        if states > 1:
            raise CorpusError(
                "a rewrite is one of: a text, error free, unannotatable; here are two at once"
            )
        if states == 0 and not self.edit_sets:
            raise CorpusError("a rewrite needs a text, edits, or one of error free, unannotatable")
        if self.annotator is not None and not self.annotator.strip():
            raise CorpusError(
                "the annotator is {annotator!r}; write a name, or leave it out where nobody"
                " knows who it was",
                annotator=self.annotator,
            )


@dataclass(frozen=True, slots=True)
class Sample:
    """A source sentence with its references.

    Args:
        id: Unique in its corpus.
        source: The sentence as written by the learner; empty only in files of lines and of
            m2-maxmatch, where an empty line is a sentence.
        references: In the order of the file; annotator k of the M2 format is the k-th.
        meta: Named facts about the sentence, as its origin.
        tokens: The tokens that the edit sets of the references count in; () where the
            references are texts only.
    """

    id: str
    source: str
    references: tuple[Rewrite, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[type[Sample], tuple[object, ...]]:
        """Pickle as `Counts` do."""
        return Sample, (self.id, self.source, self.references, self.meta, self.tokens)


@dataclass(frozen=True, slots=True, repr=False)
class Corpus(ShortRepr):
    """Samples under one name.

    Args:
        name: What tables call it.
        samples: In file order; ids are unique. A tuple, or of a large corpus what reads them from a
            temporary file, whose ids were looked at when it was made.
        lang: Language code as "zh", which "zho" and "ZH" become; None means nobody has said.
        provenance: Where it comes from and how it was made.

    Raises:
        CorpusError: Names the first id that occurs twice, or a language that is no code.
    """

    name: str
    samples: Sequence[Sample]
    lang: str | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse ids that occur twice, and a language that is no code."""
        if self.lang is not None:
            code = normalise_code(self.lang)
            if code is None:
                raise CorpusError(
                    "language {lang!r} is no ISO 639 code, as zh, en or de",
                    at=self.name,
                    lang=self.lang,
                )
            object.__setattr__(self, "lang", code)
        ids: set[str] = set()
        for sample in self.samples if isinstance(self.samples, tuple) else ():
            if sample.id in ids:
                raise CorpusError(f"{self.name}: id {sample.id!r} occurs twice; ids are unique")
            ids.add(sample.id)

    @property
    def sources(self) -> Sequence[str]:
        """What learners wrote, sentence by sentence."""
        return Sources(self.samples)


@dataclass(frozen=True, slots=True)
class Sources(Sequence[str]):
    """The sources of samples, which are read when they are asked for."""

    samples: Sequence[Sample]

    def __len__(self) -> int:
        """The number of samples."""
        return len(self.samples)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        """A source, or several."""
        if isinstance(place, slice):
            return Sources(self.samples[place])
        return self.samples[place].source

    def __iter__(self) -> Iterator[str]:
        """Yield the sources."""
        return (sample.source for sample in self.samples)


@dataclass(frozen=True, slots=True, repr=False)
class SystemOutput(ShortRepr):
    """What one system made of the sentences of a corpus.

    Args:
        system: The name that tables show.
        hypotheses: By sample id: one rewrite, or several where a system offers alternatives.
        tokens: By sample id: the source tokens that given edits count in; empty where the
            hypotheses are texts only.
        provenance: What its file says of how it was made, as that of a corpus.
    """

    system: str
    hypotheses: Mapping[str, tuple[Rewrite, ...]]
    tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)


Systems = SystemOutput | Sequence[SystemOutput]
"""What functions of the API take: the outputs of one system or of several."""


def as_systems(systems: Systems) -> tuple[SystemOutput, ...]:
    """The outputs of one system, or of several, as a tuple.

    Raises:
        UsageError: They are something else, as the path of a file.
    """
    if isinstance(systems, SystemOutput):
        return (systems,)
    outputs = tuple(systems) if isinstance(systems, Iterable) else (systems,)
    for output in (systems,) if isinstance(systems, str) else outputs:
        if not isinstance(output, SystemOutput):
            raise UsageError(
                f"{output!r} is no output of a system; load it: gecbench.load_system(PATH, corpus)"
            )
    return outputs
