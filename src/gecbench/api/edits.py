"""The edits of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gecbench import __version__
from gecbench.api.schemes import check_language
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.core.scheme import Extraction, Scheme
from gecbench.edits.sets import SET_LIMIT
from gecbench.lang.given import completed, target

Watch = Callable[[str, Sequence[Sample]], Iterator[Sample]]
"""Wraps a loop over samples, which the text names, to show progress."""


def capped_note(ids: Sequence[str]) -> str:
    """Return the sentence that tells of texts with more edit sets than are listed."""
    names = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
    have = "sentence has" if len(ids) == 1 else "sentences have"
    return (
        f"{len(ids)} {have} more than {SET_LIMIT} different edit sets, of which the first was "
        f"kept, as by strategy first: {names}"
    )


def unwatched(_: str, items: Sequence[Sample]) -> Iterator[Sample]:
    """Show no progress."""
    return iter(items)


def extract(
    corpus: Corpus,
    scheme: Scheme,
    *,
    keep: bool = False,
    minimise: bool = True,
    relabel: bool = True,
    watch: Watch = unwatched,
) -> Corpus:
    """Return the corpus with the edits of every rewrite, given ones replaced.

    Args:
        corpus: Any corpus; samples without references stay without.
        scheme: How edits are found.
        keep: Keep the spans of edits that are given, and give them the scheme's types; for
            schemes that can, as en-errant. Then all edits have to be given.
        minimise: Of kept edits drop tokens that both sides share at their ends.
        relabel: Give kept edits the scheme's types in place of their own.
        watch: Wraps the loop over samples, to show progress.

    Raises:
        UsageError: The scheme is for another language, or cannot keep edits.
        CorpusError: There is no reference, or one without a text.
    """
    check_language(corpus, scheme)
    if not any(sample.references for sample in corpus.samples):
        raise CorpusError(
            f"{corpus.name}: no sentence has a reference, so there are no edits; "
            "give references (for text files: --reference FILE)"
        )
    if keep:
        samples = _kept(corpus, scheme, minimise=minimise, relabel=relabel)
    else:
        samples = _found(corpus, scheme, watch)
    return replace(
        corpus,
        samples=tuple(samples),
        lang=scheme.lang,
        provenance={**corpus.provenance, **scheme.signature, "gecbench": __version__},
    )


def _found(corpus: Corpus, scheme: Scheme, watch: Watch) -> list[Sample]:
    """Return samples whose edits are all found between texts."""
    texts = {
        (sample.id, at): _text(reference, sample, scheme)
        for sample in corpus.samples
        for at, reference in enumerate(sample.references)
        if not (reference.unannotatable or reference.error_free)
    }
    known: dict[tuple[str, int], Extraction] = {}
    if scheme.batch:
        sources = {sample.id: sample.source for sample in corpus.samples}
        pairs = [(sources[name], text) for (name, _), text in texts.items()]
        known = dict(zip(texts, scheme.batch(pairs), strict=True))
    samples = []
    for sample in watch("edits", corpus.samples):
        source = scheme.parse_source(sample.source)
        references = []
        for at, rewrite in enumerate(sample.references):
            if rewrite.unannotatable:
                references.append(rewrite)
            elif rewrite.error_free:
                references.append(replace(rewrite, edit_sets=((),)))
            else:
                key = sample.id, at
                found = known.get(key) or scheme.extract(source, scheme.parse_target(texts[key]))
                sets = completed(rewrite, sample.tokens, found, scheme)
                references.append(replace(rewrite, edit_sets=sets, capped=found.capped))
        samples.append(replace(sample, tokens=source.tokens, references=tuple(references)))
    return samples


def _text(rewrite: Rewrite, sample: Sample, scheme: Scheme) -> str:
    text = target(rewrite, sample.tokens, scheme)
    if text is None:
        raise CorpusError(
            f"sentence {sample.id!r} has a reference without a text (an error that was "
            "detected, not corrected), so its edits cannot be extracted"
        )
    return text


def _kept(corpus: Corpus, scheme: Scheme, *, minimise: bool, relabel: bool) -> list[Sample]:
    """Return samples whose given edits keep their spans."""
    if scheme.given is None:
        raise UsageError(
            f"scheme {scheme.name} cannot keep given edits, it finds them between texts; "
            "leave --keep-edits out"
        )
    given = []
    for sample in corpus.samples:
        for rewrite in sample.references:
            if not (rewrite.edit_sets or rewrite.error_free or rewrite.unannotatable):
                raise CorpusError(
                    f"sentence {sample.id!r} has a reference without edits to keep; "
                    "leave --keep-edits out to find them"
                )
            if any(rewrite.edit_sets):
                given.append((rewrite.edit_sets[0], sample.tokens))
    made = iter(scheme.given.keep(given, minimise=minimise, relabel=relabel))
    return [
        replace(
            sample,
            references=tuple(
                replace(rewrite, edit_sets=(next(made),)) if any(rewrite.edit_sets) else rewrite
                for rewrite in sample.references
            ),
        )
        for sample in corpus.samples
    ]
