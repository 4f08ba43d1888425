"""JSON that comes in: strict, and never deeper than anything of ours."""

from __future__ import annotations

import json
from typing import NoReturn

_DEEPEST = 20


def json_in(raw: str | bytes) -> object:
    """Return what JSON says.

    Raises:
        ValueError: It is none (nor are NaN and Infinity), or nested so deep that reading it, or
            writing it down, would break.

    >>> json_in('{"texts": ["a"]}')
    {'texts': ['a']}
    """
    try:
        read = json.loads(raw, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    level: list[object] = [read]
    for _ in range(_DEEPEST):
        level = [one for outer in level for one in _inside(outer)]
        if not level:
            return read
    raise ValueError("it is nested too deep")


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
