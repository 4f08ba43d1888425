"""Strings, before anything is a token."""

from __future__ import annotations

from collections.abc import Mapping

NORMALISATIONS: Mapping[str, str] = {
    "halfwidth": "gecbench.text.normalise:halfwidth",
    "lower": "gecbench.text.normalise:lower",
    "nfc": "gecbench.text.normalise:nfc",
    "nfkc": "gecbench.text.normalise:nfkc",
    "punctuation": "gecbench.text.normalise:punctuation",
    "s2t": "gecbench.backends.chinese:s2t",
    "squeeze": "gecbench.text.normalise:squeeze",
    "t2s": "gecbench.backends.chinese:t2s",
}
"""Name to the function that gives what a signature calls the change, and the change itself."""
