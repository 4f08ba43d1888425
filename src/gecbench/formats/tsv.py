"""Rows of cells with TABs between them: mucgec, nasgec, nlpcc18, lang8 and pairs.

mucgec is id TAB source TAB reference TAB reference ..., as MuCGEC is published. nasgec is the same,
with more marks in the place of a reference, as NaSGEC and NaCGEC have them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from gecbench.core.errors import CorpusError, FormatError, Message, OptionAdvice, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import (
    CHINESE,
    COLUMNS,
    ERROR_FREE,
    UNANNOTATABLE,
    check_cell,
    chinese_loss,
    format_rows,
    is_number,
    not_kept,
    parse_rows,
    text_losses,
    text_of,
)

_NAME = "mucgec"
_ID, _SOURCE = Message("the id"), Message("the source")
_SIMPLIFIED = str.maketrans("沒錯誤無標註", "没错误无标注")
_NASGEC_MARKS = frozenset(("噪音数据", "句意不明", "歧义句", "error。"))
"""What stands in NaSGEC and NaCGEC for a reference that is none (SUDA-LA/CGECData removes them)."""
_NASGEC_MARK = re.compile(rf"\t(?:{'|'.join(_NASGEC_MARKS)})(?:\t|$)")

_HEADINGS = frozenset(
    ("source", "src", "sentence", "text", "原句", "source sentence", "input", "incorrect")
)
_TARGET_HEADINGS = frozenset(
    ("target", "tgt", "reference", "correction", "corrected", "correct", "output")
)


_OR_MUCGEC = OptionAdvice(
    ", or say {option} mucgec if a row is an id, a source and references",
    "--from",
    page=Message(", or choose the format mucgec if a row is an id, a source and references"),
)


_AS_PAIRS = OptionAdvice("{option} pairs", "--from", page=Message("the format pairs"))
_CLANG8_TARGET = re.compile(r"\d+\t\d+\t\d+\t(?:True|False)\t.+")
"""Journal, sentence, number in it, whether it is for evaluation, target."""


class SentencesAsIdsError(FormatError):
    """The first column of a table holds sentences: perhaps its rows are source TAB target."""


_WITH_TAB = re.compile(".*\t.*")
_IN_SENTENCES = re.compile(r"\S\s+\S|[\u4e00-\u9fff]")


def _sniff_nasgec(lines: Sequence[str]) -> bool:
    """Whether a row has a mark of NaSGEC in the place of a reference."""
    return any(
        not _NASGEC_MARKS.isdisjoint(line.split("\t")[2:])
        for line in filter(_NASGEC_MARK.search, lines)
    )


def check(path: Path, lines: Sequence[str]) -> None:
    """Refuse tables that look like MuCGEC's and would be read wrongly.

    Raises:
        FormatError: The first line is a header, or the lines are cLang-8's targets alone.
        SentencesAsIdsError: The first column holds sentences.
    """
    first = [cell.strip().lower() for cell in lines[0].split("\t")]
    if (first[0] == "id" and first[1] in _HEADINGS) or (
        first[0] in _HEADINGS and first[1] in _TARGET_HEADINGS
    ):
        raise FormatError(
            "this looks like a header, not a sentence; say which column is what: {columns}",
            at=Place(path, 1),
            columns=COLUMNS,
        )
    if 2 * sum(map(bool, map(_CLANG8_TARGET.fullmatch, lines))) > len(lines):
        raise FormatError(
            "these are targets of cLang-8, whose sources are in another file; its authors' "
            "prepare_clang8_dataset.py makes source TAB target of both, which {option} reads",
            at=Place(path, 1),
            option=_AS_PAIRS,
        )
    rows = [line.split("\t") for line in lines]
    is_pair = _is_pair if all(len(row) == 2 for row in rows) else _begins_with_sentence
    pairs = [n for n, row in enumerate(rows, 1) if is_pair(row)]
    if 2 * len(pairs) > len(rows):
        raise SentencesAsIdsError(
            "{option}; the first column looks like a sentence, {text}, not like an id; mucgec is "
            "id TAB source TAB references",
            at=Place(path, pairs[0]),
            text=quote(rows[pairs[0] - 1][0]),
            option=OptionAdvice(
                "say {option} pairs if rows are source TAB target, or {option} mucgec if these are "
                "ids",
                "--from",
                page=Message(
                    "choose the format pairs if rows are source TAB target, or mucgec if these are "
                    "ids"
                ),
            ),
        )


def _begins_with_sentence(row: Sequence[str]) -> bool:
    text = row[0]
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in text)
    blanks = text.count(" ")
    if text.endswith((*"。！？.!?",)):
        return chinese + blanks > 0
    return chinese > 4 or blanks > 4


def _is_pair(row: Sequence[str]) -> bool:
    """Whether a row of two cells is rather a sentence and its correction than an id and a source.

    Ids have no blanks or Chinese characters, and share few characters with what they name.
    """
    text, target = row[0].strip(), row[1].strip()
    shared = (Counter(text) & Counter(target)).total()
    return bool(_IN_SENTENCES.search(text)) or 3 * shared > len(text) + len(target)


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the rows as samples; texts are kept as they are, white space and all.

    A reference that is 没有错误 or 无法标注 is a state, not a text: white space is ignored there,
    and the traditional forms count, as in ChERRANT, which simplifies before it compares.

    Raises:
        FormatError: Names the first row that is blank or lacks a cell.
    """
    return Corpus(name_of(path), (), CHINESE), parse_rows(path, enumerate(lines, 1), _sample)


def _stream_nasgec(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the rows as `stream` does; NaSGEC's marks say that there is no reference, too."""
    about, rows = stream(path, lines)
    return about, ((n, _without_marks(sample)) for n, sample in rows)


def _without_marks(sample: Sample) -> Sample:
    if not any(rewrite.text in _NASGEC_MARKS for rewrite in sample.references):
        return sample
    rewrites = (
        Rewrite(unannotatable=True) if rewrite.text in _NASGEC_MARKS else rewrite
        for rewrite in sample.references
    )
    return replace(sample, references=tuple(rewrites))


def _sample(line: str) -> Sample:
    name, *texts = line.split("\t")
    if not texts:
        if not line.strip():
            raise FormatError("the line is blank; remove it")
        raise FormatError(
            "no TAB in {text}; a row is id TAB source TAB references", text=quote(line)
        )
    if not name.strip():
        raise FormatError("the id is empty; a row is id TAB source TAB references")
    if not texts[0].strip():
        raise FormatError("the source of id {id!r} is empty; fill it or remove the row", id=name)
    return Sample(name, texts[0], tuple(map(_rewrite, texts[1:])))


def _rewrite(cell: str) -> Rewrite:
    characters = "".join(cell.split())
    if not characters:
        raise FormatError(
            "a reference is empty; remove the TAB before it, or write 没有错误 or 无法标注"
        )
    return _state(characters) or Rewrite(text=cell)


def _state(characters: str) -> Rewrite | None:
    if len(characters) != len(ERROR_FREE):  # both marks have four characters; translating is slow
        return None
    simplified = characters.translate(_SIMPLIFIED)
    if simplified == ERROR_FREE:
        return Rewrite(error_free=True)
    return Rewrite(unannotatable=True) if simplified == UNANNOTATABLE else None


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write the rows of a corpus.

    A reference known only by edits is written as what they make of the source.

    Raises:
        CorpusError: Names the sample with a text that would be read back as something else.
    """
    return {"": format_rows(corpus, _NAME, partial(_row, lang=corpus.lang))}


def _row(sample: Sample, lang: str | None) -> str:
    cells = [_cell(sample.id, _ID), _cell(sample.source, _SOURCE)]
    for k, rewrite in enumerate(sample.references):
        if rewrite.error_free or rewrite.unannotatable:
            cells.append(ERROR_FREE if rewrite.error_free else UNANNOTATABLE)
            continue
        text = _cell(text_of(sample, rewrite, lang), Message("reference {place}", place=k))
        if _state("".join(text.split())):
            raise CorpusError(
                "reference {place} is the text {text!r}, which {format} reads as a mark; "
                "write it as jsonl",
                place=k,
                text=text,
                format=_NAME,
            )
        cells.append(text)
    return "\t".join(cells)


def _cell(text: str, what: str) -> str:
    check_cell(text, what, _NAME, tab_divides=True)
    if not text.strip():
        raise CorpusError(
            "{part} is empty, which {format} cannot hold; fill it or leave it out",
            part=what,
            format=_NAME,
        )
    return text


def losses(corpus: Corpus) -> list[str]:
    """What is lost beside the name, which is the file's."""
    return text_losses(_NAME, corpus) + chinese_loss(_NAME, corpus)


MUCGEC = Format(
    name=_NAME,
    title="MuCGEC",
    about="id TAB source TAB references, as MuCGEC is published",
    first_line=_WITH_TAB,
    stream=stream,
    pieces=pieces,
    losses=losses,
    check=check,
    later="nasgec",
)

NASGEC = Format(
    name="nasgec",
    title="NaSGEC",
    about="id TAB source TAB references, with the marks of NaSGEC and NaCGEC",
    first_line=_WITH_TAB,
    sniff=_sniff_nasgec,
    stream=_stream_nasgec,
    check=check,
)


# nlpcc18: id TAB number of corrections TAB source TAB corrections, NLPCC-2018's training data.


def _sniff_nlpcc18(lines: Sequence[str]) -> bool:
    """Whether most first rows begin with two numbers, the second of which may count corrections.

    A row that then has not as many corrections as it says is an error. As mucgec its number of
    corrections would be read as the sentence.
    """
    first = lines[:50]
    return 2 * sum(_begins_with_count(line.split("\t")) for line in first) > len(first)


def _begins_with_count(cells: Sequence[str]) -> bool:
    """Whether a row begins with a number and a count, not with an id and a sentence in digits.

    A sentence is as long as its correction, and mostly has digits in common with it. Nor is it a
    target of cLang-8, which `check` refuses.
    """
    if len(cells) < 3 or not (is_number(cells[0]) and is_number(cells[1])):
        return False
    if _CLANG8_TARGET.fullmatch("\t".join(cells)):
        return False
    return _fits(cells) or (len(cells[1]) < 4 and cells[1] not in cells[2])


def _fits(cells: Sequence[str]) -> bool:
    return (
        len(cells) > 2
        and is_number(cells[0])
        and is_number(cells[1])
        and len(cells) == 3 + int(cells[1])
    )


def _stream_nlpcc18(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the rows, numbered; the first column, which need not be unique, becomes metadata.

    A sentence without corrections is free of errors, as the organisers count it.

    Raises:
        FormatError: Names the first row that does not have as many corrections as it says.
    """
    rows = parse_rows(path, enumerate(lines, 1), _nlpcc18_sample)
    return Corpus(name_of(path), (), CHINESE), ((n, replace(row, id=str(n))) for n, row in rows)


def _nlpcc18_sample(line: str) -> Sample:
    number, *cells = line.split("\t")
    if not _fits([number, *cells]):
        raise FormatError(
            "a row is number TAB number of corrections TAB source TAB corrections, as many as it "
            "says; here is {text}{option}",
            text=quote(line),
            option=_OR_MUCGEC,
        )
    source, texts = cells[1], cells[2:]
    if not all(text.strip() for text in (source, *texts)):
        raise FormatError("the source or a correction is empty; fill it or remove the row")
    rewrites = tuple(Rewrite(text=text) for text in texts) or (Rewrite(error_free=True),)
    return Sample("", source, rewrites, {"number": number})


NLPCC18 = Format(
    name="nlpcc18",
    title="NLPCC-2018",
    about="number, number of corrections, source, corrections, as NLPCC-2018's training data",
    first_line=_WITH_TAB,
    sniff=_sniff_nlpcc18,
    stream=_stream_nlpcc18,
    has_ids=False,
)


# lang8: number of corrections, serial number of the entry, its address, number of the sentence
# (0 is the title), sentence, corrections; blank lines between entries. So is the NAIST Lang-8
# Corpus of Learner English 1.0 (entries.train).

_LANG8_ROW = re.compile(r"(\d+)\t(\d+)\thttps?://\S+\t(\d+)\t([^\t]*)((?:\t[^\t]*)*)")
_LANG8_BEGINNING = re.compile(r"([^\t]*)\t([^\t]*)\thttps?://\S+(?:\t([^\t]*).*)?")
"""A row that may be damaged; a reference that is an address may stand there, too."""
_BLANK_SENTENCE = Message("a blank sentence")


def _sniff_lang8(lines: Sequence[str]) -> bool:
    """Whether two of the three numbers are there that stand around the address."""
    match = _LANG8_BEGINNING.fullmatch(next(filter(str.strip, lines)))
    return match is not None and sum(map(is_number, filter(None, match.groups()))) > 1


def _stream_lang8(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the rows, numbered; a sentence that nobody corrected has no reference.

    A row whose sentence is blank is left out; the provenance counts them while rows are read.

    Raises:
        FormatError: Names the first row that lacks a cell, or with another number of corrections
            than it says.
    """
    provenance: dict[str, str] = {}
    rows = parse_rows(path, _lang8_sentences(lines, provenance), _lang8_sample)
    return Corpus(name_of(path), (), None, provenance), (
        (n, replace(row, id=str(k))) for k, (n, row) in enumerate(rows, 1)
    )


def _lang8_sentences(lines: Iterable[str], provenance: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the numbered rows whose sentence is not blank; say in `provenance` how many are."""
    blank = 0
    for n, line in enumerate(lines, 1):
        match = _LANG8_ROW.fullmatch(line)
        if match and not match[4].strip():
            blank += 1
            provenance |= not_kept({_BLANK_SENTENCE: blank})
        elif line.strip():
            yield n, line


def _lang8_sample(line: str) -> Sample:
    match = _LANG8_ROW.fullmatch(line)
    if not match:
        raise FormatError(
            "a row is number of corrections TAB entry TAB address TAB number of the sentence TAB "
            "sentence TAB corrections; here is {text}{option}",
            text=quote(line),
            option=_OR_MUCGEC,
        )
    count, entry, position, source, cells = match.groups()
    rewrites = tuple(Rewrite(text=text) for text in cells.split("\t") if text.strip())
    if not len(rewrites) <= int(count) <= cells.count("\t"):  # blank corrections may count
        raise FormatError(
            "the row says that it has {count} corrections, and has {number}; here is {text}",
            count=count,
            number=len(rewrites),
            text=quote(line),
        )
    return Sample("", source, rewrites, {"document": entry, "position": position})


LANG8 = Format(
    name="lang8",
    title="Lang-8",
    about="entries of the Lang-8 Corpus of Learner English, with addresses, as published",
    first_line=_LANG8_BEGINNING,
    sniff=_sniff_lang8,
    stream=_stream_lang8,
    has_ids=False,
)


# pairs: source TAB target TAB target ..., as cLang-8 and extracts of Lang-8 are passed on. It is
# read only where it is named: a table of that kind may be MuCGEC's.


def _stream_pairs(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the rows, numbered; every filled cell behind the source is a reference.

    Raises:
        FormatError: Names the first row without a source or a target.
    """
    rows = parse_rows(path, enumerate(lines, 1), _texts)
    return Corpus(name_of(path), ()), (
        (n, Sample(str(n), source, tuple(Rewrite(text=text) for text in targets)))
        for n, (source, *targets) in rows
    )


def _texts(line: str) -> list[str]:
    source, *cells = line.split("\t")
    targets = [cell for cell in cells if cell.strip()]
    if not source.strip() or not targets:
        raise FormatError(
            "a row is source TAB target, both filled; here is {text}", text=quote(line)
        )
    return [source, *targets]


PAIRS = Format(
    name="pairs",
    about="source TAB target, as cLang-8 is published",
    stream=_stream_pairs,
    has_ids=False,
)
