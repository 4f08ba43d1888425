"""Adapters to other evaluation libraries; docs/integrations.md shows how each is used."""

from __future__ import annotations

from pathlib import Path

from gecbench.core.errors import UsageError

_FOLDERS = {"evaluate": "evaluate/gecbench_score", "lm_eval": "lm_eval"}


def folder(library: str) -> str:
    """The folder that another library loads: of `evaluate` the module, of `lm_eval` the tasks.

    Raises:
        UsageError: It is not one of these two.

    >>> Path(folder("lm_eval"), "gec_en.yaml").is_file()
    True
    """
    if library not in _FOLDERS:
        raise UsageError(f"there is no folder for {library!r}; write {' or '.join(_FOLDERS)}")
    return str(Path(__file__).parent / _FOLDERS[library])
