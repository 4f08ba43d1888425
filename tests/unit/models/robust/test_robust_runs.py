"""Whole runs of robust training: from the command to a model, killed, resumed, and compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from messages import expect_error
from robust_cases import TEXTS, configuration, write_cases
from safetensors.torch import load_file

from gecbench.cli import main
from gecbench.core.errors import UsageError
from gecbench.models.robust.task import RobustTask
from gecbench.models.tagger.training import KIND
from gecbench.models.training.run import train_run

TRAINING = {
    "epochs": 3,
    "batch_size": 4,
    "learning_rate": 0.01,
    "log_every": 1,
    "patience": 1,
    "threads": 1,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_cases(tmp_path / "cases.jsonl")
    write_cases(tmp_path / "held.jsonl", [[(s, t) for s, t in text] for text in TEXTS[4:]])
    return tmp_path


class Falling:
    """Scores that get worse: what is kept is not the best."""

    signature = "metric:falling"

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, dev, texts) -> float:
        self.asked += 1
        return 1 / self.asked


def half(dev, texts) -> float:
    return 0.5


half.signature = "metric:half"


def run_training(home: Path, name: str, config, *, kind=KIND, messages=None, score=None):
    say = (lambda _line: None) if messages is None else messages.append
    return train_run(config, kind, home / name, home=home, score=score or Falling(), say=say)


def build_config(robust=None, *, by="last", training=None, **model):
    return configuration(
        robust,
        model=model,
        data={"dev": "held.jsonl"},
        scoring={"by": by},
        training={**TRAINING, **(training or {})},
    )


def weights(outcome) -> dict[str, torch.Tensor]:
    return load_file(outcome.model / "model.safetensors")


def same(first, second) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name]) for name in first
    )


def history(outcome) -> list[dict]:
    card = json.loads((outcome.model / "gecbench.json").read_text("utf-8"))
    return card["made"]["history"]


def test_the_last_weights_are_kept_and_dev_is_scored_all_the_same(home) -> None:
    text: list[str] = []
    outcome = run_training(home, "run", build_config(), messages=text)
    assert (outcome.why, outcome.steps) == ("all epochs done", 6)
    assert outcome.best_step == outcome.steps
    rows = history(outcome)
    assert [row["score"] for row in rows] == [1.0, 0.5, 1 / 3]
    assert outcome.value == 1 / 3
    assert all(row["divergence"] > 0 for row in rows)
    assert not any("best so far" in line for line in text)
    assert any("dev divergence" in line for line in text)
    card = (outcome.model / "README.md").read_text("utf-8")
    for part in (
        "They are the last",
        "| step | loss | divergence | score |\n|---:|---:|---:|---:|\n| 2 |",
        "Trained by cpr with alpha 1:",
        "cases.jsonl",
        "held.jsonl",
        "places compared: ",
    ):
        assert part in card
    state = run_training(home, "best", build_config(by="score"))
    assert (state.why, state.best_step) == ("no better for 1 evaluations", 2)


class Killed(BaseException):
    """What a test throws in the place of a signal."""


@pytest.mark.parametrize("after", [2, 3, 4])
def test_a_killed_run_goes_on_to_the_same_weights(home, monkeypatch, after) -> None:
    config = build_config(
        {"alpha": 2.0}, dropout=0.3, training={"checkpoint_every": 2, "accumulation": 2}
    )
    whole = run_training(home, "whole", config, score=half)
    real, left = RobustTask.loss, after

    def dying(self, module, batch):
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return real(self, module, batch)

    monkeypatch.setattr(RobustTask, "loss", dying)
    with pytest.raises(Killed):
        run_training(home, "broken", config, score=half)
    monkeypatch.undo()
    again = run_training(home, "broken", config, score=half)
    assert same(weights(whole), weights(again))
    assert history(whole) == history(again)
    with expect_error(UsageError, "configuration.robust.alpha"):
        run_training(home, "broken", build_config({"alpha": 1.0}, dropout=0.3))


_TWO = """
import sys
from pathlib import Path
import test_robust_runs as t
t.run_training(Path(sys.argv[1]), "two", t.build_config(training={"batch_size": 3, "epochs": 2}))
"""


@pytest.mark.slow
def test_two_processes_learn_what_one_learns(home) -> None:
    script = home / "two.py"
    script.write_text(_TWO)
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    run = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc_per_node", "2", str(script), str(home)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={
            "OMP_NUM_THREADS": "1",
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            "PYTHONPATH": paths,
        },
    )
    assert run.returncode == 0, run.stderr[-4000:]
    alone = build_config(training={"batch_size": 3, "accumulation": 2, "epochs": 2})
    first = weights(run_training(home, "one", alone))
    second = load_file(home / "two" / "model" / "model.safetensors")
    for name, tensor in first.items():
        assert torch.allclose(tensor, second[name], atol=1e-5), name


def command(*words: object) -> int:
    """Run the real command in this process, and return its code."""
    try:
        main([*map(str, words)])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """Return a tagger that has learnt originals alone, by the real command."""
    home = tmp_path_factory.mktemp("base")
    rows = [f"{n}\t{source}\t{target}\n" for n, ((source, target), *_) in enumerate(TEXTS)]
    (home / "train.tsv").write_text("".join(rows))
    (home / "run.toml").write_text(
        'kind = "tagger"\nname = "base"\nlanguage = "en"\n'
        '[data]\ntrain = ["train.tsv"]\ndev = "train"\nkeep_correct = 1.0\n'
        "[model]\nconvolution = {width = 32, dilations = [1, 2], dropout = 0.0}\n"
        "[training]\nepochs = 25\nlearning_rate = 0.01\nbatch_size = 3\npatience = 0\n"
        'evaluate_every = 25\n[scoring]\nby = "loss"\n'
    )
    assert command("train", home / "run.toml", "-o", home / "run") == 0
    return home / "run" / "model"


def post_trained(base: Path, home: Path, alpha: float) -> list[dict]:
    """Post-train by the real command, and return what dev was found to be."""
    (home / "robust.toml").write_text(
        'kind = "tagger"\nname = "robust"\nlanguage = "en"\n'
        f'[data]\ndev = "train"\n[model]\ncontinue_from = "{base}"\ndropout = 0.1\n'
        '[robust]\ncases = ["cases.jsonl"]\n'
        "[training]\nepochs = 4\nlearning_rate = 3e-3\nbatch_size = 4\n"
        '[scoring]\nby = "last"\n'
    )
    run = home / f"alpha-{alpha:g}"
    text = f"robust.alpha={alpha}"
    assert command("train", home / "robust.toml", "-o", run, "--set", text) == 0
    card = json.loads((run / "model" / "gecbench.json").read_text("utf-8"))
    return card["made"]["history"]


@pytest.mark.slow
def test_the_divergence_on_dev_falls_with_alpha(base, home) -> None:
    last = [post_trained(base, home, alpha)[-1]["divergence"] for alpha in (0, 1, 10)]
    assert last[0] > last[1] > last[2] > 0


def test_a_run_that_cannot_be_is_refused_before_anything_is_written(home, capsys) -> None:
    (home / "run.toml").write_text(
        'kind = "tagger"\nname = "x"\nlanguage = "en"\n[robust]\ncases = ["held.jsonl"]\n'
        "[model]\ntrain_rounds = 3\n"
    )
    assert command("train", home / "run.toml", "-o", home / "run") == 2
    assert "model.train_rounds 3" in capsys.readouterr().err
    assert not (home / "run").exists()
