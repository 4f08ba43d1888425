"""A corrector that doubles every 的, and what its runs are given."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gecbench.api.correct import Target
from gecbench.core.corrector import Correction, CorrectorInfo, TextEdit


@dataclass
class Doubling:
    """Doubles every 的, counts what it is asked, and can be stopped, or end its process."""

    window: int = 3
    stop_at: int = -1
    version: str = "1"
    lang: str = "zh"
    processes: str = "asked"
    dies_of: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def info(self) -> CorrectorInfo:
        signature = {"corrector": "doubling", "version": self.version}
        about = ("doubling", "test", (self.lang,), "for tests", signature, True, self.window)
        return CorrectorInfo(*about, processes=self.processes)

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        if self.stop_at >= 0 and len(self.asked) >= self.stop_at:
            raise KeyboardInterrupt
        if self.dies_of in texts:
            os._exit(1)
        self.asked.extend(texts)
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Correction:
        edits = tuple(TextEdit(i, i, "的", 0.5) for i, c in enumerate(text) if c == "的")
        flags = ("too long",) if len(text) > 8 else ()
        return Correction(text, text.replace("的", "的的"), edits, 0.25, flags)

    def close(self) -> None:
        pass


SENTENCES = [f"第{n}句的话" for n in range(10)]


def to(path: Path, kind: str = "lines", details: Path | None = None):
    return lambda _found: Target(path, kind, None, details)
