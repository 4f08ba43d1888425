"""Programs of others, each behind a function; imported when they are used.

A new segmenter is one function and one line in the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from gecbench.core.errors import MissingExtraError

SEGMENTERS: Mapping[str, str] = {
    "jieba": "gecbench.backends.chinese:jieba",
    "ltp": "gecbench.backends.chinese:ltp",
    "pkuseg": "gecbench.backends.chinese:pkuseg",
}
"""Name to the function that takes what follows the name after a colon, and gives the segmenter."""

TAGGERS: Mapping[str, str] = {"jieba": "gecbench.backends.chinese:jieba_tagger"}
"""Segmenters that know parts of speech: name to the function that gives theirs."""


def hash_files(folder: Path, paths: Iterable[Path]) -> str:
    """Hash the names and contents of files below a folder (SHA-256, hexadecimal)."""
    import hashlib  # help imports this module, and not that one

    total = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        total.update(os.fsencode(path.relative_to(folder).as_posix()) + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def hash_folder(folder: Path) -> str:
    """Hash all files of a folder and the folders in it, but hidden ones, as `hash_files` does."""
    paths = folder.rglob("*")
    inside = ((path, path.relative_to(folder).parts) for path in paths)
    return hash_files(folder, (p for p, parts in inside if not any(x[0] == "." for x in parts)))


def need(extra: str, *modules: str, what: str = "") -> None:
    """Refuse to go on without some modules.

    Args:
        extra: The extra of gecbench that brings them.
        modules: Their names.
        what: What to call one that is missing; "" takes its name.

    Raises:
        MissingExtraError: The first that is not installed.
    """
    from importlib.util import find_spec

    for module in modules:
        if find_spec(module) is None:
            raise MissingExtraError(what or module, extra)
