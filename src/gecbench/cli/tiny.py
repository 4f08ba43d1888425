"""The demonstration of `gecbench train --recipe tiny`: every step a real command, shown and run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from gecbench.cli.options import say
from gecbench.core.errors import GecbenchError
from gecbench.core.files import make_folder

_LOOK = 0.05
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
        raise GecbenchError(f"{out}: is there already; remove it, or name another by --output")
    make_folder(out)
    say(
        "A demonstration: a tiny tagger learns a few dozen sentences by heart, from nothing, and "
        "is scored on the same. It corrects nothing else; what it shows is how everything works."
    )
    corpus = sample("zh", "corpus.jsonl")
    model = _trained(recipe, out, changes)
    systems = _corrected(corpus, model, out)
    if len(systems) > 1:
        ensemble = out / "ensemble.txt"
        _title("Vote: an edit stays if more than half of the systems make it")
        _run("combine", corpus, *systems, "--scheme", "zh-char", "--to", "lines", "-o", ensemble)
        systems.append(ensemble)
    _title("Score them; see gecbench report for all of it on one page")
    _run("score", corpus, *systems, "--scheme", "zh-char", "--metric", "cherrant,sentence-accuracy")
    say(f"\nThe model and its card: {model}")


def _trained(recipe: Path, out: Path, changes: Sequence[str]) -> Path:
    """Train, be killed, go on, and return the model's folder."""
    run = out / "run"
    settings = [word for change in changes for word in ("--set", change)]
    words: list[str | Path] = ["train", recipe, *settings, "-o", run]
    _title("Train; and as machines fail, kill the run (kill -9) after its first checkpoint")
    _killed(words, run / "checkpoints")
    _title("Train again: it goes on from there, and ends with the weights of an unbroken run")
    _run(*words)
    return run / "model"


def _killed(words: Sequence[str | Path], checkpoints: Path) -> None:
    """Run a command until there is a checkpoint, and kill it."""
    _show(words)
    command = [sys.executable, "-m", "gecbench", *map(str, words)]
    with subprocess.Popen(command) as process:
        try:
            while process.poll() is None and not list(checkpoints.glob("step-*")):
                time.sleep(_LOOK)
            process.kill()
        except BaseException:
            process.kill()
            raise
    if not list(checkpoints.glob("step-*")):
        shutil.rmtree(checkpoints.parent.parent, ignore_errors=True)
        raise GecbenchError("training failed, see above")
    say("(killed)")


def _corrected(corpus: Path, model: Path, out: Path) -> list[Path]:
    """Correct the sentences with all there is, and return what each system made of them."""
    systems = {"tagger": str(model)}
    if find_spec("onnxruntime") and find_spec("onnxscript"):
        _title("Export it with weights of 8 bits, for machines without a GPU and without torch")
        _run("export", model, "-o", out / "model-int8")
        systems["tagger-int8"] = str(out / "model-int8")
    else:
        say("\n(no export: pip install 'gecbench[onnx]' brings what it needs)")
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
    done = subprocess.run([sys.executable, "-m", "gecbench", *map(str, words)], check=False)
    if done.returncode:
        raise GecbenchError(f"gecbench {words[0]} ended with code {done.returncode}, see above")
