"""How long gecbench's own loop takes for an epoch, when it neither evaluates nor writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from accelerate import Accelerator

from gecbench.core.sample import Corpus
from gecbench.formats.validation import convert
from gecbench.models.training.config import RunConfig
from gecbench.models.training.loop import Loop
from gecbench.models.training.task import Task


class _Timed(Loop):
    def _after_step(self, *, ended: bool) -> None:
        if ended or self.state.step % self.config.training.log_every == 0:
            self._log_loss()
        if ended:
            self.state.finished = "measured"


def configuration(training: Mapping[str, object]) -> RunConfig:
    """Return the configuration of one epoch."""
    table = {"kind": "tagger", "name": "bench", "language": "zh"}
    return convert("bench", {**table, "training": {"epochs": 1, **training}}, RunConfig)


def seconds_of(
    task: Task,
    examples: Sequence,
    config: RunConfig,
    *,
    cpu: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return how long an epoch takes."""
    with TemporaryDirectory() as name:
        loop = _Timed(
            config=config,
            task=task,
            examples=examples,
            dev=Corpus("dev", ()),
            dev_examples=examples[:1],
            run=Path(name),
            score=None,
            provenance={},
            say=lambda _message: None,
            accelerator=Accelerator(cpu=cpu),
        )
        started = clock()
        loop.train()
        return clock() - started
