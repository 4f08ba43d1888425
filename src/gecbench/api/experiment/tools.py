"""What commands need besides inputs: schemes and segmenters, tried before hours are spent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import cast

from gecbench.api.experiment.plan import Task
from gecbench.backends import SEGMENTERS
from gecbench.core.registry import resolve


def try_tools(tasks: Iterable[Task]) -> None:
    """Load each scheme and segmenter that the words of tasks name.

    Args:
        tasks: Those that are to be run: the tools of scoring are asked for after training.

    Raises:
        GecbenchError: One lacks its data set, its model or its library; says how to get it.
    """
    named = {pair: None for task in tasks for pair in pairwise(task.words) if pair[0] in _TRIED}
    for option, name in named:
        _TRIED[option](name)


def _scheme(name: str) -> None:
    from gecbench.api.schemes import Places, load_scheme

    mirror = os.environ.get("GECBENCH_DATA_MIRROR")  # as the commands will find it
    load_scheme(name, places=Places(mirror=Path(mirror) if mirror else None))


def _segmenter(name: str) -> None:
    kind, _, model = name.partition(":")
    start = cast("Callable[[str], object]", resolve("segmenter", kind, SEGMENTERS))
    start(model)


_TRIED: dict[str, Callable[[str], None]] = {"--scheme": _scheme, "--segmenter": _segmenter}
