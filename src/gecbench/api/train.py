"""Training models from configurations."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from gecbench.api.files import load, sample
from gecbench.api.options import Options, Places
from gecbench.api.schemes import load_scheme
from gecbench.api.score import score
from gecbench.backends import need
from gecbench.backends.transformers import need_torch
from gecbench.core.errors import (
    FormatError,
    GecbenchError,
    UnknownNameError,
    UsageError,
)
from gecbench.core.files import write_text
from gecbench.core.options import check_least
from gecbench.core.sample import Corpus, Rewrite, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.formats.validation import convert, toml_of
from gecbench.lang import language_of
from gecbench.models import CARD, MODEL
from gecbench.models.folder import read_card
from gecbench.models.text import Agreement
from gecbench.models.training.config import RunConfig, ScoringTable
from gecbench.models.training.task import KINDS, TrainingKind, load_kind

if TYPE_CHECKING:
    from gecbench.models.syntax.trees import Tree
    from gecbench.models.training.run import Outcome


def recipes() -> Mapping[str, Path]:
    """List the recipes that the package brings: names and files."""
    from gecbench import models

    folder = Path(models.__file__).parent / "recipes"
    return {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)}


@dataclass(frozen=True, slots=True)
class Settings:
    """A configuration, read and checked.

    Args:
        config: Of its kind's type.
        kind: What is trained.
        home: The folder that its paths count from.
    """

    config: RunConfig
    kind: TrainingKind
    home: Path


def read_settings(
    path: Path | None, *, recipe: str | None = None, changes: Sequence[str] = ()
) -> Settings:
    """Read a configuration from a file or a recipe.

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
    known = recipes()
    if (path is None) == (recipe is None):
        raise UsageError(
            "name either a configuration file or a recipe (--recipe NAME; list them by "
            "gecbench train --list)"
        )
    name, home = str(path), Path()
    if recipe is not None:
        if recipe not in known:
            raise UnknownNameError("recipe", recipe, known)
        name, path = f"recipe {recipe}", known[recipe]
    file = cast("Path", path)
    # The demonstration names a recipe by its file, so that its commands can be repeated.
    if file not in known.values():
        home = file.parent
    tables = toml_of(file)
    for change in changes:
        _change(tables, change)
    kind = tables.get("kind")
    if not isinstance(kind, str):
        raise FormatError(f'{name}: kind is missing; write kind = "{next(iter(KINDS))}"')
    chosen = load_kind(kind)
    config = convert(name, tables, chosen.config)
    try:
        code = language_of(config.language).code
    except UsageError as error:
        raise FormatError(f"{name}: {error}") from error
    return Settings(msgspec.structs.replace(config, language=code), chosen, home)


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
    need("models", "torch", "transformers", "safetensors", "accelerate", "tensorboard")
    from gecbench.models.training.run import train_run

    config = settings.config
    dev_score = DevScore(config.language, config.scoring, places or Places())
    if config.scoring.by != "loss" and settings.kind.read is None:
        dev_score.check()
    return train_run(config, settings.kind, run, home=settings.home, score=dev_score, say=say)


@dataclass(frozen=True, slots=True)
class FoldsOutcome:
    """The result of jack-knifing.

    Args:
        models: The folders of the parsers, in the order of the folds that they have not learnt.
        trees: The file with the trees of all folds.
        parsed: How many trees are in it.
        unparsed: Sentences that are longer than what a parser reads.
        las: Share of the words whose head and label are those of the trees of training.
    """

    models: tuple[Path, ...]
    trees: Path
    parsed: int
    unparsed: int
    las: float


def train_folds(
    settings: Settings,
    out: Path,
    folds: int,
    *,
    places: Places | None = None,
    say: Callable[[str], None] = lambda _message: None,
) -> FoldsOutcome:
    """Train a parser for each fold of its trees on all others, and parse the fold with it.

    Jack-knifing: a corrector that learns from the same sentences must not see trees that its
    parser has learnt by heart. What was interrupted goes on; folds that are done are not trained
    again.

    Args:
        settings: Of one parser.
        out: A folder for the runs `fold-0`, `fold-1`... and for `trees.conllu`, the parsed trees of
            all training sentences, in their order.
        folds: How many.
        places: As for `train`.
        say: Told how it goes.

    Raises:
        UsageError: It is no parser that is trained, its configuration chooses folds, or there are
            fewer than two.
        GecbenchError: As for `train`.
    """
    check_least("folds", folds, 2)
    need("models", "torch", "transformers", "safetensors", "accelerate", "tensorboard")
    from gecbench.models.syntax.parser import read_parser
    from gecbench.models.syntax.parser_training import ParserConfig
    from gecbench.models.syntax.trees import conllu_lines, fold_of, read_conllu
    from gecbench.models.training.data import locate_file

    config = settings.config
    if not isinstance(config, ParserConfig):
        raise UsageError(f"kind {config.kind} is not trained in folds; only a parser is")
    if config.model.folds:
        raise UsageError(
            "model.folds is for one parser of several; leave it out where all are made"
        )
    models = []
    for fold in range(folds):
        table = msgspec.structs.replace(config.model, folds=folds, fold=fold)
        part = replace(settings, config=msgspec.structs.replace(config, model=table))
        say(f"fold {fold} of {folds}:")
        models.append(train(part, out / f"fold-{fold}", places=places, say=say).model)
    files = [locate_file(settings.home, name) for name in config.data.train]
    trees = [tree for file in files for tree in read_conllu(file)]
    parsed: dict[int, Tree] = {}
    for fold, model in enumerate(models):
        parser = read_parser(model)
        held_out = [n for n, tree in enumerate(trees) if fold_of(tree.words, folds) == fold]
        for start in range(0, len(held_out), _CHUNK):
            chunk = held_out[start : start + _CHUNK]
            parses = parser.parse([trees[n].words for n in chunk])
            parsed |= {n: parse.tree for n, parse in zip(chunk, parses, strict=True) if parse}
    rows = [(trees[n], parsed[n]) for n in sorted(parsed)]
    arcs = [
        pair == guess
        for tree, other in rows
        for pair, guess in zip(
            zip(tree.heads, tree.labels, strict=True),
            zip(other.heads, other.labels, strict=True),
            strict=True,
        )
    ]
    file = out / "trees.conllu"
    write_text(file, "".join(conllu_lines(t, {"text": " ".join(t.words)}) for _, t in rows))
    las = sum(arcs) / max(len(arcs), 1)
    return FoldsOutcome(tuple(models), file, len(rows), len(trees) - len(rows), las)


_CHUNK = 1000
"""Sentences that are parsed at once; each parse has a matrix of probabilities."""


@dataclass
class DevScore:
    """Scores corrected dev sentences by a metric of gecbench.

    Args:
        language: Of the sentences.
        scoring: Metric and scheme.
        places: Where resources lie.
    """

    language: str
    scoring: ScoringTable
    places: Places
    signature: str = field(default="", init=False)

    def check(self) -> None:
        """Refuse a metric or scheme that does not exist, before anything is trained."""
        self._options  # noqa: B018
        self._scheme  # noqa: B018

    @cached_property
    def _options(self) -> Options:
        return Options(metrics=(self.scoring.metric or language_of(self.language).metric,))

    @cached_property
    def _scheme(self) -> Scheme:
        return load_scheme(
            self.scoring.scheme or language_of(self.language).offline_scheme,
            types=False,
            places=self.places,
        )

    def __call__(self, dev: Corpus, texts: Sequence[str]) -> float:
        """Score corrections in the order of the sentences; 0 where the metric has no value."""
        hypotheses = {s.id: (Rewrite(text=t),) for s, t in zip(dev.samples, texts, strict=True)}
        output = SystemOutput("this model", hypotheses)
        corpus = replace(dev, lang=self.language)
        report = score(corpus, [output], scheme=self._scheme, options=self._options)
        (result,) = report.results
        if result.score is None:
            raise UsageError(f"scoring.metric {result.metric}: {result.note}")
        self.signature = str(result.score.signature)
        value = float(result.score.value or 0.0)
        return value if result.higher_is_better else -value


# Models for other runtimes, and models of others for this one.


RUNTIMES = {"tagger": "onnx", "parser": "onnx", "seq2seq": "ctranslate2"}
"""The faster runtime of each kind of model (on a CPU, see docs/performance.md)."""


def export(
    model: Path,
    out: Path,
    *,
    quantise: bool = True,
    texts: Sequence[str] | None = None,
    lang: str | None = None,
) -> Agreement:
    """Write a model for the runtime that is faster on a CPU, and return how far both agree.

    Args:
        model: The folder of a model that gecbench made: a tagger or parser becomes ONNX, an
            encoder-decoder CTranslate2.
        out: The new folder.
        quantise: Weights of 8 bits: some three times as fast, and a few answers differ.
        texts: What both are compared on; None takes the bundled sentences of its language.
        lang: Code of the language of these sentences; None takes the model's first.

    Raises:
        UsageError: There is no faster runtime for this kind of model, or no texts are given and
            gecbench brings none in the language.
        MissingExtraError: The runtime is not installed.
        GecbenchError: The folder holds no model, or OUT exists.
    """
    if out.exists():
        raise GecbenchError(f"{out}: already exists; name another folder or remove it")
    if not (model / CARD).is_file() and (model / MODEL / CARD).is_file():
        model = model / MODEL
    card = read_card(model)
    kind = card.kind
    if kind not in RUNTIMES:
        raise UsageError(
            f"{model}: a model of kind {kind} has no other runtime; {', '.join(RUNTIMES)} have"
        )
    need_torch()
    if card.runtime != "torch":
        raise UsageError(f"{model}: is an export for {card.runtime} already; name the model itself")
    if texts is None:
        texts = _bundled_texts(language_of(lang or next(iter(card.languages), "xx")).code)
    if kind == "tagger":
        from gecbench.models.tagger.conversion import export_tagger as export_tagger

        return export_tagger(model, out, quantise=quantise, sample_texts=texts)
    if kind == "parser":
        from gecbench.models.syntax.parser import export_parser as export_parser

        return export_parser(model, out, quantise=quantise, sample_texts=texts)
    from gecbench.models.seq2seq.export import export_seq2seq as export_seq2seq

    return export_seq2seq(model, out, quantise=quantise, sample_texts=texts)


def _bundled_texts(code: str) -> list[str]:
    try:
        path = sample(code, "corpus.jsonl")
    except UnknownNameError:
        raise UsageError(
            f"gecbench brings no sentences in language {code!r} to compare both models on; name a "
            "file of some by --texts (in Python: texts=)"
        ) from None
    return [row.source for row in load(path).samples]
