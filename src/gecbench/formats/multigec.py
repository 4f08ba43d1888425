"""multigec: essays under headings `### essay_id = NAME`, as MultiGEC-2025 is published.

Sources, each set of references and the outputs of systems are files of the same form, joined by
the names of the essays. A text is an essay, with its line ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from gecbench.core.errors import CorpusError, FormatError, Place, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.texts import (
    format_rows,
    loss_of,
    most_references,
    parallel_losses,
    parallel_text,
)

_NAME = "multigec"
_HEADING = re.compile(r"### essay_id = (.*\S)\s*")


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


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write a file of essays, or "-orig.md", "-ref1.md", ... where there are references.

    Raises:
        CorpusError: Names the essay with a name or a text that would be read back as another.
    """
    width = most_references(corpus)
    files = {"-orig.md" if width else "": _file(corpus, lambda sample: sample.source)}
    for k in range(width):
        text = partial(parallel_text, number=k, lang=corpus.lang)
        files[f"-ref{k + 1}.md"] = _file(corpus, text)
    return files


def _file(corpus: Corpus, text_of: Callable[[Sample], str]) -> Iterator[str]:
    return format_rows(corpus, _NAME, lambda sample: _section(sample.id, text_of(sample)))


def _section(name: str, text: str) -> str:
    heading = f"### essay_id = {name}"
    match = _HEADING.fullmatch(heading)
    lines = text.strip("\n").split("\n")
    if match is None or match[1] != name or "\r" in heading:
        raise CorpusError("the id {id!r} cannot stand in a heading; write it as jsonl", id=name)
    if not text.strip():
        raise CorpusError("the text is empty, which multigec cannot hold; fill it or leave it out")
    if any(map(_HEADING.fullmatch, lines)) or "\r" in text:
        raise CorpusError(
            "a line of the text is a heading, or has an old line end; write it as jsonl"
        )
    return "\n".join([heading, *lines, ""])


def losses(corpus: Corpus) -> list[str]:
    """What is lost beside the name, which is the file's."""
    texts = (
        text
        for sample in corpus.samples
        for text in (sample.source, *(rewrite.text or "" for rewrite in sample.references))
    )
    return [
        *loss_of(
            _NAME, "line ends around an essay", sum(t != t.strip("\n") for t in texts), "text"
        ),
        *parallel_losses(_NAME, corpus),
    ]


FORMAT = Format(
    name=_NAME,
    title="MultiGEC-2025",
    about="essays under headings ### essay_id = NAME, as MultiGEC-2025 is published",
    first_line=_HEADING,
    stream=stream,
    pieces=pieces,
    losses=losses,
    is_text=True,
)
