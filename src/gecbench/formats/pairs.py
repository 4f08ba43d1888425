"""pairs: source TAB target TAB target ..., as cLang-8 and extracts of Lang-8 are passed on.

It is read only where it is named: a table of that kind may be MuCGEC's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gecbench.core.errors import FormatError, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import parse_rows


def sniff(_lines: Sequence[str]) -> bool:
    """Never: the format is named."""
    return False


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
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


FORMAT = Format(
    name="pairs",
    about="source TAB target, as cLang-8 is published",
    sniff=sniff,
    stream=stream,
    has_ids=False,
)
