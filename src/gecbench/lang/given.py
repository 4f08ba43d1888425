"""Finding edits anew where some are given: what was only detected stays as it was."""

from __future__ import annotations

from gecbench.core.sample import EditSet, Rewrite
from gecbench.core.scheme import Extraction, Scheme


def target(rewrite: Rewrite, tokens: tuple[str, ...], scheme: Scheme) -> str | None:
    """Return the text of a rewrite as a scheme sees it; None where no text is known.

    A scheme that can tell edits that correct from edits that only detect (ERRANT's UNK and Um)
    applies only the former.

    Args:
        rewrite: Neither error free nor unannotatable.
        tokens: What its edits count in.
        scheme: Finds the edits.
    """
    if scheme.given and tokens and rewrite.edit_sets:
        return scheme.given.text(rewrite.edit_sets[0], tokens)
    return rewrite.text


def completed(
    rewrite: Rewrite, tokens: tuple[str, ...], found: Extraction, scheme: Scheme
) -> tuple[EditSet, ...]:
    """Return the edits that were found, with what was only detected among them."""
    if scheme.given and tokens and rewrite.edit_sets:
        return (scheme.given.mix(rewrite.edit_sets[0], found.edit_sets[0], tokens),)
    return found.edit_sets
