"""What the tasks beside it call; lm-evaluation-harness loads this file by its path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from logging import getLogger
from typing import Any

import gecbench
from gecbench.core.errors import UsageError
from gecbench.core.score import Counts
from gecbench.formats.texts import text_of
from gecbench.lang import language_of
from gecbench.models.chat.answers import parse_answer
from gecbench.scoring.results import ScoreReport

Item = tuple[str, str, tuple[str, ...], str, str | None, bool]
"""Source, correction, references, language, scheme; whether the answer was no correction."""


def load_corpus(
    lang: str,
    corpus: str | None = None,
    references: Sequence[str] = (),
    format: str | None = None,
    scheme: str | None = None,
    **_: object,
) -> Mapping[str, Any]:
    """Load the sentences of a task that have references.

    Args:
        lang: Code of the language.
        corpus: A file of any format that gecbench reads; None means the bundled samples.
        references: Files with the references, where the corpus is a file of sources.
        format: Of the corpus; None finds it out.
        scheme: Name of the scheme of edits; None means that of the language.

    Raises:
        GecbenchError: The file cannot be read, or not be scored.
    """
    from datasets import Dataset

    path = gecbench.sample(lang, "corpus.jsonl") if corpus is None else corpus
    samples = gecbench.load(path, format=format, references=references, lang=lang).samples
    rows: list[dict[str, Any]] = [
        {"source": sample.source, "references": texts, "lang": lang, "scheme": scheme}
        for sample in samples
        if (texts := [text_of(sample, r, lang) for r in sample.references if not r.unannotatable])
    ]
    if not rows:
        raise UsageError(f"{path} has no sentence with a reference that can be scored")
    # What the metrics lack is said now, and not after the model has written for hours.
    _report((process_results(rows[0], [rows[0]["source"]])["f0.5"],))
    return {"test": Dataset.from_list(rows)}


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Item]:
    """Find the correction in an answer, and hand it to the metrics, which need all sentences.

    An answer that is no correction, as a refusal, leaves the sentence as it was.
    """
    source, lang = doc["source"], doc["lang"]
    correction = parse_answer(source, results[0], tokens=language_of(lang).tokens)
    unchanged = correction.text == source and bool(correction.flags)
    rejected = unchanged and not (correction.flags == ("explained",) and source in results[0])
    references = tuple(doc["references"])
    item = (source, correction.text, references, lang, doc["scheme"], rejected)
    return dict.fromkeys((*_SCORES, "rejected"), item)


def rejected(items: Sequence[Item]) -> float:
    """Compute the share of answers that are no correction."""
    return sum(item[-1] for item in items) / len(items)


def _report(items: Sequence[Item]) -> ScoreReport:
    """Score a system by the language's metric over edits, and by two over texts."""
    sources, corrections, references, (lang, *_), (scheme, *_), _ = zip(*items, strict=True)
    metrics = [language_of(lang).metric, "gleu", "sentence-accuracy"]
    return gecbench.score_texts(
        sources, corrections, references, lang=lang, metrics=metrics, scheme=scheme
    )


@lru_cache(maxsize=1)
def _scores(items: tuple[Item, ...]) -> Mapping[str, float]:
    """All scores, made together; the harness asks for one after the other."""
    scores = [result.score for result in _report(items).results if result.score]
    for score in scores:
        getLogger("lm_eval").info("%s", score.signature)
    edits, gleu, accuracy = scores
    counts = edits.counts or Counts()
    values = (edits.value, counts.precision, counts.recall, gleu.value, accuracy.value)
    return dict(zip(_SCORES, values, strict=True))


def _score(name: str) -> Callable[[Sequence[Item]], float]:
    return lambda items: _scores(tuple(items))[name]


_SCORES = ("f0.5", "precision", "recall", "gleu", "sentence_accuracy")
f05, precision, recall, gleu, sentence_accuracy = map(_score, _SCORES)
