"""One folder per language: everything that is particular to it.

A new scheme is one file with a function that makes it and one line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping

SCHEMES: Mapping[str, str] = {
    "zh-cherrant": "gecbench.lang.zh.cherrant:scheme",
    "zh-char": "gecbench.lang.zh.char:scheme",
    "en-errant": "gecbench.lang.en.errant:scheme",
}
"""Name to the function that makes the scheme."""
