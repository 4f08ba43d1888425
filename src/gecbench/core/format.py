"""A format: how a corpus lies in files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gecbench.core.errors import FormatError, Place, UsageError
from gecbench.core.sample import Corpus, Sample

Rows = Iterator[tuple[int, Sample]]
"""Samples, each with the number of the line in which it begins."""


def begins(
    lines: Sequence[str], *, pattern: re.Pattern[str], count: int = 1, length: int | None = None
) -> bool:
    """Whether the first `count` lines, or `length` characters of them, begin with a pattern."""
    return pattern.match("\n".join(lines[:count])[:length]) is not None


# What stands for what a format does not have.


def accept(_path: Path, _lines: Sequence[str]) -> None:
    """Accept every file."""


def no_writer(_corpus: Corpus) -> Mapping[str, Iterable[str]]:
    """Stand for the writer of a format that is only read.

    Raises:
        UsageError: Always.
    """
    raise UsageError("this format is only read; write jsonl, mucgec, m2, fcgec or lines")


def no_losses(_corpus: Corpus) -> list[str]:
    """Lose nothing."""
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One way to keep a corpus in files.

    Another package offers one by an entry point of the group `gecbench.formats`.

    Args:
        name: As "m2".
        about: One line for people.
        title: What people call the data that come in it; "" where that is said by the name.
        first_line: What the first line that is not blank is like in this format; None for any.
        sniff: Says from the first lines of a file, if the first is like that, whether it is in this
            format. A format with neither of the two is read only where it is named.
        stream: What a corpus says of itself, without its samples, and these in the order of the
            file, given the file's path and its lines; raises FormatError with path:line, for a
            sample while it is asked for. Need not look whether ids are unique. The provenance may
            count what is not kept while samples are asked for.
        pieces: Contents by the ending to put behind the file's name ("" for the file itself), each
            as pieces that are made while they are asked for, with the errors that they raise; a
            format that is only read has none.
        losses: What of this corpus the format cannot hold, one sentence each, with counts;
            empty where reading back gives the same.
        has_ids: Whether samples have ids of their own; else these are 1, 2, ... and a system's
            sentences belong to those of a corpus by their position.
        rewrites: Reads references or a system's sentences by the sources, given by id, where such
            a file has a form of its own; None where it has that of a corpus.
        is_text: Whether a file holds nothing but texts, so that a system's are its hypotheses;
            else a system's sentence is its source with a rewrite.
        has_sources: Whether a file has the sources; else only what a system made of them.
        has_lang: Whether a file can say in which language it is; else the language of a corpus
            is what the format implies.
        check: Refuses lines that look like this format and would be read wrongly; not called
            where the format is named.
        later: Name of the format to read a file with of which only the first lines were looked at:
            what distinguishes it from this one may stand further on; "" for this one.
    """

    name: str
    about: str
    stream: Callable[[Path, Iterable[str]], tuple[Corpus, Rows]]
    first_line: re.Pattern[str] | None = None
    sniff: Callable[[Sequence[str]], bool] | None = None
    pieces: Callable[[Corpus], Mapping[str, Iterable[str]]] = no_writer
    losses: Callable[[Corpus], list[str]] = no_losses
    has_ids: bool = True
    rewrites: Callable[[Path, Iterable[str], Mapping[str, str]], Rows] | None = None
    is_text: bool = False
    has_sources: bool = True
    has_lang: bool = False
    check: Callable[[Path, Sequence[str]], None] = accept
    title: str = ""
    later: str = ""

    @property
    def is_written(self) -> bool:
        """Whether a corpus can be written in this format."""
        return self.pieces is not no_writer

    def matches(self, lines: Sequence[str]) -> bool:
        """Whether a file whose first lines are these seems to be in this format."""
        if self.first_line is None:
            return self.sniff is not None and self.sniff(lines)
        if not self.first_line.fullmatch(next(filter(str.strip, lines), "")):
            return False
        return self.sniff is None or self.sniff(lines)

    def read(self, path: Path, lines: Iterable[str]) -> Corpus:
        """The whole corpus in a file.

        Raises:
            FormatError: The file breaks a rule of the format, or an id occurs twice; begins with
                path:line.
        """
        about, rows = self.stream(path, lines)
        return replace(about, samples=tuple(sample for _, sample in unique(path, rows)))

    def write(self, corpus: Corpus) -> dict[str, str]:
        """The whole contents of `pieces`.

        Raises:
            CorpusError: The format cannot hold a text; names the sample.
        """
        return {ending: "".join(pieces) for ending, pieces in self.pieces(corpus).items()}


def unique(path: Path, rows: Rows) -> Rows:
    """Yield samples; refuse an id that occurs before.

    Raises:
        FormatError: Names both lines.
    """
    first: dict[str, int] = {}
    for n, sample in rows:
        if sample.id in first:  # perhaps in this line: JSON may have all in one
            raise FormatError(
                "id {id!r} stands in line {first} already; ids are unique",
                at=Place(path, n),
                id=sample.id,
                first=first[sample.id],
            )
        first[sample.id] = n
        yield n, sample
