"""Values of parameters: of the type that the recipe's own have, so that names of files agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gecbench.core.errors import UsageError


def fitted(value: Any, like: Any) -> Any:
    """Return a value as one that may stand where another stands.

    A whole number becomes one with a point where such are wanted: 0 and 0.0 would name other files.

    Args:
        value: Of the command line, or of the small form.
        like: The recipe's.

    Raises:
        UsageError: It is of another type, not finite, or a list with a value twice.
    """
    if isinstance(like, list):
        return _list(value, like)
    if isinstance(like, Mapping):
        return _table(value, like)
    if isinstance(like, float):
        return _number(value)
    if type(value) is not type(like):
        raise UsageError("give a value of that type")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError("give a value of that type")
    if not math.isfinite(value):
        raise UsageError("give a finite number")
    return float(value)


def _list(value: Any, like: Sequence[Any]) -> list[Any]:
    if not isinstance(value, list):
        raise UsageError("give a value of that type, a list in brackets")
    if not value:
        raise UsageError("give at least one value")
    first = next((each for each in like if isinstance(each, float)), like[0] if like else None)
    try:
        made = [each if first is None else fitted(each, first) for each in value]
    except UsageError as error:
        raise UsageError(
            str(error).replace("a value of that type", "values of that type")
        ) from None
    names = [each["name"] if isinstance(each, Mapping) else each for each in made]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} stands there twice")
    return made


def _table(value: Any, like: Mapping[str, Any]) -> Any:
    if not isinstance(value, Mapping):
        raise UsageError("give a value of that type, a table in braces")
    lacking = [key for key in like if key not in value]
    if lacking:
        raise UsageError(f"a table of it lacks {', '.join(lacking)}")
    return {**value, **{key: fitted(value[key], like[key]) for key in like}}
