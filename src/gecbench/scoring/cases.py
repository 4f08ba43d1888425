"""From a corpus and a system's output to cases; all work on sources and references is shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gecbench.core.case import Case, Version
from gecbench.core.edit import check
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.core.sentence import Sentence


@dataclass(slots=True)
class _Prepared:
    """One sentence with its references extracted; hypotheses met before are remembered."""

    sample: Sample
    source: Sentence | None
    tokens: tuple[str, ...]
    references: tuple[Version, ...] = ()
    known: dict[str, Version] = field(default_factory=dict)


@dataclass(slots=True)
class Cases:
    """The sentences of a corpus, ready for any number of systems.

    Args:
        scheme: Asked for only when a text has to be turned into edits, so that files which
            bring their edits need no resources.
        anew: Find edits also where they are given, if the text is known.
        capped: Ids of sentences with more different edit sets than are listed.
        extracted: Whether any edits were extracted here rather than given.
        given: Whether any edits were given.
    """

    scheme: Callable[[], Scheme]
    anew: bool = False
    capped: set[str] = field(default_factory=set)
    extracted: bool = False
    given: bool = False
    _prepared: list[_Prepared] = field(default_factory=list)

    def prepare(
        self,
        corpus: Corpus,
        *,
        max_references: int | None = None,
        watch: Callable[[Sequence[Sample]], Iterator[Sample]] = iter,
    ) -> None:
        """Extract the edits of all references.

        Args:
            corpus: Every sample has at least one reference.
            max_references: Only the first this many of each sentence.
            watch: Wraps the loop over samples, to show progress.

        Raises:
            CorpusError: A sample has no reference.
        """
        for sample in watch(corpus.samples):
            if not sample.references:
                raise CorpusError(
                    f"{corpus.name}: sentence {sample.id!r} has no reference; "
                    "give a TSV, M2 or JSONL that has them, or text files with --reference"
                )
            tokens = () if self.anew else sample.tokens
            source = None
            references = sample.references[:max_references]
            if not tokens or any(not r.edit_sets and r.text is not None for r in references):
                source = self.scheme().parse_source(sample.source)
                tokens = tokens or source.tokens
            prepared = _Prepared(sample, source, tokens)
            prepared.references = tuple(
                self._version(reference, prepared, sample.tokens) for reference in references
            )
            self._prepared.append(prepared)

    def of(
        self,
        system: SystemOutput,
        watch: Callable[[Sequence[Sample]], Iterator[Sample]] = iter,
    ) -> Iterator[Case]:
        """Yield a case for each sentence of the corpus, in its order.

        Raises:
            CorpusError: The edits of both sides count in different tokens.
        """
        samples = [prepared.sample for prepared in self._prepared]
        for sample, prepared in zip(watch(samples), self._prepared, strict=True):
            given = system.tokens.get(sample.id, ())
            hypotheses = tuple(
                self._version(rewrite, prepared, given) for rewrite in system.hypotheses[sample.id]
            )
            yield Case(sample.id, hypotheses, prepared.references)

    def _version(self, rewrite: Rewrite, prepared: _Prepared, tokens: tuple[str, ...]) -> Version:
        if rewrite.unannotatable:
            return Version((), unannotatable=True)
        if rewrite.error_free:
            return Version(())
        if rewrite.edit_sets and not (self.anew and rewrite.text is not None):
            self.given = True
            _same_tokens(prepared, tokens)
            for edits in rewrite.edit_sets:
                check(edits, len(tokens))
            return Version(tuple(edit for edits in rewrite.edit_sets for edit in edits))
        if rewrite.text is None:
            return Version(())
        version = prepared.known.get(rewrite.text)
        if version is None:
            version = prepared.known[rewrite.text] = self._extract(rewrite.text, prepared)
        return version

    def _extract(self, text: str, prepared: _Prepared) -> Version:
        scheme = self.scheme()
        self.extracted = True
        if prepared.source is None:
            prepared.source = scheme.parse_source(prepared.sample.source)
        _same_tokens(prepared, prepared.source.tokens)
        extraction = scheme.extract(prepared.source, scheme.parse_target(text))
        if extraction.capped:
            self.capped.add(prepared.sample.id)
        return Version(tuple(edit for edits in extraction.edit_sets for edit in edits))


def _same_tokens(prepared: _Prepared, tokens: tuple[str, ...]) -> None:
    if prepared.tokens != tokens:
        raise CorpusError(
            f"sentence {prepared.sample.id!r}: the edits on the two sides count in different "
            f"tokens ({' '.join(prepared.tokens)[:40]!r} and {' '.join(tokens)[:40]!r}); "
            "give both sides as texts, or both as M2 of one tokenisation"
        )
