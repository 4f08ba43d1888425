"""Correcting with a tagger: label, edit, and again, until nothing changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gecbench.core.corrector import Correction, CorrectorInfo, TextEdit, apply
from gecbench.core.errors import GecbenchError
from gecbench.models.batches import batches
from gecbench.models.tagger.options import TaggerOptions
from gecbench.models.tagger.runtime import Biases, Encoded, Judged, Runtime, length_of, read_of
from gecbench.models.tags.composing import compose
from gecbench.models.tags.labels import DELETE, KEEP
from gecbench.models.tags.replay import text_edits
from gecbench.models.tags.spacing import Spacing, spacing_of
from gecbench.models.tags.transforms import transforms_for
from gecbench.models.tags.vocabulary import LabelVocabulary
from gecbench.text.tokens import Token, tokens_of

_MOST_PADDING = 0.1


@dataclass(slots=True)
class Statistics:
    """What a tagger has done since it was loaded; for measuring.

    Args:
        sentences: That were run through the network, once for each round.
        positions: That they took, without padding.
        padding: Positions that were filled up.
    """

    sentences: int = 0
    positions: int = 0
    padding: int = 0

    @property
    def padding_share(self) -> float:
        """Share of all positions that were padding, in [0, 1); 0 before the first."""
        return self.padding / (self.positions + self.padding) if self.positions else 0.0


@dataclass(frozen=True, slots=True)
class _Tagged:
    """A label for $START and each token of one sentence, in one round.

    Args:
        labels: As many as tokens, and one; what was not read is kept.
        scores: The probability of each, without bias.
        error: The highest probability of an error at a token.
        is_whole: Whether all tokens were read.
    """

    labels: tuple[str, ...]
    scores: tuple[float, ...]
    error: float
    is_whole: bool


@dataclass(slots=True)
class _Draft:
    """A sentence on its way through the rounds."""

    source: str
    text: str
    spacing: Spacing
    edits: tuple[TextEdit, ...] = ()
    score: float | None = None
    flags: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def correction(self) -> Correction:
        return Correction(
            self.source, self.text, self.edits, self.score, flags=tuple(sorted(self.flags))
        )


class TaggerCorrector:
    """Corrects with a network that labels tokens.

    The score of a correction is the highest probability, in the first round, that a token is an
    error; that of an edit is the probability of its labels.
    """

    def __init__(
        self,
        info: CorrectorInfo,
        runtime: Runtime,
        vocabulary: LabelVocabulary,
        tokens: str,
        options: TaggerOptions,
    ) -> None:
        """Take what it consists of.

        Args:
            info: What it is; its first language says how labels are applied.
            runtime: Runs the network.
            vocabulary: The labels that the network knows.
            tokens: The kind of tokens, a name of `text.tokens`.
            options: How it corrects.
        """
        self.info = info
        self.statistics = Statistics()
        self._runtime = runtime
        self._vocabulary = vocabulary
        self._tokens = tokens
        self._options = options
        self._language = info.languages[0]
        self._transforms = transforms_for(self._language)

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return a correction for each text."""
        drafts = [_Draft(text, text, self._spacing_of(text), seen={text}) for text in texts]
        alive = drafts
        for number in range(self._options.rounds):
            alive = self._round(alive, is_first=number == 0)
        for draft in alive:
            draft.flags.add("rounds")
        return [draft.correction() for draft in drafts]

    def _spacing_of(self, text: str) -> Spacing:
        """Return how a source writes blanks: later rounds write as it does, too."""
        if said := self._options.spacing:
            return said
        if self._tokens == "space":
            return "tokenised"
        return spacing_of(tokens_of(text, self._tokens), language=self._language)

    def _round(self, drafts: Sequence[_Draft], *, is_first: bool) -> list[_Draft]:
        """Edit drafts once; return those that another round may change."""
        cut = [tokens_of(draft.text, self._tokens) for draft in drafts]
        changed = []
        least = self._options.min_tokens if is_first else 0
        for draft, tokens, tagged in zip(drafts, cut, self._tagged(cut, least), strict=True):
            if tagged is None:
                if len(tokens) < least:
                    draft.flags.add("too short")
                continue
            if is_first:
                draft.score = tagged.error
            if not tagged.is_whole:
                draft.flags.add("too long")
            if self._edit(draft, tokens, tagged):
                changed.append(draft)
        return changed

    def _edit(self, draft: _Draft, tokens: Sequence[Token], tagged: _Tagged) -> bool:
        """Apply labels to a draft; return whether its text is one that it never was before."""
        edits = text_edits(
            draft.text,
            tokens,
            tagged.labels,
            tagged.scores,
            self._transforms,
            language=self._language,
            spacing=draft.spacing,
        )
        if not edits:
            return False
        text = apply(edits, draft.text)
        draft.edits = compose(draft.edits, edits, draft.source)
        draft.text = text
        is_new = text not in draft.seen
        draft.seen.add(text)
        return is_new

    def _tagged(self, sentences: Sequence[Sequence[Token]], least: int = 0) -> list[_Tagged | None]:
        """Return labels for sentences; None for those with fewer tokens, or without any."""
        options = self._options
        encoded = self._runtime.encode([[token.text for token in each] for each in sentences])
        long = [k for k, each in enumerate(sentences) if len(each) >= max(1, least)]
        lengths = [length_of(encoded[k]) for k in long]
        size = options.batch_size or self._runtime.batch_size
        made = batches(lengths, size, options.batch_tokens, most_padding=_MOST_PADDING)
        places = [[long[k] for k in each] for each in made]
        found: list[_Tagged | None] = [None] * len(sentences)
        biases = Biases(options.keep_bias, options.delete_bias)
        rows = ([encoded[k] for k in batch] for batch in places)
        for batch, judged in zip(places, self._runtime.judge(rows, biases), strict=True):
            _check_numbers(judged)
            self._count([encoded[k] for k in batch])
            for row, place in enumerate(batch):
                read = read_of(encoded[place])
                found[place] = self._decided(
                    judged.labels[row, :read].tolist(),
                    judged.probabilities[row, :read].tolist(),
                    judged.errors[row, :read].tolist(),
                    unread=len(sentences[place]) + 1 - read,
                )
        return found

    def _decided(
        self, ids: list[int], values: list[float], errors: list[float], *, unread: int
    ) -> _Tagged:
        """Return the labels of a sentence after both thresholds."""
        options = self._options
        error = max(errors)
        labels = [
            self._vocabulary.labels[place] if value >= options.token_threshold else KEEP
            for place, value in zip(ids, values, strict=True)
        ]
        if error < options.min_error_probability:
            labels = [KEEP] * len(labels)
        scores = [
            min(1.0, max(0.0, value - (options.delete_bias if label == DELETE else 0.0)))
            for label, value in zip(labels, values, strict=True)
        ]
        return _Tagged(
            (*labels, *[KEEP] * unread), (*scores, *[1.0] * unread), error, is_whole=not unread
        )

    def _count(self, batch: Sequence[Encoded]) -> None:
        lengths = [length_of(encoded) for encoded in batch]
        self.statistics.sentences += len(batch)
        self.statistics.positions += sum(lengths)
        self.statistics.padding += max(lengths) * len(batch) - sum(lengths)

    def close(self) -> None:
        """Let go of the network."""
        self._runtime.close()


def _check_numbers(judged: Judged) -> None:
    """Refuse probabilities that are none: they would leave every sentence as it is.

    Raises:
        GecbenchError: Says why it may be.
    """
    if np.isnan(judged.probabilities).any() or np.isnan(judged.errors).any():
        raise GecbenchError(
            "the tagger's network gives no numbers: its weights are damaged, or too large for "
            "16 bits; take precision=fp32, or train it again"
        )
