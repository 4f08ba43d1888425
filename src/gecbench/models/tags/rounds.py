"""Rounds: a tagger gives one label to a token, so what needs more is done in several rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gecbench.models.tags.derive import first_labels, labels_of
from gecbench.models.tags.outcomes import outcomes
from gecbench.models.tags.transforms import Transforms


class Round(NamedTuple):
    """One round on the way to a target: what a tagger reads, and what it is to say.

    Args:
        tokens: As they stand before the round, without $START.
        labels: One for $START and one for each token.
    """

    tokens: tuple[str, ...]
    labels: tuple[str, ...]


def rounds_of(
    source: Sequence[str],
    target: Sequence[str],
    transforms: Transforms,
    *,
    most: int | None = None,
    swaps: bool = False,
) -> tuple[Round, ...]:
    """Return the rounds from a source to its target; () where they are equal.

    It always ends there: the first round does all that happens to tokens themselves, each later
    one inserts at least one of the tokens that are still missing.

    Args:
        source: Tokens.
        target: Tokens.
        transforms: The changes of form that labels may name.
        most: End after so many rounds, wherever they lead; None goes on to the target.
        swaps: Derive $MERGE_SWAP.

    >>> [round.labels for round in rounds_of("他很高", "他今天很高", Transforms())]
    [('$KEEP', '$APPEND_今', '$KEEP', '$KEEP'), ('$KEEP', '$KEEP', '$APPEND_天', '$KEEP', '$KEEP')]
    """
    rounds: list[Round] = []
    tokens, wanted = tuple(source), tuple(target)
    while tokens != wanted and (most is None or len(rounds) < most):
        labels = first_labels(labels_of(tokens, wanted, transforms, swaps=swaps))
        rounds.append(Round(tokens, labels))
        tokens = applied(tokens, labels, transforms)
    return tuple(rounds)


def applied(
    tokens: Sequence[str], labels: Sequence[str], transforms: Transforms
) -> tuple[str, ...]:
    """Return the tokens that one round makes: `replay.text_edits` for tokens without a text.

    A label that cannot be done keeps its token; `outcomes` says which.

    Args:
        tokens: Without $START.
        labels: One for $START and one for each token.
        transforms: What labels may name.

    >>> applied(["I", "goes", "home"], ["$KEEP", "$KEEP", "$REPLACE_go", "$APPEND_."], Transforms())
    ('I', 'go', 'home', '.')
    """
    made: list[str] = []
    joint: str | None = None
    for outcome in outcomes(tokens, labels, transforms):
        for word in outcome.words:
            if joint is None:
                made.append(word)
            else:
                made[-1] += joint + word
            joint = None
        made += outcome.behind.split()
        joint = joint if outcome.joint is None else outcome.joint
    return tuple(made)
