"""The training loop: the same weights whatever interrupts it, and nothing lost."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
import torch
from messages import expect_error
from safetensors.torch import load_file
from small_task import KIND, SmallConfig, SmallTask

from gecbench.core.errors import CorpusError, FormatError, GecbenchError, UsageError
from gecbench.formats.validation import convert
from gecbench.models.training.config import (
    DataTable,
    DevicesTable,
    ScoringTable,
    TrackingTable,
    TrainingTable,
)
from gecbench.models.training.loop import learning_rate, plan_epoch
from gecbench.models.training.run import train_run
from gecbench.models.training.task import TrainingKind


def shifted(text: str) -> str:
    return text.translate(str.maketrans("abcdefgh", "bcdefgha"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    chance = random.Random(3)
    texts = ["".join(chance.choices("abcdefgh", k=chance.randint(2, 9))) for _ in range(60)]
    rows = [f"{n}\t{text}\t{shifted(text)}\n" for n, text in enumerate(texts)]
    (tmp_path / "train.tsv").write_text("".join(rows[:50]))
    (tmp_path / "dev.tsv").write_text("".join(rows[50:]))
    return tmp_path


def equal_share(dev, texts) -> float:
    pairs = zip(dev.samples, texts, strict=True)
    return sum(s.references[0].text == text for s, text in pairs) / len(texts)


equal_share.signature = "metric:equal-share"


class Half:
    """Says of everything that it is half right."""

    signature = "metric:half"

    def __call__(self, dev, texts) -> float:
        return 0.5


def config(**training) -> SmallConfig:
    settings = {
        "epochs": 4,
        "learning_rate": 0.05,
        "batch_size": 8,
        "cold_epochs": 1,
        "patience": 0,
    }
    return SmallConfig(
        kind="small",
        name="small",
        language="en",
        data=DataTable(train=("train.tsv",), dev="dev.tsv"),
        training=TrainingTable(**{**settings, "log_every": 1, **training}),
    )


def sharded(config: SmallConfig) -> SmallConfig:
    return msgspec.structs.replace(config, devices=DevicesTable(strategy="fsdp"))


def trained(home: Path, name: str, config: SmallConfig, kind: TrainingKind = KIND, messages=None):
    say = (lambda _message: None) if messages is None else messages.append
    return train_run(config, kind, home / name, home=home, score=equal_share, say=say)


def weights(outcome) -> dict[str, torch.Tensor]:
    return load_file(outcome.model / "model.safetensors")


def same(first, second) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name]) for name in first
    )


def test_dropout_is_on_from_the_first_step(home) -> None:
    modes: list[bool] = []

    class Loaded(SmallTask):
        def __init__(self) -> None:
            super().__init__()
            self.network.eval()  # as transformers loads networks

        def loss(self, module: torch.nn.Module, batch) -> torch.Tensor:
            modes.extend([module.training] * torch.is_grad_enabled())
            return super().loss(module, batch)

    trained(home, "run", config(), TrainingKind(SmallConfig, lambda *_: Loaded()))
    assert modes
    assert all(modes)


def test_a_run_learns_and_leaves_a_model_with_a_card(home) -> None:
    text: list[str] = []
    outcome = trained(home, "run", config(epochs=12), messages=text)
    assert outcome.value == 1.0
    assert outcome.why == "all epochs done"
    card = (outcome.model / "README.md").read_text("utf-8")
    for part in (
        "train.tsv",
        "metric:equal-share",
        '"seed": 1',
        "| 1.0000 |",
        "library_name: gecbench",
        "pairs: 50",
    ):
        assert part in card
    result = json.loads((outcome.model / "gecbench.json").read_text("utf-8"))["made"]
    assert result["best_step"] == outcome.best_step
    assert len(result["data"]["train.tsv"]) == 64
    assert any("best so far" in line for line in text)
    assert list((home / "run" / "tensorboard").iterdir())
    logged = [json.loads(line) for line in (home / "run" / "log.jsonl").read_text().splitlines()]
    steps = [row["step"] for row in logged if row["what"] == "train"]
    assert steps == list(range(1, outcome.steps + 1))
    assert [row["learning_rate"] for row in logged if row["what"] == "train"][:8] == (
        [0.001] * 7 + [0.05]
    )


class Killed(BaseException):
    """What a test throws in the place of a signal."""


def kind_that_dies(after: int) -> TrainingKind:
    """Return a kind whose training dies after so many batches."""

    class Dying(SmallTask):
        left = after

        def loss(self, module, batch):
            if torch.is_grad_enabled():
                Dying.left -= 1
                if Dying.left < 0:
                    raise Killed
            return super().loss(module, batch)

    return TrainingKind(SmallConfig, lambda _config, _pairs, _kept: Dying())


@pytest.mark.parametrize(
    "after", [7, *(pytest.param(item, marks=pytest.mark.slow) for item in (1, 5, 8, 13, 20))]
)
def test_a_killed_run_goes_on_to_the_same_weights(home, after) -> None:
    run_config = config(checkpoint_every=3, accumulation=2, schedule="linear", warmup_steps=2)
    whole = trained(home, "whole", run_config)
    with pytest.raises(Killed):
        trained(home, "broken", run_config, kind_that_dies(after))
    text: list[str] = []
    resumed = trained(home, "broken", run_config, messages=text)
    assert any("going on from step" in line for line in text) == (after > 6)
    assert same(weights(whole), weights(resumed))
    assert (whole.steps, whole.best_step, whole.value) == (
        resumed.steps,
        resumed.best_step,
        resumed.value,
    )
    log = (home / "broken" / "log.jsonl").read_text().splitlines()
    steps = [row["step"] for row in map(json.loads, log) if row["what"] == "train"]
    assert steps == list(range(1, whole.steps + 1))


def test_what_a_killed_run_was_writing_is_not_taken_for_a_checkpoint(home, monkeypatch) -> None:
    run_config = config(checkpoint_every=2)
    whole = trained(home, "whole", run_config)
    from gecbench.models.training import loop

    real = loop.write_bytes
    left = 5

    def dying(path, content):
        nonlocal left
        left -= path.name == "state.json"
        if left < 0:
            raise Killed
        real(path, content)

    monkeypatch.setattr(loop, "write_bytes", dying)
    with pytest.raises(Killed):
        trained(home, "broken", run_config)
    monkeypatch.undo()
    assert same(weights(whole), weights(trained(home, "broken", run_config)))


def test_a_finished_run_gives_its_model_again(home) -> None:
    first = trained(home, "run", config())
    assert trained(home, "run", config(), kind_that_dies(0)) == first


def test_gradients_of_parts_are_those_of_the_whole(home) -> None:
    again = [trained(home, name, config()) for name in "ab"]
    assert same(*map(weights, again))
    # Dropout draws differently in parts, so it is put out for this comparison.
    plain = TrainingKind(SmallConfig, lambda *_: _without_dropout())
    first = trained(home, "c", config(batch_size=50, cold_epochs=0), plain)
    second = trained(home, "d", config(batch_size=10, accumulation=5, cold_epochs=0), plain)
    for name, tensor in weights(first).items():
        assert torch.allclose(tensor, weights(second)[name], atol=1e-5)


def _without_dropout() -> SmallTask:
    task = SmallTask()
    task.module.dropout.p = 0.0
    return task


def test_cold_epochs_train_only_what_is_new(home) -> None:
    bodies = []

    class Watching(SmallTask):
        def loss(self, module, batch):
            bodies.append(self.module.body.weight.detach().clone())
            return super().loss(module, batch)

    trained(home, "run", config(epochs=2), TrainingKind(SmallConfig, lambda *_: Watching()))
    cold = 50 // 8 + 1
    assert all(torch.equal(bodies[0], body) for body in bodies[: cold + 1])
    assert not torch.equal(bodies[0], bodies[-1])


def test_patience_ends_a_run_that_gets_no_better(home, monkeypatch) -> None:
    run_config = config(epochs=30, patience=2)
    outcome = train_run(
        run_config, KIND, home / "run", home=home, score=Half(), say=lambda _m: None
    )
    assert outcome.why == "no better for 2 evaluations"
    assert outcome.best_step == 7  # the first, of the cold epoch


def test_the_dev_loss_may_decide(home) -> None:
    run_config = SmallConfig(
        **{f: getattr(config(), f) for f in ("kind", "name", "language", "data", "training")},
        scoring=ScoringTable(by="loss"),
    )
    outcome = train_run(run_config, KIND, home / "run", home=home, score=None, say=lambda _m: None)
    assert outcome.value < 0
    history = json.loads((outcome.model / "gecbench.json").read_text("utf-8"))["made"]["history"]
    assert -outcome.value == min(row["loss"] for row in history)
    assert all("score" not in row for row in history)


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_checkpoint(home) -> None:
    class Poisoned(SmallTask):
        steps = 0

        def loss(self, module, batch):
            Poisoned.steps += torch.is_grad_enabled()
            self.poison = Poisoned.steps > 9
            return super().loss(module, batch)

    with expect_error(GecbenchError, "nan", "step 10", "training.learning_rate"):
        trained(home, "run", config(), TrainingKind(SmallConfig, lambda *_: Poisoned()))
    assert (home / "run" / "checkpoints" / "step-00000007").is_dir()
    assert same(weights(trained(home, "run", config())), weights(trained(home, "x", config())))


def test_another_configuration_or_other_data_do_not_go_on(home) -> None:
    trained(home, "run", config())
    with expect_error(UsageError, "configuration.training.seed"):
        trained(home, "run", config(seed=2))
    with (home / "train.tsv").open("a") as file:
        file.write("x\tab\tbc\n")
    with pytest.raises(UsageError, match=r"differs in data\..*train.tsv"):
        trained(home, "run", config())


def test_a_folder_of_somebody_else_is_left_alone(home) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "thesis.tex").write_text("x")
    with expect_error(GecbenchError, "thesis.tex"):
        trained(home, "mine", config())


def test_bad_data_are_one_clear_line(home) -> None:
    (home / "bare.txt").write_text("abc\n")
    empty = {"train": ("bare.txt",), "dev": "dev.tsv"}
    for data, why, error in (
        (empty, "bare.txt:1: no sentence has a reference", FormatError),
        ({"train": ()}, "data.train names no file", CorpusError),
        ({"train": ("nothing.tsv",)}, "nothing.tsv: no such file", GecbenchError),
    ):
        run_config = SmallConfig(kind="small", name="s", language="en", data=DataTable(**data))
        with pytest.raises(error, match=why):
            trained(home, "run", run_config)
    (home / "same.tsv").write_text("1\tabc\tabc\n")
    run_config = SmallConfig(
        kind="small", name="s", language="en", data=DataTable(train=("same.tsv",), dev="dev.tsv")
    )
    with expect_error(CorpusError, "no error: 1"):
        trained(home, "run", run_config)
    (home / "long.tsv").write_text("1\tabc\tabcd\n")
    run_config = SmallConfig(
        kind="small", name="s", language="en", data=DataTable(train=("long.tsv",), dev="dev.tsv")
    )
    with expect_error(CorpusError, "two lengths: 1"):
        trained(home, "run", run_config)


def test_dev_references_that_cannot_be_learnt_are_counted(home) -> None:
    (home / "held.tsv").write_text("1\tabc\tabd\n2\tabc\t无法标注\n")
    data = DataTable(train=("train.tsv",), dev="held.tsv")
    run_config = SmallConfig(
        kind="small", name="s", language="en", data=data, training=config().training
    )
    assert trained(home, "run", run_config).counts["dev pairs left out: unannotatable"] == 1


def test_the_dev_sentences_are_never_learnt(home) -> None:
    both = config()
    data = DataTable(train=("train.tsv", "dev.tsv"), dev="dev.tsv")
    text: list[str] = []
    run_config = SmallConfig(
        kind="small", name="s", language="en", data=data, training=both.training
    )
    outcome = trained(home, "run", run_config, messages=text)
    assert outcome.counts["left out: also in dev"] == 10
    part = SmallConfig(
        kind="small",
        name="s",
        language="en",
        data=DataTable(train=("train.tsv",), dev_share=0.2),
        training=both.training,
    )
    counts = trained(home, "part", part).counts
    assert (counts["dev sentences"], counts["pairs"]) == (10, 40)


def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    table = {"kind": "small", "name": "s", "language": "en", "training": {"batchsize": 3}}
    with expect_error(FormatError, "'training.batchsize'", "training.batch_size"):
        convert("run.toml", table, SmallConfig)
    table["training"] = {"batch_size": "3"}
    with expect_error(FormatError, "run.toml", "'training.batch_size'", "'3'"):
        convert("run.toml", table, SmallConfig)
    table["training"] = {"batch_size": 0}
    with expect_error(FormatError, "'training.batch_size'", "0", "1"):
        convert("run.toml", table, SmallConfig)


def test_plans_differ_by_epoch_and_waste_little() -> None:
    chance = random.Random(1)
    lengths = [int(chance.lognormvariate(3, 0.5)) + 1 for _ in range(5000)]
    training = TrainingTable(batch_size=32)
    first, second = plan_epoch(lengths, training, 0), plan_epoch(lengths, training, 1)
    assert first == plan_epoch(lengths, training, 0) != second
    for result in (first, second):
        assert sorted(k for batch in result for k in batch) == list(range(5000))
        taken = sum(max(lengths[k] for k in batch) * len(batch) for batch in result)
        assert 1 - sum(lengths) / taken < 0.1


def test_a_run_goes_on_compiled_or_not_as_it_was_begun(home) -> None:
    trained(home, "run", config(epochs=1))
    with expect_error(UsageError, "differs in configuration.devices.compile;"):
        compiled = DevicesTable(gradient_checkpointing=True, compile=True)
        trained(home, "run", msgspec.structs.replace(config(epochs=1), devices=compiled))


def test_a_compiled_run_learns_what_a_plain_one_does_and_goes_on_compiled(
    home, monkeypatch
) -> None:
    """Compiled for real, it takes minutes on a CPU: here torch only traces the network."""
    compile_network, calls = torch.compile, []

    def traced(network, **options):
        calls.append(options)
        return compile_network(network, **{**options, "backend": "eager"})

    monkeypatch.setattr(torch, "compile", traced)
    plain = weights(trained(home, "plain", config()))
    compiled = msgspec.structs.replace(config(), devices=DevicesTable(compile=True))
    with pytest.raises(Killed):
        trained(home, "compiled", compiled, kind_that_dies(9))
    learnt = weights(trained(home, "compiled", compiled))
    assert learnt.keys() == plain.keys()
    assert all(torch.allclose(learnt[name], plain[name], atol=1e-5) for name in plain)
    assert [options["backend"] for options in calls] == ["inductor"] * 2


def test_learning_rates() -> None:
    training = TrainingTable(learning_rate=1.0, schedule="polynomial", warmup_steps=4)
    rates = [learning_rate(training, step=s, total=14, cold=False) for s in range(15)]
    assert rates[:4] == [0.25, 0.5, 0.75, 1.0]
    assert rates[4] == 1.0
    assert math.isclose(rates[9], 0.5)
    assert rates[14] == 0.0
    assert learning_rate(training, step=9, total=14, cold=True) == training.cold_learning_rate
    constant = TrainingTable(learning_rate=2.0)
    assert learning_rate(constant, step=99, total=14, cold=False) == 2.0


_TWO = """
import os, signal, sys
from pathlib import Path
import test_training as t
from gecbench.models.training import loop

home = Path(sys.argv[1])
t.trained(home, "two", t.config(batch_size=5))
sharded = t.sharded(t.config(batch_size=5, checkpoint_every=3))
try:
    t.trained(home, "sharded", sharded, t.kind_that_dies(8))
except t.Killed:
    print("killed once")
write = loop.write_bytes

def dying(path, text):
    if path.name == "state.json" and b'"step": 12' in text:  # the weights are written by then
        print("killed twice", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    write(path, text)

loop.write_bytes = dying
t.trained(home, "sharded", sharded)
"""


def torchrun(home: Path, processes: int, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in several processes; its argument is the folder."""
    script = home / f"{processes}.py"
    script.write_text(program)
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc_per_node", str(processes), str(script), str(home)),
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


@pytest.mark.slow
def test_two_processes_learn_what_one_learns_and_are_continued_by_one(home) -> None:
    run = torchrun(home, 2, _TWO)
    assert "killed once" in run.stdout, run.stderr[:4000]
    assert "killed twice" in run.stdout, run.stderr[:4000]
    steps = {path.name for path in (home / "sharded" / "checkpoints").glob("step-*")}
    assert steps == {"step-00000010"}
    with expect_error(UsageError, "2 batches", "training.accumulation"):
        trained(home, "sharded", config(batch_size=5, checkpoint_every=3))
    alone = trained(home, "one", config(batch_size=5, accumulation=2))
    text: list[str] = []
    run_config = config(batch_size=5, accumulation=2, checkpoint_every=3)
    continued = trained(home, "sharded", run_config, messages=text)
    assert "going on from step 10" in text
    two = load_file(home / "two" / "model" / "model.safetensors")
    for name, tensor in weights(alone).items():
        assert torch.allclose(tensor, two[name], atol=1e-5), name
        assert torch.allclose(tensor, weights(continued)[name], atol=1e-5), name


_FOUR = """
import sys
from pathlib import Path
import test_training as t

home, four = Path(sys.argv[1]), t.config(batch_size=3)
t.trained(home, "ddp", four)
t.trained(home, "fsdp", t.sharded(four))
"""


@pytest.mark.slow
def test_four_processes_learn_what_one_learns(home) -> None:
    run = torchrun(home, 4, _FOUR)
    assert run.returncode == 0, run.stderr[:4000]
    alone = weights(trained(home, "one", config(batch_size=3, accumulation=4)))
    for name in ("ddp", "fsdp"):
        card = json.loads((home / name / "model" / "gecbench.json").read_text())
        assert card["made"]["devices"] == 4
        four = load_file(home / name / "model" / "model.safetensors")
        for key, tensor in alone.items():
            assert torch.allclose(tensor, four[key], atol=1e-5), (name, key)


@pytest.mark.parametrize(
    ("devices", "tracking", "facts"),
    [
        ({"gradient_checkpointing": True}, {}, ("devices.gradient_checkpointing",)),
        ({"strategy": "fsdp", "compile": True}, {}, ("devices.strategy", "devices.compile")),
        ({}, {"trackers": ("aim",)}, ("tracking.trackers", "aim")),
    ],
)
def test_what_a_network_or_a_machine_cannot_do_is_refused(home, devices, tracking, facts) -> None:
    run_config = msgspec.structs.replace(
        config(), devices=DevicesTable(**devices), tracking=TrackingTable(**tracking)
    )
    with expect_error(UsageError, *facts):
        trained(home, "run", run_config)


@pytest.fixture
def aim(monkeypatch):
    """Stand in for the tracker Aim by one that fails where it is told to."""
    from accelerate.tracking import LOGGER_TYPE_TO_CLASS, GeneralTracker
    from accelerate.utils import LoggerType

    from gecbench.models.training import loop

    class Aim(GeneralTracker):
        name = "aim"
        requires_logging_directory = True
        tracker = None
        told: ClassVar[dict[str, Any]] = {}
        fails_at = ""

        def __init__(self, project: str, logging_dir: str) -> None:
            super().__init__()
            self.told["project"] = project

        def start(self) -> None:
            self.fail("start")

        def store_init_configuration(self, values: dict) -> None:
            self.told["learning_rate"] = values["training.learning_rate"]

        def log(self, values: dict, step: int) -> None:
            self.fail("log")
            self.told.setdefault("steps", []).append((step, *values))

        def finish(self) -> None:
            self.fail("finish")
            self.told["finished"] = True

        def fail(self, at: str) -> None:
            if at == self.fails_at:
                raise RuntimeError("the store is closed,\nask its owner")

    monkeypatch.setitem(LOGGER_TYPE_TO_CLASS, "aim", Aim)
    for module in (loop, sys.modules["accelerate.tracking"]):
        monkeypatch.setattr(module, "get_available_trackers", lambda: [LoggerType.AIM])
    return Aim


def tracked(run_config: SmallConfig) -> SmallConfig:
    tracking = TrackingTable(trackers=("aim",), project="mine")
    return msgspec.structs.replace(run_config, tracking=tracking)


def test_trackers_get_the_numbers_of_the_log(home, aim) -> None:
    trained(home, "run", tracked(config(epochs=1)))
    told = aim.told
    assert (told["project"], told["learning_rate"], told["finished"]) == ("mine", 0.05, True)
    assert (7, "dev/loss", "dev/score") in told["steps"]


@pytest.mark.parametrize("moment", ["start", "log", "finish"])
def test_what_a_tracker_refuses_is_one_clear_line_and_the_run_goes_on_without_it(
    home, aim, moment
) -> None:
    aim.fails_at = moment
    with expect_error(GecbenchError, "tracking.trackers", "aim", "the store is closed"):
        trained(home, "run", tracked(config(epochs=1)))
    assert trained(home, "run", config(epochs=1)).steps == 7


@pytest.mark.slow
def test_mixed_precision_learns_and_resumes(home) -> None:
    trained(home, "plain", config(epochs=1))
    run_config = config(epochs=12, precision="bf16", checkpoint_every=3)
    whole = trained(home, "whole", run_config)
    assert whole.value == 1.0
    assert all(tensor.dtype == torch.float32 for tensor in weights(whole).values())
    with pytest.raises(Killed):
        trained(home, "broken", run_config, kind_that_dies(20))
    assert same(weights(whole), weights(trained(home, "broken", run_config)))


def test_fp16_needs_a_gpu(home, monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with expect_error(UsageError, "training.precision", '"fp16"', "GPU"):
        trained(home, "run", config(precision="fp16"))
