"""Names to objects: plain tables of "module:object" strings, resolved when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from gecbench.core.errors import UnknownNameError


def resolve(kind: str, name: str, table: Mapping[str, str]) -> object:
    """Import and return what `table` holds under `name`.

    Raises:
        UnknownNameError: The table does not hold the name; the nearest names are given.
    """
    try:
        target = table[name]
    except KeyError:
        raise UnknownNameError(kind, name, table) from None
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
