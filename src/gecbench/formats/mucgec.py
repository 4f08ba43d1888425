"""mucgec: id TAB source TAB reference TAB reference ..., as MuCGEC and NaCGEC are published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import name_of
from gecbench.core.format import Format
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.losses import text_losses
from gecbench.formats.texts import check_cell, file_of, shown, text_of

_NAME = "mucgec"
_ROW = "a row is id TAB source TAB references"
_ERROR_FREE = "没有错误"
_UNANNOTATABLE = "无法标注"
_SIMPLIFIED = str.maketrans("沒錯誤無標註", "没错误无标注")


def sniff(lines: Sequence[str]) -> bool:
    """Return whether the first line that is not empty has a TAB."""
    return next(("\t" in line for line in lines if line.strip()), False)


def read(path: Path, lines: Sequence[str]) -> Corpus:
    """Return the rows as samples; texts are kept as they are, white space and all.

    A reference that is 没有错误 or 无法标注 is a state, not a text: white space is ignored there,
    and the traditional forms count, as in ChERRANT, which simplifies before it compares.

    Raises:
        FormatError: Names the first row that is blank, lacks a cell, or repeats an id.
    """
    rows: dict[str, int] = {}
    samples = []
    for n, line in enumerate(lines, 1):
        sample = sample_of(path, n, line)
        first = rows.setdefault(sample.id, n)
        if first != n:
            raise FormatError(
                f"{path}:{n}: id {sample.id!r} stands in line {first} already; ids are unique"
            )
        samples.append(sample)
    return Corpus(name_of(path), tuple(samples), "zh")


def write(corpus: Corpus) -> Mapping[str, str]:
    """Return the rows of a corpus.

    A reference known only by edits is written as what they make of the source.

    Raises:
        CorpusError: Names the sample with a text that would be read back as something else.
    """
    rows = [_row(sample, corpus.lang) for sample in corpus.samples]
    return {"": file_of(rows, corpus, _NAME)}


def losses(corpus: Corpus) -> list[str]:
    """Return what is lost beside the name, which is the file's."""
    found = text_losses(_NAME, corpus)
    if corpus.lang != "zh":
        found.append(f"{_NAME} is Chinese: the language {corpus.lang!r} becomes 'zh'")
    return found


def sample_of(path: Path, n: int, line: str) -> Sample:
    """Return the sample in line n of a file.

    Raises:
        FormatError: The row is blank or lacks a cell.
    """
    cells = line.split("\t")
    if len(cells) < 2:
        if not line.strip():
            raise FormatError(f"{path}:{n}: the line is blank; remove it")
        raise FormatError(f"{path}:{n}: no TAB in {shown(line)}; {_ROW}")
    if not cells[0].strip():
        raise FormatError(f"{path}:{n}: the id is empty; {_ROW}")
    if not cells[1].strip():
        raise FormatError(
            f"{path}:{n}: the source of id {cells[0]!r} is empty; fill it or remove the row"
        )
    return Sample(cells[0], cells[1], tuple(_rewrite(path, n, cell) for cell in cells[2:]))


def _rewrite(path: Path, n: int, cell: str) -> Rewrite:
    packed = "".join(cell.split())
    if not packed:
        raise FormatError(
            f"{path}:{n}: a reference is empty; remove the TAB before it, or write "
            f"{_ERROR_FREE} or {_UNANNOTATABLE}"
        )
    return _state(packed) or Rewrite(text=cell)


def _state(packed: str) -> Rewrite | None:
    if len(packed) != len(_ERROR_FREE):  # both marks have four characters; translating is slow
        return None
    simplified = packed.translate(_SIMPLIFIED)
    if simplified == _ERROR_FREE:
        return Rewrite(error_free=True)
    return Rewrite(unannotatable=True) if simplified == _UNANNOTATABLE else None


def _row(sample: Sample, lang: str | None) -> str:
    cells = [_cell(sample.id, sample, "the id"), _cell(sample.source, sample, "the source")]
    for k, rewrite in enumerate(sample.references):
        if rewrite.error_free:
            cells.append(_ERROR_FREE)
        elif rewrite.unannotatable:
            cells.append(_UNANNOTATABLE)
        else:
            cells.append(_reference(text_of(sample, rewrite, lang), sample, k))
    return "\t".join(cells)


def _cell(text: str, sample: Sample, what: str) -> str:
    check_cell(text, sample, what, _NAME, tab_divides=True)
    if not text.strip():
        raise CorpusError(
            f"sample {sample.id!r}: {what} is empty, which {_NAME} cannot hold; "
            "fill it or leave it out"
        )
    return text


def _reference(text: str, sample: Sample, k: int) -> str:
    _cell(text, sample, f"reference {k}")
    if _state("".join(text.split())):
        raise CorpusError(
            f"sample {sample.id!r}: reference {k} is the text {text!r}, which {_NAME} reads "
            "as a mark; write it as jsonl"
        )
    return text


FORMAT = Format(
    name=_NAME,
    about="id TAB source TAB references, as MuCGEC is published",
    sniff=sniff,
    read=read,
    write=write,
    losses=losses,
)
