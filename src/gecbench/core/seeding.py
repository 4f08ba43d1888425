"""Seeds: every random choice has a name, so that one does not disturb another."""

from __future__ import annotations


def number(seed: int, name: str) -> int:
    """A 64-bit seed for what is named.

    The same seed and name give the same number on every machine and in every version of Python.

    >>> number(0, "bootstrap") == number(0, "bootstrap") != number(1, "bootstrap")
    True
    """
    import hashlib  # many commands draw nothing

    digest = hashlib.sha256(f"{seed}:{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big")
