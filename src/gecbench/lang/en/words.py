"""What a pipeline says of a sentence, asked for where nothing can be done without it."""

from __future__ import annotations

from gecbench.core.errors import GecbenchError
from gecbench.core.sentence import Sentence, Words


def words_of(sentence: Sentence) -> Words:
    """Return what the pipeline says of the tokens of a sentence.

    Raises:
        GecbenchError: No pipeline has seen the sentence.
    """
    if sentence.words is None:
        raise GecbenchError(
            f"the sentence {sentence.text[:40]!r} has no lemmas and parts of speech, which "
            "ERRANT's rules read; parse it with a pipeline first"
        )
    return sentence.words
