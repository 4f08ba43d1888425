"""Runs that end badly at every moment: what is kept, what is told, and what goes on from there."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import msgspec
import pytest
import torch
from messages import expect_error
from safetensors import SafetensorError
from small_task import KIND, SmallConfig, SmallTask
from test_training import Killed, config, equal_share, home, same, trained, weights

from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.formats.validation import convert
from gecbench.models import weights as weights_module
from gecbench.models.training import run as running
from gecbench.models.training.config import DataTable
from gecbench.models.training.loop import Checkpoints, Log, RunState
from gecbench.models.training.run import train_run
from gecbench.models.training.task import TrainingKind

__all__ = ["home"]


def kind_of(task: type[SmallTask]) -> TrainingKind:
    return TrainingKind(SmallConfig, lambda *_: task())


class Score:
    """Knows what its values are only after the first, as metrics of gecbench."""

    signature = ""

    def __call__(self, dev, texts) -> float:
        self.signature = "metric:equal-share"
        return equal_share(dev, texts)


def score_run(home: Path, name: str, config: SmallConfig):
    """Train as another process would: with a score that was never asked."""
    return train_run(config, KIND, home / name, home=home, score=Score(), say=lambda _m: None)


def card(run: Path) -> dict:
    return json.loads((run / "model" / "gecbench.json").read_text("utf-8"))["made"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("place", "name", "call"),
    [
        (Checkpoints, "save_best", 1),
        *(
            pytest.param(*moment, marks=pytest.mark.slow)
            for moment in (
                (Checkpoints, "save_best", 2),
                (Checkpoints, "save", 3),
                (Checkpoints, "prune", 4),
                (running, "_finish", 1),
            )
        ),
    ],
)
def test_a_kill_at_any_moment_of_keeping_changes_nothing(
    home, monkeypatch, place, name, call, after
) -> None:
    run_config = config(checkpoint_every=3, epochs=3)
    whole = score_run(home, "whole", run_config)
    real, left = getattr(place, name), call

    def dying(*arguments, **more):
        nonlocal left
        left -= 1
        if left == 0 and not after:
            raise Killed
        result = real(*arguments, **more)
        if left == 0:
            raise Killed
        return result

    monkeypatch.setattr(place, name, dying)
    with pytest.raises(Killed):
        score_run(home, "broken", run_config)
    monkeypatch.undo()
    again = score_run(home, "broken", run_config)
    assert same(weights(whole), weights(again))
    assert (whole.steps, whole.best_step, whole.value) == (
        again.steps,
        again.best_step,
        again.value,
    )
    first, second = card(home / "whole"), card(home / "broken")
    assert first["scored by"] == second["scored by"] == "metric:equal-share"
    assert first["history"] == second["history"]
    rest = {p.name for p in (home / "broken" / "checkpoints").iterdir()}
    assert rest == {p.name for p in (home / "whole" / "checkpoints").iterdir()}


def test_the_scaler_of_fp16_goes_on_where_it_was() -> None:
    def learnt(scaler, steps: int) -> None:
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], 0.1)
        for _ in range(steps):
            scaler.scale(weight.sum()).backward()
            scaler.step(optimizer)
            scaler.update()

    before = torch.amp.GradScaler("cpu", growth_interval=3)
    learnt(before, 5)
    text = msgspec.json.encode(RunState(scaler=before.state_dict()))
    after = torch.amp.GradScaler("cpu")
    after.load_state_dict(msgspec.json.decode(text, type=RunState).scaler)
    learnt(before, 2)
    learnt(after, 2)
    assert before.state_dict() == after.state_dict()


def test_weights_that_are_no_numbers_are_never_kept(home) -> None:
    run_config = config(checkpoint_every=1, epochs=2)

    class Breaking(SmallTask):
        left = 10

        def loss(self, module, batch):
            loss = super().loss(module, batch)
            if torch.is_grad_enabled():
                Breaking.left -= 1
                if Breaking.left == 0:  # its value is finite, its gradient is not
                    loss = loss + torch.sqrt((self.module.head.weight * 0).sum())
            return loss

    with expect_error(GecbenchError, "step 10", "training.learning_rate"):
        trained(home, "run", run_config, kind_of(Breaking))
    assert Checkpoints(home / "run" / "checkpoints").latest().name == "step-00000009"
    assert same(
        weights(trained(home, "run", run_config)), weights(trained(home, "whole", run_config))
    )


def test_a_dev_loss_that_is_no_number_is_never_the_best(home) -> None:
    class Endless(SmallTask):
        def loss(self, module, batch):
            loss = super().loss(module, batch)
            return loss if torch.is_grad_enabled() else loss + math.inf

    with expect_error(GecbenchError, "inf", "step 7"):
        trained(home, "run", config(), kind_of(Endless))
    assert not list((home / "run" / "checkpoints").glob("best-*"))


def test_memory_that_does_not_suffice_is_one_clear_line(home) -> None:
    class Huge(SmallTask):
        def loss(self, module, batch):
            raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 3 TiB")

    with expect_error(GecbenchError, "step 1", "training.batch_size"):
        trained(home, "run", config(), kind_of(Huge))


def test_a_full_disk_is_one_clear_line_and_the_checkpoint_stays(home, monkeypatch) -> None:
    run_config = config()
    real, left = weights_module.save_file, 3

    def full(*arguments, **more):
        nonlocal left
        left -= 1
        if left < 0:
            raise SafetensorError("I/O error: No space left on device (os error 28)")
        real(*arguments, **more)

    monkeypatch.setattr(weights_module, "save_file", full)
    with expect_error(GecbenchError, "step-00000014", "I/O error"):
        trained(home, "run", run_config)
    monkeypatch.undo()
    assert [p.name for p in (home / "run" / "checkpoints").glob("step-*")] == ["step-00000007"]
    assert same(
        weights(trained(home, "run", run_config)), weights(trained(home, "whole", run_config))
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
def test_a_log_that_cannot_be_written_is_one_clear_line(tmp_path) -> None:
    log = Log(tmp_path, 0, ())
    log._path = Path("/dev/full")
    with expect_error(GecbenchError, "/dev/full", "No space left"):
        log.add("train", 1, {"loss": 0.5})
    log.close()


def test_what_a_killed_run_was_writing_is_not_in_the_way(home) -> None:
    run = home / "run"
    (run / ".model.x1").mkdir(parents=True)
    (run / ".model.x1").rename(home / "kept")  # made here only to be put back below
    (run / ".run.json.abc").write_text("{")
    (run / ".lock").write_text("")
    trained(home, "run", config(epochs=2))
    (home / "kept").rename(run / ".model.x1")
    trained(home, "run", config(epochs=2))
    assert not (run / ".model.x1").exists()


def test_a_lock_that_cannot_be_made_is_one_clear_line(home) -> None:
    (home / "run" / ".lock").mkdir(parents=True)
    with expect_error(GecbenchError, ".lock", "Is a directory"):
        trained(home, "run", config())


def test_a_run_goes_on_from_another_working_folder(home, monkeypatch) -> None:
    def at(place: Path, way: str):
        monkeypatch.chdir(place)
        run_config = config(epochs=2)
        return train_run(
            run_config, KIND, home / "run", home=Path(way), score=equal_share, say=lambda _m: None
        )

    first = at(home, ".")
    assert at(home.parent, home.name) == first
    with (home / "dev.tsv").open("a") as file:
        file.write("x\tab\tbc\n")
    with expect_error(UsageError, "dev.tsv"):
        at(home.parent, home.name)
    os.chdir(home)
    wider = msgspec.structs.replace(config(epochs=2), data=DataTable(train=("train.tsv",)))
    with expect_error(UsageError, "configuration.data.dev"):
        trained(home, "run", wider)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"beta1": 1.0}, r"'training.beta1' is 1.0; expected float < 1.0"),
        ({"learning_rate": math.inf}, r"'training.learning_rate' is inf; expected float <= 1000.0"),
        ({"learning_rate": math.nan}, r"'training.learning_rate' is nan; expected float > 0.0"),
        ({"epochs": 1, "cold_epochs": 2}, r"training: cold_epochs is 2"),
    ],
)
def test_values_that_cannot_train_are_refused(table, why) -> None:
    tables = {"kind": "small", "name": "s", "language": "en", "training": table}
    with pytest.raises(FormatError, match=why):
        convert("run.toml", tables, SmallConfig)


def test_a_falling_rate_ends_with_the_last_step_whatever_bounds_batches(home, monkeypatch) -> None:
    monkeypatch.setattr("gecbench.models.training.loop._POOL", 1)  # few sentences differ enough
    run_config = config(cold_epochs=0, epochs=5, schedule="linear", batch_tokens=17)
    outcome = trained(home, "run", run_config)
    rows = map(json.loads, (home / "run" / "log.jsonl").read_text().splitlines())
    rates = [row["learning_rate"] for row in rows if row["what"] == "train"]
    assert len(rates) == outcome.steps
    assert rates[-1] == pytest.approx(0.05 / outcome.steps)
