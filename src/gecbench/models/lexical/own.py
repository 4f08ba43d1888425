"""The user's own words: names and terms that are right whatever a dictionary says."""

from __future__ import annotations

from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import read_lines


def own_words(path: Path) -> tuple[str, ...]:
    """Return the words of a file, one a line, sorted, each once; empty lines are none.

    Raises:
        FormatError: A line has several words, or the file is not UTF-8.
        GecbenchError: It cannot be read.
    """
    words = set()
    for number, line in enumerate(read_lines(path), 1):
        word = line.strip()
        if len(word.split()) > 1:
            raise FormatError(f"{path}:{number}: {word!r} has blanks; write one word a line")
        words.add(word)
    return tuple(sorted(words - {""}))
