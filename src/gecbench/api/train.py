"""Training models from configurations."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gecbench.api.judge import SPAN_METRICS
from gecbench.api.options import Options
from gecbench.api.schemes import Places, load_scheme
from gecbench.api.score import score
from gecbench.core.errors import FormatError, MissingExtraError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Rewrite, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.models.options import configured, toml_of
from gecbench.models.training.config import RunConfig, Scoring
from gecbench.models.training.kinds import KINDS, Kind, kind_named

if TYPE_CHECKING:
    from gecbench.models.training.run import Outcome

_SCHEMES = {"zh": "zh-char", "en": "en-errant"}
"""Schemes of dev scores: those that need no resource to be fetched."""


def recipes() -> Mapping[str, Path]:
    """Return the recipes that the package brings: names and files."""
    from gecbench import models

    folder = Path(models.__file__).parent / "recipes"
    return {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda each: each.stem)}


@dataclass(frozen=True, slots=True)
class Settings:
    """A configuration, read and checked.

    Args:
        config: Of its kind's type.
        kind: What is trained.
        home: The folder that its paths count from.
    """

    config: RunConfig
    kind: Kind
    home: Path


def read_settings(
    path: Path | None, *, recipe: str | None = None, changes: Sequence[str] = ()
) -> Settings:
    """Return a configuration from a file or a recipe.

    Args:
        path: A TOML file; its paths count from its folder.
        recipe: Name of a recipe that the package brings; its paths count from the working folder.
        changes: "table.key=value", each instead of what the file says; values as in TOML, where
            a text may stand without quotes.

    Raises:
        UsageError: Both, or neither; or a change that is none.
        UnknownNameError: There is no such recipe or kind.
        FormatError: Names the first unknown key, or value of a wrong type.
    """
    if (path is None) == (recipe is None):
        raise UsageError("name either a configuration file or a recipe")
    if recipe is not None:
        known = recipes()
        if recipe not in known:
            raise UnknownNameError("recipe", recipe, known)
        name, home, tables = f"recipe {recipe}", Path(), toml_of(known[recipe])
    else:
        path = cast("Path", path)
        # The demonstration names a recipe by its file, so that its commands can be repeated.
        home = Path() if path in recipes().values() else path.parent
        name, tables = str(path), toml_of(path)
    for change in changes:
        _change(tables, change)
    kind = tables.get("kind")
    if not isinstance(kind, str):
        raise FormatError(f'{name}: kind is missing; write kind = "{next(iter(KINDS))}"')
    chosen = kind_named(kind)
    return Settings(configured(name, tables, chosen.config), chosen, home)


def _change(tables: dict[str, object], change: str) -> None:
    """Put a value of the command line into a configuration."""
    where, equals, text = change.partition("=")
    *outer, key = where.strip().split(".")
    if not equals or not key:
        raise UsageError(f"--set {change}: write table.key=value, as training.epochs=3")
    table = tables
    for name in outer:
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            raise UsageError(f"--set {change}: {name} is no table")
        table = inner
    try:
        table[key] = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        table[key] = text


def train(
    settings: Settings,
    run: Path,
    *,
    places: Places | None = None,
    say: Callable[[str], None] = lambda _message: None,
) -> Outcome:
    """Train in a folder; a run that was interrupted, even by kill -9, goes on.

    Args:
        settings: What and how.
        run: The run's folder: checkpoints, log, TensorBoard's events, and at the end `model`.
        places: Where resources of the dev scores lie.
        say: Told how it goes.

    Raises:
        UsageError: The folder holds a run with another configuration or other data.
        GecbenchError: Anything that keeps the run from going on; its last checkpoint stays.
    """
    from gecbench.backends.hf import need_torch

    need_torch()
    for module in ("accelerate", "tensorboard"):
        if find_spec(module) is None:
            raise MissingExtraError(module, "models")
    from gecbench.models.training.run import train_run

    config = settings.config
    dev_score = DevScore(config.language, config.scoring, places or Places())
    if config.scoring.by != "loss":
        dev_score.check()
    return train_run(config, settings.kind, run, home=settings.home, score=dev_score, say=say)


@dataclass
class DevScore:
    """What a metric of gecbench says of corrected dev sentences.

    Args:
        language: Of the sentences.
        scoring: Metric and scheme.
        places: Where resources lie.
    """

    language: str
    scoring: Scoring
    places: Places
    _signature: str = field(default="", init=False)

    @property
    def signature(self) -> str:
        """Of the last score."""
        return self._signature

    def check(self) -> None:
        """Refuse a metric or scheme that does not exist, before anything is trained."""
        self._options  # noqa: B018
        self._scheme  # noqa: B018

    @cached_property
    def _options(self) -> Options:
        return Options(metrics=(self.scoring.metric or SPAN_METRICS[self.language],))

    @cached_property
    def _scheme(self) -> Scheme:
        return load_scheme(
            self.scoring.scheme or _SCHEMES[self.language], types=False, places=self.places
        )

    def __call__(self, dev: Corpus, texts: Sequence[str]) -> float:
        """Return the value for corrections in the order of the sentences; 0 where it has none."""
        hypotheses = {s.id: (Rewrite(text=t),) for s, t in zip(dev.samples, texts, strict=True)}
        output = SystemOutput("this model", hypotheses)
        corpus = replace(dev, lang=self.language)
        report = score(corpus, [output], scheme=self._scheme, options=self._options)
        (result,) = report.results
        if result.score is None:
            raise UsageError(f"scoring.metric {result.metric}: {result.note}")
        self._signature = str(result.score.signature)
        value: Any = result.score.value
        if value is None:
            return 0.0
        return float(value if result.higher_is_better else -value)
