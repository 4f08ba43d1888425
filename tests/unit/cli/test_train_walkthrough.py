"""From raw pairs to a report by real commands, on tiny models."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest
from messages import assert_is_line

from gecbench.api.files import load, sample
from gecbench.api.train import recipes
from gecbench.cli import main
from gecbench.cli import train as train_module
from gecbench.core.errors import GecbenchError


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


def gecbench(folder: Path, *words: object, code: int = 0) -> Ended:
    """Run a command in a folder, in this process: torch is imported once, and lines are counted."""
    out, err = io.StringIO(), io.StringIO()
    ended = 0
    with contextlib.chdir(folder), redirect_stdout(out), redirect_stderr(err):
        try:
            main([*map(str, words)])
        except SystemExit as error:
            ended = int(error.code or 0)
    assert ended == code, err.getvalue()
    return Ended(ended, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def tour(tmp_path_factory, common, once) -> Path:
    """What the demonstration leaves, with fewer epochs than it has for people.

    The training that is killed is a process; all steps after it are commands in this one.
    """
    first = common / "tour"
    ran: list[str] = []

    def step(*words: object) -> None:
        ran.append(str(words[0]))
        ended = gecbench(Path.cwd(), *words)
        sys.stdout.write(ended.stdout)
        sys.stderr.write(ended.stderr)

    def make() -> None:
        first.mkdir()
        changes = ["epochs=6", "evaluate_every=60", "checkpoint_every=20"]
        shown = [word for change in changes for word in ("--set", f"training.{change}")]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(train_module, "_run", step)
            ended = gecbench(first, "train", "--recipe", "tiny", *shown, "-o", "tiny")
        (first / "said.txt").write_text(ended.stderr, "utf-8")
        (first / "scores.txt").write_text(ended.stdout, "utf-8")
        (first / "steps.txt").write_text("\n".join(ran), "utf-8")

    once("tour", make)
    return shutil.copytree(first, tmp_path_factory.mktemp("own") / "tour")


def test_the_demonstration_goes_through_everything(tour) -> None:
    text = (tour / "said.txt").read_text("utf-8")
    assert text.startswith("A demonstration")
    assert "(killed)" in text
    resumed = re.search(r"going on from step (\d+)", text)
    assert resumed
    assert int(resumed[1]) >= 20
    assert re.search(r"model-int8: \d+ of 76 texts .* are the same", text)
    for name in ("tagger", "tagger-int8", "zh-homophone", "ensemble"):
        assert len((tour / "tiny" / f"{name}.txt").read_text("utf-8").splitlines()) == 76
        assert re.search(rf"^{name} ", (tour / "scores.txt").read_text("utf-8"), re.M)
    steps = (tour / "steps.txt").read_text("utf-8").split()
    assert steps == ["train", "export", "correct", "correct", "correct", "combine", "score"]
    assert "a demonstration" in (tour / "tiny" / "run" / "model" / "README.md").read_text().lower()


def test_what_it_learnt_is_more_than_nothing(tour) -> None:
    card = json.loads((tour / "tiny" / "run" / "model" / "gecbench.json").read_text("utf-8"))
    assert max(epoch["score"] for epoch in card["made"]["history"]) > 0.2
    assert "metric:cherrant" in card["made"]["scored by"]


def test_it_does_not_begin_where_something_is(tour) -> None:
    ended = gecbench(tour, "train", "--recipe", "tiny", "-o", "tiny", code=1)
    assert_is_line(ended.stderr, "tiny", "--output")


CONFIG = """
kind = "tagger"
name = "mine"
language = "zh"
[data]
train = ["train.jsonl"]
dev = "train"
[model]
train_rounds = 3
[training]
epochs = 10
learning_rate = 0.003
batch_size = 16
patience = 0
[scoring]
by = "loss"
"""


@pytest.fixture(scope="module")
def mine(tour, common, once) -> Path:
    """Training data prepared from raw pairs, and a model trained on them."""
    first = common / "mine"

    def make() -> None:
        first.mkdir()
        corpus = load(sample("zh", "corpus.jsonl"))
        rows = [
            f"{s.id}\t{s.source}\t{s.references[0].text or s.source}\n"
            for s in corpus.samples
            if s.references and not s.references[0].unannotatable
        ]
        (first / "raw.tsv").write_text("".join(rows), "utf-8")
        (first / "held.txt").write_text(corpus.samples[0].source + "\n", "utf-8")
        gecbench(
            first,
            *("data", "prepare", "--corpus", "raw=raw.tsv", "--filter", "held.txt"),
            *("-o", "train.jsonl"),
        )
        assert json.loads((first / "train.jsonl.manifest.json").read_text("utf-8"))
        (first / "run.toml").write_text(CONFIG, "utf-8")
        gecbench(first, "train", "run.toml", "-o", "run")

    once("mine", make)
    return shutil.copytree(first, tour, dirs_exist_ok=True)


def test_from_raw_pairs_to_a_report(mine) -> None:
    source = sample("zh", "corpus.jsonl")
    gecbench(
        mine,
        *("correct", "run/model", source, "--to", "lines", "-o", "mine.txt"),
        *("--details", "details.jsonl"),
    )
    header = json.loads((mine / "details.jsonl").read_text("utf-8").splitlines()[0])
    assert header["system"] == "mine"
    gecbench(
        mine,
        *("combine", source, "mine.txt", "tiny/tagger.txt", "--threshold", "1"),
        *("--scheme", "zh-char", "--to", "lines", "-o", "both.txt"),
    )
    systems = (source, "mine.txt", "both.txt", "--scheme", "zh-char")
    data = json.loads(gecbench(mine, "score", *systems, "--format", "json").stdout)
    assert {result["system"]: result["f"] for result in data["results"]}["both"] > 0
    gecbench(mine, "report", *systems, "-o", "page.html")
    assert "both" in (mine / "page.html").read_text("utf-8")


def test_info_shows_a_card(tour) -> None:
    shown = json.loads(gecbench(tour, "model", "info", "tiny/model-int8").stdout)
    assert (shown["kind"], shown["runtime"]) == ("tagger", "onnx")
    assert len(shown["fingerprint"]) == 16
    ended = gecbench(tour, "model", "info", ".", code=1)
    assert "no gecbench.json in it" in ended.stderr
    ended = gecbench(tour, "model", "info", "nowhere", code=1)
    assert "nowhere: no such folder" in ended.stderr


def test_a_model_is_exported_by_its_runs_folder(mine) -> None:
    (mine / "texts.txt").write_text("我今天很高心。\n他昨天去学校。\n", "utf-8")
    ended = gecbench(mine, "export", "run", "-o", "exact", "--no-quantise", "--texts", "texts.txt")
    assert "exact: 2 of 2 texts with all their labels are the same" in ended.stderr
    ended = gecbench(mine, "export", "exact", "-o", "again", code=2)
    assert "is an export for onnx already" in ended.stderr
    ended = gecbench(mine, "export", "run", "-o", "exact", code=1)
    assert "exact: already exists" in ended.stderr


def test_checkpoints_of_others_are_taken_in_by_command(mine) -> None:
    ended = gecbench(mine, "model", "convert", "run/model", "-o", "theirs", code=1)
    assert "no config.json there" in ended.stderr
    ended = gecbench(mine, "model", "convert", "x", "-o", "y", "--encoder", "z", code=2)
    assert "--encoder has no effect without --tagger" in ended.stderr
    ended = gecbench(mine, "model", "convert", "run", "-o", "y", "--tagger", code=2)
    assert "--language" in ended.stderr
    ended = gecbench(mine, "model", "merge", "run/model", "-o", "whole", code=2)
    assert "holds no adapter" in ended.stderr


def test_recipes_are_listed_with_what_they_are(tmp_path) -> None:
    listed = gecbench(tmp_path, "train", "--list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == sorted(recipes())
    assert {"mucgec-seq2edit", "robustgec-cpr", "cgec-lstm", "tiny"} <= set(recipes())
    assert all(len(line.split()) > 4 for line in listed)
    ended = gecbench(tmp_path, "train", "--recipe", "mucgec-seq2edit", code=2)
    assert "name the run's folder by --output" in ended.stderr


def test_a_demonstration_that_fails_leaves_no_folder(tmp_path) -> None:
    ended = gecbench(
        tmp_path,
        *("train", "--recipe", "tiny", "--set", 'data.train=["none.tsv"]'),
        *("-o", "no"),
        code=1,
    )
    assert ended.stderr.endswith("gecbench: training failed, see above\n")
    assert not (tmp_path / "no").exists()


def test_a_step_of_a_demonstration_is_a_process(capfd) -> None:
    train_module._run("--version")
    assert capfd.readouterr().out.strip().endswith(version("gecbench"))
    with pytest.raises(GecbenchError, match="gecbench train ended with code 2"):
        train_module._run("train", "--no-such-option")
