"""The sentences of a recipe's corpora and evaluation sets, one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.sample import NOT_KEPT, Rewrite, Sample
from gecbench.datasets.prepare.recipe import Ingredient
from gecbench.formats.sources import stream_lines
from gecbench.formats.streaming import stream_corpus, stream_parallel
from gecbench.formats.texts import shown, text_of

PAIRS = "pairs"
"""The format of pairs: source TAB target, as CLang8 is published."""


class Sentence(NamedTuple):
    """A sentence as a corpus gives it.

    Args:
        source: As written.
        targets: One for each reference; the source where one says that it is free of error.
        unannotatable: How many references say so.
        inapplicable: How many references are edits that cannot be applied to the source.
    """

    source: str
    targets: tuple[str, ...]
    unannotatable: int = 0
    inapplicable: int = 0


class Reading(NamedTuple):
    """What a corpus says of itself, and its sentences.

    Args:
        notes: What its reader could not keep.
        sentences: To be gone through once.
    """

    notes: tuple[str, ...]
    sentences: Iterator[Sentence]


def reading(one: Ingredient) -> Reading:
    """Return the sentences of a corpus, up to its limit.

    Raises:
        GecbenchError: A file cannot be read, is empty, or is not what its format promises; also
            while the sentences are asked for.
    """
    notes: tuple[str, ...] = ()
    if one.format == PAIRS:
        sentences = _pairs(Path(one.path), *one.columns)
    elif one.references:
        rows = stream_parallel(Path(one.path), [Path(each) for each in one.references])
        sentences = (_sentence(sample, None) for sample in rows)
    else:
        notes, sentences = _corpus(one)
    return Reading(notes, islice(sentences, one.limit) if one.limit else sentences)


def evaluation_texts(path: Path) -> Iterator[str]:
    """Yield the sentences of an evaluation set: sources, then the references of each.

    Raises:
        GecbenchError: The file cannot be read or is not what its format promises.
    """
    about, samples = stream_corpus(path)
    for sample in samples:
        sentence = _sentence(sample, about.lang)
        yield sentence.source
        yield from sentence.targets


def _corpus(one: Ingredient) -> tuple[tuple[str, ...], Iterator[Sentence]]:
    try:
        about, samples = stream_corpus(Path(one.path), format=one.format or None)
    except FormatError as error:
        if one.format or "the first column looks like a sentence" not in str(error):
            raise
        raise FormatError(
            f"{error}; or, where rows are source TAB target, say --from {one.name}={PAIRS}"
        ) from error
    notes = tuple(about.provenance[key] for key in (NOT_KEPT,) if key in about.provenance)
    return notes, (_sentence(sample, about.lang) for sample in samples)


def _sentence(sample: Sample, lang: str | None) -> Sentence:
    targets = []
    inapplicable = 0
    for rewrite in sample.references:
        if rewrite.error_free:
            targets.append(sample.source)
        elif not rewrite.unannotatable:
            text = _text(sample, rewrite, lang)
            inapplicable += text is None
            targets += [] if text is None else [text]
    unannotatable = len(sample.references) - len(targets) - inapplicable
    return Sentence(sample.source, tuple(targets), unannotatable, inapplicable)


def _text(sample: Sample, rewrite: Rewrite, lang: str | None) -> str | None:
    """Return the text of a reference; None where its edits overlap, as MaxMatch allows."""
    try:
        return text_of(sample, rewrite, lang)
    except CorpusError:
        return None


def _pairs(path: Path, source: int, target: int) -> Iterator[Sentence]:
    n = 0
    for n, line in enumerate(stream_lines(path), 1):
        cells = line.split("\t")
        if len(cells) < target:
            raise FormatError(
                f"{path}:{n}: {_columns(cells)}, but the target stands in column {target}: "
                f"{shown(line)}; rows are source TAB target, or name other columns"
            )
        targets = cells[target - 1 : target] + [cell for cell in cells[target:] if cell.strip()]
        yield Sentence(cells[source - 1], tuple(targets))
    if not n:
        raise FormatError(f"{path}:1: the file is empty; a corpus has at least one sentence")


def _columns(cells: Sequence[str]) -> str:
    return "there is 1 column" if len(cells) == 1 else f"there are {len(cells)} columns"
