"""The training loop: the same for every kind of model, on one device or several."""

from __future__ import annotations

import copy
import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec
import numpy as np
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from accelerate.tracking import GeneralTracker, get_available_trackers
from accelerate.utils import TorchDynamoPlugin, broadcast_object_list, gather_object

from gecbench.core import seeding
from gecbench.core.errors import FormatError, GecbenchError, UsageError, reason
from gecbench.core.files import explain_errors, write_bytes
from gecbench.core.sample import Corpus
from gecbench.models.batches import make_batches
from gecbench.models.folder import atomic_folder, read_json
from gecbench.models.training.config import RunConfig, TrainingTable
from gecbench.models.training.task import Batch, Task
from gecbench.models.weights import (
    check_fit,
    evaluation_mode,
    load_weights,
    report_full_disk,
    save_weights,
)

_POOL = 256
"""Batches whose sentences are sorted by length together: chance stays, padding goes."""


def plan_epoch(lengths: Sequence[int], training: TrainingTable, epoch: int) -> list[list[int]]:
    """Plan the batches of an epoch, as indices of examples.

    Examples are shuffled, cut into pools, and sorted by length within a pool, so that little is
    padding and yet every epoch has other batches.

    Args:
        lengths: Of the examples, in positions.
        training: Batch size, bound of positions, and seed.
        epoch: From 0.
    """
    chance = np.random.default_rng(seeding.number(training.seed, f"epoch {epoch}"))
    order = chance.permutation(len(lengths))
    size = training.batch_size * _POOL
    plan: list[list[int]] = []
    for start in range(0, len(order), size):
        pool = order[start : start + size].tolist()
        groups = make_batches(
            [lengths[k] for k in pool], training.batch_size, training.batch_tokens
        )
        plan += ([pool[k] for k in group] for group in groups)
    return [plan[k] for k in chance.permutation(len(plan))]


def learning_rate(training: TrainingTable, *, step: int, total: int, cold: bool) -> float:
    """Compute the learning rate of a step.

    Args:
        training: Its schedule.
        step: From 0, among the warm or the cold ones.
        total: Number of these steps; beyond it the rate stays what it was at the end.
        cold: Whether only what is new learns: then the rate is constant.
    """
    if cold:
        return training.cold_learning_rate
    peak = training.learning_rate
    if step < training.warmup_steps:
        return peak * (step + 1) / training.warmup_steps
    if training.schedule == "constant":
        return peak
    # Polynomial of power 1, as fairseq's and transformers' defaults: linear is the same.
    share = (total - step) / max(1, total - training.warmup_steps)
    return peak * max(0.0, min(1.0, share))


class RunState(msgspec.Struct, kw_only=True):
    """How far a run is.

    No state of random generators is saved: before each step they are seeded by the run's seed and
    the step's number, so a step is the same whether or not the run was interrupted before it.

    Args:
        step: Steps done.
        epoch: The epoch, from 0.
        batch: Batches of this epoch's plan that are done, on all devices.
        phase_step: Steps done since the last change of what learns.
        cold: Whether only what is new learns.
        best: Value of the best evaluation, the higher the better; None before the first.
        best_step: When that was.
        waited: Evaluations since then.
        scaler: State of the gradient scaler of fp16.
        finished: Whether the run is over, and why; "" while it is not.
        scored_by: What the value of the last evaluation is, with all that it depends on; "" for a
            loss.
        history: The result of each evaluation.
        seconds: How long the run has taken so far.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0
    phase_step: int = 0
    cold: bool = False
    best: float | None = None
    best_step: int = 0
    waited: int = 0
    scaler: dict[str, int | float] = msgspec.field(default_factory=dict)
    finished: str = ""
    scored_by: str = ""
    history: list[dict[str, Any]] = msgspec.field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoints of a run: folders that are whole or not there, also after kill -9.

    Each has the state, the tensors that ever learn, the optimizer's, and the model as users load
    it. Beside them is the best model so far.
    """

    folder: Path

    def latest(self) -> Path | None:
        """Find the newest whole checkpoint; None where there is none."""
        return max(self.folder.glob("step-*"), default=None) if self.folder.is_dir() else None

    def best(self, state: RunState) -> Path:
        """The folder of the best model that a state names."""
        return self.folder / f"best-{state.best_step:08d}"

    def save_best(self, state: RunState, save: Callable[[Path], None]) -> None:
        """Write the best model so far; the one before stays until a checkpoint names this one."""
        path = self.best(state)
        with atomic_folder(path, replace=True) as folder, report_full_disk(path):
            save(folder)

    def save(
        self,
        state: RunState,
        tensors: Mapping[str, torch.Tensor],
        optimizer: Mapping[str, torch.Tensor],
        save: Callable[[Path], None],
    ) -> None:
        """Write a checkpoint; `save` writes the model as users load it into a folder."""
        path = self.folder / f"step-{state.step:08d}"
        with atomic_folder(path, replace=True) as folder, report_full_disk(path):
            (folder / "model").mkdir()
            save(folder / "model")
            save_weights(tensors, folder / "weights.safetensors")
            save_weights(optimizer, folder / "optimizer.safetensors")
            write_bytes(folder / "state.json", msgspec.json.format(msgspec.json.encode(state)))

    def prune(self, state: RunState, number: int) -> None:
        """Remove all but the last checkpoints, the best model, and what a killed run left."""
        for path in (
            *sorted(self.folder.glob("step-*"))[:-number],
            *(path for path in self.folder.glob("best-*") if path != self.best(state)),
            *self.folder.glob(".*"),
        ):
            shutil.rmtree(path, ignore_errors=True)


def load_state(checkpoint: Path) -> RunState:
    """Load the state of a checkpoint.

    Raises:
        GecbenchError: The file is damaged.
    """
    hint = f"remove the folder {checkpoint}"
    return read_json(checkpoint / "state.json", RunState, hint=hint)


def _load_tensors(path: Path) -> dict[str, torch.Tensor]:
    try:
        return load_weights(path)
    except FormatError as error:
        raise GecbenchError(f"{path.parent}: is damaged ({error}); remove this folder") from None


class Log:
    """Writes what happened at which step, to `log.jsonl`, to `tensorboard/` and to trackers.

    Args:
        run: The run's folder.
        step: Steps done when the log is opened: lines about later ones, by a run that was killed
            before its next checkpoint, are removed.
        trackers: Of accelerate, that are told the numbers, too.
    """

    def __init__(self, run: Path, step: int, trackers: Sequence[GeneralTracker]) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._path = run / "log.jsonl"
        if self._path.exists():
            lines = self._path.read_bytes().splitlines(keepends=True)
            write_bytes(self._path, b"".join(line for line in lines if _is_until(step, line)))
        self._writer: Any = SummaryWriter(str(run / "tensorboard"), purge_step=step + 1)
        self._trackers = trackers

    def add(self, what: str, step: int, values: Mapping[str, float | str]) -> None:
        """Write values of a step.

        Args:
            what: "train" or "dev".
            step: Steps done.
            values: By name; only numbers go to TensorBoard and the trackers.
        """
        line = json.dumps({"what": what, "step": step, **values}, ensure_ascii=False)
        with explain_errors(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
        numbers = {f"{what}/{n}": v for n, v in values.items() if not isinstance(v, str)}
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, step)
        for tracker in self._trackers:
            with _explain_trackers(tracker.name):
                tracker.log(numbers, step=step)

    def close(self) -> None:
        """Flush and close."""
        self._writer.close()
        for tracker in self._trackers:
            with _explain_trackers(tracker.name):
                tracker.finish()


@contextmanager
def _explain_trackers(*names: str) -> Iterator[None]:
    """Make what the library of a tracker raises, of any kind, one line of ours.

    Raises:
        GecbenchError: Names the trackers, and has the library's own reason.
    """
    try:
        yield
    except Exception as error:
        raise GecbenchError(
            f"tracking.trackers: {' or '.join(names)} failed: {reason(error)}; set it up, or leave "
            "it out; the same command then goes on from the last checkpoint"
        ) from error


def _is_until(step: int, line: bytes) -> bool:
    """Say whether a line of a log is whole and about a step until this one."""
    try:
        return bool(json.loads(line)["step"] <= step) and line.endswith(b"\n")
    except (ValueError, KeyError, TypeError):
        return False


class DevScorer(Protocol):
    """Values corrected dev sentences, the higher the better."""

    def __call__(self, dev: Corpus, texts: Sequence[str]) -> float:
        """Compute the value of corrections, in the order of the sentences."""
        ...

    @property
    def signature(self) -> str:
        """What the value is, and all that it depends on."""
        ...


@dataclass
class Loop:
    """A run in progress.

    Args:
        config: The run's.
        task: What learns, and how.
        examples: Of the training pairs.
        dev: Sentences to stop by.
        dev_examples: Of the dev pairs, for their loss.
        run: The run's folder.
        score: Values corrections of the dev sentences.
        provenance: What the model's card says of its making.
        say: Tells the user how it goes.
        accelerator: Of accelerate: devices, precision, several processes.
    """

    config: RunConfig
    task: Task[Any, Any]
    examples: Sequence[Any]
    dev: Corpus
    dev_examples: Sequence[Any]
    run: Path
    score: DevScorer
    provenance: Mapping[str, object]
    say: Callable[[str], None]
    accelerator: Accelerator

    def __post_init__(self) -> None:
        """Take up the last checkpoint, or the start."""
        self.checkpoints = Checkpoints(self.run / "checkpoints")
        self.lengths = [self.task.length(example) for example in self.examples]
        self.losses: list[torch.Tensor] = []
        self.started = time.monotonic()
        self.module: Any = None
        several = self.accelerator.num_processes > 1
        self.sharded = self.config.devices.strategy == "fsdp" and several
        self.log: Log | None = None
        self.task.freeze(cold=False)
        parameters = self.task.module.named_parameters()
        self.learning = frozenset(name for name, tensor in parameters if tensor.requires_grad)
        checkpoint = self.checkpoints.latest()
        cold = self.config.training.cold_epochs > 0
        self.state = load_state(checkpoint) if checkpoint else RunState(cold=cold)
        self.total = self._total_steps()

    def train(self) -> RunState:
        """Train to the end, from the last checkpoint where there is one.

        Raises:
            GecbenchError: The loss is no number any more, or a checkpoint is damaged.
        """
        self._restore()
        try:
            while not self.state.finished:
                self._epoch()
        except torch.OutOfMemoryError as error:
            raise GecbenchError(
                f"{self.run}: the memory of {self.accelerator.device} does not suffice in step "
                f"{self.state.step + 1}; lower training.batch_size or training.batch_tokens and "
                "raise training.accumulation, in another folder"
            ) from error
        finally:
            if self.log:
                self.log.close()
        return self.state

    def _restore(self) -> None:
        checkpoint = self.checkpoints.latest()
        if checkpoint:
            self._restore_weights(checkpoint / "weights.safetensors")
            self.say(f"going on from step {self.state.step}")
        self._begin_phase()
        if checkpoint and not self.state.finished:
            self._restore_optimizer(checkpoint / "optimizer.safetensors")
            if self.state.scaler and self.accelerator.scaler is not None:
                self.accelerator.scaler.load_state_dict(self.state.scaler)
        if self.accelerator.is_main_process:
            self._start_trackers()
            self.log = Log(self.run, self.state.step, self.accelerator.trackers)

    def _start_trackers(self) -> None:
        """Start a run at each tracker, with the configuration, under the name of the folder."""
        tracking, tables = self.config.tracking, msgspec.to_builtins(self.config)
        values = {key: value for key, value in tables.items() if not isinstance(value, dict)}
        for name, table in tables.items():
            if isinstance(table, dict):
                values |= {f"{name}.{key}": value for key, value in table.items()}
        name = self.run.resolve().name
        with _explain_trackers(*tracking.trackers):
            self.accelerator.init_trackers(
                tracking.project,
                {k: v if isinstance(v, int | float | str) else str(v) for k, v in values.items()},
                {"wandb": {"name": name}, "mlflow": {"run_name": name}},
            )

    def _total_steps(self) -> int:
        """Count the steps of the warm epochs; for schedules that end with them."""
        training = self.config.training
        warm = range(training.cold_epochs, training.epochs)
        # Only where positions bound batches do epochs differ in how many there are.
        epochs = warm if training.batch_tokens else warm[:1]
        counts = [len(plan_epoch(self.lengths, training, epoch)) for epoch in epochs]
        counts = counts if training.batch_tokens else counts * len(warm)
        per_step = batches_per_step(self.config, self.accelerator)
        return sum(-(-count // per_step) for count in counts)

    def _begin_phase(self) -> None:
        """Let what is to learn now learn, with an optimizer of its own."""
        training = self.config.training
        devices = self.config.devices
        if self.module is not None:
            self._gather_weights()
            self.accelerator.unwrap_model(self.module, keep_fp32_wrapper=False)
            self.accelerator.free_memory()
        elif devices.gradient_checkpointing:
            checkpoint_activations(self.task.module)
        self.task.freeze(cold=self.state.cold)
        self.task.module.train()  # transformers loads networks with their dropout switched off
        self.network = self.task.module
        if self.sharded:
            self.network = shard_network(self.task.module, self.accelerator)
        groups: dict[float, list[torch.nn.Parameter]] = {1.0: []}
        for name, tensor in self.network.named_parameters():
            if tensor.requires_grad:
                groups.setdefault(self.task.rate(name), []).append(tensor)
        self.adam = torch.optim.AdamW(
            [{"params": group, "factor": rate} for rate, group in groups.items() if group],
            betas=(training.beta1, training.beta2),
            eps=training.epsilon,
            weight_decay=training.weight_decay,
        )
        if self.sharded:  # as "evaluated" accelerate sets the precision, and wraps it in no DDP
            self.module = self.accelerator.prepare_model(self.network, evaluation_mode=True)
            self.optimizer = self.accelerator.prepare(self.adam)
        else:
            self.module, self.optimizer = self.accelerator.prepare(self.network, self.adam)

    def _epoch(self) -> None:
        """Train what is left of an epoch."""
        training, state = self.config.training, self.state
        if state.cold and state.epoch >= training.cold_epochs:
            state.cold, state.phase_step, state.waited = False, 0, 0
            self._begin_phase()
        plan = plan_epoch(self.lengths, training, state.epoch)
        per_step = batches_per_step(self.config, self.accelerator)
        is_last = False
        while not is_last and not state.finished:
            self._step(plan[state.batch : state.batch + per_step])
            state.batch += per_step
            state.step += 1
            state.phase_step += 1
            is_last = state.batch >= len(plan)
            if is_last:
                state.epoch, state.batch = state.epoch + 1, 0
            self._after_step(ended=is_last)

    def _step(self, group: Sequence[Sequence[int]]) -> None:
        """Learn from some batches, as if they were one."""
        rank, devices = self.accelerator.process_index, self.accelerator.num_processes
        training, state = self.config.training, self.state
        batches = {k: self._collate(group[k]) for k in range(rank, len(group), devices)}
        weight = sum(self.task.weight(batch) for batch in batches.values())
        whole = float(self._sum(torch.tensor(weight, dtype=torch.float64)))
        if whole <= 0:
            raise GecbenchError(
                f"step {state.step + 1}: the batch has nothing to learn from; report it"
            )
        total = torch.zeros((), device=self.accelerator.device)
        rounds = -(-len(group) // devices)
        for k in range(rank, rounds * devices, devices):
            # At the end of an epoch a device may have a batch less: it takes part with nothing.
            batch = batches[k] if k in batches else self._collate(group[0])
            share = devices / whole if k in batches else 0.0
            # By the batch, so that as many batches on another number of devices learn the same.
            torch.manual_seed(seeding.number(training.seed, f"step {state.step} device {k}"))
            # Sharded gradients are summed batch by batch: whole ones would need their memory.
            sync = k + devices >= rounds * devices or self.sharded
            with nullcontext() if sync else self.accelerator.no_sync(self.module):
                loss = self.task.loss(self.module, self._move(batch)) * share
                self.accelerator.backward(loss)
            total += loss.detach()
        if training.clip:
            learning = [p for p in self.module.parameters() if p.requires_grad]
            self.accelerator.clip_grad_norm_(learning, training.clip)
        rate = learning_rate(training, step=state.phase_step, total=self.total, cold=state.cold)
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = rate * parameters["factor"]
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(total / devices)
        if self.accelerator.device.type == "cpu":
            self._check_loss()

    def _gather_weights(self) -> None:
        """Let the task's own network have what was learnt, where devices learn a share each."""
        if not self.sharded:
            return
        network = self.task.module
        network.to(self.accelerator.device)
        wholes = dict(network.named_parameters())
        with torch.no_grad():
            for name, parameter in self.network.named_parameters():
                if name in self.learning:
                    wholes[name].copy_(gather(parameter))
            for whole, buffer in zip(network.buffers(), self.network.buffers(), strict=True):
                whole.copy_(buffer)

    def _check_loss(self) -> None:
        """Refuse to go on with weights that are no numbers any more."""
        if self.losses and not math.isfinite(loss := float(self.losses[-1])):
            raise self._not_finite(f"the loss is {loss}", self.state.step + 1)

    def _check_weights(self) -> None:
        """Refuse to keep weights that are no numbers: a finite loss may still lead there."""
        for name, tensor in self._tensors().items():
            if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
                raise self._not_finite(f"{name} is no number any more", self.state.step)

    def _not_finite(self, what: str, step: int) -> GecbenchError:
        return GecbenchError(
            f"{self.run}: {what} at step {step}; lower training.learning_rate or "
            "training.precision, or look for broken pairs; the last checkpoint is as it was"
        )

    def _after_step(self, *, ended: bool) -> None:
        """Log, evaluate and keep a checkpoint where it is time to."""
        training, step = self.config.training, self.state.step
        over = ended and self.state.epoch >= training.epochs
        every = training.evaluate_every
        evaluate = over or (step % every == 0 if every else ended)
        if step % training.log_every == 0 or evaluate:
            self._log_loss()
        due = training.checkpoint_every and step % training.checkpoint_every == 0
        if evaluate or due:
            self._gather_weights()
            self._check_weights()
            if evaluate:
                self._evaluate()
            if over and not self.state.finished:
                self.state.finished = "all epochs done"
            self._save_checkpoint()
            if self.sharded:  # the devices' memory is the sharded network's again
                self.task.module.to("cpu")

    def _log_loss(self) -> None:
        self._check_loss()
        loss = float(self._sum(torch.stack(self.losses).mean()))
        self.losses.clear()
        if self.log:
            seconds = self.state.seconds + time.monotonic() - self.started
            values = {
                "loss": loss,
                "learning_rate": self.optimizer.param_groups[0]["lr"]
                / self.optimizer.param_groups[0]["factor"],
                "epoch": self.state.epoch,
                "seconds": round(seconds, 1),
            }
            self.log.add("train", self.state.step, values)

    def _evaluate(self) -> None:
        """Measure how good the network is on the dev sentences, and decide whether to go on."""
        by, state = self.config.scoring.by, self.state
        values = self.dev_losses()
        if not math.isfinite(values["loss"]):
            raise self._not_finite(f"the dev loss is {values['loss']}", state.step)
        if by != "loss":
            values["score"] = values[self.task.score] if self.task.score else self.dev_score()
            state.scored_by = self.task.score or state.scored_by
        value = values.get("score", -values["loss"])
        state.history.append({"step": state.step, "epoch": state.epoch, **values})
        if self.log:
            self.log.add("dev", state.step, values)
        is_best = state.best is None or value > state.best
        if is_best or by == "last":
            state.best, state.best_step, state.waited = value, state.step, 0
            if self.accelerator.is_main_process:
                self.checkpoints.save_best(state, self._save_model)
        # Patience is not lost while a model from scratch corrects nothing.
        useful = by == "loss" or bool(state.best)
        state.waited += not is_best and by != "last" and not state.cold and useful
        remark = "  best so far" if is_best and by != "last" else ""
        remark = remark if useful else "  nothing corrected rightly yet"
        scores = ", ".join(f"dev {name} {number:.4f}" for name, number in values.items())
        self.say(f"step {state.step}, epoch {state.epoch}: {scores}{remark}")
        if self.config.training.patience and state.waited >= self.config.training.patience:
            state.finished = f"no better for {state.waited} evaluations"

    def dev_losses(self) -> dict[str, float]:
        """Compute the loss on the dev pairs, and the task's metrics, each by its weight."""
        rank, devices = self.accelerator.process_index, self.accelerator.num_processes
        training = self.config.training
        lengths = [self.task.length(example) for example in self.dev_examples]
        groups = make_batches(lengths, training.batch_size, training.batch_tokens, most_padding=0.1)
        names = ("loss", *self.task.metrics)
        sums = torch.zeros(len(names), 2, dtype=torch.float64)
        with evaluation_mode(self.task.module), torch.no_grad():
            for group in groups[rank::devices]:
                batch = self._move(self.task.collate([self.dev_examples[k] for k in group]))
                for k, part in enumerate(self.task.measure(self.task.module, batch)):
                    sums[k] += torch.tensor((float(part.total), part.weight), dtype=torch.float64)
        totals = zip(names, self._sum(sums).tolist(), strict=True)
        means = {name: total / weight for name, (total, weight) in totals if weight}
        return {"loss": math.nan, **means}

    def dev_score(self) -> float:
        """Score the network's corrections of the dev sentences."""
        rank, devices = self.accelerator.process_index, self.accelerator.num_processes
        samples = self.dev.samples[: self.config.scoring.sentences or None]
        with evaluation_mode(self.task.module), torch.no_grad():
            corrections = self.task.corrector().correct([s.source for s in samples[rank::devices]])
        texts = gather_object([(rank + devices * k, c.text) for k, c in enumerate(corrections)])
        value = [0.0]
        if self.accelerator.is_main_process:
            part = Corpus(self.dev.name, samples, self.dev.lang, self.dev.provenance)
            value = [self.score(part, [text for _, text in sorted(texts)])]
            self.state.scored_by = self.score.signature
        broadcast_object_list(value)
        return value[0]

    def _save_checkpoint(self) -> None:
        """Keep where the run is; what it was before goes when this is whole."""
        self._check_loss()
        now = time.monotonic()
        self.state.seconds += now - self.started
        self.started = now
        if self.accelerator.scaler is not None:
            self.state.scaler = self.accelerator.scaler.state_dict()
        optimizer = self._optimizer_tensors()
        if self.accelerator.is_main_process:
            self.checkpoints.save(self.state, self._tensors(), optimizer, self._save_model)
            self.checkpoints.prune(self.state, self.config.training.keep_checkpoints)
        self.accelerator.wait_for_everyone()

    def _save_model(self, folder: Path) -> None:
        self.task.save(folder, self.provenance)

    def _tensors(self) -> dict[str, torch.Tensor]:
        """Select the tensors that a checkpoint holds: those that ever learn, and buffers.

        Parameters that are frozen for good, as the base of a LoRA model, are loaded from where
        they were at the start.
        """
        module = self.task.module
        learning = {n: t for n, t in module.named_parameters() if n in self.learning}
        persistent = set(module.state_dict())
        return learning | {n: t for n, t in module.named_buffers() if n in persistent}

    def _restore_weights(self, path: Path) -> None:
        """Copy a checkpoint's tensors into the network, exactly.

        Raises:
            GecbenchError: They are not those of this network, or the file is damaged.
        """
        tensors, weights = self._tensors(), _load_tensors(path)
        check_fit(tensors, weights, path)
        with torch.no_grad():
            for name, tensor in tensors.items():
                tensor.copy_(weights[name])

    def _optimizer_tensors(self) -> dict[str, torch.Tensor]:
        """Name the optimizer's tensors by their parameters, whole; on the main process alone."""
        tensors: dict[str, torch.Tensor] = {}
        for name, parameter in self.network.named_parameters():
            for key, value in self.adam.state.get(parameter, {}).items():
                tensor = torch.as_tensor(value)
                tensor = gather(tensor) if self.sharded else tensor
                if self.accelerator.is_main_process:
                    tensors[f"{name}|{key}"] = tensor.cpu()
        return tensors

    def _restore_optimizer(self, path: Path) -> None:
        parameters = dict(self.network.named_parameters())
        for key, tensor in _load_tensors(path).items():
            name, _, what = key.rpartition("|")
            if what != "step":  # which Adam counts on the CPU; its moments live with the parameter
                tensor = tensor.to(parameters[name].device)
                tensor = shard_like(tensor, parameters[name]) if self.sharded else tensor
            self.adam.state[parameters[name]][what] = tensor

    def _collate(self, indices: Sequence[int]) -> Batch:
        return self.task.collate([self.examples[k] for k in indices])

    def _move(self, batch: Batch) -> dict[str, torch.Tensor]:
        device = self.accelerator.device
        return {name: tensor.to(device, non_blocking=True) for name, tensor in batch.items()}

    def _sum(self, value: torch.Tensor) -> torch.Tensor:
        """Add up a tensor over all devices."""
        if self.accelerator.num_processes == 1:
            return value
        total: torch.Tensor = self.accelerator.reduce(value.to(self.accelerator.device), "sum")
        return total.cpu()


# Devices, precision and processes.


_OTHERS = {"FSDP": "FSDP", "DEEPSPEED": "DeepSpeed", "MEGATRON_LM": "Megatron-LM"}
"""What `accelerate launch` may ask for, by the end of its variable: it does not fit our loop."""


def build_accelerator(config: RunConfig, run: Path) -> Accelerator:
    """Build the accelerator of a run, on every process of it.

    Raises:
        UsageError: The configuration asks for what this machine, or its own rest, does not allow.
    """
    precision, devices = config.training.precision, config.devices
    if precision == "fp16" and not torch.cuda.is_available():
        raise UsageError(
            'training.precision "fp16" needs a GPU, and torch sees none; use "bf16" or "no"'
        )
    if devices.strategy == "fsdp" and (precision == "fp16" or devices.compile):
        option = "devices.compile" if devices.compile else 'training.precision "fp16"'
        raise UsageError(
            f'devices.strategy "fsdp" does not go with {option}; leave out one of them'
        )
    for ending, name in _OTHERS.items():
        if os.environ.get(f"ACCELERATE_USE_{ending}", "false").lower() == "true":
            raise UsageError(
                f"accelerate launch asks for {name}, which gecbench does not train with; take that "
                'out of its configuration, and write devices.strategy = "fsdp" to shard the weights'
            )
    # accelerate leaves out without an error what is not installed.
    available = {str(tracker) for tracker in get_available_trackers()}
    if missing := [name for name in config.tracking.trackers if name not in available]:
        raise UsageError(
            f"tracking.trackers names {missing[0]}, which is not installed; run: "
            f"pip install {missing[0]}"
        )
    # Its state is one for the whole process; the run before may have had another precision.
    AcceleratorState._reset_state()
    # Without being told so, accelerate lets each process of torchrun train alone on a CPU.
    on_cpu = not torch.accelerator.is_available()
    return Accelerator(
        mixed_precision=precision,
        cpu=on_cpu,
        # Batches differ in length: compiled for one shape, each length would be compiled again.
        dynamo_plugin=TorchDynamoPlugin(
            backend="inductor" if devices.compile else "no", dynamic=True
        ),
        log_with=list(config.tracking.trackers) or None,
        project_dir=run,
    )


def checkpoint_activations(network: torch.nn.Module) -> None:
    """Let networks of transformers compute activations again in the backward pass.

    Raises:
        UsageError: No part of the network can.
    """
    able = [m for m in network.modules() if getattr(m, "supports_gradient_checkpointing", False)]
    for module in able:
        # The first is the name in transformers 5.23; the second, of 5.0, warns there.
        enable = getattr(module, "activation_checkpointing_enable", None)
        enable = enable or cast("Any", module).gradient_checkpointing_enable
        enable({"use_reentrant": False})
    if not able:
        raise UsageError(
            "devices.gradient_checkpointing is for encoders and models of transformers; this "
            "network has none that can do it"
        )


def shard_network(network: torch.nn.Module, accelerator: Accelerator) -> torch.nn.Module:
    """Copy a network, each device keeping a share of every weight (FSDP2).

    torch's own `fully_shard` is called, for accelerate's FSDP does not run on CPUs, where it is
    tested. Weights stay in 32 bits and are computed with as without sharding. Each layer that
    transformers names as one is gathered when it is needed, and the rest all at once.
    """
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    copied = copy.deepcopy(network)
    mesh = init_device_mesh(accelerator.device.type, (accelerator.num_processes,))
    names = {name for m in copied.modules() for name in getattr(m, "_no_split_modules", None) or ()}
    for module in [m for m in copied.modules() if type(m).__name__ in names]:
        fully_shard(module, mesh=mesh)
    fully_shard(copied, mesh=mesh)
    return copied


def gather(tensor: torch.Tensor) -> torch.Tensor:
    """Put a tensor of a sharded network together; all devices have to ask for it."""
    from torch.distributed.tensor import DTensor

    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def shard_like(tensor: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """Shard a whole tensor as a parameter of a sharded network is; all devices have to."""
    from torch.distributed.tensor import DTensor, distribute_tensor

    sharded = cast("DTensor", parameter)
    return distribute_tensor(tensor, sharded.device_mesh, sharded.placements)


def batches_per_step(config: RunConfig, accelerator: Accelerator) -> int:
    """Count the batches of a step, on all devices."""
    devices: int = accelerator.num_processes
    return config.training.accumulation * devices
