"""The kinds of model that can be trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from gecbench.core.registry import resolve
from gecbench.models.pairs import Pair
from gecbench.models.training.config import RunConfig
from gecbench.models.training.task import Task

KINDS: Mapping[str, str] = {
    "tagger": "gecbench.models.tagger.training:KIND",
    "seq2seq": "gecbench.models.seq2seq.training:KIND",
    "causal": "gecbench.models.causal.training:KIND",
}
"""Kind of model to its `Kind`."""


class Build(Protocol):
    """Makes the task of a run."""

    def __call__(self, config: Any, pairs: Sequence[Pair], kept: Path | None) -> Task[Any]:
        """Return a task.

        Args:
            config: Of the type that the kind names.
            pairs: The training pairs: what vocabularies are made from.
            kept: A folder that the task's `save` wrote, where a run goes on: everything but the
                weights (vocabulary, tokenizer, network configuration) comes from there, so that
                nothing is downloaded or derived again. None at the start.
        """
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of model is configured and built.

    Args:
        config: Its configuration.
        build: Makes its task.
    """

    config: type[RunConfig]
    build: Build


def kind_named(name: str) -> Kind:
    """Return a kind of model that can be trained.

    Raises:
        UnknownNameError: There is no such kind; the nearest names are given.
    """
    return cast("Kind", resolve("kind of model to train", name, KINDS))
