"""How well a pipeline analyses a treebank, and how fast."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from clearnlp import convert
from trees import Tree

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

BATCH = 128
PUNCTUATION = "punct"


def figures(nlp: Language, trees: Sequence[Tree]) -> dict[str, float]:
    """Return percentages of words that a pipeline analyses as the treebank does.

    The tokens are the treebank's. "uas" and "las" are over all words but punctuation, against the
    converted trees; "uas_all" and "las_all" are over all words. "lemma" compares lemmas as
    written, "lemma_caseless" ignoring case.

    Args:
        nlp: Any English pipeline.
        trees: As read from the treebank, not converted.
    """
    gold = [convert(tree) for tree in trees]
    docs, seconds = analyse(nlp, trees)
    words = [
        (word, token, token.head.i == word.head)
        for tree, doc in zip(gold, docs, strict=True)
        for word, token in zip(tree, doc, strict=True)
    ]
    inner = [row for row in words if row[0].label != PUNCTUATION]
    return {
        "sentences": len(gold),
        "words": len(words),
        "tag": _percent(word.tag == token.tag_ for word, token, _ in words),
        "pos": _percent(word.pos == token.pos_ for word, token, _ in words),
        "uas": _percent(right for _, _, right in inner),
        "las": _percent(right and word.label == token.dep_ for word, token, right in inner),
        "uas_all": _percent(right for _, _, right in words),
        "las_all": _percent(right and word.label == token.dep_ for word, token, right in words),
        "lemma": _percent(word.lemma == token.lemma_ for word, token, _ in words),
        "lemma_caseless": _percent(
            word.lemma.lower() == token.lemma_.lower() for word, token, _ in words
        ),
        "cpu_seconds": round(seconds, 2),
    }


def analyse(nlp: Language, trees: Sequence[Tree]) -> tuple[list[Doc], float]:
    """Return the analysed sentences, and the seconds of CPU that took."""
    from spacy.tokens import Doc

    before = time.process_time()
    made = (Doc(nlp.vocab, words=[word.form for word in tree]) for tree in trees)
    docs = list(nlp.pipe(made, batch_size=BATCH))
    return docs, time.process_time() - before


def _percent(right: Iterable[bool]) -> float:
    answers = list(right)
    return round(100 * sum(answers) / len(answers), 2)
