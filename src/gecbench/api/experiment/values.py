"""Numbers in the JSON that commands write, by a path to where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gecbench.core.errors import FormatError

_PART = re.compile(r"([^.\[\]]+)(?:\[([^\]]*)\])?(?:\.|$)")


def found_in(result: object, path: str) -> float | None:
    """Return the number at a path in a result; None where there is none.

    A path is keys with dots between them. After a key whose value is a list, brackets choose the
    one object that has certain values. An empty value means that the key is absent or null, or the
    same in all objects: of a single subset there is no row over all.

    >>> result = {"results": [{"system": "a", "f": 0.5}, {"system": "a", "subset": "x", "f": 1}]}
    >>> found_in(result, "results[system=a,subset=].f")
    0.5

    Args:
        result: As `json.loads` returns it.
        path: As "results[metric=m2].precision".

    Raises:
        FormatError: The path is none, brackets choose several objects, or there is no number.
    """
    at: Any = result
    for key, wanted in list(_parts(path)):
        at = at.get(key) if isinstance(at, Mapping) else None
        if wanted is not None:
            at = _chosen(at, wanted, path)
        if at is None:
            return None
    if isinstance(at, bool) or not isinstance(at, int | float):
        raise FormatError(f"{path}: there stands {str(at)[:40]!r}, which is no number")
    return float(at)


def check_path(path: str) -> None:
    """Refuse what is no path to a number; names in braces may stand for any part of it.

    Raises:
        FormatError: It is none.
    """
    for _ in _parts(path):
        pass


def _parts(path: str) -> Iterator[tuple[str, str | None]]:
    end = 0
    while end < len(path):
        part = _PART.match(path, end)
        if part is None:
            raise FormatError(f"{path}: is no path; write keys with dots, as results[system=a].f")
        yield part[1], part[2]
        end = part.end()


def _chosen(rows: object, wanted: str, path: str) -> object:
    """Return the one object of a list that has the wanted values; None where there is none."""
    pairs = [pair.partition("=") for pair in wanted.split(",")]
    every = [
        row for row in (rows if isinstance(rows, Sequence) else ()) if isinstance(row, Mapping)
    ]
    alone = {key for key, _, _ in pairs if len({_text(row.get(key)) for row in every}) == 1}
    found = [
        row
        for row in every
        if all(_text(row.get(k)) == v or (not v and k in alone) for k, _, v in pairs)
    ]
    if len(found) > 1:
        raise FormatError(f"{path}: [{wanted}] chooses {len(found)} objects; choose one")
    return found[0] if found else None


def _text(value: object) -> str:
    return "" if value is None else str(value)
