"""Programs of others, each behind a function; imported when they are used.

A new segmenter is one function and one line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping

SEGMENTERS: Mapping[str, str] = {
    "jieba": "gecbench.backends.segmenters:jieba",
    "ltp": "gecbench.backends.segmenters:ltp",
    "pkuseg": "gecbench.backends.segmenters:pkuseg",
}
"""Name to the function that takes what follows the name after a colon, and gives the segmenter."""
