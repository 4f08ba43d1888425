"""gecbench train, with the demonstration that is the recipe tiny, export and model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from gecbench.api.options import Places
from gecbench.cli.command import CommandGroup, command, refuse
from gecbench.cli.options import lang_option, say
from gecbench.cli.output import NewFolder, OutputFile, format_by_ending
from gecbench.core.errors import FormatError, GecbenchError, UsageError, install_command
from gecbench.core.files import STDIO, make_folder, read_lines, write_text
from gecbench.core.options import Argument, Option
from gecbench.lang import LANGUAGES, language_of

if TYPE_CHECKING:
    from gecbench.api.train import Settings


def _recipe_names() -> tuple[str, ...]:
    from gecbench.api.train import recipes

    return tuple(recipes())


@command
def train(
    places: Places,
    config: Annotated[Path | None, Argument()] = None,
    recipe: Annotated[
        str | None,
        Option(
            "--recipe",
            "A recipe of the package, instead of CONFIG.",
            metavar="NAME",
            complete=_recipe_names,
        ),
    ] = None,
    list_recipes: Annotated[bool, Option("--list", "List the recipes and end.")] = False,
    changes: Annotated[
        tuple[str, ...],
        Option(
            "--set",
            "A value instead of the configuration's, as training.epochs=3; repeatable.",
            metavar="TABLE.KEY=VALUE",
        ),
    ] = (),
    output: Annotated[
        Path | None,
        Option("--output", "The run's folder (tiny: gecbench-tiny).", short="-o"),
    ] = None,
    lang: Annotated[
        str | None,
        lang_option("Language of the sentences, as zh or de, instead of the configuration's."),
    ] = None,
    folds: Annotated[
        int | None,
        Option(
            "--folds",
            "Train a parser for each of so many parts of its trees on the others, and parse the "
            "part with it (jack-knifing).",
        ),
    ] = None,
) -> None:
    """Train a model as a configuration says; an interrupted run continues.

    The best model is in OUTPUT/model, with its card. `--recipe tiny` shows in two minutes on a CPU
    everything that can be done with a model: a demonstration, not a product.

    \b
    gecbench train --recipe tiny
    gecbench train --list
    gecbench train tagger.toml --set training.seed=2 -o runs/tagger-2
    gecbench train parser.toml --folds 5 -o runs/folds
    torchrun --nproc_per_node 8 -m gecbench train seq2seq.toml -o runs/seq2seq
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.train import read_settings, recipes

    if list_recipes:
        refuse("--list trains nothing", all_but=("--list",))
        for name, path in recipes().items():
            about = read_lines(path)[0].removeprefix("#").strip()  # a comment
            click.echo(f"{name:24} {about}")
        return
    if lang is not None:
        if any(change.partition("=")[0].strip() == "language" for change in changes):
            raise UsageError("--lang and --set say language; say one of them")
        changes = (*changes, f'language="{language_of(lang).code}"')
    settings = read_settings(config, recipe=recipe, changes=changes)
    if recipe == "tiny":
        refuse("the demonstration is in Chinese and needs no resources", "--lang", Places)
        refuse("the demonstration trains a tagger, not a parser", "--folds")
        if os.environ.get("WORLD_SIZE", "1") != "1":
            raise UsageError(
                "the demonstration runs in one process; for several, train from a copy of its "
                "configuration ({path})",
                path=recipes()[recipe],
            )
        demonstrate(recipes()[recipe], output or Path("gecbench-tiny"), changes)
        return
    if output is None:
        raise UsageError("name the run's folder by --output")
    try:
        if folds is None:
            _train_model(settings, output, places)
        else:
            _train_folds(settings, output, folds, places)
    except KeyboardInterrupt:
        say("run the same command again to continue from the last checkpoint")
        raise


def _train_model(settings: Settings, out: Path, places: Places) -> None:
    from gecbench.api.train import train as train_model

    outcome = train_model(settings, out, places=places, say=say)
    if os.environ.get("RANK", "0") != "0":
        return  # of the processes of torchrun one speaks
    choice = "kept as it was" if settings.config.scoring.by == "last" else "the best"
    say(
        f"{outcome.why}: {outcome.steps} steps, {choice} after step {outcome.best_step}\n"
        f"model: {outcome.model}"
    )


def _train_folds(settings: Settings, out: Path, folds: int, places: Places) -> None:
    from gecbench.api.train import train_folds

    outcome = train_folds(settings, out, folds, places=places, say=say)
    if os.environ.get("RANK", "0") != "0":
        return
    left_out = f", {outcome.unparsed:,} sentences too long" if outcome.unparsed else ""
    say(
        f"parsers: {', '.join(map(str, outcome.models))}\n{outcome.trees}: {outcome.parsed:,} "
        f"trees by parsers that have not learnt them, LAS {outcome.las:.3f}{left_out}"
    )


_LOOK_EVERY = 0.05
"""Seconds between two looks for a checkpoint."""


def demonstrate(recipe: Path, out: Path, changes: Sequence[str]) -> None:
    """Train a tiny tagger, kill and resume the run, export, correct, combine and score.

    Args:
        recipe: The configuration.
        out: A folder that is made.
        changes: Of the configuration, from the command line.

    Raises:
        GecbenchError: The folder is there already, or a step failed.
    """
    from gecbench.api.files import sample

    if out.exists():
        raise GecbenchError(f"{out}: already exists; remove it, or name another by --output")
    make_folder(out)
    say(
        "A demonstration: a tiny tagger learns a few dozen sentences by heart, from nothing, and "
        "is scored on the same. It corrects nothing else; what it shows is how everything works."
    )
    corpus = sample("zh", "corpus.jsonl")
    model = _train_interrupted(recipe, out, changes)
    systems = _correct_all(corpus, model, out)
    if len(systems) > 1:
        ensemble = out / "ensemble.txt"
        _title("Vote: an edit stays if more than half of the systems make it")
        _run("combine", corpus, *systems, "--scheme", "zh-char", "--to", "lines", "-o", ensemble)
        systems.append(ensemble)
    _title("Score them; see gecbench report for all of it on one page")
    _run("score", corpus, *systems, "--scheme", "zh-char", "--metric", "cherrant,sentence-accuracy")
    say(f"\nThe model and its card: {model}")


def _train_interrupted(recipe: Path, out: Path, changes: Sequence[str]) -> Path:
    """Train, be killed, go on, and return the model's folder."""
    run = out / "run"
    settings = [word for change in changes for word in ("--set", change)]
    words: list[str | Path] = ["train", recipe, *settings, "-o", run]
    _title("Train; and as machines fail, kill the run (kill -9) after its first checkpoint")
    _kill_early(words, run / "checkpoints")
    _title("Train again: it goes on from there, and ends with the weights of an unbroken run")
    _run(*words)
    return run / "model"


def _kill_early(words: Sequence[str | Path], checkpoints: Path) -> None:
    """Run a command until there is a checkpoint, and kill it."""
    _show(words)
    command = [sys.executable, "-m", "gecbench", *map(str, words)]
    with subprocess.Popen(command) as process:
        try:
            while process.poll() is None and not list(checkpoints.glob("step-*")):
                time.sleep(_LOOK_EVERY)
            process.kill()
        except BaseException:
            process.kill()
            raise
    if not list(checkpoints.glob("step-*")):
        shutil.rmtree(checkpoints.parent.parent, ignore_errors=True)
        raise GecbenchError("training failed, see above")
    say("(killed)")


def _correct_all(corpus: Path, model: Path, out: Path) -> list[Path]:
    """Correct the sentences with all there is, and return what each system made of them."""
    systems = {"tagger": str(model)}
    if find_spec("onnxruntime") and find_spec("onnxscript"):
        _title("Export it with weights of 8 bits, for machines without a GPU and without torch")
        _run("export", model, "-o", out / "model-int8")
        systems["tagger-int8"] = str(out / "model-int8")
    else:
        say(f"\nnote: no export; for what it needs, run: {install_command('onnx')}")
    if find_spec("jieba") and find_spec("pypinyin"):
        systems["zh-homophone"] = "zh-homophone"
    _title("Correct the sentences")
    for name, spec in systems.items():
        _run("correct", spec, corpus, "--to", "lines", "-o", out / f"{name}.txt")
    return [out / f"{name}.txt" for name in systems]


def _title(text: str) -> None:
    say(f"\n# {text}")


def _show(words: Sequence[str | Path]) -> None:
    say(f"$ gecbench {' '.join(map(str, words))}")


def _run(*words: str | Path) -> None:
    """Show and run a command of gecbench.

    Raises:
        GecbenchError: It failed; it said why.
    """
    _show(words)
    sys.stdout.flush()
    process = subprocess.run([sys.executable, "-m", "gecbench", *map(str, words)], check=False)
    if process.returncode:
        raise GecbenchError(f"gecbench {words[0]} ended with code {process.returncode}, see above")


# What was trained: shown, converted, merged, exported.

_TAGGER = ("--tagger",)


@click.group(cls=CommandGroup)
def model() -> None:
    """Show, convert and merge models."""


@command
def info(folder: Annotated[Path, Argument()], output: OutputFile = Path(STDIO)) -> None:
    """Show the card of the model in a folder, as JSON."""
    import msgspec

    from gecbench.models.folder import fingerprint, read_card

    format_by_ending(output, {".json": "json"}, "json")
    card = {**msgspec.to_builtins(read_card(folder)), "fingerprint": fingerprint(folder)}
    write_text(output, json.dumps(card, ensure_ascii=False, indent=2) + "\n")


@command
def convert(
    place: Annotated[str, Argument()],
    output: NewFolder,
    tagger: Annotated[
        bool,
        Option(
            "--tagger",
            "PLACE is a tagger of gotutiyan/gector, grammarly/gector or MuCGEC; it becomes ours.",
        ),
    ] = False,
    language: Annotated[
        str | None,
        Option(
            "--language",
            "With --tagger: code of the language that it is for.",
            metavar="CODE",
            complete=tuple(LANGUAGES),
            needs=_TAGGER,
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        Option(
            "--encoder",
            "With --tagger: what it was trained from, where the checkpoint does not say.",
            metavar="NAME",
            needs=_TAGGER,
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        Option("--labels", "With --tagger: its labels, one a line, if apart.", needs=_TAGGER),
    ] = None,
    tokens: Annotated[
        str | None,
        Option(
            "--tokens",
            "With --tagger: what it reads, as space for tokenised text.",
            needs=_TAGGER,
        ),
    ] = None,
) -> None:
    """Convert a checkpoint that another program made.

    PLACE is a folder, a file or a name on the hub. Pickled weights become safetensors; nothing in
    them is run, for torch's guard reads tensors alone.

    \b
    gecbench model convert fnlp/bart-large-chinese -o models/bart-large-chinese
    gecbench model convert gector-roberta --tagger --language en --tokens space -o models/gector
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.backends.transformers import download, need_torch

    if not tagger:
        need_torch()
        from gecbench.models.weights import convert_checkpoint

        count = convert_checkpoint(place, output)
        say(f"{output}: {count} tensors as safetensors")
        return
    if language is None:
        raise UsageError("name by --language which language the tagger is for; no checkpoint does")
    need_torch()
    from gecbench.models.tagger.conversion import convert_tagger

    labels_count, notes = convert_tagger(
        Path(place) if Path(place).exists() else download(place, ("*",)),
        output,
        language=language,
        encoder=encoder or "",
        labels=labels,
        tokens=tokens or "",
    )
    for note in notes:
        say(f"note: {note}")
    say(f"{output}: a tagger with {labels_count} labels; try gecbench correct {output} SENTENCES")


@command
def merge(
    folder: Annotated[Path, Argument()],
    output: NewFolder,
    base: Annotated[str, Option("--base", "The base, where it is not where it was.")] = "",
    precision: Annotated[
        Literal["fp32", "bf16", "fp16"],
        Option("--precision", "Of the weights that are written."),
    ] = "fp32",
) -> None:
    """Merge a LoRA adapter with its base into one model.

    What is written needs neither peft nor the base.
    """
    from gecbench.backends.transformers import need_torch

    need_torch()
    from gecbench.models.causal.loading import merge as merge_adapter

    merge_adapter(folder, output, base=base, precision=precision)
    say(f"{output}: a causal model of its own")


for _command in (info, convert, merge):
    model.add_command(_command)


@command
def export(
    model: Annotated[Path, Argument()],
    output: NewFolder,
    quantise: Annotated[
        bool, Option("--quantise/--no-quantise", "Weights of 8 bits, or all 32.")
    ] = True,
    texts: Annotated[
        Path | None,
        Option("--texts", "Sentences to compare both on (default: the bundled ones)."),
    ] = None,
    lang: Annotated[
        str | None,
        lang_option("Language of the bundled sentences, instead of the model's first."),
    ] = None,
) -> None:
    """Write a trained model for the runtime that is faster on a CPU.

    A tagger or a parser becomes ONNX, an encoder-decoder CTranslate2; correcting needs no torch
    then. How far the answers of both agree is reported, and kept in the new folder's card.

    \b
    gecbench export runs/tagger/model -o tagger-int8
    gecbench correct tagger-int8 sentences.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.train import export as export_model
    from gecbench.formats.reading import sources
    from gecbench.formats.texts import advise_conversion

    if texts:
        refuse("--texts are compared on, not the bundled sentences", "--lang")
    try:
        sentences = list(sources(texts).texts) if texts else None
    except FormatError as error:
        raise advise_conversion(error) from error
    agreement = export_model(model, output, quantise=quantise, texts=sentences, lang=lang)
    say(f"{output}: {agreement}")
