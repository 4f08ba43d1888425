"""Corpora and system outputs, from files and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gecbench.core.errors import UsageError
from gecbench.core.files import write_text
from gecbench.core.sample import Corpus
from gecbench.formats import load_format
from gecbench.formats.reading import read, read_parallel
from gecbench.formats.reading import read_system as load_system

__all__ = ["load", "load_system", "sample", "save"]


def load(path: Path | str, *, format: str | None = None, references: Sequence[Path] = ()) -> Corpus:
    """Return the corpus in a file.

    Args:
        path: The file; "-" is standard input.
        format: Name of its format; None means find out.
        references: Parallel text files with the references, where `path` is one of sources.

    Raises:
        GecbenchError: The file cannot be read, or is not what its format promises.
    """
    if references:
        if format not in (None, "lines"):
            raise UsageError(f"reference files go with format lines, not {format}")
        return read_parallel(Path(path), references)
    return read(Path(path), format=format)


def save(corpus: Corpus, path: Path | str, *, format: str) -> list[str]:
    """Write a corpus and return what the format could not hold, a sentence each.

    Args:
        corpus: What to write.
        path: File to write, whole or not at all; "-" is standard output. A format of several
            files appends its endings to this name.
        format: Name of the format.

    Raises:
        GecbenchError: The format cannot hold a text at all, or the file cannot be written.
    """
    made = load_format(format)
    contents = made.write(corpus)
    if str(path) == "-" and len(contents) > 1:
        raise UsageError(f"format {format} writes {len(contents)} files; name them by --output")
    for ending, text in contents.items():
        write_text(Path(f"{path}{ending}"), text)
    return made.losses(corpus)


def sample(language: str, name: str) -> Path:
    """Return the path of a bundled sample file.

    >>> sample("zh", "corpus.jsonl").name
    'corpus.jsonl'
    """
    return Path(__file__).parent.parent / "samples" / language / name
