"""The configuration of a training run; each kind of model adds its own `model` table."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Rate = Annotated[float, msgspec.Meta(gt=0, le=1e3)]
Decay = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where pairs come from; paths count from the configuration's own folder.

    Args:
        train: Corpora in any format: each reference of each sentence is a pair.
        dev: A corpus to stop by; "" takes `dev_share` of the training sentences; "train" takes
            all of them without holding them back, to see whether they can be learnt at all.
        dev_share: In (0, 1); for runs without a dev corpus.
        keep_correct: Share of pairs without errors that stay in training; chosen by the seed.
        limit: Train on the first so many pairs; 0 means all.
    """

    train: tuple[str, ...] = ()
    dev: str = ""
    dev_share: Share = 0.05
    keep_correct: Share = 0.0
    limit: Count = 0


class Training(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the weights are found.

    Args:
        epochs: At most, cold ones included.
        cold_epochs: Of these, how many at the start train only what is new.
        cold_learning_rate: For these.
        learning_rate: For the others, at its highest.
        schedule: How the rate falls from there to 0 at the last step of the last epoch.
        warmup_steps: Steps in which the rate rises from 0; after a cold start they count anew.
        batch_size: Sentences a batch and device.
        batch_tokens: Bounds a batch by its positions, padding included, too; 0 does not.
        accumulation: Batches whose gradients are summed before a step.
        clip: Largest norm of the gradient; 0 does not clip.
        weight_decay: Of AdamW; 0 makes it Adam.
        beta1: Of Adam.
        beta2: Of Adam.
        epsilon: Of Adam.
        precision: no (32 bits), bf16 or fp16.
        seed: Of everything random.
        patience: Stop after so many evaluations without a better score; 0 never does.
        evaluate_every: Steps between evaluations; 0 is once an epoch.
        checkpoint_every: Steps between checkpoints; 0 is at every evaluation only.
        keep_checkpoints: How many stay, beside the best.
        log_every: Steps between lines of the log.
        threads: Of the CPU; 0 leaves it to torch. Another number may change the last bits.
    """

    epochs: Positive = 10
    cold_epochs: Count = 0
    cold_learning_rate: Rate = 1e-3
    learning_rate: Rate = 1e-5
    schedule: Literal["constant", "linear", "polynomial"] = "constant"
    warmup_steps: Count = 0
    batch_size: Positive = 32
    batch_tokens: Count = 0
    accumulation: Positive = 1
    clip: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    weight_decay: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    beta1: Decay = 0.9
    beta2: Decay = 0.999
    epsilon: Rate = 1e-8
    precision: Literal["no", "bf16", "fp16"] = "no"
    seed: Count = 1
    patience: Count = 3
    evaluate_every: Count = 0
    checkpoint_every: Count = 0
    keep_checkpoints: Positive = 1
    log_every: Positive = 10
    threads: Count = 0

    def __post_init__(self) -> None:
        """Refuse more cold epochs than there are epochs."""
        if self.cold_epochs > self.epochs:
            raise ValueError(
                f"cold_epochs is {self.cold_epochs}, but epochs, which includes them, is "
                f"{self.epochs}"
            )


class Scoring(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What decides which weights are best.

    Args:
        by: "score" corrects the dev corpus and takes the value of a metric; "loss" is the dev
            loss, as the papers' stopping criteria (a tagger that never edits has a low one).
        metric: A metric of gecbench; "" takes the language's own.
        scheme: How edits are found; "" takes zh-char or en-errant.
        sentences: Score on the first so many dev sentences; 0 means all.
    """

    by: Literal["score", "loss"] = "score"
    metric: str = ""
    scheme: str = ""
    sentences: Count = 0


class RunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole run. A kind of model adds `model`, a Struct of its own.

    Args:
        kind: tagger, seq2seq or causal.
        name: Of the model; tables and cards show it.
        language: zh or en.
        about: What is to be said of the model on its card.
        data: Where pairs come from.
        training: How the weights are found.
        scoring: What decides which are best.
    """

    kind: str
    name: str
    language: Literal["zh", "en"]
    about: str = ""
    data: Data = Data()
    training: Training = Training()
    scoring: Scoring = Scoring()
