"""What a run says while it goes: lines of JSON, and TensorBoard's events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gecbench.core.errors import GecbenchError
from gecbench.core.files import write_bytes


class Log:
    """Writes what happened at which step, to `log.jsonl` and to `tensorboard/`.

    Args:
        run: The run's folder.
        step: Steps done when the log is opened: what is said of later ones, by a run that was
            killed before its next checkpoint, is taken back.
    """

    def __init__(self, run: Path, step: int) -> None:
        """Open the log."""
        from torch.utils.tensorboard import SummaryWriter

        self._path = run / "log.jsonl"
        if self._path.exists():
            _take_back(self._path, step)
        self._writer: Any = SummaryWriter(str(run / "tensorboard"), purge_step=step + 1)

    def add(self, what: str, step: int, values: Mapping[str, float | str]) -> None:
        """Write values of a step.

        Args:
            what: "train" or "dev".
            step: Steps done.
            values: By name; only numbers go to TensorBoard.
        """
        line = json.dumps({"what": what, "step": step, **values}, ensure_ascii=False)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as error:
            raise GecbenchError(f"{self._path}: cannot be written: {error.strerror}") from error
        for name, value in values.items():
            if not isinstance(value, str):
                self._writer.add_scalar(f"{what}/{name}", value, step)

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()


def _take_back(path: Path, step: int) -> None:
    """Remove what a log says of steps after this one, and a last line that is not whole."""
    kept = []
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            if json.loads(line)["step"] <= step and line.endswith(b"\n"):
                kept.append(line)
        except (ValueError, KeyError, TypeError):
            continue
    write_bytes(path, b"".join(kept))
