"""The alignment of two sentences as ERRANT makes it, by the compiled kernel where there is one."""

from __future__ import annotations

from gecbench.core.sentence import Sentence
from gecbench.lang.en import kernel
from gecbench.lang.en.kernel import Features, Step
from gecbench.lang.en.words import words_of

try:
    from gecbench.lang.en import _align as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same steps
    compiled = None


def steps(source: Sentence, target: Sentence, *, levenshtein: bool = False) -> tuple[Step, ...]:
    """Return the steps from source to target in text order (ERRANT 3.0.2, alignment.py).

    Args:
        source: What the learner wrote.
        target: Its rewriting.
        levenshtein: Every substitution costs 1 and nothing is transposed; then neither lemmas
            nor parts of speech are read.

    Raises:
        GecbenchError: A sentence has not been through a pipeline.
    """
    one = two = None
    if not levenshtein:
        one, two = _features(source), _features(target)
    if compiled is None:
        return kernel.steps(source.tokens, target.tokens, one, two)
    found: tuple[Step, ...] = compiled.steps(Step, source.tokens, target.tokens, one, two)
    return found


def kernel_name() -> str:
    """Return "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


def _features(sentence: Sentence) -> Features:
    words = words_of(sentence)
    return tuple(map(str.lower, sentence.tokens)), words.lemmas, words.pos
