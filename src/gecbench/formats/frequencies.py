"""How often words occur in a training text: a table of counts, or the text itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gecbench.core.errors import FormatError, quote
from gecbench.core.files import name_of, read_lines
from gecbench.formats.texts import parse_rows


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often words occur.

    Args:
        of: Each word that was asked for.
        note: What the file was taken for, for people.
    """

    of: Mapping[str, int]
    note: str


def read_frequencies(path: Path, words: Collection[str], *, has_spaces: bool) -> Frequencies:
    """Read how often words occur; upper and lower case are one.

    Args:
        path: Lines of a word, TAB and a count; or a text. The first line says which it is.
        words: What to count, in lower case.
        has_spaces: White space divides the words of the text; without, any run of characters that
            is the word counts, as in Chinese.

    Raises:
        FormatError: The file is empty, or a line of a table is none, as a header.
    """
    lines = read_lines(path)
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; give a text, or words TAB counts")
    if is_count(lines[0]):
        counts = dict.fromkeys(words, 0)
        for word, count in read_counts(path, lines):
            if word.lower() in counts:
                counts[word.lower()] += count
        return Frequencies(counts, f"{name_of(path)}: read as a table of {len(lines):,} words")
    if len(lines) > 1 and is_count(lines[1]):
        raise FormatError(
            f"{path}:1: expected a word, TAB and a count, as in line 2, not {quote(lines[0])}; "
            "remove the line if it is a header"
        )
    text_counts, size = _count(lines, frozenset(words), has_spaces=has_spaces)
    unit = "words" if has_spaces else "characters"
    note = f"{name_of(path)}: read as a text of {size:,} {unit}"
    return Frequencies({word: text_counts[word] for word in words}, note)


def is_count(line: str) -> bool:
    """Whether a line is a word, TAB and a count."""
    word, _, count = line.partition("\t")
    return bool(word) and count.isascii() and count.isdecimal()


def read_counts(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the words of a table with their counts.

    Raises:
        FormatError: A line is something else.
    """
    for _, pair in parse_rows(path, enumerate(lines, 1), _parse_count):
        yield pair


def _parse_count(line: str) -> tuple[str, int]:
    if not is_count(line):
        raise FormatError(f"expected a word, TAB and a count, as in line 1, not {quote(line)}")
    word, _, count = line.partition("\t")
    return word, int(count)


def _count(
    lines: Sequence[str], words: frozenset[str], *, has_spaces: bool
) -> tuple[Counter[str], int]:
    """Count how often words occur in a text, and how long it is."""
    counts: Counter[str] = Counter()
    if has_spaces:
        for line in lines:
            counts.update(line.lower().split())
        return counts, counts.total()
    for length in sorted({len(word) for word in words}):
        for line in map(str.lower, lines):
            runs = (line[at : at + length] for at in range(len(line) - length + 1))
            counts.update(run for run in runs if run in words)
    return counts, sum(map(len, lines))
