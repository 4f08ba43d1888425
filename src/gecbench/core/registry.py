"""Names to objects: tables of "module:object" strings, and entry points of other packages.

Another package offers a metric, scheme, format or corrector by an entry point in its
pyproject.toml::

    [project.entry-points."gecbench.formats"]
    xml = "my_package.xml:FORMAT"
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from gecbench.core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS: Mapping[str, str] = {
    "metric": "gecbench.metrics",
    "scheme": "gecbench.schemes",
    "format": "gecbench.formats",
    "corrector": "gecbench.correctors",
}
"""Kinds of objects that other packages may offer, and their groups of entry points."""


def resolve(kind: str, name: str, table: Mapping[str, str]) -> object:
    """Import and return what `table`, or else another package, has under `name`.

    Raises:
        UnknownNameError: Nobody has the name; the nearest names are given.
        UsageError: What another package offers cannot be imported.
    """
    if name in table:
        module, _, attribute = table[name].partition(":")
        return getattr(import_module(module), attribute)
    entries = _entry_points(kind)
    if name not in entries:
        raise UnknownNameError(kind, name, known_names(kind, table))
    entry = entries[name]
    try:
        return entry.load()
    except Exception as error:  # whatever the other package's import raises
        raise UsageError(
            f"{describe(kind, name)} cannot be imported from {entry.value}: "
            f"{type(error).__name__}: {error}"
        ) from error


def describe(kind: str, name: str) -> str:
    """What messages call something that another package may offer, with the package."""
    entry = _entry_points(kind).get(name)
    if entry is None:
        return f"{kind} {name!r}"
    return f"{kind} {name!r} of package {entry.dist.name if entry.dist else '?'}"


def known_names(kind: str, table: Mapping[str, str]) -> list[str]:
    """What `table` and other packages have."""
    return [*table, *_entry_points(kind)]


def is_known(kind: str, name: str, table: Mapping[str, str]) -> bool:
    """Whether `table` or another package has something under `name`."""
    return name in table or name in _entry_points(kind)


@cache
def _entry_points(kind: str) -> dict[str, EntryPoint]:
    if kind not in GROUPS:
        return {}
    from importlib.metadata import entry_points  # 20 ms that the names of tables need not pay

    return {entry.name: entry for entry in entry_points(group=GROUPS[kind])}
