"""The edits of a corpus and of systems: those in their files, or those that a scheme finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from gecbench.core.edit import Edit, check
from gecbench.core.errors import CorpusError, EditError
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction, Scheme, Watch, no_progress
from gecbench.core.sentence import Sentence
from gecbench.edits.alignment import SET_LIMIT
from gecbench.edits.apply import apply
from gecbench.text.tokens import Spans, spans

Tokens = tuple[str, ...]
Row = tuple[Sample, Rewrite, Tokens]
"""A rewrite with a text or edits, its sample, and the tokens that its edits count in."""


@dataclass(frozen=True, slots=True)
class CorpusEdits:
    """A corpus and systems whose rewrites all have their edits.

    Args:
        corpus: Its samples have the tokens that all edits of the sample count in.
        systems: Their outputs.
        scheme: What extracted edits; None where it was not asked.
        from_files: Whether some edits are those of files.
        extracted: Whether some edits are those of the scheme.
        capped: Ids of sentences with more different edit sets than a scheme lists.
        warning: What the reader of numbers should know first; None where the edits of both
            sides go together.
    """

    corpus: Corpus
    systems: tuple[SystemOutput, ...]
    scheme: Scheme | None
    from_files: bool
    extracted: bool
    capped: frozenset[str]
    warning: str | None


@dataclass(frozen=True, slots=True)
class Extractor:
    """Finds the edits of rewrites, those of each distinct pair of texts once.

    One rule holds for all commands, and for both sides alike:

    1. Edits that a file has are used as they are, and a rewrite without edits gets those that
       the scheme finds. Where all rewrites have edits and both sides share a type, the scheme is
       not loaded.
    2. Where something has to be found, or a system shares no type with the references, and edits
       of a file are not the scheme's own, the two cannot be compared: the edits of all texts are
       extracted again, on both sides, with a warning. Edits are the scheme's own if they count
       in its tokens and have its types, and the corpus names the scheme with the same options,
       or none while the options of the scheme are its defaults.
    3. `re_extract` decides instead: True extracts all edits again; False uses those of files
       whoever made them, with a warning where rule 2 would extract them again.

    An edit without a replacement was detected, not corrected: it changes no text, and stays
    among the edits that are extracted, with the type UNK, as `errant_m2 -auto` has it.

    Args:
        load: Gives the scheme; called once at most for a corpus.
        re_extract: See rule 3; None is rule 2.
        watch: Wraps the loop over sources, to show progress.
    """

    load: Callable[[], Scheme]
    re_extract: bool | None = None
    watch: Watch = no_progress

    def extract(self, corpus: Corpus, systems: Sequence[SystemOutput] = ()) -> CorpusEdits:
        """Give every rewrite of a corpus and of systems its edits.

        Args:
            corpus: Its references are one side.
            systems: The other side; each has outputs for all samples.

        Raises:
            CorpusError: Edits count in different tokens, cannot be applied together, or are to
                be extracted and there is no text.
        """
        rows = [row for sample in corpus.samples for row in _rows(sample, systems)]
        missing = any(not rewrite.edit_sets for _, rewrite, _ in rows)
        untokenised = any(s.source.strip() and not s.tokens for s in corpus.samples)
        unlike = [] if missing or untokenised else _systems_of_other_types(corpus, systems)
        if not (missing or untokenised or self.re_extract):
            if not unlike:
                return _Writer(None).edits(corpus, systems, None)
            if self.re_extract is False:
                return _Writer(None).edits(corpus, systems, _compared_as_they_are(corpus, unlike))
        scheme = self.load()
        parse, warning = cache(scheme.parse_source), None
        again = bool(self.re_extract)
        if (
            not again
            and (missing or unlike)
            and (why := _not_its_own(rows, corpus, systems, scheme, parse))
        ):
            again = self.re_extract is None
            warning = _mixed(why, corpus.name, scheme, again=again)
        pairs = {
            (sample.source, _target(sample, rewrite, tokens, scheme)): None
            for sample, rewrite, tokens in rows
            if again or not rewrite.edit_sets
        }
        if scheme.batch is not None:
            extractions = dict(zip(pairs, scheme.batch(list(pairs)), strict=True))
        else:
            extractions = {
                (source, text): scheme.extract(parse(source), scheme.parse_target(text))
                for source, text in self.watch("edits", list(pairs))
            }
        return _Writer(scheme, parse, extractions, again).edits(corpus, systems, warning)


def _rows(sample: Sample, systems: Sequence[SystemOutput]) -> Iterator[Row]:
    for rewrite in sample.references:
        if not (rewrite.error_free or rewrite.unannotatable):
            yield sample, rewrite, sample.tokens
    for system in systems:
        for rewrite in system.hypotheses[sample.id]:
            if not (rewrite.error_free or rewrite.unannotatable):
                yield sample, rewrite, system.tokens.get(sample.id, ())


def _target(sample: Sample, rewrite: Rewrite, tokens: Tokens, scheme: Scheme) -> str:
    """Return the text of a rewrite; of edits alone, what they make of the tokens."""
    if rewrite.text is not None:
        return rewrite.text
    try:
        return scheme.join(apply(rewrite.edit_sets[0], tokens))
    except EditError as error:
        raise CorpusError(
            f"sentence {sample.id!r}: {error}, so that no text can be made of the edits and none "
            "extracted; take --metric m2, or give texts"
        ) from error


@dataclass(slots=True)
class _Writer:
    """Puts the edits that a scheme extracted into rewrites, and remembers which edits are used.

    Args:
        scheme: None where all edits are those of files.
        parse: Its parser of sources.
        extractions: By source and text.
        again: Whether edits of files are replaced.
    """

    scheme: Scheme | None
    parse: Callable[[str], Sentence] | None = None
    extractions: Mapping[tuple[str, str], Extraction] = field(default_factory=dict)
    again: bool = False
    from_files: bool = False
    extracted: bool = False
    capped: set[str] = field(default_factory=set)

    def edits(
        self, corpus: Corpus, systems: Sequence[SystemOutput], warning: str | None
    ) -> CorpusEdits:
        samples, hypotheses = [], [dict(system.hypotheses) for system in systems]
        for sample in corpus.samples:
            tokens = self._tokens(sample, systems)
            references = self._rewrites(
                corpus.name, sample, sample.references, sample.tokens, tokens
            )
            samples.append(replace(sample, references=references, tokens=tokens))
            for system, outputs in zip(systems, hypotheses, strict=True):
                own = system.tokens.get(sample.id, ())
                outputs[sample.id] = self._rewrites(
                    system.system, sample, outputs[sample.id], own, tokens
                )
        tokens_of = {sample.id: sample.tokens for sample in samples}
        return CorpusEdits(
            replace(corpus, samples=tuple(samples)),
            tuple(
                SystemOutput(system.system, outputs, tokens_of)
                for system, outputs in zip(systems, hypotheses, strict=True)
            ),
            self.scheme,
            self.from_files,
            self.extracted,
            frozenset(self.capped),
            warning,
        )

    def _tokens(self, sample: Sample, systems: Sequence[SystemOutput]) -> Tokens:
        """Return the tokens of a sentence: the scheme's where it finds edits, else the file's."""
        if self.parse is not None and (
            self.again
            or not sample.tokens
            or any(not rewrite.edit_sets for _, rewrite, _ in _rows(sample, systems))
        ):
            return self.parse(sample.source).tokens
        return sample.tokens

    def _rewrites(
        self, name: str, sample: Sample, rewrites: Sequence[Rewrite], own: Tokens, tokens: Tokens
    ) -> tuple[Rewrite, ...]:
        """Return rewrites with their edits.

        Args:
            name: Of the corpus or system, for errors.
            sample: The sentence.
            rewrites: Of one side.
            own: What their edits count in.
            tokens: What all edits of the sentence are to count in.
        """
        edited: list[Rewrite] = []
        for rewrite in rewrites:
            if rewrite.unannotatable:
                edited.append(rewrite)
            elif rewrite.error_free:
                edited.append(rewrite if rewrite.edit_sets else replace(rewrite, edit_sets=((),)))
            elif self.scheme is not None and (self.again or not rewrite.edit_sets):
                extraction = self.extractions[
                    sample.source, _target(sample, rewrite, own, self.scheme)
                ]
                detected = _detected(rewrite, sample, own, tokens)
                sets = with_detections(detected, extraction.edit_sets)
                self.extracted = True
                if extraction.capped:
                    self.capped.add(sample.id)
                edited.append(
                    Rewrite(
                        rewrite.text,
                        edit_sets=sets,
                        annotator=rewrite.annotator,
                        capped=extraction.capped,
                    )
                )
            else:
                _check(f"{name}: sentence {sample.id!r}", rewrite, own, tokens)
                self.from_files = True
                edited.append(rewrite)
        return tuple(edited)


def with_detections(
    detected: Sequence[Edit], edit_sets: tuple[EditSet, ...]
) -> tuple[EditSet, ...]:
    """Return extracted edits with those of a file that correct nothing, as `errant_m2 -auto`.

    At one place the edits of the file come first.
    """
    if not detected:
        return edit_sets
    unknown = sorted((replace(edit, label="UNK") for edit in detected), key=_place)
    return tuple(tuple(sorted([*unknown, *edits], key=_place)) for edits in edit_sets)


def _detected(rewrite: Rewrite, sample: Sample, own: Tokens, tokens: Tokens) -> list[Edit]:
    """Return what a file detected and did not correct, in the tokens of the extracted edits.

    Raises:
        CorpusError: The tokens of the file are not those of the source.
    """
    edits = rewrite.edit_sets[0] if rewrite.edit_sets else ()
    detected = [edit for edit in edits if edit.replacement is None]
    if not detected or own == tokens:
        return detected
    before, after = spans(sample.source, own), spans(sample.source, tokens)
    if before is None or after is None:
        raise CorpusError(
            f"sentence {sample.id!r}: what its file detected and did not correct counts in tokens "
            f"that are not those of the source ({' '.join(own)[:40]!r}); give the source as the "
            "file has it"
        )
    return [_move(edit, before, after) for edit in detected]


def _move(edit: Edit, before: Spans, after: Spans) -> Edit:
    """Return an edit over the tokens that share characters with its own."""
    if edit.start == edit.end:
        character = before[edit.start][0] if edit.start < len(before) else None
        place = len(after) if character is None else sum(end <= character for _, end in after)
        return replace(edit, start=place, end=place)
    first, last = before[edit.start][0], before[edit.end - 1][1]
    return replace(
        edit,
        start=sum(end <= first for _, end in after),
        end=sum(start < last for start, _ in after),
    )


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _check(where: str, rewrite: Rewrite, own: Tokens, tokens: Tokens) -> None:
    """Refuse edits of a file that count in other tokens, or cannot be applied together."""
    if own != tokens:
        raise CorpusError(
            f"{where}: its edits count in other tokens than those that they are compared with "
            f"({' '.join(own)[:40]!r} and {' '.join(tokens)[:40]!r}); extract all edits again by "
            "--re-extract, or give all files as texts, or as M2 of one tokenisation"
        )
    try:
        for edits in rewrite.edit_sets:
            check(edits, len(own))
    except EditError as error:
        raise CorpusError(
            f"{where}: {error}; metrics over edits cannot use that: take --metric m2, or extract "
            "all edits again by --re-extract"
        ) from error


def capped_note(ids: Sequence[str]) -> str:
    """Return the sentence that tells of texts with more edit sets than are listed."""
    names = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
    have = "sentence has" if len(ids) == 1 else "sentences have"
    return (
        f"{len(ids)} {have} more than {SET_LIMIT} different edit sets, of which the first was "
        f"kept, as by strategy first: {names}"
    )


# Whether edits of files can be compared with edits of a scheme, or with one another.


def _not_its_own(
    rows: Iterable[Row],
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    scheme: Scheme,
    parse: Callable[[str], Sentence],
) -> str | None:
    """Return why edits of files are not those of a scheme; None if they are, or there are none."""
    edited = [row for row in rows if row[1].edit_sets]
    if not edited:
        return None
    of_systems = (s.provenance for s in systems if _has_edits(s.hypotheses.values()))
    for provenance in (corpus.provenance, *of_systems):
        if why := _provenance_mismatch(provenance, scheme):
            return why
    for sample, rewrite, tokens in edited:
        for edit in (edit for edits in rewrite.edit_sets for edit in edits):
            if edit.label is None or not (edit.replacement is None or scheme.has_type(edit.label)):
                return f"of types as {edit.label or 'none'}"
        if parse(sample.source).tokens != tokens:
            return f"in other tokens, as in sentence {sample.id!r}"
    return None


def _has_edits(rewrites: Iterable[Sequence[Rewrite]]) -> bool:
    return any(rewrite.edit_sets for several in rewrites for rewrite in several)


def _provenance_mismatch(provenance: Mapping[str, str], scheme: Scheme) -> str | None:
    """Say what in the provenance of edits is not a scheme's; None where nothing is."""
    if "spans" in provenance:
        return f"with the spans of {provenance['spans']}"
    defaults, signature = scheme.defaults, scheme.signature
    chosen = {name for name, value in defaults.items() if signature.get(name, "") != value}
    if "scheme" in provenance:
        in_file = {**signature, **defaults, **provenance}
        if any(in_file[name] != signature.get(name, "") for name in (*signature, *defaults)):
            return f"made by {provenance['scheme']}, perhaps with other options"
    elif chosen:
        options = ", ".join(f"{name} {signature.get(name, 'none')}" for name in sorted(chosen))
        return f"no file says whether they were made with {options}"
    return None


def _mixed(why: str, name: str, scheme: Scheme, *, again: bool) -> str:
    about = f"{name}: edits in files are not those of scheme {scheme.name} ({why})"
    if again:
        return (
            f"{about}, so the edits of all texts were extracted again, on both sides; "
            "--no-re-extract compares those in files as they are"
        )
    return (
        f"{about}, and were compared with edits that it extracted; --re-extract extracts all "
        "edits again, on both sides"
    )


def _systems_of_other_types(corpus: Corpus, systems: Sequence[SystemOutput]) -> list[str]:
    """Return the systems whose edits share no type with the references', or were made otherwise."""
    references = _types(rewrite for sample in corpus.samples for rewrite in sample.references)
    return [
        system.system
        for system in systems
        if _differ(corpus.provenance, system.provenance)
        or (
            (types := _types(r for s in corpus.samples for r in system.hypotheses[s.id]))
            and references
            and not types & references
        )
    ]


def _differ(one: Mapping[str, str], two: Mapping[str, str]) -> bool:
    """Whether two files say that their edits were found by different schemes or options."""
    if not ("scheme" in one and "scheme" in two):
        return False
    return any(one[name] != two[name] for name in one.keys() & two.keys() - {"gecbench"})


def _compared_as_they_are(corpus: Corpus, systems: Sequence[str]) -> str:
    return (
        f"{corpus.name}: its edits have no type in common with those of {', '.join(systems)}, so "
        "they were not found in one way, and were compared as they are; without --no-re-extract "
        "all edits are extracted again, on both sides"
    )


def _types(rewrites: Iterable[Rewrite]) -> set[str]:
    """Return the types of edits that correct."""
    return {
        edit.label
        for rewrite in rewrites
        for edits in rewrite.edit_sets
        for edit in edits
        if edit.label is not None and edit.replacement is not None
    }
