"""The edits of a corpus and of systems: those in their files, or those that a scheme finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from gecbench.core.edit import Edit, Sentence, apply, check
from gecbench.core.errors import CorpusError, EditError, Message, UsageError
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction, Scheme, Watch, no_progress
from gecbench.core.score import WarningNote
from gecbench.formats.stored import is_plain

if TYPE_CHECKING:
    from gecbench.text.tokens import Spans

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
    warning: WarningNote | None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whose edits count, decided once for a whole corpus by the rules of `Extractor`.

    Args:
        scheme: What finds edits; None where those of files are all that is needed.
        again: Whether it extracts those of files again.
        warning: As in `CorpusEdits`.
    """

    scheme: Scheme | None = None
    again: bool = False
    warning: WarningNote | None = None


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

    def decide(self, corpus: Corpus, systems: Sequence[SystemOutput] = ()) -> Decision:
        """Decide by the rules whose edits count in a whole corpus.

        Args:
            corpus: Its references are one side.
            systems: The other side; each has outputs for all samples.

        Raises:
            CorpusError: Edits of a file count in other tokens, and there is no text.
        """
        missing = any(not rewrite.edit_sets for _, rewrite, _ in _rows(corpus, systems))
        incomplete = missing or any(s.source.strip() and not s.tokens for s in corpus.samples)
        unlike = [] if incomplete else _systems_of_other_types(corpus, systems)
        if not (incomplete or self.re_extract or (unlike and self.re_extract is None)):
            return Decision(warning=_unlike_types_warning(corpus, unlike) if unlike else None)
        scheme, again = self.load(), bool(self.re_extract)
        warning: WarningNote | None = None
        if (
            not again
            and (missing or unlike)
            and (why := _mismatch(corpus, systems, scheme, cache(scheme.parse_source)))
        ):
            again = self.re_extract is None
            warning = _mismatch_warning(why, corpus.name, scheme, again=again)
        return Decision(scheme, again=again, warning=warning)

    def extract(
        self,
        corpus: Corpus,
        systems: Sequence[SystemOutput] = (),
        decision: Decision | None = None,
    ) -> CorpusEdits:
        """Give every rewrite of a corpus and of systems its edits.

        Args:
            corpus: Its references are one side.
            systems: The other side; each has outputs for all samples.
            decision: Whose edits count, where that was decided for more sentences than these;
                None decides it for these.

        Raises:
            CorpusError: Edits count in different tokens, cannot be applied together, or are to
                be extracted and there is no text.
        """
        decision = decision or self.decide(corpus, systems)
        rows = list(_rows(corpus, systems))
        scheme, again = decision.scheme, decision.again
        if scheme is None:
            return CorpusEdits(
                *_put_edits(corpus, systems, {s.id: s.tokens for s in corpus.samples}),
                scheme=None,
                from_files=bool(rows),
                extracted=False,
                capped=frozenset(),
                warning=decision.warning,
            )
        parse = cache(scheme.parse_source)
        missing = {sample.id for sample, rewrite, _ in rows if not rewrite.edit_sets}
        targets = [
            (sample, _target(sample, rewrite, tokens, scheme))
            for sample, rewrite, tokens in rows
            if again or not rewrite.edit_sets
        ]
        pairs = list(dict.fromkeys((sample.source, text) for sample, text in targets))
        if scheme.batch is not None:
            extractions = dict(zip(pairs, scheme.batch(pairs), strict=True))
        else:
            extractions = {
                (source, text): scheme.extract(parse(source), scheme.parse_target(text))
                for source, text in self.watch("edits", pairs)
            }

        def extraction(sample: Sample, rewrite: Rewrite, tokens: Tokens) -> Extraction | None:
            if rewrite.edit_sets and not again:
                return None
            return extractions[sample.source, _target(sample, rewrite, tokens, scheme)]

        tokens_of = {
            sample.id: parse(sample.source).tokens
            if again or not sample.tokens or sample.id in missing
            else sample.tokens
            for sample in corpus.samples
        }
        return CorpusEdits(
            *_put_edits(corpus, systems, tokens_of, extraction),
            scheme=scheme,
            from_files=not again and any(rewrite.edit_sets for _, rewrite, _ in rows),
            extracted=bool(targets),
            capped=frozenset(s.id for s, text in targets if extractions[s.source, text].capped),
            warning=decision.warning,
        )


def is_declared(rewrite: Rewrite) -> bool:
    """Whether a rewrite is declared error free or unannotatable, and so changes nothing."""
    return rewrite.error_free or rewrite.unannotatable


def _rows(corpus: Corpus, systems: Sequence[SystemOutput]) -> Iterator[Row]:
    for sample in corpus.samples:
        for rewrite in sample.references:
            if not is_declared(rewrite):
                yield sample, rewrite, sample.tokens
        for system in systems:
            for rewrite in system.hypotheses[sample.id]:
                if not is_declared(rewrite):
                    yield sample, rewrite, system.tokens.get(sample.id, ())


def _target(sample: Sample, rewrite: Rewrite, tokens: Tokens, scheme: Scheme) -> str:
    """The text of a rewrite; of edits alone, what they make of the tokens."""
    if rewrite.text is not None:
        return rewrite.text
    try:
        return scheme.join(apply(rewrite.edit_sets[0], tokens))
    except EditError as error:
        raise CorpusError(
            f"sentence {sample.id!r}: {error}, so that no text can be made of the edits and none "
            "extracted; take --metric m2, or give texts"
        ) from error


def _put_edits(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    tokens_of: Mapping[str, Tokens],
    extraction: Callable[[Sample, Rewrite, Tokens], Extraction | None] = lambda *_: None,
) -> tuple[Corpus, tuple[SystemOutput, ...]]:
    """A corpus and systems whose rewrites have the edits that count.

    Args:
        corpus: Its references are one side.
        systems: The other side.
        tokens_of: What all edits of a sentence are to count in, by its id.
        extraction: What the scheme finds for a rewrite, of which the file's tokens are given;
            None where the edits of the file count.
    """

    def rewrites(
        name: str, sample: Sample, rewrites: Sequence[Rewrite], file_tokens: Tokens
    ) -> tuple[Rewrite, ...]:
        tokens = tokens_of[sample.id]
        edited: list[Rewrite] = []
        for rewrite in rewrites:
            if rewrite.unannotatable:
                edited.append(rewrite)
            elif rewrite.error_free:
                edited.append(rewrite if rewrite.edit_sets else replace(rewrite, edit_sets=((),)))
            elif (result := extraction(sample, rewrite, file_tokens)) is None:
                _check(f"{name}: sentence {sample.id!r}", rewrite, file_tokens, tokens)
                edited.append(rewrite)
            else:
                sets = result.edit_sets
                if rewrite.edit_sets:
                    detections = _detections(rewrite, sample, file_tokens, tokens)
                    sets = with_detections(detections, sets)
                edited.append(
                    Rewrite(
                        rewrite.text,
                        edit_sets=sets,
                        annotator=rewrite.annotator,
                        capped=result.capped,
                    )
                )
        return tuple(edited)

    samples, hypotheses = [], [dict(system.hypotheses) for system in systems]
    for sample in corpus.samples:
        references = rewrites(corpus.name, sample, sample.references, sample.tokens)
        samples.append(replace(sample, references=references, tokens=tokens_of[sample.id]))
        for system, outputs in zip(systems, hypotheses, strict=True):
            file_tokens = system.tokens.get(sample.id, ())
            outputs[sample.id] = rewrites(system.system, sample, outputs[sample.id], file_tokens)
    return replace(corpus, samples=tuple(samples)), tuple(
        SystemOutput(system.system, outputs, tokens_of)
        for system, outputs in zip(systems, hypotheses, strict=True)
    )


def with_detections(
    detections: Sequence[Edit], edit_sets: tuple[EditSet, ...]
) -> tuple[EditSet, ...]:
    """Extracted edits with those of a file that correct nothing, as `errant_m2 -auto`.

    At one place the edits of the file come first.
    """
    if not detections:
        return edit_sets
    unknown = [replace(edit, label="UNK") for edit in detections]
    return tuple(
        tuple(sorted([*unknown, *edits], key=lambda edit: (edit.start, edit.end)))
        for edits in edit_sets
    )


def _detections(
    rewrite: Rewrite, sample: Sample, file_tokens: Tokens, tokens: Tokens
) -> list[Edit]:
    """What a file detected and did not correct, in the tokens of the extracted edits.

    Raises:
        CorpusError: The tokens of the file are not those of the source.
    """
    detections = [edit for edit in rewrite.edit_sets[0] if edit.replacement is None]
    if not detections or file_tokens == tokens:
        return detections
    from gecbench.text.tokens import spans  # few files detect without correcting

    before, after = spans(sample.source, file_tokens), spans(sample.source, tokens)
    if before is None or after is None:
        raise CorpusError(
            f"sentence {sample.id!r}: what its file detected and did not correct counts in tokens "
            f"that are not those of the source ({' '.join(file_tokens)[:40]!r}); give the source "
            "as the file has it"
        )
    return [_move(edit, before, after) for edit in detections]


def _move(edit: Edit, before: Spans, after: Spans) -> Edit:
    """An edit over the tokens that share characters with its own."""
    if edit.start == edit.end:
        character = before[edit.start][0] if edit.start < len(before) else None
        at = len(after) if character is None else sum(end <= character for _, end in after)
        return replace(edit, start=at, end=at)
    first, last = before[edit.start][0], before[edit.end - 1][1]
    return replace(
        edit,
        start=sum(end <= first for _, end in after),
        end=sum(start < last for start, _ in after),
    )


def _check(where: str, rewrite: Rewrite, file_tokens: Tokens, tokens: Tokens) -> None:
    """Refuse edits of a file that count in other tokens, or cannot be applied together."""
    if file_tokens != tokens:
        raise CorpusError(
            f"{where}: its edits count in other tokens than those that they are compared with "
            f"({' '.join(file_tokens)[:40]!r} and {' '.join(tokens)[:40]!r}); extract all edits "
            "again by --re-extract, or give all files as texts, or as M2 of one tokenisation"
        )
    try:
        for edits in rewrite.edit_sets:
            check(edits, len(file_tokens))
    except EditError as error:
        raise CorpusError(
            f"{where}: {error}; metrics over edits cannot use that: take --metric m2, or extract "
            "all edits again by --re-extract"
        ) from error


def edit_set_limit_note(ids: Sequence[str]) -> Message:
    """The sentence that tells of texts with more edit sets than are listed."""
    from gecbench.edits.alignment import SET_LIMIT

    names = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
    return Message(
        "1 sentence has more than {limit} different edit sets, of which the first was kept, as by "
        "strategy first: {names}"
        if len(ids) == 1
        else "{count} sentences have more than {limit} different edit sets, of which the first "
        "was kept, as by strategy first: {names}",
        count=len(ids),
        limit=SET_LIMIT,
        names=names,
    )


def keep_spans(
    corpus: Corpus, scheme: Scheme, *, minimise: bool, relabel: bool
) -> tuple[Sample, ...]:
    """Give the edits of a file the types of a scheme, and keep their spans.

    Args:
        corpus: All its references have edits, or are declared.
        scheme: One that can, as en-errant.
        minimise: Drop tokens that both sides share at the ends of an edit.
        relabel: Give the scheme's types in place of those of the file.

    Raises:
        UsageError: The scheme cannot keep edits.
        CorpusError: A reference has none.
    """
    if scheme.keep_spans is None:
        raise UsageError(
            f"scheme {scheme.name} cannot keep given edits, it finds them between texts; "
            "leave --keep-edits out"
        )
    annotations = []
    for sample in corpus.samples:
        for rewrite in sample.references:
            if not (rewrite.edit_sets or is_declared(rewrite)):
                raise CorpusError(
                    f"sentence {sample.id!r} has a reference without edits to keep; "
                    "leave --keep-edits out to find them"
                )
            if any(rewrite.edit_sets):
                annotations.append((rewrite.edit_sets[0], sample.tokens))
    edit_sets = iter(scheme.keep_spans(annotations, minimise=minimise, relabel=relabel))
    return tuple(
        replace(
            sample,
            references=tuple(
                replace(rewrite, edit_sets=(next(edit_sets),))
                if any(rewrite.edit_sets)
                else rewrite
                for rewrite in sample.references
            ),
        )
        for sample in corpus.samples
    )


# Whether edits of files can be compared with edits of a scheme, or with one another.


def _mismatch(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    scheme: Scheme,
    parse: Callable[[str], Sentence],
) -> Message | None:
    """Why edits of files are not those of a scheme; None if they are, or there are none."""
    if is_plain(corpus, systems):
        return None
    edited = [row for row in _rows(corpus, systems) if row[1].edit_sets]
    if not edited:
        return None
    of_systems = (
        system.provenance
        for system in systems
        if any(rewrite.edit_sets for several in system.hypotheses.values() for rewrite in several)
    )
    for provenance in (corpus.provenance, *of_systems):
        if why := _provenance_mismatch(provenance, scheme):
            return why
    for sample, rewrite, tokens in edited:
        for edit in (edit for edits in rewrite.edit_sets for edit in edits):
            if edit.label is None or not (edit.replacement is None or scheme.has_type(edit.label)):
                return Message("of types as {label}", label=edit.label or "none")
        if parse(sample.source).tokens != tokens:
            return Message("in other tokens, as in sentence {id!r}", id=sample.id)
    return None


def _provenance_mismatch(provenance: Mapping[str, str], scheme: Scheme) -> Message | None:
    """Say what in the provenance of edits is not a scheme's; None where nothing is."""
    if "spans" in provenance:
        return Message("with the spans of {scheme}", scheme=provenance["spans"])
    defaults, signature = scheme.defaults, scheme.signature
    chosen = {name for name, value in defaults.items() if signature.get(name, "") != value}
    if "scheme" in provenance:
        in_file = {**signature, **defaults, **provenance}
        if any(in_file[name] != signature.get(name, "") for name in (*signature, *defaults)):
            return Message(
                "made by {scheme}, perhaps with other options", scheme=provenance["scheme"]
            )
    elif chosen:
        options = ", ".join(f"{name} {signature.get(name, 'none')}" for name in sorted(chosen))
        return Message("no file says whether they were made with {options}", options=options)
    return None


def _mismatch_warning(why: Message, name: str, scheme: Scheme, *, again: bool) -> WarningNote:
    return WarningNote(
        "{corpus}: edits in files are not those of scheme {scheme} ({why}), so the edits of all "
        "texts were extracted again, on both sides; --no-re-extract compares those in files as "
        "they are"
        if again
        else "{corpus}: edits in files are not those of scheme {scheme} ({why}), and were "
        "compared with edits that it extracted; --re-extract extracts all edits again, on both "
        "sides",
        corpus=name,
        scheme=scheme.name,
        why=why,
    )


def _systems_of_other_types(corpus: Corpus, systems: Sequence[SystemOutput]) -> list[str]:
    """The systems whose edits share no type with the references', or were made otherwise."""
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


def _differ(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Whether two files say that their edits were found by different schemes or options."""
    if not ("scheme" in first and "scheme" in second):
        return False
    names = first.keys() & second.keys() - {"gecbench"}
    return any(first[name] != second[name] for name in names)


def _unlike_types_warning(corpus: Corpus, systems: Sequence[str]) -> WarningNote:
    return WarningNote(
        "{corpus}: its edits have no type in common with those of {systems}, so they were not "
        "found in one way, and were compared as they are; without --no-re-extract all edits are "
        "extracted again, on both sides",
        corpus=corpus.name,
        systems=", ".join(systems),
    )


def _types(rewrites: Iterable[Rewrite]) -> set[str]:
    """The types of edits that correct."""
    return {
        edit.label
        for rewrite in rewrites
        for edits in rewrite.edit_sets
        for edit in edits
        if edit.label is not None and edit.replacement is not None
    }
