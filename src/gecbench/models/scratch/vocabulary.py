"""The units that a network knows, in the order of their ids."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from gecbench.core.errors import FormatError, UsageError
from gecbench.core.files import read_bytes, write_bytes
from gecbench.models.seq2seq.encoding import Specials

PAD, START, END, UNKNOWN = 0, 1, 2, 3
FIRST = 4
"""The first id that is a unit; those below stand for no text."""

SPECIALS = Specials(
    before=(),
    after=(END,),
    start=START,
    end=END,
    pad=PAD,
    unknown=UNKNOWN,
    dropped=(PAD, START),
)


def build_vocabulary(
    texts: Iterable[str], divide: Callable[[str], Iterable[str]], *, size: int, min_count: int
) -> tuple[str, ...]:
    """Return the most frequent units of texts; of equally frequent ones the first by code point.

    Args:
        texts: What is counted.
        divide: From a text to its units.
        size: At most so many; 0 takes all.
        min_count: Rarer ones are left out.

    Raises:
        UsageError: None is left.

    >>> build_vocabulary(["ab", "bc"], tuple, size=2, min_count=1)
    ('b', 'a')
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(divide(text))
    frequent = [unit for unit, count in counts.items() if count >= min_count]
    if not frequent:
        raise UsageError(
            f"model.vocabulary.min_count: no unit of the training pairs occurs {min_count} times; "
            "lower it"
        )
    ordered = sorted(frequent, key=lambda unit: (-counts[unit], unit))
    return tuple(ordered[: size or None])


def write_vocabulary(path: Path, units: tuple[str, ...]) -> None:
    """Write units as a list in JSON."""
    write_bytes(path, f"{json.dumps(units, ensure_ascii=False, indent=0)}\n".encode())


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """Return the units in a file.

    Raises:
        FormatError: It is not a list of different texts in JSON.
        GecbenchError: It cannot be read.
    """
    whole = "copy the model's folder again, whole"
    try:
        units = msgspec.json.decode(read_bytes(path), type=list[str])
    except msgspec.ValidationError as error:
        raise FormatError(f"{path}: is not a list of units ({error}); {whole}") from error
    except ValueError as error:
        raise FormatError(f"{path}: is not JSON: {error}; {whole}") from error
    if not all(units):
        raise FormatError(f"{path}: has a unit without text; {whole}")
    if len(set(units)) < len(units):
        raise FormatError(f"{path}: has a unit twice; {whole}")
    return tuple(units)


def hash_of(units: tuple[str, ...]) -> str:
    """Return a hash of units in their order: 16 hexadecimal digits."""
    return hashlib.sha256("\n".join(units).encode()).hexdigest()[:16]
