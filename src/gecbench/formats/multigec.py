"""multigec: essays under headings `### essay_id = NAME`, as MultiGEC-2025 is published.

Sources, each set of references and the outputs of systems are files of the same form, joined by
the names of the essays. A text is an essay, with its line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gecbench.core.errors import FormatError, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Sample

_HEADING = re.compile(r"### essay_id = (.*\S)\s*")


def sniff(lines: Sequence[str]) -> bool:
    """Whether the first line that is not blank is the heading of an essay."""
    first = next((line for line in lines if line.strip()), "")
    return _HEADING.fullmatch(first) is not None


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the essays, without the blank lines around them.

    Raises:
        FormatError: Names the line of a text before the first heading, or of an empty essay.
    """
    return Corpus(name_of(path), ()), _essays(path, lines)


def _essays(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, Sample]]:
    name, start, text = "", 1, list[str]()
    for n, line in enumerate(lines, 1):
        heading = _HEADING.fullmatch(line)
        if heading:
            if name:
                yield start, _essay(path, start, name, text)
            name, start, text = heading[1], n, []
        elif name:
            text.append(line)
        elif line.strip():
            raise FormatError(
                "{text} stands before the first essay; an essay begins with ### essay_id = NAME",
                at=Place(path, n),
                text=quote(line),
            )
    if not name:
        raise FormatError(
            "there is no essay; it begins with ### essay_id = NAME", at=Place(path, 1)
        )
    yield start, _essay(path, start, name, text)


def _essay(path: Path, line: int, name: str, lines: Sequence[str]) -> Sample:
    text = "\n".join(lines).strip("\n")
    if not text.strip():
        raise FormatError(
            "essay {id!r} is empty; fill it or remove it", at=Place(path, line), id=name
        )
    return Sample(name, text)


FORMAT = Format(
    name="multigec",
    about="essays under headings ### essay_id = NAME, as MultiGEC-2025 is published",
    sniff=sniff,
    stream=stream,
    is_text=True,
)
