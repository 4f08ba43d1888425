"""Taggers run by ONNX Runtime, without torch; the label is chosen inside the graph."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gecbench.backends.runtimes import session_of, version_of_onnxruntime
from gecbench.models.tagger.encoding import Encoding
from gecbench.models.tagger.runtime import Biases, Encoded, Judged, arrays_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MODEL = "model.onnx"
INPUTS = ("ids", "mask", "firsts", "keep_bias", "delete_bias")
OUTPUTS = ("labels", "probabilities", "errors")
_BATCH = 32


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not everywhere
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class OnnxRuntime:
    """Runs an exported tagger on the CPU.

    In 8 bits every sentence is a run of its own, and several run side by side: ONNX Runtime
    scales activations by the extremes of the whole batch, so that a sentence's probabilities
    would depend on its neighbours (up to 0.06 on a random BERT), and alone it costs a tenth only.
    """

    def __init__(self, path: Path, encoding: Encoding, *, threads: int, each_alone: bool) -> None:
        """Load a model.

        Args:
            path: The ONNX file.
            encoding: How it reads.
            threads: In all; 0 takes one a core.
            each_alone: Whether batches of one sentence run side by side, one thread each.
        """
        self._encoding = encoding
        self._session: InferenceSession | None = session_of(
            path, threads=1 if each_alone else threads
        )
        self._pool = ThreadPoolExecutor(threads or _cores()) if each_alone else None
        self.batch_size = 1 if each_alone else _BATCH
        self._ahead = 4 * (threads or _BATCH)

    @property
    def signature(self) -> dict[str, str]:
        """Version."""
        return {"runtime": f"onnxruntime {version_of_onnxruntime()}"}

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoded]:
        """Return what it reads."""
        return [(positions,) for positions in self._encoding.positions(sentences)]

    def judge(self, batches: Iterable[Sequence[Encoded]], biases: Biases) -> Iterator[Judged]:
        """Yield what the graph says, as many batches at once as there are threads."""
        if self._pool is None:
            for batch in batches:
                yield self._judged(batch, biases)
            return
        running: deque[Future[Judged]] = deque()
        for batch in batches:
            running.append(self._pool.submit(self._judged, batch, biases))
            if len(running) >= self._ahead:
                yield running.popleft().result()
        for future in running:
            yield future.result()

    def _judged(self, batch: Sequence[Encoded], biases: Biases) -> Judged:
        if self._session is None:
            raise ValueError("the runtime is closed")
        arrays = arrays_of([encoded[0] for encoded in batch], self._encoding.layout.pad)
        scalars = (np.array(bias, dtype=np.float32) for bias in biases)
        given = dict(zip(INPUTS, (*arrays, *scalars), strict=True))
        labels, probabilities, errors = self._session.run(list(OUTPUTS), given)
        return Judged(labels, probabilities, errors)

    def close(self) -> None:
        """End the threads and drop the model."""
        if self._pool is not None:
            self._pool.shutdown()
        self._session = None
