"""Trees for tiny parsers, pairs for tiny correctors with syntax, and their runs."""

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


def train_killed(settings, folder: Path, stop_after: int = 0) -> Path:
    """Train in a folder, killed after a step where one is named and begun again."""
    from gecbench.api.train import train
    from gecbench.models.training.loop import Loop

    if stop_after:
        step = Loop._step

        def die(loop, group) -> None:
            if loop.state.step == stop_after:
                raise KilledError
            step(loop, group)

        Loop._step = die
        try:
            train(settings, folder / "run")
            raise AssertionError("the run was not killed")
        except KilledError:
            pass
        finally:
            Loop._step = step
    return train(settings, folder / "run").model


def parser_run(folder: Path, stop_after: int = 0) -> Path:
    """Train a parser; see `train_killed`."""
    from gecbench.api.train import Settings
    from gecbench.models.syntax.parser_training import KIND

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trees.conllu").write_text("".join(map(conllu_lines, TREES)), encoding="utf-8")
    return train_killed(Settings(parser_config(), KIND, folder), folder, stop_after)


PAIRS = [
    ("He go to school .", "He goes to school ."),
    ("I has a apple .", "I have an apple ."),
    ("This is is fine .", "This is fine ."),
    ("The cat sat on mat", "The cat sat on the mat"),
]


def write_bart(folder: Path, kind: str = "bart") -> Path:
    """Write a tiny BART with random weights and the words of the pairs in its vocabulary.

    Args:
        folder: For it.
        kind: Another encoder-decoder in its place, as "t5".
    """
    import torch
    from transformers import AutoConfig, AutoModelForSeq2SeqLM, BertTokenizer

    words = sorted({word for pair in PAIRS for text in pair for word in text.split()})
    pieces = [word for word in words if word != "school"] + ["sc", "##ho", "##ol"]
    letters = [mark + letter for letter in "abcdefghijklmnopqrstuvwxyz" for mark in ("", "##")]
    entries = dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces, *letters])
    vocabulary = {entry: k for k, entry in enumerate(entries)}
    BertTokenizer(vocab=vocabulary, do_lower_case=False).save_pretrained(folder)
    torch.manual_seed(5)
    tokens = {
        "vocab_size": len(vocabulary),
        "pad_token_id": 0,
        "bos_token_id": 2,
        "eos_token_id": 3,
        "decoder_start_token_id": 3,
    }
    sizes = {
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 48,
        "decoder_ffn_dim": 48,
        "max_position_embeddings": 64,
        "dropout": 0.1,
        "init_std": 0.2,
        "forced_eos_token_id": 3,
    }
    if kind == "t5":
        sizes = {"d_kv": 16, "d_ff": 48, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    config = AutoConfig.for_model(kind, **tokens, **sizes, d_model=32)
    AutoModelForSeq2SeqLM.from_config(config).save_pretrained(folder)
    return folder


def syntax_settings(
    home: Path, training: dict[str, object], kind: str = "syntax", **tables: object
):
    """Return the settings of a run over the pairs."""
    from gecbench.api.train import Settings
    from gecbench.models.training.task import load_kind

    (home / "pairs.tsv").write_text(
        "".join(f"{k}\t{a}\t{b}\n" for k, (a, b) in enumerate(PAIRS, 1)), encoding="utf-8"
    )
    content = {
        "kind": kind,
        "name": "tiny",
        "language": "en",
        "data": {"train": ["pairs.tsv"], "dev": "train"},
        "training": {"batch_size": 2, "patience": 0, "threads": 1, **training},
        "scoring": {"by": "loss"},
        **tables,
    }
    known = load_kind(kind)
    return Settings(convert("tiny.toml", content, known.config), known, home)
