"""Programs of others, each behind a function; imported when they are used.

A new segmenter is one function and one line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from gecbench.core.errors import MissingExtraError

SEGMENTERS: Mapping[str, str] = {
    "jieba": "gecbench.backends.chinese:jieba",
    "ltp": "gecbench.backends.chinese:ltp",
    "pkuseg": "gecbench.backends.chinese:pkuseg",
}
"""Name to the function that takes what follows the name after a colon, and gives the segmenter."""


def need(extra: str, *modules: str) -> None:
    """Refuse to go on without some modules.

    Args:
        extra: The extra of gecbench that brings them.
        modules: Their names.

    Raises:
        MissingExtraError: The first that is not installed.
    """
    for module in modules:
        if find_spec(module) is None:
            raise MissingExtraError(module, extra)
