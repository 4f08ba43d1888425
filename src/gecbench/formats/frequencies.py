"""How often words occur in a training text: a table of counts, or the text itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import name_of, read_lines
from gecbench.formats.texts import shown


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often words occur.

    Args:
        of: Each word that was asked for.
        note: What the file was taken for, for people.
    """

    of: Mapping[str, int]
    note: str


def read_frequencies(path: Path, wanted: Collection[str], *, spaced: bool) -> Frequencies:
    """Return how often words occur; upper and lower case are one.

    Args:
        path: Lines of a word, TAB and a count; or a text. The first line says which it is.
        wanted: The words to count, in lower case.
        spaced: White space divides the words of the text; without, any run of characters that
            is the word counts, as in Chinese.

    Raises:
        FormatError: The file is empty, or a line of a table is none, as a header.
    """
    lines = read_lines(path)
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; give a text, or words TAB counts")
    if _entry(lines[0]):
        found = _table(path, lines, frozenset(wanted))
        return Frequencies(found, f"{name_of(path)}: read as a table of {len(lines):,} words")
    if len(lines) > 1 and _entry(lines[1]):
        raise FormatError(
            f"{path}:1: expected a word, TAB and a count, as in line 2, not {shown(lines[0])}; "
            "remove the line if it is a header"
        )
    found, size = _counted(lines, frozenset(wanted), spaced=spaced)
    unit = "words" if spaced else "characters"
    return Frequencies(found, f"{name_of(path)}: read as a text of {size:,} {unit}")


def _entry(line: str) -> tuple[str, int] | None:
    """Return a word and its count, None where the line is something else."""
    word, tab, count = line.partition("\t")
    if not (word and tab and count.isascii() and count.isdecimal()):
        return None
    return word, int(count)


def _table(path: Path, lines: Sequence[str], wanted: frozenset[str]) -> Mapping[str, int]:
    found = dict.fromkeys(wanted, 0)
    for n, line in enumerate(lines, 1):
        entry = _entry(line)
        if entry is None:
            raise FormatError(
                f"{path}:{n}: expected a word, TAB and a count, as in line 1, not {shown(line)}"
            )
        word = entry[0].lower()
        if word in found:
            found[word] += entry[1]
    return found


def _counted(
    lines: Sequence[str], wanted: frozenset[str], *, spaced: bool
) -> tuple[Mapping[str, int], int]:
    """Return how often words occur in a text, and how long it is."""
    often: Counter[str] = Counter()
    if spaced:
        for line in lines:
            often.update(line.lower().split())
        size = often.total()
    else:
        size = sum(map(len, lines))
        for length in sorted({len(word) for word in wanted}):
            for line in map(str.lower, lines):
                runs = (line[at : at + length] for at in range(len(line) - length + 1))
                often.update(run for run in runs if run in wanted)
    return {word: often[word] for word in wanted}, size
