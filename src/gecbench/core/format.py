"""A format: how a corpus lies in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gecbench.core.sample import Corpus


@dataclass(frozen=True, slots=True)
class Format:
    """One way to keep a corpus in files.

    Args:
        name: As "m2".
        about: One line for people.
        sniff: Says from the first lines of a file whether it is in this format.
        read: The corpus in a file, given the file's path and its lines; raises FormatError with
            path:line.
        write: Contents by the ending to put behind the file's name ("" for the file itself).
        losses: What of this corpus the format cannot hold, one sentence each, with counts;
            empty where reading back gives the same.
    """

    name: str
    about: str
    sniff: Callable[[Sequence[str]], bool]
    read: Callable[[Path, Sequence[str]], Corpus]
    write: Callable[[Corpus], Mapping[str, str]]
    losses: Callable[[Corpus], list[str]]
