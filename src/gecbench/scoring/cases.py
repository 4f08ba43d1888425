"""From a corpus and systems' outputs to cases; all work on sources and references is shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from gecbench.core.case import Case, Part, Version
from gecbench.core.edit import Edit, check
from gecbench.core.errors import CorpusError, EditError
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction, Scheme
from gecbench.core.sentence import Sentence
from gecbench.edits.apply import apply
from gecbench.formats.texts import text_of
from gecbench.lang.given import completed, target

Watch = Callable[[Sequence[Sample]], Iterator[Sample]]

_BY_M2 = "score such references by m2 or sent-m2, or give them as texts"


def spaced(text: str) -> tuple[str, ...]:
    """Return the tokens of a text that white space divides."""
    return tuple(text.split())


@dataclass(slots=True)
class _Prepared:
    """One sentence with its references; texts whose edits were found are remembered."""

    sample: Sample
    source: Sentence | None = None
    tokens: tuple[str, ...] = ()
    gold_tokens: tuple[str, ...] = ()
    known: dict[str, Extraction] = field(default_factory=dict)
    references: tuple[Version, ...] = ()


@dataclass(slots=True)
class Cases:
    """The sentences of a corpus, ready for any number of systems and metrics.

    Args:
        scheme: Asked for only when a text has to be turned into edits, so that files which
            bring their edits need no resources, and texts no scheme.
        needs: Which parts of a case the metrics read; no other is made.
        segment: Tokens of a text, for metrics that compare it with given edits.
        anew: Find edits also where they are given, if the text is known.
        capped: Ids of sentences with more different edit sets than are listed.
        extracted: Whether any edits were extracted here rather than given.
        given: Whether any edits were given.
        golds_extracted: Whether golds were, because none were given.
    """

    scheme: Callable[[], Scheme]
    needs: frozenset[Part] = frozenset({"edits"})
    segment: Callable[[str], tuple[str, ...]] = spaced
    anew: bool = False
    capped: set[str] = field(default_factory=set)
    extracted: bool = False
    given: bool = False
    golds_extracted: bool = False
    _lang: str | None = None
    _prepared: list[_Prepared] = field(default_factory=list)

    def prepare(
        self,
        corpus: Corpus,
        systems: Sequence[SystemOutput] = (),
        *,
        max_references: int | None = None,
        watch: Watch = iter,
    ) -> None:
        """Make the references of all sentences ready.

        Args:
            corpus: Every sample has at least one reference.
            systems: Whose outputs will be asked for, so that a scheme which works in batches
                finds all edits at once.
            max_references: Only the first this many of each sentence.
            watch: Wraps the loop over samples, to show progress.

        Raises:
            CorpusError: A sample has no reference.
        """
        for sample in corpus.samples:
            if not sample.references:
                raise CorpusError(
                    f"{corpus.name}: sentence {sample.id!r} has no reference; "
                    "give a TSV, M2 or JSONL that has them, or text files with --reference"
                )
        self._lang = corpus.lang
        self._prepared = [
            _Prepared(replace(sample, references=sample.references[:max_references]))
            for sample in corpus.samples
        ]
        self._extract_at_once(systems)
        for _, prepared in zip(watch(corpus.samples), self._prepared, strict=True):
            self._prepare(prepared)

    def of(self, system: SystemOutput, watch: Watch = iter) -> Iterator[Case]:
        """Yield a case for each sentence of the corpus, in its order.

        Raises:
            CorpusError: The edits of both sides count in different tokens.
        """
        samples = [prepared.sample for prepared in self._prepared]
        for sample, prepared in zip(watch(samples), self._prepared, strict=True):
            given = system.tokens.get(sample.id, ())
            hypotheses = tuple(
                self._hypothesis(rewrite, prepared, given, system.system)
                for rewrite in system.hypotheses[sample.id]
            )
            yield Case(
                sample.id,
                hypotheses,
                prepared.references,
                sample.source,
                prepared.gold_tokens,
                prepared.tokens,
            )

    def _prepare(self, prepared: _Prepared) -> None:
        sample = prepared.sample
        if "edits" in self.needs:
            prepared.tokens = () if self.anew else sample.tokens
            if not prepared.tokens or any(map(self._is_found, sample.references)):
                prepared.tokens = prepared.tokens or self._source(prepared).tokens
        found = "golds" in self.needs and self._golds_are_found(sample)
        if "golds" in self.needs:
            prepared.gold_tokens = self._source(prepared).tokens if found else sample.tokens
        prepared.references = tuple(
            self._reference(reference, prepared, found=found) for reference in sample.references
        )

    def _reference(self, reference: Rewrite, prepared: _Prepared, *, found: bool) -> Version:
        sample = prepared.sample
        sets = self._sets(reference, prepared, sample.tokens) if "edits" in self.needs else ()
        return Version(
            _pooled(sets),
            reference.unannotatable,
            _text(reference, sample, self._lang, _BY_M2) if "texts" in self.needs else "",
            self._golds(reference, prepared, found=found) if "golds" in self.needs else (),
            sizes=_sizes(sets),
        )

    def _hypothesis(
        self, rewrite: Rewrite, prepared: _Prepared, given: tuple[str, ...], name: str
    ) -> Version:
        sets = self._sets(rewrite, prepared, given) if "edits" in self.needs else ()
        edits, sizes = _pooled(sets), _sizes(sets)
        if self.needs == {"edits"}:
            return Version(edits, rewrite.unannotatable, sizes=sizes)
        own, remedy = replace(prepared.sample, tokens=given), f"give the output of {name} as texts"
        text = _text(rewrite, own, self._lang, remedy)
        tokens: tuple[str, ...] = ()
        if "golds" in self.needs:
            tokens = self._tokens(rewrite, prepared, given, text)
        return Version(edits, rewrite.unannotatable, text, tokens=tokens, sizes=sizes)

    def _is_found(self, rewrite: Rewrite) -> bool:
        """Return whether the edits of a rewrite are found here, not given."""
        return rewrite.text is not None and (self.anew or not rewrite.edit_sets)

    def _golds_are_found(self, sample: Sample) -> bool:
        given = (r.edit_sets or r.error_free or r.unannotatable for r in sample.references)
        divided = sample.tokens or not sample.source.strip()
        return not (divided and all(given))

    def _sets(
        self, rewrite: Rewrite, prepared: _Prepared, tokens: tuple[str, ...]
    ) -> tuple[EditSet, ...]:
        if rewrite.unannotatable or rewrite.error_free:
            return ()
        if self._is_found(rewrite):
            extraction = self._extraction(rewrite, prepared, tokens)
            self.extracted = True
            _same_tokens(prepared.sample.id, prepared.tokens, self._source(prepared).tokens)
            if extraction.capped:
                self.capped.add(prepared.sample.id)
            return completed(rewrite, tokens, extraction, self.scheme())
        if rewrite.edit_sets:
            self.given = True
            _same_tokens(prepared.sample.id, prepared.tokens, tokens)
            for edits in rewrite.edit_sets:
                _check(edits, tokens, prepared.sample.id)
        return rewrite.edit_sets

    def _golds(self, reference: Rewrite, prepared: _Prepared, *, found: bool) -> tuple[Edit, ...]:
        if reference.unannotatable or reference.error_free:
            return ()
        if found and reference.text is not None:
            self.golds_extracted = True
            return self._extraction(reference, prepared, prepared.sample.tokens).edit_sets[0]
        _same_tokens(prepared.sample.id, prepared.gold_tokens, prepared.sample.tokens)
        return reference.edit_sets[0]

    def _tokens(
        self, rewrite: Rewrite, prepared: _Prepared, given: tuple[str, ...], text: str
    ) -> tuple[str, ...]:
        if rewrite.error_free or rewrite.unannotatable:
            return prepared.gold_tokens
        if self._golds_are_found(prepared.sample):
            return self.scheme().parse_target(text).tokens
        if rewrite.edit_sets and given == prepared.gold_tokens:
            return _applied(rewrite.edit_sets[0], given) or self.segment(text)
        return self.segment(text)

    def _source(self, prepared: _Prepared) -> Sentence:
        if prepared.source is None:
            prepared.source = self.scheme().parse_source(prepared.sample.source)
        return prepared.source

    def _extraction(
        self, rewrite: Rewrite, prepared: _Prepared, tokens: tuple[str, ...]
    ) -> Extraction:
        text = target(rewrite, tokens, self.scheme()) or ""
        if text not in prepared.known:
            scheme = self.scheme()
            prepared.known[text] = scheme.extract(self._source(prepared), scheme.parse_target(text))
        return prepared.known[text]

    def _extract_at_once(self, systems: Sequence[SystemOutput]) -> None:
        """Find the edits of all texts that will be asked for, if the scheme works in batches."""
        wanted: list[tuple[_Prepared, Rewrite, tuple[str, ...]]] = []
        for prepared in self._prepared:
            sample = prepared.sample
            own = list(sample.references)
            if not ("golds" in self.needs and self._golds_are_found(sample)):
                own = [r for r in own if "edits" in self.needs and self._is_found(r)]
            wanted += [(prepared, r, sample.tokens) for r in own if r.text is not None]
            for system in systems if "edits" in self.needs else ():
                tokens = system.tokens.get(sample.id, ())
                found = filter(self._is_found, system.hypotheses[sample.id])
                wanted += [(prepared, rewrite, tokens) for rewrite in found]
        scheme = self.scheme() if wanted else None
        if scheme is None or scheme.batch is None:
            return
        pairs = {
            (place.sample.source, target(rewrite, tokens, scheme) or ""): None
            for place, rewrite, tokens in wanted
        }
        known = dict(zip(pairs, scheme.batch(list(pairs)), strict=True))
        for prepared, rewrite, tokens in wanted:
            text = target(rewrite, tokens, scheme) or ""
            prepared.known[text] = known[prepared.sample.source, text]


def _pooled(sets: Sequence[EditSet]) -> tuple[Edit, ...]:
    return sets[0] if len(sets) == 1 else tuple(edit for edits in sets for edit in edits)


def _sizes(sets: Sequence[EditSet]) -> tuple[int, ...]:
    return tuple(map(len, sets)) if len(sets) > 1 else ()


def _text(rewrite: Rewrite, sample: Sample, lang: str | None, remedy: str) -> str:
    """Return the text of a rewrite; that of one without corrections is the source.

    Raises:
        CorpusError: It is known only by edits that cannot be applied.
    """
    if rewrite.error_free or rewrite.unannotatable:
        return sample.source
    try:
        return text_of(sample, rewrite, lang)
    except CorpusError as error:
        raise CorpusError(f"{error}, so that no text can be made of the edits; {remedy}") from error


def _applied(edits: EditSet, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return what edits make of tokens; one that was written twice is applied once."""
    for each in (edits, tuple(dict.fromkeys(edits))):
        try:
            return apply(each, tokens)
        except EditError:
            continue
    return ()


def _check(edits: EditSet, tokens: tuple[str, ...], name: str) -> None:
    try:
        check(edits, len(tokens))
    except EditError as error:
        raise CorpusError(
            f"sentence {name!r}: {error}; metrics over edits cannot use that: take --metric m2, "
            "or find all edits anew by --scheme"
        ) from error


def _same_tokens(name: str, one: tuple[str, ...], two: tuple[str, ...]) -> None:
    if one != two:
        raise CorpusError(
            f"sentence {name!r}: the edits on the two sides count in different "
            f"tokens ({' '.join(one)[:40]!r} and {' '.join(two)[:40]!r}); "
            "give both sides as texts, or both as M2 of one tokenisation"
        )
