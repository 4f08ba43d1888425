"""Runs one gecbench command, and adds a line with spaCy's part of its CPU time, as JSON.

    python benchmarks/share.py edits SOURCE --reference TARGET -o FILE

Everything that happens while the pipeline is asked counts as spaCy's: importing and loading it,
its work, and gecbench's reading of its documents, which also stands apart.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gecbench.backends import spacy as backend
from gecbench.cli import main as gecbench


@dataclass(slots=True)
class Clock:
    """CPU seconds of this process within `with` blocks; one inside another counts once."""

    seconds: float = 0.0
    depth: int = 0
    started: float = 0.0

    def __enter__(self) -> None:
        """Begin, unless already within."""
        if not self.depth:
            self.started = time.process_time()
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        """End where it began."""
        self.depth -= 1
        if not self.depth:
            self.seconds += time.process_time() - self.started


def main() -> None:
    """Run the command of the arguments, then say what was measured."""
    spacy, reading = Clock(), Clock()
    _clock_words(spacy)
    for name in ("_read", "_with_parse"):
        setattr(backend.Pipeline, name, _clocked(getattr(backend.Pipeline, name), reading))
    gecbench()
    figures = {"total": time.process_time(), "spacy": spacy.seconds, "reading": reading.seconds}
    print(json.dumps(figures))


def _clock_words(clock: Clock) -> None:
    """Have a pipeline answer at once, not sentence by sentence, and take the time."""
    real = backend.Pipeline.words

    def words(
        self: backend.Pipeline,
        sentences: Sequence[backend.Tokens],
        *,
        parsed: bool,
        again: bool = False,
    ) -> Iterator[Any]:
        with clock:
            rows = list(real(self, sentences, parsed=parsed, again=again))
        return iter(rows)

    backend.Pipeline.words = words


def _clocked(function: Callable[..., Any], clock: Clock) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        with clock:
            return function(*arguments, **named)

    return call


if __name__ == "__main__":
    main()
