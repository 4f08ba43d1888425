"""Extracting the edits of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gecbench import __version__
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, SchemeSpec
from gecbench.api.schemes import loader_elsewhere, scheme_for
from gecbench.core.errors import CorpusError
from gecbench.core.options import Workers, check_jobs
from gecbench.core.sample import Corpus, Sample
from gecbench.core.scheme import Watch, no_progress
from gecbench.formats.stored import Block, stored_alike
from gecbench.scoring.extractor import Decision, Extractor, edit_set_limit_note, keep_spans
from gecbench.scoring.languages import corpus_language
from gecbench.scoring.parts import PartOfCorpus, PartTask, decided_already, in_parts


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
