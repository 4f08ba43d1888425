"""Samples one after another: corpora of millions of sentences are not held in memory.

Formats of one sentence a line are read as they are asked for; the others, whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import FORMATS, jsonl, load_format, mucgec
from gecbench.formats.fields import Fields
from gecbench.formats.reading import check_columns, read
from gecbench.formats.sources import stream_lines

_LOOKED_AT = 200


def stream_corpus(path: Path, *, format: str | None = None) -> tuple[Corpus, Iterator[Sample]]:
    """Return what a corpus says of itself, without its samples, and these in their order.

    Unlike `reading.read`, this does not look whether ids are unique in formats that are read
    line by line: mucgec, lines and jsonl.

    Args:
        path: The file.
        format: Name of a format; None tries them in the order of FORMATS.

    Raises:
        FormatError: The file is empty or breaks a rule of its format; begins with path:line.
            Of what stands further on, it is raised while the samples are asked for.
    """
    lines = stream_lines(path)
    first = list(islice(lines, _LOOKED_AT))
    if not first:
        raise FormatError(f"{path}:1: the file is empty; a corpus has at least one sentence")
    found = format or next(name for name in FORMATS if load_format(name).sniff(first))
    if found == "mucgec" and format is None:
        check_columns(path, first)
    if found not in _BY_LINE:
        corpus = read(path, format=found)
        return Corpus(corpus.name, (), corpus.lang, corpus.provenance), iter(corpus.samples)
    about = load_format(found).read(path, first[:1])
    rows = chain(first, lines)
    return Corpus(about.name, (), about.lang, about.provenance), _BY_LINE[found](path, rows)


def stream_parallel(source: Path, references: Sequence[Path]) -> Iterator[Sample]:
    """Yield the sentences of files of lines: line k of each belongs to sentence k.

    Raises:
        CorpusError: A file ends before another.
    """
    columns = [stream_lines(path) for path in (source, *references)]
    n = 0
    while True:
        row = [next(column, None) for column in columns]
        texts = [text for text in row if text is not None]
        if not texts:
            return
        n += 1
        if len(texts) < len(row):
            short = (source, *references)[row.index(None)]
            raise CorpusError(
                f"{short}: ends after line {n - 1}, but another file goes on; line k of "
                f"{source} and of each file of references belongs to sentence k"
            )
        yield Sample(str(n), texts[0], tuple(Rewrite(text=text) for text in texts[1:]))


def _lines(_path: Path, lines: Iterator[str]) -> Iterator[Sample]:
    for n, line in enumerate(lines, 1):
        yield Sample(str(n), line)


def _mucgec(path: Path, lines: Iterator[str]) -> Iterator[Sample]:
    for n, line in enumerate(lines, 1):
        yield mucgec.sample_of(path, n, line)


def _jsonl(path: Path, lines: Iterator[str]) -> Iterator[Sample]:
    for n, line in enumerate(lines, 1):
        if n > 1:
            yield jsonl.sample_of(Fields.parse(f"{path}:{n}", line))


_BY_LINE = {"jsonl": _jsonl, "lines": _lines, "mucgec": _mucgec}
