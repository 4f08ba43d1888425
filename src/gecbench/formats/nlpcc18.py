"""nlpcc18: id TAB number of corrections TAB source TAB corrections, NLPCC-2018's training data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from gecbench.core.errors import FormatError, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import CHINESE, is_number, parse_rows


def sniff(lines: Sequence[str]) -> bool:
    """Whether all first rows have as many corrections as they say."""
    rows = [line.split("\t") for line in lines[:50]]
    return bool(rows) and all(map(_fits, rows))


def _fits(cells: Sequence[str]) -> bool:
    return (
        len(cells) > 2
        and is_number(cells[0])
        and is_number(cells[1])
        and len(cells) == 3 + int(cells[1])
    )


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the rows, numbered; the first column, which need not be unique, becomes metadata.

    A sentence without corrections is free of errors, as the organisers count it.

    Raises:
        FormatError: Names the first row that does not have as many corrections as it says.
    """
    rows = parse_rows(path, enumerate(lines, 1), _sample)
    return Corpus(name_of(path), (), CHINESE), ((n, replace(row, id=str(n))) for n, row in rows)


def _sample(line: str) -> Sample:
    number, *cells = line.split("\t")
    if not _fits([number, *cells]):
        raise FormatError(
            "a row is number TAB number of corrections TAB source TAB corrections, as many as it "
            "says; here is {text}",
            text=quote(line),
        )
    source, texts = cells[1], cells[2:]
    if not all(text.strip() for text in (source, *texts)):
        raise FormatError("the source or a correction is empty; fill it or remove the row")
    rewrites = tuple(Rewrite(text=text) for text in texts) or (Rewrite(error_free=True),)
    return Sample("", source, rewrites, {"number": number})


FORMAT = Format(
    name="nlpcc18",
    title="NLPCC-2018",
    about="number, number of corrections, source, corrections, as NLPCC-2018's training data",
    sniff=sniff,
    stream=stream,
    has_ids=False,
)
