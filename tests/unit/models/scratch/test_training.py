"""Networks from scratch as tasks of the training loop."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny_scratch import ARCHITECTURES, tables, task_of
from tiny_seq2seq import ZH_PAIRS

from gecbench.api.train import read_settings
from gecbench.core.errors import FormatError, UsageError
from gecbench.formats.validation import convert
from gecbench.models.batches import SentencePair
from gecbench.models.scratch.training import KIND
from gecbench.models.training.run import train_run
from gecbench.models.training.task import load_kind

PAIRS = [SentencePair(*pair) for pair in ZH_PAIRS]


class Killed(BaseException):
    """What a test throws in the place of a signal."""


def kind_that_dies(after: int):
    """Return a kind whose training dies after so many batches."""

    def build(config, pairs, folder):
        task = KIND.build(config, pairs, folder)
        real, left = task.loss, after

        def loss(module, batch):
            nonlocal left
            if torch.is_grad_enabled():
                left -= 1
                if left < 0:
                    raise Killed
            return real(module, batch)

        task.loss = loss
        return task

    return dataclasses.replace(KIND, build=build)


def run(home: Path, name: str, architecture: str, kind=KIND, messages: list[str] | None = None):
    settings = {"epochs": 3, "learning_rate": 0.01, "batch_size": 3, "checkpoint_every": 2}
    result = {
        **tables(architecture, dropout=0.2, label_smoothing=0.1),
        "data": {"train": ["train.tsv"], "dev": "train", "keep_correct": 1.0},
        "training": {**settings, "log_every": 1, "patience": 0},
        "scoring": {"by": "loss"},
    }
    say = (lambda _line: None) if messages is None else messages.append
    config = convert("tiny.toml", result, KIND.config)
    return train_run(config, kind, home / name, home=home, score=None, say=say)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_killed_run_goes_on_to_the_same_weights(tmp_path, architecture) -> None:
    rows = (f"{k}\t{source}\t{target}\n" for k, (source, target) in enumerate(ZH_PAIRS))
    (tmp_path / "train.tsv").write_text("".join(rows), "utf-8")
    whole = run(tmp_path, "whole", architecture)
    with pytest.raises(Killed):
        run(tmp_path, "broken", architecture, kind_that_dies(5))
    text: list[str] = []
    resumed = run(tmp_path, "broken", architecture, messages=text)
    assert any("going on from step 4" in line for line in text)
    first, second = (load_file(item.model / "model.safetensors") for item in (whole, resumed))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert (whole.steps, whole.best_step, whole.value) == (
        resumed.steps,
        resumed.best_step,
        resumed.value,
    )
    # The dev loss decides.
    assert whole.value < 0
    assert "dev loss" in text[-1]


def test_the_kind_is_known_by_name() -> None:
    assert load_kind("scratch") is KIND


def test_the_seed_decides_the_first_weights() -> None:
    first, second = (task_of("recurrent", ZH_PAIRS).module.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = {**tables("recurrent"), "training": {"seed": 2}}
    third = KIND.build(convert("t", other, KIND.config), PAIRS, None).module.state_dict()
    assert not torch.equal(first["embedding.weight"], third["embedding.weight"])


def test_what_is_too_long_or_unknown_is_counted() -> None:
    task = task_of("recurrent", ZH_PAIRS, max_length=9, vocabulary={"min_count": 2})
    pairs = [
        SentencePair("我今天", "我今天"),
        SentencePair("我" * 9, "我"),
        SentencePair("我", "我" * 9),
        SentencePair(" ", "我"),
    ]
    prepared = task.prepare([*pairs, SentencePair("龘我", "我龘龘")])
    assert prepared.dropped == {"longer than 9 tokens": 2, "empty source or target": 1}
    assert prepared.counts == {"unknown tokens in sources": 1, "unknown tokens in targets": 2}
    assert [task.length(example) for example in prepared.examples] == [4, 4]
    assert prepared.sources == [0, 4]


def test_what_was_saved_is_gone_on_with(tmp_path) -> None:
    task = task_of("transformer", ZH_PAIRS, units="words", correcting={"beams": 2})
    task.save(tmp_path, {})
    # Another segmentation of other pairs would give another vocabulary.
    on = task_of("transformer", [("别的", "别的")], folder=tmp_path, units="words")
    assert on.prepare(PAIRS) == task.prepare(PAIRS)
    assert [n for n, _ in on.module.named_parameters()] == [
        n for n, _ in task.module.named_parameters()
    ]


def test_both_sides_are_simplified() -> None:
    plain = task_of("recurrent", [("我們學習", "我们学习")])
    simple = task_of("recurrent", [("我們學習", "我们学习")], simplify=True)
    assert plain.module.shape.vocabulary == simple.module.shape.vocabulary + 3
    (example,) = simple.prepare([SentencePair("我們學習", "我们学习")]).examples
    assert example.source == example.target


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"training": {"cold_epochs": 1}}, UsageError, "training.cold_epochs 1: everything in a"),
        ({"language": "en", "model": {"simplify": True}}, FormatError, "simplify is for Chinese"),
        ({"model": {"heads": 5}}, FormatError, "width 32 cannot be divided into 5 heads"),
        ({"model": {"kernel": 3}}, FormatError, "kernel belongs to the convolutional"),
        ({"model": {"segmenter": "jieba"}}, FormatError, 'units is "characters"'),
        (
            {"model": {"correcting": {"segmenter": "jieba"}}},
            FormatError,
            "say it as model.segmenter",
        ),
        ({"model": {"architecture": "cnn"}}, FormatError, "convolutional, recurrent, transformer"),
        ({"model": {"units": "words", "segmenter": "x"}}, UsageError, "segmenter 'x'"),
        ({"model": {"vocabulary": {"min_count": 99}}}, UsageError, "occurs 99 times"),
        ({"model": {"smoothing": 1}}, FormatError, "did you mean model.label_smoothing"),
    ],
)
def test_configurations_that_cannot_be(more, error, message) -> None:
    usual = tables("transformer")
    result = {**usual, **more, "model": {**usual["model"], **more.get("model", {})}}
    with pytest.raises(error, match=message):
        KIND.build(convert("tiny.toml", result, KIND.config), PAIRS, None)


@pytest.mark.parametrize(
    ("recipe", "architecture", "layers"),
    [
        ("cgec-cnn", "convolutional", 7),
        ("cgec-lstm", "recurrent", 2),
        ("cgec-transformer", "transformer", 6),
    ],
)
def test_the_recipes_have_the_papers_settings(recipe, architecture, layers) -> None:
    changes = ['data.train=["a.jsonl", "b.jsonl"]', "model.simplify=true"]
    config = read_settings(None, recipe=recipe, changes=changes).config
    shape = config.model.shape(100)
    assert (shape.architecture, shape.layers, shape.width) == (architecture, layers, 512)
    assert (config.model.dropout, config.model.correcting.beams) == (0.2, 5)
    training = config.training
    assert (training.learning_rate, training.epochs, training.batch_size) == (0.001, 50, 64)
    assert (config.scoring.by, training.patience) == ("loss", 0)
    assert (config.data.train, config.model.simplify) == (("a.jsonl", "b.jsonl"), True)


def test_the_docs_have_every_setting() -> None:
    page = (Path(__file__).parents[4] / "docs" / "correct" / "baselines.md").read_text("utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    config = convert("baselines.md", tomllib.loads(block), KIND.config)
    rows = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", page, re.MULTILINE))))
    for struct in (type(config.model), type(config.model.correcting)):
        assert set(struct.__struct_fields__) <= rows
