"""The configuration of a training run; each kind of model adds its own `model` table."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gecbench.formats.validation import Count as Count
from gecbench.formats.validation import Positive as Positive
from gecbench.formats.validation import Share as Share

Rate = Annotated[float, msgspec.Meta(gt=0, le=1e3)]
Below1 = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Threads = Annotated[int, msgspec.Meta(ge=0, le=1024)]


class DataTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
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


class TrainingTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the weights are found.

    Args:
        epochs: At most, cold ones included.
        cold_epochs: Of these, how many at the start train only what is new.
        cold_learning_rate: For these.
        learning_rate: For the others, at its highest.
        schedule: How the rate falls from there to 0 at the last step of the last epoch.
        warmup_steps: Steps in which the rate rises from 0; after a cold start they count again.
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
    beta1: Below1 = 0.9
    beta2: Below1 = 0.999
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


class DevicesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the network is put on devices; a run may go on with others than it was begun with.

    Args:
        strategy: "ddp" has the whole network on each device; "fsdp" shards weights, gradients and
            the optimizer over all devices of torchrun, for networks that do not fit on one.
        gradient_checkpointing: Compute activations again in the backward pass: less memory, a
            third more time.
        compile: Compile the network by torch.compile; needs a compiler of C++ on a CPU. Dropout
            draws other numbers then, so a run goes on as it was begun.
    """

    strategy: Literal["ddp", "fsdp"] = "ddp"
    gradient_checkpointing: bool = False
    compile: bool = False


class TrackingTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where losses and scores go, beside the log and TensorBoard; a run may go on with another.

    Args:
        trackers: By accelerate; each is installed by itself.
        project: Their name of what the run belongs to.
    """

    trackers: tuple[Literal["wandb", "mlflow", "aim"], ...] = ()
    project: str = "gecbench"


class ScoringTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What decides which weights are best.

    Args:
        by: "score" corrects the dev corpus and takes the value of a metric; "loss" is the dev
            loss, as the papers' stopping criteria (a tagger that never edits has a low one);
            "last" keeps the last weights, for runs of a fixed length: dev is scored all the same,
            but only to be shown, and training.patience ends nothing.
        metric: A metric of gecbench; "" takes the language's own.
        scheme: How edits are found; "" takes zh-char or en-errant.
        sentences: Score on the first so many dev sentences; 0 means all.
    """

    by: Literal["score", "loss", "last"] = "score"
    metric: str = ""
    scheme: str = ""
    sentences: Count = 0


class RobustTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Training for the same correction in every context (RobustGEC, section 5).

    The loss is that of both sentences of a pair plus `alpha` times the divergence, 1/2 [KL(p||q) +
    KL(q||p)], between their predictions where they match. Gradients go through both sides.

    Args:
        method: "cpr" (context perturbation robust) pairs each original with each of its
            perturbed variants; "r-drop" pairs each sentence of data.train with itself under
            another dropout (Liang et al. 2021), for where nobody has perturbed anything.
        cases: Perturbed cases in any format, files or folders; for "cpr" only. Paths as those
            of data.train, which is empty then.
        alpha: Weight of the divergence; 0 leaves it out.
        reduction: What likelihood and divergence, summed over tokens, are both divided by:
            "token" by half of the labels of both sides, so that the loss is about the sum of two
            means; "sentence-sum" by the number of pairs, as the paper's formula has it.
        heads: What is compared; "labels+detection" adds a tagger's other head.
        disagreeing: What becomes of matched places whose gold labels differ: "skip" compares
            nothing there, for likelihood pulls them apart; "keep" compares them.
        skip_after: Matched places right after a perturbation that are not compared, as many:
            another prediction may be right there ("a" and "an").
        sources_too: Compare target words only where the source words that they are aligned to
            match as well; for encoder-decoders.
    """

    method: Literal["cpr", "r-drop"] = "cpr"
    cases: tuple[str, ...] = ()
    alpha: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 1.0
    reduction: Literal["token", "sentence-sum"] = "token"
    heads: Literal["labels", "labels+detection"] = "labels"
    disagreeing: Literal["skip", "keep"] = "skip"
    skip_after: Count = 0
    sources_too: bool = False

    def __post_init__(self) -> None:
        """Refuse a method without its data, and data without their method."""
        if self.method == "cpr" and not self.cases:
            raise ValueError(
                'cases names no file; name perturbed cases, or say method = "r-drop", which needs '
                "none"
            )
        if self.method == "r-drop" and self.cases:
            raise ValueError(
                'method "r-drop" compares sentences of data.train with themselves; leave cases out'
            )


class RunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole run. A kind of model adds `model`, a Struct of its own.

    Args:
        kind: tagger, seq2seq, scratch, causal, syntax, or parser.
        name: Of the model; tables and cards show it.
        language: Code of any language that `gecbench.lang` takes.
        about: What is to be said of the model on its card.
        data: Where pairs come from.
        training: How the weights are found.
        scoring: What decides which are best.
        devices: How the network is put on devices.
        tracking: Where losses and scores go.
        robust: How predictions in two contexts are brought together; None does not.
    """

    kind: str
    name: str
    language: str
    about: str = ""
    data: DataTable = DataTable()
    training: TrainingTable = TrainingTable()
    scoring: ScoringTable = ScoringTable()
    devices: DevicesTable = DevicesTable()
    tracking: TrackingTable = TrackingTable()
    robust: RobustTable | None = None
