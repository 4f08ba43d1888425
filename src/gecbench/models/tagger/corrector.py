"""Correcting with a tagger: label, edit, and again, until nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.core.errors import FormatError, GecbenchError
from gecbench.lang import transforms_for
from gecbench.models.batches import make_batches, mask_rows, pad_rows
from gecbench.models.folder import Card
from gecbench.models.tagger.encoding import Positions
from gecbench.models.tags.labels import DELETE, KEEP, LabelVocabulary, read_label_vocabulary
from gecbench.models.tags.replay import Spacing, compose, detect_spacing, text_edits
from gecbench.models.training.config import Count, Positive, Share, Threads
from gecbench.text.tokens import Token, tokens_of

Bias = Annotated[float, msgspec.Meta(ge=-1, le=1)]


class DecisionOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What decides the answers of a tagger; a model's card holds defaults of these.

    Args:
        rounds: A token gets one label at a time; what needs more takes further rounds.
        keep_bias: Added to the probability of keeping a token: higher corrects less, and with
            more precision.
        delete_bias: The same of deleting it.
        min_error_probability: A sentence where no token is an error with at least this
            probability stays as it is.
        token_threshold: A label with less than this probability is taken for keeping.
        min_tokens: Sources with fewer tokens stay as they are, and so does one without any.
        spacing: Whether texts are "tokenised", a blank between any two tokens, or "raw", as
            people write; "" looks at each sentence, and a short one may show nothing.
    """

    rounds: Positive = 5
    keep_bias: Bias = 0.0
    delete_bias: Bias = 0.0
    min_error_probability: Share = 0.0
    token_threshold: Share = 0.0
    min_tokens: Count = 0
    spacing: Literal["", "raw", "tokenised"] = ""


class TaggerOptions(DecisionOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a tagger corrects.

    Args:
        batch_size: Sentences a batch; 0 leaves it to the runtime. Answers do not depend on it,
            in 32 bits; in 16 their probabilities do a little.
        batch_tokens: Positions a batch, padding included; 0 does not bound them.
        device: cpu, cuda, cuda:1, mps; "" is a GPU if there is one. Of torch only.
        precision: Of the weights. Of torch only: an exported model has its own.
        threads: 0 leaves it to the runtime.
        weights: Of the members of an ensemble, in their order; () weighs them equally.
    """

    batch_size: Count = 0
    batch_tokens: Count = 0
    device: str = ""
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    threads: Threads = 0
    weights: tuple[Annotated[float, msgspec.Meta(gt=0)], ...] = ()


# What runs the network of a tagger; needs neither torch nor an inference library itself.


LABELS = "labels.json"
"""The file of a model's labels."""


def read_labels(folder: Path, card: Card, advice: str) -> LabelVocabulary:
    """Read the labels of the model in a folder.

    Args:
        folder: Of the model.
        card: Of the folder.
        advice: What to do where they are not those of the model.

    Raises:
        FormatError: They are not those that the weights were made with.
    """
    vocabulary = read_label_vocabulary(folder / LABELS)
    if vocabulary.hash != card.settings.get("labels"):
        raise FormatError(
            f"{folder / LABELS}: its {len(vocabulary)} labels are not those that the model was "
            f"made with; {advice}"
        )
    return vocabulary


Integers = NDArray[np.int64]
Floats = NDArray[np.float32]

SentencePositions = tuple[Positions, ...]
"""A sentence as each member of an ensemble reads it; one for a single tagger."""


class Biases(NamedTuple):
    """What is added to the probabilities of keeping and deleting before the best is taken."""

    keep: float = 0.0
    delete: float = 0.0


class Predictions(NamedTuple):
    """The predictions for a batch; rows are longer than their sentences where it was padded.

    Args:
        labels: (sentences, tokens), $START first: the most probable label with the biases.
        probabilities: The same shape: the label's, its bias included.
        errors: The same shape: the probability that something is wrong at the token.
    """

    labels: Integers
    probabilities: Floats
    errors: Floats

    def sentence(self, row: int, length: int) -> Predictions:
        """Select those for one sentence of the batch."""
        return Predictions(
            self.labels[row, :length], self.probabilities[row, :length], self.errors[row, :length]
        )


class Runtime(Protocol):
    """A network, or several that vote by the mean of their probabilities."""

    @property
    def signature(self) -> dict[str, str]:
        """What its output depends on beside the folder, as versions and precision."""
        ...

    @property
    def batch_size(self) -> int:
        """Sentences a batch where the options leave it open."""
        ...

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[SentencePositions]:
        """Encode sentences, each of them tokens without $START."""
        ...

    def predict(
        self, batches: Iterable[Sequence[SentencePositions]], biases: Biases
    ) -> Iterator[Predictions]:
        """Yield the predictions for each batch, in their order."""
        ...

    def close(self) -> None:
        """Let go of threads and memory."""
        ...


def count_tokens_read(encoded: SentencePositions) -> int:
    """Count the tokens that are read by all members, $START included."""
    return min(len(member.firsts) for member in encoded)


def stack_inputs(batch: Sequence[Positions], pad: int) -> tuple[Integers, Integers, Integers]:
    """Stack a batch as a network takes it, padded to its longest sentence.

    Returns:
        ids, (sentences, positions); mask, 1 where a position is no padding; firsts, (sentences,
        tokens), 0 in padding.
    """
    return (
        pad_rows([positions.ids for positions in batch], pad),
        mask_rows([positions.ids for positions in batch]),
        pad_rows([positions.firsts for positions in batch], 0),
    )


_MOST_PADDING = 0.1


class _Tags(NamedTuple):
    """A label for $START and each token of one sentence, in one round.

    Args:
        labels: As many as tokens, and one; what was not read keeps its token.
        scores: The probability of each, without bias.
        error: The highest probability of an error at a token.
        complete: Whether all tokens were read.
    """

    labels: tuple[str, ...]
    scores: tuple[float, ...]
    error: float
    complete: bool


@dataclass(slots=True)
class _Draft:
    """A sentence on its way through the rounds."""

    source: str
    text: str
    spacing: Spacing
    edits: tuple[TextEdit, ...] = ()
    score: float | None = None
    flags: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)


class TaggerCorrector(Corrector):
    """Corrects with a network that labels tokens.

    The score of a correction is the highest probability, in the first round, that a token is an
    error; that of an edit is the probability of its labels.

    Args:
        info: What it is; its first language says how labels are applied.
        runtime: Runs the network.
        vocabulary: The labels that the network knows.
        tokens: The kind of tokens, a name of `text.tokens`.
        options: How it corrects.
    """

    def __init__(
        self,
        info: CorrectorInfo,
        runtime: Runtime,
        vocabulary: LabelVocabulary,
        tokens: str,
        options: TaggerOptions,
    ) -> None:
        self.info = info
        self._runtime = runtime
        self._vocabulary = vocabulary
        self._tokens = tokens
        self._options = options
        self._language = info.languages[0]
        self._transforms = transforms_for(self._language)

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text."""
        drafts = [_Draft(text, text, self._spacing(text), versions={text}) for text in texts]
        active = drafts
        for number in range(self._options.rounds):
            active = self._round(active, first=number == 0)
        for draft in active:
            draft.flags.add("rounds")
        return [
            Correction(d.source, d.text, d.edits, d.score, flags=tuple(sorted(d.flags)))
            for d in drafts
        ]

    def close(self) -> None:
        """Let go of the network."""
        self._runtime.close()

    def _spacing(self, text: str) -> Spacing:
        """Detect how a source writes blanks: later rounds write as it does, too."""
        if self._options.spacing:
            return self._options.spacing
        if self._tokens == "space":
            return "tokenised"
        return detect_spacing(tokens_of(text, self._tokens), language=self._language)

    def _round(self, drafts: Sequence[_Draft], *, first: bool) -> list[_Draft]:
        """Edit drafts once; return those that another round may change."""
        sentences = [tokens_of(draft.text, self._tokens) for draft in drafts]
        shortest = self._options.min_tokens if first else 0
        changed = []
        for draft, tokens, tags in zip(
            drafts, sentences, self._tag(sentences, shortest), strict=True
        ):
            if tags is None:
                draft.flags |= {"too short"} if len(tokens) < shortest else set()
                continue
            if first:
                draft.score = tags.error
            if not tags.complete:
                draft.flags.add("too long")
            if self._edit(draft, tokens, tags):
                changed.append(draft)
        return changed

    def _edit(self, draft: _Draft, tokens: Sequence[Token], tags: _Tags) -> bool:
        """Apply labels to a draft; return whether its text is one that it never was before."""
        edits = text_edits(
            draft.text,
            tokens,
            tags.labels,
            tags.scores,
            self._transforms,
            language=self._language,
            spacing=draft.spacing,
        )
        if not edits:
            return False
        draft.edits = compose(draft.edits, edits, draft.source)
        draft.text = apply(edits, draft.text)
        is_new = draft.text not in draft.versions
        draft.versions.add(draft.text)
        return is_new

    def _tag(self, sentences: Sequence[Sequence[Token]], shortest: int) -> list[_Tags | None]:
        """Label sentences; None for those with fewer tokens, or without any."""
        options = self._options
        encoded = self._runtime.encode([[token.text for token in s] for s in sentences])
        long = [k for k, tokens in enumerate(sentences) if len(tokens) >= max(1, shortest)]
        lengths = [max(len(member.ids) for member in encoded[k]) for k in long]
        size = options.batch_size or self._runtime.batch_size
        groups = [
            [long[k] for k in group]
            for group in make_batches(
                lengths, size, options.batch_tokens, most_padding=_MOST_PADDING
            )
        ]
        tags: list[_Tags | None] = [None] * len(sentences)
        biases = Biases(options.keep_bias, options.delete_bias)
        rows = ([encoded[k] for k in group] for group in groups)
        for group, predictions in zip(groups, self._runtime.predict(rows, biases), strict=True):
            _check_numbers(predictions)
            for row, k in enumerate(group):
                read = count_tokens_read(encoded[k])
                unread = len(sentences[k]) + 1 - read
                tags[k] = self._decide(predictions.sentence(row, read), unread=unread)
        return tags

    def _decide(self, predictions: Predictions, *, unread: int) -> _Tags:
        """Choose the labels of a sentence by both thresholds."""
        options = self._options
        values: list[float] = predictions.probabilities.tolist()
        error = max(predictions.errors.tolist())
        correct = error < options.min_error_probability
        labels = [
            KEEP if correct or value < options.token_threshold else self._vocabulary.labels[label]
            for label, value in zip(predictions.labels.tolist(), values, strict=True)
        ]
        scores = (
            min(1.0, max(0.0, value - (options.delete_bias if label == DELETE else 0.0)))
            for label, value in zip(labels, values, strict=True)
        )
        return _Tags(
            (*labels, *[KEEP] * unread), (*scores, *[1.0] * unread), error, complete=not unread
        )


def _check_numbers(predictions: Predictions) -> None:
    """Refuse probabilities that are none: they would leave every sentence as it is.

    Raises:
        GecbenchError: Says why it may be.
    """
    if np.isnan(predictions.probabilities).any() or np.isnan(predictions.errors).any():
        raise GecbenchError(
            "the tagger's network gives no numbers: its weights are damaged, or too large for "
            "16 bits; take precision=fp32, or train it again"
        )
