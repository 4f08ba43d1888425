"""The script of sweeps in the page on training, as it stands there, with Optuna itself."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from gecbench.api.train import recipes

PAGE = Path(__file__).parents[2] / "docs" / "correct" / "training.md"

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_documented_sweep_tries_settings_and_goes_on(need, tmp_path: Path, monkeypatch):
    optuna = need("optuna")
    (script,) = re.findall(r"^```py\n(# sweep\.py\n.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    (tmp_path / "sweep.py").write_text(script.replace("n_trials=20", "n_trials=1"), "utf-8")
    recipe = recipes()["tiny"].read_text("utf-8")
    (tmp_path / "tagger.toml").write_text(recipe.replace("epochs = 40", "epochs = 1"), "utf-8")
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        study = runpy.run_path("sweep.py", run_name="__main__")["study"]
    trials = study.trials
    assert [trial.state for trial in trials] == [optuna.trial.TrialState.COMPLETE] * 2
    for trial in trials:
        card = json.loads(Path(f"sweep/{trial.number}/run.json").read_text("utf-8"))
        assert str(trial.params["learning_rate"]) in json.dumps(card)
