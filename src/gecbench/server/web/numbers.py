"""Numbers that come in an address or a form."""

from __future__ import annotations

_DIGITS = 18
"""As many digits fit a column of the database."""


def number_in(given: str, *, digits: int = _DIGITS) -> int | None:
    """Return a whole number from 0 on; None for anything else.

    >>> number_in("12"), number_in("²"), number_in("-1"), number_in("9" * 30)
    (12, None, None, None)
    """
    plain = given.isascii() and given.isdigit()
    return int(given) if plain and len(given) <= digits else None
