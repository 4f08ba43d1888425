"""What a runtime of encoder-decoders is asked for, and how its answers are ranked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol


class Answer(NamedTuple):
    """What a runtime says.

    Args:
        ids: What the decoder said, or was forced to, without its start and the end.
        score: Sum of the log-probabilities of the ids and the end, what was forced being free,
            divided by their number to the power of the length penalty: at most 0, for penalty 1
            the mean of a token.
        ended: Whether it came to its end; else it is cut.
    """

    ids: tuple[int, ...]
    score: float
    ended: bool


class Search(Protocol):
    """A runtime with a model, ready to search for answers."""

    def answers(self, sources: Sequence[Sequence[int]], most: int) -> list[list[Answer]]:
        """Return for each source the best answers, best first.

        Args:
            sources: Token ids with specials: one batch.
            most: New tokens, the end included; a search that comes so far is cut.
        """
        ...

    def close(self) -> None:
        """Let go of the model."""
        ...


def normalised(total: float, length: int, penalty: float) -> float:
    """Return the score of an answer.

    Args:
        total: Its log-probability.
        length: Its tokens, the end and what was forced included.
        penalty: Power of the length.
    """
    divisor: float = length**penalty
    return total / divisor


def ranked(answers: Iterable[Answer], wanted: int) -> list[Answer]:
    """Return the best of the answers that a search has found, best score first.

    The search itself goes by probability and ends when nothing more probable can come. With the
    length penalty inside, as transformers and fairseq have it, it may end as soon as enough
    answers have ended: those of a model that is sure of itself are fragments by then, while the
    right one is still being written.
    """
    return sorted(answers, key=lambda answer: -answer.score)[:wanted]
