"""Refuses values of a metric's options that it cannot work with."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.core.errors import UsageError


def check_choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is none of those allowed.

    Raises:
        UsageError: Names the option, the value and what is allowed.
    """
    if value not in allowed:
        raise UsageError(f"{option} is {value!r}; it is one of {', '.join(allowed)}")


def check_once(kind: str, names: Sequence[str]) -> None:
    """Refuse a name that stands twice in a list.

    Raises:
        UsageError: Names the kind of what is named, and the list.
    """
    if len(set(names)) < len(names):
        raise UsageError(f"a {kind} is named twice in {','.join(names)}; name it once")


def check_least(option: str, value: int, least: int) -> None:
    """Refuse a number below the least one allowed.

    Raises:
        UsageError: Names the option, the value and what is allowed.
    """
    if value < least:
        raise UsageError(f"{option} is {value}; it is a whole number from {least} on")


def check_between(option: str, value: float, low: float, high: float) -> None:
    """Refuse a number outside an interval whose ends are allowed.

    Raises:
        UsageError: Names the option, the value and what is allowed.
    """
    if not low <= value <= high:
        raise UsageError(f"{option} is {value:g}; it is a number from {low:g} to {high:g}")
