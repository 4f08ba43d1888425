"""The kinds of model that can be trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec

from gecbench.backends.hf import need_torch
from gecbench.core.registry import resolve
from gecbench.models.pairs import Pair
from gecbench.models.training.config import RunConfig
from gecbench.models.training.task import Task

KINDS: Mapping[str, str] = {
    "tagger": "gecbench.models.tagger.training:KIND",
    "seq2seq": "gecbench.models.seq2seq.training:KIND",
    "scratch": "gecbench.models.scratch.training:KIND",
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
        places: Names in the `model` table that may be a path: it counts from the configuration's
            folder, as those of data do, where something is there.
        check_robust: Takes a configuration with a `[robust]` table and raises a UsageError for
            what the kind cannot honour of it, before anything is loaded. None: the kind has no
            predictions to compare (its task is no `robust.comparable.Comparable`).
    """

    config: type[RunConfig]
    build: Build
    places: tuple[str, ...] = ()
    check_robust: Callable[[Any], None] | None = None


def rooted(config: RunConfig, kind: Kind, home: Path) -> RunConfig:
    """Return a configuration whose paths of models count from the working folder.

    Args:
        config: With paths that count from `home`.
        kind: Says which names of the `model` table may be paths; others are names on the hub.
        home: The configuration's folder.
    """
    model = getattr(config, "model", None)
    found = {
        name: str(home / place)
        for name in kind.places
        if (place := getattr(model, name)) and (home / place).exists()
    }
    if not found:
        return config
    changed = msgspec.structs.replace(cast("msgspec.Struct", model), **found)
    return msgspec.structs.replace(config, model=changed)


def kind_named(name: str) -> Kind:
    """Return a kind of model that can be trained.

    Raises:
        UnknownNameError: There is no such kind; the nearest names are given.
        MissingExtraError: torch or transformers is not installed.
    """
    if name in KINDS:
        need_torch()
    return cast("Kind", resolve("kind of model to train", name, KINDS))
