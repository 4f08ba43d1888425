"""What makes numbers doubtful, among all that is said of them."""

from __future__ import annotations


class Doubt(str):
    """A note that numbers are perhaps not what they seem; it is shown before they are.

    Other notes say how numbers were made and wait until someone asks.

    >>> isinstance(Doubt("a: empty outputs: 3"), str)
    True
    """

    __slots__ = ()
