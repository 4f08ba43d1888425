"""Trees for tiny parsers, and their runs."""

from __future__ import annotations

from pathlib import Path

from gecbench.formats.validation import convert
from gecbench.models.syntax.trees import Tree, conllu_lines

TREES = [
    Tree(
        ("He", "go", "to", "school", "."), (2, 0, 4, 2, 2), ("nsubj", "S", "case", "obl", "punct")
    ),
    Tree(("I", "has", "a", "apple", "."), (2, 0, 4, 2, 2), ("nsubj", "S", "S", "obj", "punct")),
    Tree(
        ("This", "is", "is", "fine", "."), (4, 3, 4, 0, 4), ("nsubj", "R", "cop", "root", "punct")
    ),
    Tree(
        ("The", "cat", "sat", "on", "mat"), (2, 3, 0, 5, 3), ("det", "nsubj", "root", "case", "M")
    ),
]


def parser_config(**model: object):
    from gecbench.models.syntax.parser_training import ParserConfig

    table = {
        "arc_width": 24,
        "label_width": 16,
        "dropout": 0.1,
        "convolution": {"width": 32, "dropout": 0.0},
        "max_tokens": 20,
        **model,
    }
    data = {"train": ["trees.conllu"], "dev": "train"}
    training = {
        "epochs": 40,
        "learning_rate": 1e-2,
        "batch_size": 2,
        "checkpoint_every": 10,
        "evaluate_every": 40,
        "patience": 0,
        "threads": 1,
    }
    tables = {"kind": "parser", "name": "tiny", "language": "en", "model": table}
    return convert("tiny.toml", {**tables, "data": data, "training": training}, ParserConfig)


class KilledError(Exception):
    """What ends a run as kill -9 does."""


def parser_run(folder: Path, stop_after: int = 0) -> Path:
    """Train in a folder, killed at a step and begun again where one is named; return the model."""
    from gecbench.api.train import Settings, train
    from gecbench.models.syntax.parser_training import KIND
    from gecbench.models.training.loop import Loop

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trees.conllu").write_text("".join(map(conllu_lines, TREES)), encoding="utf-8")
    settings = Settings(parser_config(), KIND, folder)
    if stop_after:
        step = Loop._step

        def die(loop, group) -> None:
            if loop.state.step == stop_after + 5:
                raise KilledError
            step(loop, group)

        Loop._step = die
        try:
            train(settings, folder / "run")
        except KilledError:
            pass
        finally:
            Loop._step = step
    return train(settings, folder / "run").model
