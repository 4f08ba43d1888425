"""Schemes by name, and the edits that they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_type_hints

from gecbench import __version__
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Places, SchemeSpec, quiet
from gecbench.core.errors import CorpusError, NoEffectError, ResourceError, UsageError
from gecbench.core.language import Language
from gecbench.core.options import Workers, check_jobs
from gecbench.core.registry import describe, resolve
from gecbench.core.sample import Corpus, Sample
from gecbench.core.scheme import Reader, Scheme, Watch, no_progress
from gecbench.formats.stored import Block, stored_alike
from gecbench.lang import SCHEMES
from gecbench.scoring.extractor import Decision, Extractor, edit_set_limit_note, keep_spans
from gecbench.scoring.languages import check_language, corpus_language, default_scheme
from gecbench.scoring.parts import PartOfCorpus, PartTask, decided_already, in_parts

Item = TypeVar("Item")


def load_scheme(
    name: str,
    *,
    strategy: Literal["all", "first"] | None = None,
    simplify: bool | None = None,
    spacy_model: str | Path | None = None,
    merging: Literal["rules", "all-split", "all-merge", "all-equal"] | None = None,
    levenshtein: bool | None = None,
    parse_cache: Path | None = None,
    types: bool = True,
    places: Places | None = None,
    say: Callable[[str], None] = quiet,
    progress: Watch = no_progress,
    **settings: object,
) -> Scheme:
    """Load a scheme of edits by name.

    Args:
        name: As "zh-cherrant", "zh-char", "en-errant", "errant", "xx-word" or "xx-char". "errant"
            is ERRANT over any spaCy pipeline; without one it is "en-errant".
        strategy: For zh-cherrant: "all" distinct edit sets (the default) or the "first".
        simplify: For zh-cherrant: convert targets to simplified characters (the default).
        spacy_model: For en-errant and errant: an installed spaCy pipeline or a folder with one;
            None means the small English one that gecbench brings.
        merging: For both: how steps of the alignment become edits, "rules" by default.
        levenshtein: For both: align by plain edit distance.
        parse_cache: For both: a folder to keep in what the pipeline said of sentences.
        types: For both: classify the edits; spans and corrections are found faster without.
        places: Where its resources lie.
        say: Told what happens that takes time.
        progress: Wraps long loops, to show progress.
        settings: Options of a scheme that another package brings.

    Raises:
        UsageError: The name is unknown, or the scheme has no such option.
        ResourceError: A resource is missing; names the command that gets it.
    """
    spec = SchemeSpec(
        name,
        strategy,
        simplify,
        spacy_model,
        merging,
        levenshtein,
        parse_cache,
        settings,
        places or Places(),
        types,
        say=say,
        watch=progress,
    )
    return _load(spec, name)


def scheme_for(corpus: Corpus, scheme: AnyScheme = None) -> Scheme:
    """The scheme for a corpus, loaded if it is only named.

    Raises:
        UsageError: It is for another language, or has not all options of the spec.
        ResourceError: A resource is missing; names the command that gets it.
    """
    spec = SchemeSpec.of(scheme)
    try:
        loaded = spec.loaded or _load(spec, spec.name or default_scheme(corpus), corpus.name)
    except ResourceError as error:
        language = corpus_language(corpus, spec.name)
        if spec.name or spec.chosen or language.offline_scheme == language.scheme:
            raise
        raise ResourceError(
            "{missing}, or take --scheme {scheme} (in Python: scheme=), which needs no data but "
            "gives other scores",
            at=error.at,
            missing=error.message,
            scheme=language.offline_scheme,
        ) from error
    check_language(corpus, loaded, spec.name)
    return loaded


def loader_elsewhere(spec: SchemeSpec, language: Language) -> Callable[[], Scheme]:
    """What loads the scheme of a spec again in another process, for texts of a language."""
    quietly = replace(spec, say=quiet, watch=no_progress)
    return partial(_load_named, quietly, spec.name or language.scheme)


def _load_named(spec: SchemeSpec, name: str) -> Scheme:
    return spec.loaded or _load(spec, name)


def uses_pipeline(spec: SchemeSpec, corpus: Corpus) -> bool:
    """Say whether the scheme for a corpus has a spaCy pipeline parse its sentences."""
    _, options = _factory(spec.name or default_scheme(corpus))
    return "spacy_model" in options


def reads_data_sets(spec: SchemeSpec) -> bool:
    """Say whether the scheme that a spec names reads data sets, which it is loaded for."""
    return spec.name is None or bool(_load(spec, spec.name).data_sets)


def _load(spec: SchemeSpec, name: str, at: str | None = None) -> Scheme:
    make, known = _factory(name)
    chosen = spec.options
    foreign = [o for o in chosen if o not in known and o not in spec.preferences]
    if foreign and not spec.may_be_unused:
        in_errant = _factory("errant")[1].issuperset(foreign)
        options = " or ".join(foreign).replace("_", "-")
        raise NoEffectError(
            f"scheme {name} has no option {options}; leave it out"
            + (", or take --scheme errant --spacy-model NAME, which has it" if in_errant else ""),
            foreign,
            at,
        )
    values = {option: value for option, value in chosen.items() if option in known}
    if spec.settings:
        import msgspec  # only schemes of other packages have settings

        kinds = get_type_hints(make)
        for option in spec.settings.keys() & values.keys():
            try:
                kind = kinds.get(option, Any)
                values[option] = msgspec.convert(
                    values[option], kind, strict=False, dec_hook=lambda other, text: other(text)
                )
            except msgspec.ValidationError as error:
                raise UsageError(
                    f"scheme {name}: option {option} is {values[option]!r}: {error}"
                ) from error
    return make(_Context(spec), **values)


def _factory(name: str) -> tuple[Callable[..., Scheme], frozenset[str]]:
    """Look up the factory of a scheme, and its options: the keyword-only arguments.

    Raises:
        UsageError: It is of another package, and cannot be called so.
    """
    factory = cast("Callable[..., Scheme]", resolve("scheme", name, SCHEMES))
    try:
        parameters = signature(factory)
        parameters.bind(None)
    except (TypeError, ValueError) as error:  # it takes something else, or is no function
        raise UsageError(
            f"{describe('scheme', name)} cannot be made: {error}; its factory takes a "
            "SchemeContext, and keyword-only options with defaults"
        ) from error
    kinds = {name: parameter.kind for name, parameter in parameters.parameters.items()}
    return factory, frozenset(n for n, kind in kinds.items() if kind is Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class _Context:
    """The `SchemeContext` of a spec."""

    spec: SchemeSpec

    @property
    def types(self) -> bool:
        return self.spec.types

    def resource(self, data_set: str, file: str) -> bytes:
        from gecbench.datasets.catalog import read_verified_file

        places = self.spec.places
        return read_verified_file(data_set, file, folder=places.folder, mirror=places.mirror)

    def cache_folder(self) -> Path:
        from gecbench.datasets.catalog import cache_folder

        return self.spec.places.cache or cache_folder()

    def reader(self, pipeline: str | Path, parse_cache: Path | None) -> Reader:
        from gecbench.backends.spacy import CachedPipeline, Pipeline, describe

        opened = Pipeline(describe(pipeline))
        return CachedPipeline(opened, parse_cache) if parse_cache else opened

    def say(self, message: str, /) -> None:
        self.spec.say(message)

    def watch(self, what: str, items: Sequence[Item], /) -> Iterator[Item]:
        return self.spec.watch(what, items)


def extract(
    corpus: Corpus,
    scheme: AnyScheme = None,
    *,
    keep: bool = False,
    minimise: bool = True,
    relabel: bool = True,
    lang: str | None = None,
    jobs: Workers = 1,
    watch: Watch = no_progress,
) -> Corpus:
    """Extract the edits of every rewrite, in place of those of the file.

    Args:
        corpus: Any corpus; samples without references stay without. Where its sentences are in a
            temporary file, those of the result are, too.
        scheme: What extracts edits; None means the default of the corpus's language.
        keep: Keep the spans of edits that are given, and give them the scheme's types; for
            schemes that can, as en-errant. Then all edits have to be given.
        minimise: Of kept edits drop tokens that both sides share at their ends.
        relabel: Give kept edits the scheme's types in place of their own.
        lang: Code of the language of the texts; None takes that of the corpus.
        jobs: Processes, or a cluster; None takes one for each processor where that is quicker.
        watch: Wraps the loop over samples, to show progress.

    Raises:
        UsageError: The scheme is for another language, cannot keep edits, or cannot be sent to
            other processes.
        CorpusError: There is no reference, or one whose edits cannot be applied together.
    """
    check_jobs(jobs)
    corpus = in_language(corpus, lang)
    spec = SchemeSpec.of(scheme)
    scheme = scheme_for(corpus, spec)
    if not any(sample.references for sample in corpus.samples):
        raise CorpusError(
            f"{corpus.name}: no sentence has a reference, so there are no edits; "
            "give references (for text files: --reference FILE)"
        )
    decision = Decision(scheme, again=True)
    task: EditsTask | KeptEditsTask
    provenance = {**corpus.provenance, **scheme.signature, "gecbench": __version__}
    if keep:
        provenance["spans"] = "annotators"
        task = KeptEditsTask(decision=decision, minimise=minimise, relabel=relabel)
    else:
        if warning := scheme.warn(corpus.sources):
            spec.say(f"note: {corpus.name}: {warning}")
        provenance.pop("spans", None)
        task = EditsTask(decision=decision, watch=watch)
    language = corpus_language(corpus, scheme.name)
    load = loader_elsewhere(spec, language)
    capped: list[str] = []

    def edited() -> Iterator[Sequence[Sample]]:
        for samples, names in in_parts(task, corpus, load=load, jobs=jobs, watch=watch):
            capped.extend(names)
            yield samples

    samples = stored_alike(corpus.samples, edited())
    if capped:
        spec.say(f"note: {edit_set_limit_note(capped)}")
    return replace(
        corpus,
        samples=samples,
        lang=language.code,
        provenance=provenance,
    )


# What is done with each part of the corpus, in one process or in several.


EditedSamples = tuple[Sequence[Sample], Sequence[str]]
"""Samples, and the ids of those that have more different edit sets than a scheme lists."""


@dataclass(frozen=True, kw_only=True)
class EditsTask(PartTask[EditedSamples]):
    """Gives the references of each sentence the edits of the decision."""

    def __call__(self, part: PartOfCorpus) -> EditedSamples:
        """Give them to the sentences of a part."""
        extractor = Extractor(decided_already, watch=self.watch)
        samples = extractor.extract(part[0], decision=self.decision).corpus.samples
        return _edited(part[0].samples, samples)


@dataclass(frozen=True, kw_only=True)
class KeptEditsTask(PartTask[EditedSamples]):
    """Gives the edits of each sentence the types of the decision's scheme; see `keep_spans`.

    Args:
        minimise: Drop tokens that both sides share at the ends of an edit.
        relabel: Give the scheme's types in place of those of the file.
    """

    minimise: bool
    relabel: bool

    def __call__(self, part: PartOfCorpus) -> EditedSamples:
        """Give them to the sentences of a part."""
        decision = self.decision
        if decision is None or decision.scheme is None:
            raise AssertionError("kept edits get the types of a scheme")
        samples = keep_spans(part[0], decision.scheme, minimise=self.minimise, relabel=self.relabel)
        return _edited(part[0].samples, samples)


def _edited(before: Sequence[Sample], samples: Sequence[Sample]) -> EditedSamples:
    """What takes the place of the samples of a part, encoded where these are."""
    capped = [sample.id for sample in samples if any(r.capped for r in sample.references)]
    return Block.of(samples, Sample) if isinstance(before, Block) else samples, capped
