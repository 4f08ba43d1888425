"""What stands in evaluation sets, and so must not be trained on."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError
from gecbench.datasets.prepare.reading import evaluation_texts
from gecbench.datasets.prepare.similar import Near, NearIndex


def key_of(text: str) -> str:
    """Return a text as evaluation sets are searched for it: NFKC, without white space.

    >>> key_of("Ａ 好　，")
    'A好,'
    """
    return "".join(unicodedata.normalize("NFKC", text).split())


class EvaluationFile(NamedTuple):
    """A file of an evaluation set, and how many distinct sentences it holds, references included.

    Args:
        path: As it was given.
        sentences: Distinct after `key_of`.
    """

    path: str
    sentences: int


class Found(NamedTuple):
    """A sentence of a training pair that stands in an evaluation set.

    Args:
        side: "source" or "target".
        near: What it is like; None where it is the same.
    """

    side: str
    near: Near | None


class EvaluationSets:
    """All sentences of the evaluation sets of a recipe.

    Args:
        paths: Lists of sentences, or corpora in any format, whose references count too.
        near: Jaccard similarity from which a sentence counts as one of theirs; 0 is never.
        shingle: Length of the character n-grams.
        change: Made of both sides of a pair before it is looked for. Each sentence here is looked
            among as it stands and as it would be changed.

    Attributes:
        sentences: How many distinct ones there are, as they stand.

    Raises:
        GecbenchError: A file cannot be read or is not what its format promises.
    """

    def __init__(
        self,
        paths: Iterable[str],
        *,
        near: float,
        shingle: int,
        change: Callable[[str], str] | None = None,
    ) -> None:
        self.files: list[EvaluationFile] = []
        self._keys: dict[str, None] = {}
        changed: dict[str, None] = {}
        for path in paths:
            texts = list(evaluation_texts(Path(path)))
            keys = dict.fromkeys(filter(None, map(key_of, texts)))
            if change is not None:
                changed |= dict.fromkeys(filter(None, (key_of(change(text)) for text in texts)))
            if not keys:
                raise FormatError(
                    f"{path}:1: there is no sentence in it; nothing could be filtered"
                )
            self.files.append(EvaluationFile(path, len(keys)))
            self._keys |= keys
        self.sentences = len(self._keys)
        self._keys |= changed
        wanted = near > 0 and self._keys
        self._index = NearIndex(self._keys, threshold=near, length=shingle) if wanted else None

    def find(self, source: str, target: str) -> Found | None:
        """Return how a pair is found in the evaluation sets; None where it is not."""
        if not self._keys:
            return None
        sides = [("source", key_of(source))]
        if target != source:
            sides.append(("target", key_of(target)))
        for side, key in sides:
            if key in self._keys:
                return Found(side, None)
        if self._index is not None:
            for side, key in sides:
                if (near := self._index.nearest(key)) is not None:
                    return Found(side, near)
        return None
