"""What formats share: places of errors, texts of rewrites, blocks, cells, sentences on losses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from gecbench.core.edit import apply
from gecbench.core.errors import (
    CorpusError,
    EditError,
    FormatError,
    GecbenchError,
    Message,
    OptionAdvice,
    Place,
    count_noun,
    quote,
)
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.formats import COLUMNS_OPTION, FORMATS
from gecbench.lang import language_of

CHINESE = "zh"
"""The language of MuCGEC's and FCGEC's files, and of ChERRANT's dialect of M2."""

ERROR_FREE, UNANNOTATABLE = "没有错误", "无法标注"
"""What stands in the place of a reference in MuCGEC's files and ChERRANT's."""

_LINE_ENDS = {"\n": Message("a line end"), "\r": Message("a line end")}

T = TypeVar("T")

# Places of errors: what parses a line or writes a sample does not know where that stands.


@contextmanager
def error_place(at: object, kind: type[GecbenchError] = FormatError) -> Iterator[None]:
    """Say of an error that names no place where it is; it becomes one of this kind."""
    try:
        yield
    except (CorpusError, EditError, FormatError) as error:
        if error.at is not None:
            raise
        raise kind(error.message, at=at) from error


COLUMNS = OptionAdvice(
    "{option}", COLUMNS_OPTION, page=Message("choose the format table and name its columns")
)
OR_LINES = OptionAdvice(
    ", or say {option} lines if this is a text",
    "--from",
    page=Message(", or choose the format lines if this is a text"),
)
"""How a file that looks like something else is read as a text."""
_AS_TABLE = OptionAdvice("say {option} table", "--from", page=Message("choose the format table"))


def unknown_format(
    at: Place, kind: str, *, is_table: bool, has_usual_columns: bool = False
) -> FormatError:
    """That a file is in no format of ours, and what to do about it.

    Args:
        at: The line that shows it.
        kind: What the file looks like, as "CSV".
        is_table: Whether it can be read by the names of its columns.
        has_usual_columns: Whether these need not be named.
    """
    if has_usual_columns:
        return FormatError(
            "this looks like {kind}, with columns that the format table finds by their names: "
            "{table}{option}",
            at=at,
            kind=kind,
            table=_AS_TABLE,
            option=OR_LINES,
        )
    if is_table:
        return FormatError(
            "this looks like {kind}, and which column is what has to be said: {columns}; "
            "the formats without such columns are {formats}{option}",
            at=at,
            kind=kind,
            columns=COLUMNS,
            formats=", ".join(name for name in FORMATS if name != "table"),
            option=OR_LINES,
        )
    return FormatError(
        "this looks like {kind}, which is not read; make it one of {formats} "
        "(docs/formats.md){option}",
        at=at,
        kind=kind,
        formats=", ".join(FORMATS),
        option=OR_LINES,
    )


def advise_conversion(error: FormatError) -> FormatError:
    """The same error where nobody can name the columns of a table, which is converted first."""
    return error.with_option(f"gecbench convert {COLUMNS_OPTION} --to jsonl", COLUMNS_OPTION)


def sample_place(sample: Sample) -> Message:
    """Where an error is that is about one sample."""
    return Message("sample {id!r}", id=sample.id)


def parse_rows(
    path: Path, rows: Iterable[tuple[int, str]], parse: Callable[[str], T]
) -> Iterator[tuple[int, T]]:
    """Yield what stands in numbered lines, with their numbers.

    Raises:
        FormatError: What `parse` raises, with path:line.
    """
    for n, line in rows:
        try:  # as `error_place`, which would take longer than parsing a short line
            row = parse(line)
        except (CorpusError, EditError, FormatError) as error:
            if error.at is not None:
                raise
            raise FormatError(error.message, at=Place(path, n)) from error
        yield n, row


def text_of(sample: Sample, rewrite: Rewrite, lang: str | None) -> str:
    """The text of a rewrite; the source where it is error free.

    One that is known only by edits is what its first edit set makes of the tokens; errors that
    are detected and not corrected stay. Where nobody has said the language, tokens are joined as
    in the source.

    Raises:
        CorpusError: The edits cannot be applied, or the rewrite is unannotatable and so has no
            text; names the sample.
    """
    if rewrite.error_free:
        return sample.source
    if rewrite.text is not None:
        return rewrite.text
    with error_place(sample_place(sample), CorpusError):
        if not rewrite.edit_sets:
            raise CorpusError("a rewrite is unannotatable, so it has no text")
        if lang:
            joiner = language_of(lang).joiner
        else:
            joiner = "" if "".join(sample.tokens) == sample.source else " "
        return joiner.join(apply(rewrite.edit_sets[0], sample.tokens))


def blocks(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield the numbered lines of each block; blank lines divide blocks."""
    for is_blank, rows in groupby(enumerate(lines, 1), key=lambda row: not row[1].strip()):
        if not is_blank:
            yield list(rows)


def outer_blocks(
    path: Path, text: str, pattern: re.Pattern[str], what: str
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the elements that SGML consists of, with their lines.

    Raises:
        FormatError: Something stands between them; says `what` was expected.
    """
    at, line = 0, 1
    for match in [*pattern.finditer(text), None]:
        between = text[at : match.start() if match else len(text)]
        if between.strip():
            line += between[: len(between) - len(between.lstrip())].count("\n")
            element = re.match(r"\s*<(\w+)", between)
            if element and f"</{element[1]}>" not in between:
                raise FormatError(
                    "{text} has no end; the file was cut off, or </{name}> is missing",
                    at=Place(path, line),
                    text=quote(between.strip().split("\n")[0]),
                    name=element[1],
                )
            raise FormatError(
                "{text} is in no {expected} that has an end",
                at=Place(path, line),
                text=quote(between.strip().split("\n")[0]),
                expected=what,
            )
        line += between.count("\n")
        if match:
            yield line, match
            line += match[0].count("\n")
            at = match.end()


def is_number(text: str) -> bool:
    """Whether a text is a whole number as files have it: at most nine digits, no sign."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def check_cell(text: str, what: str, name: str, *, tab_divides: bool = False) -> None:
    """Refuse a text that would not be read back as one cell of the format `name`.

    Raises:
        CorpusError: Names the format that can hold the text.
    """
    marks = {**_LINE_ENDS, "\t": Message("a TAB")} if tab_divides else _LINE_ENDS
    for mark, noun in marks.items():
        if mark in text:
            raise CorpusError(
                "{part} holds {mark}, which {format} cannot; write it as jsonl",
                part=what,
                mark=noun,
                format=name,
            )


def format_rows(corpus: Corpus, name: str, row_of: Callable[[Sample], str]) -> Iterator[str]:
    """Yield the content of a file of the format `name` with a row for each sample.

    Raises:
        CorpusError: What `row_of` raises, with the sample; or there is no row, or the first
            begins with what reading takes for a byte-order mark.
    """
    is_first = True
    for sample in corpus.samples:
        with error_place(sample_place(sample), CorpusError):
            row = row_of(sample)
            if is_first and row.startswith("\ufeff"):
                raise CorpusError(
                    "the file would begin with U+FEFF, which reading {format} drops; write it as "
                    "jsonl",
                    format=name,
                )
        is_first = False
        yield f"{row}\n"
    if is_first:
        raise CorpusError("corpus {name!r} has no sentences; write it as jsonl", name=corpus.name)


def not_kept(left_out: Mapping[str, int]) -> dict[str, str]:
    """What a corpus says of what its file held and its reader could not keep, with counts."""
    note = "; ".join(f"{count_noun(n, 'time')} {what}" for what, n in sorted(left_out.items()) if n)
    return {NOT_KEPT: note} if note else {}


def counts_not_kept(note: str) -> Counter[str]:
    """What a note of `not_kept` counts.

    >>> counts_not_kept("1 time an edit across lines; 1,200 times a mark")
    Counter({'a mark': 1200, 'an edit across lines': 1})
    """
    parts = (re.fullmatch(r"([\d,]+) times? (.+)", part, re.DOTALL) for part in note.split("; "))
    return Counter({part[2]: int(part[1].replace(",", "")) for part in parts if part})


# Losses: sentences on what of a corpus a format cannot hold.


def loss(count: int, noun: str, sentence: str, singular: str = "") -> list[str]:
    """A sentence with a counted noun in the place of "{}", none where the count is 0.

    >>> loss(2, "reference", "m2 numbers annotators, and {} named none")
    ['m2 numbers annotators, and 2 references named none']
    """
    template = singular if count == 1 and singular else sentence
    return [template.format(count_noun(count, noun))] if count else []


def loss_of(name: str, what: str, count: int, noun: str = "reference") -> list[str]:
    """One sentence on what the format `name` drops, none where the count is 0 or False.

    >>> loss_of("mucgec", "metadata", 64, "sentence")
    ['mucgec holds no metadata: 64 sentences lose theirs']
    """
    start = f"{name} holds no {what}: {{}}"
    return loss(int(count), noun, f"{start} lose theirs", f"{start} loses its own")


def text_losses(name: str, corpus: Corpus) -> list[str]:
    """What every format loses that holds nothing but sources and texts of references."""
    samples = corpus.samples
    rewrites = [rewrite for sample in samples for rewrite in sample.references]
    return [
        *loss_of(name, "metadata", sum(bool(s.meta) for s in samples), "sentence"),
        *loss_of(name, "provenance", bool(corpus.provenance), "corpus"),
        *loss_of(name, "annotators", sum(r.annotator is not None for r in rewrites)),
        *loss_of(name, "edits", sum(bool(r.edit_sets) for r in rewrites)),
        *loss_of(name, "flag that edit sets were capped", sum(r.capped for r in rewrites)),
        *loss_of(name, "tokens", sum(bool(s.tokens) for s in samples), "sentence"),
        *loss(
            sum(r.text is None and not r.error_free and not r.unannotatable for r in rewrites),
            "reference",
            f"{name} holds texts: {{}} known only by edits, written as what these make of the "
            "source, errors left uncorrected no longer marked",
        ),
    ]


def chinese_loss(name: str, corpus: Corpus) -> list[str]:
    """What a format loses whose corpora are Chinese."""
    sentence = f"{name} is Chinese: the language {corpus.lang!r} becomes {CHINESE!r}"
    return [] if corpus.lang == CHINESE else [sentence]


# Parallel texts: a file of sources, and as many files of references as any sentence has.


def most_references(corpus: Corpus) -> int:
    """How many references the sentence has that has most."""
    return max((len(sample.references) for sample in corpus.samples), default=0)


def parallel_text(sample: Sample, number: int, lang: str | None) -> str:
    """What stands for a sentence in a file of references, from 0.

    A sentence with fewer references repeats its first; the source stands for one that is error
    free or unannotatable, and where there is none.

    Raises:
        CorpusError: The edits of a rewrite cannot be applied.
    """
    if not sample.references:
        return sample.source
    rewrite = sample.references[number if number < len(sample.references) else 0]
    return sample.source if rewrite.unannotatable else text_of(sample, rewrite, lang)


def parallel_losses(name: str, corpus: Corpus) -> list[str]:
    """What is lost in parallel texts of the format `name` beside ids."""
    width, samples = most_references(corpus), corpus.samples
    rewrites = [rewrite for sample in samples for rewrite in sample.references]
    short = sum(0 < len(sample.references) < width for sample in samples)
    bare = sum(not sample.references for sample in samples) if width else 0
    less = f"fewer than {width} references"
    source = "written as a copy of the source"
    return [
        *loss_of(name, "language", corpus.lang is not None, "corpus"),
        *text_losses(name, corpus),
        *loss(
            sum(r.error_free for r in rewrites),
            "reference",
            f"{name} cannot say 'error free': {{}} {source}",
        ),
        *loss(
            sum(r.unannotatable for r in rewrites),
            "reference",
            f"{name} cannot say 'unannotatable': {{}} {source}",
        ),
        *loss(
            short,
            "sentence",
            f"{{}} have {less}: their first reference is repeated",
            f"{{}} has {less}: its first reference is repeated",
        ),
        *loss(
            bare,
            "sentence",
            "{} have no reference: their source is repeated",
            "{} has no reference: its source is repeated",
        ),
    ]
