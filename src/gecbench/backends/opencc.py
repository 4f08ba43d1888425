"""OpenCC: between traditional and simplified characters."""

from __future__ import annotations

from collections.abc import Callable

from gecbench.core.errors import MissingExtraError


def t2s() -> tuple[str, Callable[[str], str]]:
    """Return the conversion to simplified characters, and its name with OpenCC's version.

    Raises:
        MissingExtraError: OpenCC is not installed.
    """
    return _conversion("t2s")


def s2t() -> tuple[str, Callable[[str], str]]:
    """Return the conversion to traditional characters, and its name with OpenCC's version.

    Raises:
        MissingExtraError: OpenCC is not installed.
    """
    return _conversion("s2t")


def _conversion(name: str) -> tuple[str, Callable[[str], str]]:
    try:
        import opencc
    except ImportError:
        raise MissingExtraError(f"OpenCC, which {name} converts by,", "zh") from None
    convert: Callable[[str], str] = opencc.OpenCC(name).convert
    return f"{name}(opencc {opencc.__version__})", convert
