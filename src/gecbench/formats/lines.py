"""lines: one sentence a line, sentence k of each file belongs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gecbench.core.files import name_of
from gecbench.core.format import Format
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.losses import counted, lost, text_losses
from gecbench.formats.texts import check_cell, file_of, text_of

_NAME = "lines"


def sniff(_lines: Sequence[str]) -> bool:
    """Return True: every text file is lines, so this format is tried last."""
    return True


def read(path: Path, lines: Sequence[str]) -> Corpus:
    """Return a corpus without references; ids are line numbers, an empty line is a sentence."""
    return Corpus(name_of(path), tuple(Sample(str(n), line) for n, line in enumerate(lines, 1)))


def write(corpus: Corpus) -> Mapping[str, str]:
    """Return one file of sources, or ".src", ".ref0", ".ref1", ... where there are references.

    The files of references have as many lines as that of the sources, so what a line cannot say
    becomes a text: a reference that is error free or unannotatable is the source; a sentence with
    fewer references than another repeats its first, one without any its source.

    Raises:
        CorpusError: Names the sample with a line end in a text.
    """
    sources = [_checked(sample.source, sample, "the source") for sample in corpus.samples]
    width = _width(corpus)
    if not width:
        return {"": file_of(sources, corpus, _NAME)}
    files = {".src": file_of(sources, corpus, _NAME)}
    for k in range(width):
        texts = [_reference(sample, k, corpus.lang) for sample in corpus.samples]
        files[f".ref{k}"] = file_of(texts, corpus, _NAME)
    return files


def losses(corpus: Corpus) -> list[str]:
    """Return what is lost beside the name, which is the file's."""
    width = _width(corpus)
    rewrites = [rewrite for sample in corpus.samples for rewrite in sample.references]
    numbers = sum(sample.id != str(n) for n, sample in enumerate(corpus.samples, 1))
    short = sum(0 < len(sample.references) < width for sample in corpus.samples)
    bare = sum(not sample.references for sample in corpus.samples) if width else 0
    return [
        *lost(_NAME, "ids but line numbers", numbers, "sentence"),
        *lost(_NAME, "language", corpus.lang is not None, "corpus"),
        *text_losses(_NAME, corpus),
        *_becomes("error free", sum(r.error_free for r in rewrites), "the source as a text"),
        *_becomes("unannotatable", sum(r.unannotatable for r in rewrites), "the source as a text"),
        *_repeats(short, f"fewer than {width} references", "first reference"),
        *_repeats(bare, "no reference", "source"),
    ]


def _width(corpus: Corpus) -> int:
    return max((len(sample.references) for sample in corpus.samples), default=0)


def _checked(text: str, sample: Sample, what: str) -> str:
    check_cell(text, sample, what, _NAME)
    return text


def _reference(sample: Sample, k: int, lang: str | None) -> str:
    if not sample.references:
        return sample.source
    k = k if k < len(sample.references) else 0
    rewrite = sample.references[k]
    if rewrite.error_free or rewrite.unannotatable:
        return sample.source
    return _checked(text_of(sample, rewrite, lang), sample, f"reference {k}")


def _becomes(state: str, count: int, what: str) -> list[str]:
    if not count:
        return []
    return [f"{_NAME} cannot say {state!r}: {counted(count, 'reference')} written as {what}"]


def _repeats(count: int, why: str, what: str) -> list[str]:
    if not count:
        return []
    verb, whose = ("has", "its") if count == 1 else ("have", "their")
    return [f"{counted(count, 'sentence')} {verb} {why}: {whose} {what} is repeated"]


FORMAT = Format(
    name=_NAME,
    about="one sentence a line; sources and references in files of their own",
    sniff=sniff,
    read=read,
    write=write,
    losses=losses,
)
