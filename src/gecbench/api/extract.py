"""The edits of a corpus."""

from __future__ import annotations

from dataclasses import replace

from gecbench import __version__
from gecbench.api.schemes import AnyScheme, corpus_language, extractor_for, scheme_for
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Sample
from gecbench.core.scheme import Scheme, Watch, unwatched


def extract(
    corpus: Corpus,
    scheme: AnyScheme,
    *,
    keep: bool = False,
    minimise: bool = True,
    relabel: bool = True,
    watch: Watch = unwatched,
) -> Corpus:
    """Return the corpus with the edits of every rewrite, those of a file replaced.

    Args:
        corpus: Any corpus; samples without references stay without.
        scheme: What extracts edits.
        keep: Keep the spans of edits that are given, and give them the scheme's types; for
            schemes that can, as en-errant. Then all edits have to be given.
        minimise: Of kept edits drop tokens that both sides share at their ends.
        relabel: Give kept edits the scheme's types in place of their own.
        watch: Wraps the loop over samples, to show progress.

    Raises:
        UsageError: The scheme is for another language, or cannot keep edits.
        CorpusError: There is no reference, or one whose edits cannot be applied together.
    """
    scheme = scheme_for(corpus, scheme)
    if not any(sample.references for sample in corpus.samples):
        raise CorpusError(
            f"{corpus.name}: no sentence has a reference, so there are no edits; "
            "give references (for text files: --reference FILE)"
        )
    made_by = {**corpus.provenance, **scheme.signature, "gecbench": __version__}
    if keep:
        made_by["spans"] = "annotators"
        samples = _kept_spans(corpus, scheme, minimise=minimise, relabel=relabel)
    else:
        made_by.pop("spans", None)
        extractor = extractor_for(corpus, scheme, re_extract=True, watch=watch)
        samples = extractor.extract(corpus).corpus.samples
    return replace(
        corpus,
        samples=samples,
        lang=corpus_language(corpus, scheme).code,
        provenance=made_by,
    )


def _kept_spans(
    corpus: Corpus, scheme: Scheme, *, minimise: bool, relabel: bool
) -> tuple[Sample, ...]:
    """Return samples whose edits keep their spans."""
    if scheme.keep_spans is None:
        raise UsageError(
            f"scheme {scheme.name} cannot keep given edits, it finds them between texts; "
            "leave --keep-edits out"
        )
    annotations = []
    for sample in corpus.samples:
        for rewrite in sample.references:
            if not (rewrite.edit_sets or rewrite.error_free or rewrite.unannotatable):
                raise CorpusError(
                    f"sentence {sample.id!r} has a reference without edits to keep; "
                    "leave --keep-edits out to find them"
                )
            if any(rewrite.edit_sets):
                annotations.append((rewrite.edit_sets[0], sample.tokens))
    made = iter(scheme.keep_spans(annotations, minimise=minimise, relabel=relabel))
    return tuple(
        replace(
            sample,
            references=tuple(
                replace(rewrite, edit_sets=(next(made),)) if any(rewrite.edit_sets) else rewrite
                for rewrite in sample.references
            ),
        )
        for sample in corpus.samples
    )
