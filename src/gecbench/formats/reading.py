"""Reading whole corpora, and what systems made of them, in any format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import STDIO, name_of, read_lines
from gecbench.core.format import Format
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.formats import FORMATS, load_format
from gecbench.formats.losses import counted
from gecbench.formats.texts import shown

_NAMED = 5
_CONTEXT = 12
_M2 = ("m2", "m2-maxmatch")
_HEADINGS = ("source", "src", "sentence", "text", "原句", "source sentence", "input")


def read(path: Path, *, format: str | None = None) -> Corpus:
    """Return the corpus in a file.

    Args:
        path: The file, or "-" for standard input.
        format: Name of a format; None tries them in the order of FORMATS.

    Raises:
        FormatError: The file is empty or breaks a rule of its format; begins with path:line.
        UnknownNameError: There is no such format.
    """
    chosen, lines = _open(path, format)
    return chosen.read(path, lines)


def read_parallel(source: Path, references: Sequence[Path]) -> Corpus:
    """Return the corpus in files of lines: line k of each belongs to sentence k.

    Raises:
        FormatError: A file is empty.
        CorpusError: Two files have different numbers of lines.
    """
    corpus = read(source, format="lines")
    columns = []
    for path in references:
        _, texts = _open(path, "lines")
        if len(texts) != len(corpus.samples):
            raise CorpusError(
                f"{path}: {counted(len(texts), 'line')}, but {source} has "
                f"{len(corpus.samples)}; line k of each file belongs to sentence k"
            )
        columns.append(texts)
    samples = tuple(
        replace(sample, references=tuple(Rewrite(text=column[k]) for column in columns))
        for k, sample in enumerate(corpus.samples)
    )
    return replace(corpus, samples=samples)


def read_system(
    path: Path, corpus: Corpus, *, name: str | None = None, format: str | None = None
) -> SystemOutput:
    """Return what a system made of the sentences of a corpus.

    Lines and M2 are joined by position, the other formats by id. Where the file holds sources
    they must be those of the corpus, white space aside.

    Args:
        path: The file, in any format.
        corpus: What the system was run on.
        name: Of the system; None takes the file's name without its ending.
        format: Name of a format; None tries them in the order of FORMATS.

    Raises:
        FormatError: The file is empty or breaks a rule of its format; begins with path:line.
        CorpusError: Sentences are missing, too many, without a rewrite, or have another source.
    """
    chosen, lines = _open(path, format)
    output = chosen.read(path, lines)
    by_position = chosen.name in ("lines", *_M2)
    if by_position:
        _check_count(path, output, corpus, chosen.name)
    else:
        _check_ids(path, output, corpus)
    if chosen.name == "lines":
        rows = [replace(row, references=(Rewrite(text=row.source),)) for row in output.samples]
    else:
        rows = list(output.samples)
        _check_rows(path, chosen.name, lines, rows, corpus)
    ids = [sample.id for sample in (corpus if by_position else output).samples]
    return SystemOutput(
        name_of(path) if name is None else name,
        {key: row.references for key, row in zip(ids, rows, strict=True)},
        {key: row.tokens for key, row in zip(ids, rows, strict=True) if row.tokens},
    )


def _open(path: Path, format: str | None) -> tuple[Format, list[str]]:
    """Return the lines of a file and the format they are in."""
    lines = read_lines(path)
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; a corpus has at least one sentence")
    if format is not None:
        return load_format(format), lines
    formats = map(load_format, FORMATS)
    found = next(each for each in formats if each.sniff(lines))
    if found.name == "mucgec":
        check_columns(path, lines)
    return found, lines


def check_plain(path: Path) -> None:
    """Refuse a file that looks like another format where lines of text belong.

    Raises:
        FormatError: It looks like another format, or is empty.
    """
    if str(path) == STDIO:  # can be read once only
        return
    found, _ = _open(path, None)
    if found.name != "lines":
        raise FormatError(
            f"{path}:1: this is {found.name}, not plain text; --reference goes with text files of "
            "one sentence a line; leave it out for a corpus that has its own references, or say "
            "--from lines"
        )


def check_columns(path: Path, lines: Sequence[str]) -> None:
    """Refuse two tables that look like MuCGEC's and would be read wrongly.

    `--from mucgec` reads them all the same.
    """
    first = [cell.strip().lower() for cell in lines[0].split("\t")]
    if first[0] == "id" and first[1] in _HEADINGS:
        raise FormatError(f"{path}:1: this looks like a header, not a sentence; remove the line")
    names = [line.partition("\t")[0] for line in lines]
    if 2 * sum(map(_is_sentence, names)) > len(names):
        raise FormatError(
            f"{path}:1: the first column looks like a sentence, {shown(names[0])}, not like an id; "
            "rows are id TAB source TAB references (if these are ids, say --from mucgec)"
        )


def _is_sentence(name: str) -> bool:
    return sum("\u4e00" <= character <= "\u9fff" for character in name) > 4 or name.count(" ") > 4


def _check_count(path: Path, output: Corpus, corpus: Corpus, format: str) -> None:
    found, wanted = len(output.samples), len(corpus.samples)
    if found != wanted:
        raise CorpusError(
            f"{path}: {counted(found, 'sentence')}, but corpus {corpus.name!r} has {wanted}; "
            f"give one for each, in the same order (it was read as {format})"
        )


def _check_ids(path: Path, output: Corpus, corpus: Corpus) -> None:
    found = dict.fromkeys(sample.id for sample in output.samples)
    wanted = dict.fromkeys(sample.id for sample in corpus.samples)
    problems = [
        f"{counted(len(ids), 'id')} {what}: {_some(ids)}"
        for what, ids in (
            ("missing", [each for each in wanted if each not in found]),
            ("too many", [each for each in found if each not in wanted]),
        )
        if ids
    ]
    if problems:
        raise CorpusError(
            f"{path}: {'; '.join(problems)}; give the ids of corpus {corpus.name!r}, each once "
            "(in M2 and text lines the ids are 1, 2, ...)"
        )


def _some(ids: Sequence[str]) -> str:
    return ", ".join(map(repr, ids[:_NAMED])) + (", ..." if len(ids) > _NAMED else "")


def _check_rows(
    path: Path, format: str, lines: Sequence[str], rows: Sequence[Sample], corpus: Corpus
) -> None:
    """Refuse a row without a rewrite or with another source than the corpus has."""
    wanted: Mapping[str, Sample] = {sample.id: sample for sample in corpus.samples}
    for k, row in enumerate(rows):
        sample = corpus.samples[k] if format in _M2 else wanted[row.id]
        if not row.references:
            raise CorpusError(
                f"{path}:{_line(format, lines, k)}: id {row.id!r} has no rewrite; a system's "
                "output has one for each sentence, behind its source"
            )
        if row.source != sample.source and _packed(row.source) != _packed(sample.source):
            raise CorpusError(
                f"{path}:{_line(format, lines, k)}: id {sample.id!r} has the source "
                f"{_from_difference(row.source, sample.source)}, but corpus {corpus.name!r} has "
                f"{_from_difference(sample.source, row.source)}; run the system on this corpus"
            )


def _from_difference(text: str, other: str) -> str:
    """Return a text as an error quotes it, from shortly before where it differs from another."""
    alike = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(text, other, strict=False)))
    start = 0 if alike <= _CONTEXT else alike - _CONTEXT
    return shown(f"…{text[start:]}" if start else text)


def _packed(text: str) -> str:
    return "".join(text.split())


def _line(format: str, lines: Sequence[str], k: int) -> int:
    """Return the line number of sample k of a file that was read without error."""
    if format in _M2:
        return [n for n, line in enumerate(lines, 1) if line.startswith("S ")][k]
    return k + 2 if format == "jsonl" else k + 1  # jsonl has a header
