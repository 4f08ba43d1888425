"""How formats say what of a corpus they cannot hold."""

from __future__ import annotations

from gecbench.core.sample import Corpus


def lost(name: str, what: str, count: int, noun: str = "reference") -> list[str]:
    """Return one sentence on what the format `name` drops, none where the count is 0 or False.

    >>> lost("mucgec", "metadata", 64, "sentence")
    ['mucgec holds no metadata: 64 sentences lose theirs']
    """
    if not count:
        return []
    loses = "loses its own" if count == 1 else "lose theirs"
    return [f"{name} holds no {what}: {counted(int(count), noun)} {loses}"]


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(2, "row")
    '2 rows'
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def text_losses(name: str, corpus: Corpus) -> list[str]:
    """Return what every format loses that holds nothing but sources and texts of references."""
    rewrites = [rewrite for sample in corpus.samples for rewrite in sample.references]
    by_edits = sum(
        rewrite.text is None and not rewrite.error_free and not rewrite.unannotatable
        for rewrite in rewrites
    )
    applied = (
        f"{name} holds texts: {counted(by_edits, 'reference')} known only by edits, written as "
        "what these make of the source, errors left uncorrected no longer marked"
    )
    return [
        *lost(name, "metadata", sum(bool(s.meta) for s in corpus.samples), "sentence"),
        *lost(name, "provenance", bool(corpus.provenance), "corpus"),
        *lost(name, "annotators", sum(r.annotator is not None for r in rewrites)),
        *lost(name, "edits", sum(bool(r.edit_sets) for r in rewrites)),
        *lost(name, "flag that edit sets were capped", sum(r.capped for r in rewrites)),
        *lost(name, "tokens", sum(bool(s.tokens) for s in corpus.samples), "sentence"),
        *([applied] if by_edits else []),
    ]
