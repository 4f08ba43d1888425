"""The training loop: the same for every kind of model, on one device or several."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, gather_object

from gecbench.core import seeding
from gecbench.core.errors import GecbenchError
from gecbench.core.sample import Corpus
from gecbench.models.batches import batches
from gecbench.models.training import checkpoints
from gecbench.models.training.checkpoints import State
from gecbench.models.training.config import RunConfig
from gecbench.models.training.log import Log
from gecbench.models.training.plan import learning_rate, plan, steps_of
from gecbench.models.training.task import Learner, Part, Watching


class Score(Protocol):
    """Values corrected dev sentences, the higher the better."""

    def __call__(self, dev: Corpus, texts: Sequence[str]) -> float:
        """Return the value of corrections, in the order of the sentences."""
        ...

    @property
    def signature(self) -> str:
        """What the value is, and all that it depends on."""
        ...


@dataclass(slots=True)
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
        made: What the model's card says of its making.
        say: Tells the user how it goes.
        accelerator: Of accelerate: devices, precision, several processes.
    """

    config: RunConfig
    task: Learner[Any]
    examples: Sequence[Any]
    dev: Corpus
    dev_examples: Sequence[Any]
    run: Path
    score: Score
    made: Mapping[str, object]
    say: Callable[[str], None]
    accelerator: Accelerator
    state: State = None  # type: ignore[assignment]  # set by `begin`
    module: Any = None
    optimizer: Any = None
    log: Log | None = None
    learning: frozenset[str] = frozenset()
    lengths: list[int] = None  # type: ignore[assignment]
    total: int = 0
    losses: list[torch.Tensor] = None  # type: ignore[assignment]
    started: float = 0.0

    @property
    def folder(self) -> Path:
        """Where the checkpoints are."""
        return self.run / "checkpoints"

    def train(self) -> State:
        """Train to the end, from the last checkpoint where there is one.

        Raises:
            GecbenchError: The loss is no number any more, or a checkpoint is damaged.
        """
        self._begin()
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

    def _begin(self) -> None:
        """Set everything up as it was at the last checkpoint, or as it is at the start."""
        self.lengths = [self.task.length(example) for example in self.examples]
        self.losses = []
        self.started = time.monotonic()
        self.task.freeze(cold=False)
        parameters = self.task.module.named_parameters()
        self.learning = frozenset(name for name, each in parameters if each.requires_grad)
        checkpoint = checkpoints.latest(self.folder)
        cold = self.config.training.cold_epochs > 0
        self.state = checkpoints.read_state(checkpoint) if checkpoint else State(cold=cold)
        self.total = self._total_steps()
        if checkpoint:
            checkpoints.restore_weights(checkpoint, self._kept())
            self.say(f"going on from step {self.state.step}")
        self._phase()
        if checkpoint and not self.state.finished:
            checkpoints.restore_optimizer(checkpoint, self._bare_optimizer(), self._names())
            if self.state.scaler and self.accelerator.scaler is not None:
                self.accelerator.scaler.load_state_dict(self.state.scaler)
        if self.accelerator.is_main_process:
            self.log = Log(self.run, self.state.step)

    def _total_steps(self) -> int:
        """Return how many steps the warm epochs are; for schedules that end with them."""
        training = self.config.training
        warm = range(training.cold_epochs, training.epochs)
        # Only where positions bound batches do epochs differ in how many there are.
        plans = warm if training.batch_tokens else warm[:1]
        counts = [len(plan(self.lengths, training, epoch)) for epoch in plans]
        counts = counts if training.batch_tokens else counts * len(warm)
        return sum(steps_of(n, training, self.accelerator.num_processes) for n in counts)

    def _phase(self) -> None:
        """Let what is to learn now learn, with an optimizer of its own."""
        training = self.config.training
        if self.module is not None:
            self.accelerator.unwrap_model(self.module, keep_fp32_wrapper=False)
            self.accelerator.free_memory()
        self.task.freeze(cold=self.state.cold)
        self.optimizer = torch.optim.AdamW(
            [each for each in self.task.module.parameters() if each.requires_grad],
            betas=(training.beta1, training.beta2),
            eps=training.epsilon,
            weight_decay=training.weight_decay,
        )
        self.module, self.optimizer = self.accelerator.prepare(self.task.module, self.optimizer)

    def _epoch(self) -> None:
        """Train what is left of an epoch."""
        training = self.config.training
        if self.state.cold and self.state.epoch >= training.cold_epochs:
            self.state.cold = False
            self.state.phase_step = 0
            self.state.waited = 0
            self._phase()
        whole = plan(self.lengths, training, self.state.epoch)
        at_once = training.accumulation * self.accelerator.num_processes
        while self.state.batch < len(whole):
            self._step([*whole[self.state.batch : self.state.batch + at_once]])
            self.state.batch += at_once
            self.state.step += 1
            self.state.phase_step += 1
            ended = self.state.batch >= len(whole)
            if ended:
                self.state.epoch += 1
                self.state.batch = 0
            self._after_step(ended=ended)
            if ended or self.state.finished:
                return

    def _step(self, group: list[list[int]]) -> None:
        """Learn from some batches, as if they were one."""
        rank, devices = self.accelerator.process_index, self.accelerator.num_processes
        training = self.config.training
        seed = seeding.number(training.seed, f"step {self.state.step} device {rank}")
        torch.manual_seed(seed)
        mine = [self._collated(places) for places in group[rank::devices]]
        weight = torch.tensor(sum(self.task.weight(batch) for batch in mine), dtype=torch.float64)
        everywhere = float(self._summed(weight))
        if everywhere <= 0:
            raise GecbenchError(
                f"step {self.state.step + 1}: the batch has nothing to learn from; report it"
            )
        # At the end of an epoch a device may be left without a batch: it takes part with nothing.
        share = devices / everywhere if mine else 0.0
        mine = mine or [self._collated(group[0])]
        total = torch.zeros((), device=self.accelerator.device)
        for k, batch in enumerate(mine):
            apart = k + 1 < len(mine)
            with self.accelerator.no_sync(self.module) if apart else nullcontext():
                loss = self.task.loss(self.module, self._moved(batch)) * share
                self.accelerator.backward(loss)
            total += loss.detach()
        if training.clip:
            learning = [p for p in self.module.parameters() if p.requires_grad]
            self.accelerator.clip_grad_norm_(learning, training.clip)
        self._set_rate()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(total / devices)
        if self.accelerator.device.type == "cpu":
            self._check_loss()

    def _set_rate(self) -> None:
        training, state = self.config.training, self.state
        rate = learning_rate(training, step=state.phase_step, total=self.total, cold=state.cold)
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def _check_loss(self) -> None:
        """Refuse to go on with weights that are no numbers any more.

        Raises:
            GecbenchError: Says at which step, and what helps.
        """
        if not self.losses or math.isfinite(float(self.losses[-1])):
            return
        raise self._no_number(f"the loss is {float(self.losses[-1])}", self.state.step + 1)

    def _check_weights(self) -> None:
        """Refuse to value or keep weights that are no numbers: a finite loss may still lead there.

        Raises:
            GecbenchError: Names the first of them.
        """
        for name, tensor in self._kept().items():
            if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
                raise self._no_number(f"{name} is no number any more", self.state.step)

    def _no_number(self, what: str, step: int) -> GecbenchError:
        return GecbenchError(
            f"{self.run}: {what} at step {step}; lower training.learning_rate or "
            "training.precision, or look for broken pairs; the last checkpoint is as it was"
        )

    def _after_step(self, *, ended: bool) -> None:
        """Log, evaluate and keep a checkpoint where it is time to."""
        training, step = self.config.training, self.state.step
        evaluate = step % training.evaluate_every == 0 if training.evaluate_every else ended
        over = ended and self.state.epoch >= training.epochs
        evaluate = evaluate or over
        if step % training.log_every == 0 or evaluate:
            self._log_loss()
        due = training.checkpoint_every and step % training.checkpoint_every == 0
        if evaluate or due:
            self._check_weights()
        if evaluate:
            self._evaluate()
        if over and not self.state.finished:
            self.state.finished = "all epochs done"
        if evaluate or due:
            self._checkpoint()

    def _log_loss(self) -> None:
        self._check_loss()
        loss = float(self._summed(torch.stack(self.losses).mean()))
        self.losses.clear()
        rate = self.optimizer.param_groups[0]["lr"]
        if self.log:
            passed = self.state.seconds + time.monotonic() - self.started
            values = {"loss": loss, "learning_rate": rate, "epoch": self.state.epoch}
            self.log.add("train", self.state.step, {**values, "seconds": round(passed, 1)})

    def _evaluate(self) -> None:
        """Find out how good the network is on the dev sentences, and whether to go on."""
        by, state = self.config.scoring.by, self.state
        found = self.dev_losses()
        loss = found["loss"]
        if not math.isfinite(loss):
            raise self._no_number(f"the dev loss is {loss}", state.step)
        value = -loss if by == "loss" else self.dev_score()
        if by != "loss":
            found["score"] = value
        state.history.append({"step": state.step, "epoch": state.epoch, **found})
        if self.log:
            self.log.add("dev", state.step, found)
        best = state.best is None or value > state.best
        if best or by == "last":
            state.best, state.best_step, state.waited = value, state.step, 0
            if self.accelerator.is_main_process:
                checkpoints.keep_best(self.folder, state, self._save)
        elif not state.cold and self._has_learnt():
            state.waited += 1
        mark = "  best so far" if best and by != "last" else ""
        if not self._has_learnt():
            mark = "  nothing corrected rightly yet"
        named = ", ".join(f"dev {name} {number:.4f}" for name, number in found.items())
        self.say(f"step {state.step}, epoch {state.epoch}: {named}{mark}")
        if self.config.training.patience and state.waited >= self.config.training.patience:
            state.finished = f"no better for {state.waited} evaluations"

    def _has_learnt(self) -> bool:
        """Return whether patience may be lost: not while a model from scratch corrects nothing."""
        return self.config.scoring.by == "loss" or bool(self.state.best)

    def dev_losses(self) -> dict[str, float]:
        """Return the loss on the dev pairs, and what else the task watches, each by its weight."""
        rank, devices = self.accelerator.process_index, self.accelerator.num_processes
        lengths = [self.task.length(example) for example in self.dev_examples]
        training = self.config.training
        size, bound = training.batch_size, training.batch_tokens
        groups = batches(lengths, size, bound, most_padding=0.1)
        names = ("loss", *(self.task.watched if isinstance(self.task, Watching) else ()))
        sums = torch.zeros(len(names), 2, dtype=torch.float64)
        with self._evaluating():
            for places in groups[rank::devices]:
                batch = self.task.collate([self.dev_examples[k] for k in places])
                for k, part in enumerate(self._measured(batch)):
                    sums[k] += torch.tensor((float(part.sum), part.weight), dtype=torch.float64)
        totals = zip(names, self._summed(sums).tolist(), strict=True)
        found = {name: total / weight for name, (total, weight) in totals if weight}
        return {"loss": math.nan, **found}

    def _measured(self, batch: Mapping[str, torch.Tensor]) -> Sequence[Part]:
        moved, module = self._moved(batch), self.task.module
        if isinstance(self.task, Watching):
            return self.task.measured(module, moved)
        return [Part(self.task.loss(module, moved), self.task.weight(batch))]

    def dev_score(self) -> float:
        """Return the value of the metric for what the network makes of the dev sentences."""
        rank, devices = self.accelerator.process_index, self.accelerator.num_processes
        limit = self.config.scoring.sentences or None
        samples = self.dev.samples[:limit]
        with self._evaluating():
            mine = self.task.corrector().correct([s.source for s in samples[rank::devices]])
        texts = gather_object([(rank + devices * k, c.text) for k, c in enumerate(mine)])
        value = [0.0]
        if self.accelerator.is_main_process:
            in_order = [text for _, text in sorted(texts)]
            part = Corpus(self.dev.name, samples, self.dev.lang, self.dev.provenance)
            value = [self.score(part, in_order)]
            self.state.scored_by = self.score.signature
        broadcast_object_list(value)
        return value[0]

    @contextmanager
    def _evaluating(self) -> Iterator[None]:
        self.task.module.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            self.task.module.train()

    def _checkpoint(self) -> None:
        """Keep where the run is; what it was before goes when this is whole."""
        self._check_loss()
        now = time.monotonic()
        self.state.seconds += now - self.started
        self.started = now
        if self.accelerator.scaler is not None:
            self.state.scaler = self.accelerator.scaler.state_dict()
        if self.accelerator.is_main_process:
            tensors, names = self._kept(), self._names()
            optimizer = self._bare_optimizer()
            checkpoints.write(self.folder, self.state, tensors, optimizer, names, self._save)
            checkpoints.prune(self.folder, self.state, self.config.training.keep_checkpoints)
        self.accelerator.wait_for_everyone()

    def _save(self, folder: Path) -> None:
        self.task.save(folder, self.made)

    def _kept(self) -> dict[str, torch.Tensor]:
        return dict(checkpoints.kept(self.task.module, self.learning))

    def _names(self) -> dict[torch.nn.Parameter, str]:
        return {parameter: name for name, parameter in self.task.module.named_parameters()}

    def _bare_optimizer(self) -> torch.optim.Optimizer:
        bare: torch.optim.Optimizer = getattr(self.optimizer, "optimizer", self.optimizer)
        return bare

    def _collated(self, places: Sequence[int]) -> Mapping[str, torch.Tensor]:
        return self.task.collate([self.examples[k] for k in places])

    def _moved(self, batch: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        device = self.accelerator.device
        return {name: tensor.to(device, non_blocking=True) for name, tensor in batch.items()}

    def _summed(self, value: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over all devices."""
        if self.accelerator.num_processes == 1:
            return value
        summed: torch.Tensor = self.accelerator.reduce(value.to(self.accelerator.device), "sum")
        return summed.cpu()
