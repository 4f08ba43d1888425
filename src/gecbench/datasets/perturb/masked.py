"""A filler that asks a masked language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gecbench.backends.masked import Gap, MaskedModel
from gecbench.datasets.perturb.fillers import Blank, Offer


@dataclass(frozen=True)
class Masked:
    """Offers the likeliest words of a model, by their probabilities among themselves.

    A word is one mask; in Chinese, whose models know characters, a word of as many characters as
    the old one is filled from the left, each with those before it in sight.

    Args:
        model: That is asked.
        place: What it was named by.
        top: How many words are offered.
        by_character: Whether it offers Chinese characters.
    """

    model: MaskedModel
    place: str
    top: int
    by_character: bool

    @cached_property
    def name(self) -> str:
        """The model with a hash of its weights and vocabulary, and how many words it offers."""
        return f"mask ({self.place}, sha256 {self.model.fingerprint[:16]}, top {self.top})"

    @cached_property
    def vocabulary(self) -> Sequence[str]:
        """All words that the model can offer."""
        return self.model.vocabulary

    def offers(self, blanks: Sequence[Blank], /) -> Sequence[Offer]:
        """Return the likeliest words for each place, all of them asked for together."""
        gaps = [Gap(blank.before, blank.after, blank.size or 1, blank.original) for blank in blanks]
        return [Offer(words, weights) for words, weights in self.model.likely(gaps, self.top)]
