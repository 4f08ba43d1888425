"""What of a corpus M2 cannot hold."""

from __future__ import annotations

from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.losses import counted, lost
from gecbench.formats.m2.marks import join
from gecbench.formats.m2.rewrites import detects_only
from gecbench.formats.m2.writing import coders, is_bare
from gecbench.formats.texts import made_of


def losses(corpus: Corpus) -> list[str]:
    """Return what is lost beside the name, which is the file's.

    Raises:
        CorpusError: Edits cannot be applied; names the sample.
    """
    targets = corpus.lang == "zh"
    samples = corpus.samples
    pairs = [(sample, rewrite) for sample in samples for rewrite in sample.references]
    numbers = sum(sample.id != str(n) for n, sample in enumerate(samples, 1))
    sources = sum(
        bool(sample.tokens) and join(sample.tokens, targets=targets) != sample.source
        for sample in samples
    )
    texts = sum(_differs(sample, rewrite, targets=targets) for sample, rewrite in pairs)
    alike = sum(r.edit_sets == ((),) and not r.error_free for _, r in pairs)
    sets = 0 if targets else sum(len(r.edit_sets) > 1 for _, r in pairs)
    renamed = sum(_renamed(sample, targets=targets) for sample in samples)
    return [
        *lost("m2", "metadata", sum(bool(sample.meta) for sample in samples), "sentence"),
        *lost("m2", "provenance", bool(corpus.provenance), "corpus"),
        *lost("m2", "ids but numbers", numbers, "sentence"),
        *lost("m2", "language", corpus.lang not in (None, "zh"), "corpus"),
        *lost("m2", "flag that edit sets were capped", sum(r.capped for _, r in pairs)),
        *lost("m2", "annotators but numbers", renamed),
        *_unnamed(sum(r.annotator is None for s, r in pairs if targets or not is_bare(s))),
        *_differ(sources, "source", "", "tokens joined, other in white space or more"),
        *_differ(texts, "reference", " with another text", "what edits make of tokens"),
        *_differ(alike, "reference", " without edits", "a declaration of being error free"),
        *_differ(sets, "reference", " with several edit sets", "the first of them"),
    ]


def _differs(sample: Sample, rewrite: Rewrite, *, targets: bool) -> bool:
    """Return whether the text is another one than reading back gives."""
    if not any(rewrite.edit_sets):
        return False
    kept = rewrite.edit_sets if targets else rewrite.edit_sets[:1]
    if any(map(detects_only, kept)):
        return rewrite.text is not None
    return rewrite.text != join(made_of(sample, kept[0]), targets=targets)


def _renamed(sample: Sample, *, targets: bool) -> int:
    names = coders(sample, targets=targets)
    rewrites = sample.references
    pairs = zip(rewrites, names, strict=True)
    return sum(r.annotator not in (None, name) for r, name in pairs)


def _unnamed(count: int) -> list[str]:
    return [f"m2 numbers annotators, and {counted(count, 'reference')} named none"] if count else []


def _differ(count: int, noun: str, which: str, other: str) -> list[str]:
    return [f"m2 holds edits: {counted(count, noun)}{which} read back as {other}"] if count else []
