"""Scoring of texts that are in memory: lists, columns of data frames and of data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from gecbench.api.options import AnyScheme, Options
from gecbench.api.score import score
from gecbench.core.errors import UsageError, count_noun
from gecbench.core.options import check_list
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Watch, no_progress
from gecbench.scoring.results import ScoreReport

References = Iterable[str | Iterable[str]]
"""A list of references for each sentence; where there is only one, the text will do."""


def score_texts(
    sources: Iterable[str],
    hypotheses: Iterable[str] | Mapping[str, Iterable[str]],
    references: References,
    *,
    lang: str | None = None,
    metrics: Sequence[str] = (),
    scheme: AnyScheme = None,
    options: Options | None = None,
    watch: Watch = no_progress,
) -> ScoreReport:
    """Score systems on texts that are in memory; item k of each is of sentence k.

    Args:
        sources: What learners wrote: a list, a tuple, a column of pandas or of datasets.
        hypotheses: What a system made of them; or those of several systems, by their names.
        references: For each sentence a list of references, or its only one.
        lang: Code of the language of the texts; None detects it.
        metrics: Names of metrics; () means those of the options, else the language's own.
        scheme: As in `gecbench.score`, and so are the others.
        options: See there.
        watch: See there.

    Raises:
        UsageError: Something is no text, or not there for each sentence; names the item.
        GecbenchError: As `gecbench.score` raises it.

    Examples:
        >>> references = [["He goes home ."]]
        >>> report = score_texts(
        ...     ["He go home ."], ["He goes home ."], references, lang="en", metrics=["gleu"]
        ... )
        >>> report.results[0].score.value
        1.0
    """
    corpus, systems = corpus_of_texts(sources, hypotheses, references)
    options = options or Options()
    check_list("metrics", metrics)
    if metrics:
        options = replace(options, metrics=tuple(metrics))
    return score(corpus, systems, scheme=scheme, options=options, lang=lang, watch=watch)


def corpus_of_texts(
    sources: Iterable[str],
    hypotheses: Iterable[str] | Mapping[str, Iterable[str]],
    references: References,
) -> tuple[Corpus, list[SystemOutput]]:
    """Make a corpus and systems of texts; see `score_texts`, which has the same arguments."""
    source_texts = _texts("sources", sources)
    if not source_texts:
        raise UsageError("sources is empty; give at least one sentence")
    by_system = hypotheses if isinstance(hypotheses, Mapping) else {"system": hypotheses}
    size = len(source_texts)
    reference_lists = _reference_lists(references, size)
    ids = [str(number) for number in range(1, size + 1)]
    samples = [
        Sample(name, source, tuple(Rewrite(text=text) for text in texts))
        for name, source, texts in zip(ids, source_texts, reference_lists, strict=True)
    ]
    systems = []
    for system, outputs in by_system.items():
        if not isinstance(system, str):
            raise UsageError(f"hypotheses has a system {system!r}; names of systems are texts")
        name = f"hypotheses[{system!r}]" if by_system is hypotheses else "hypotheses"
        texts = _texts(name, outputs)
        _check_size(name, len(texts), size)
        rewrites = ((Rewrite(text=text),) for text in texts)
        systems.append(SystemOutput(system, dict(zip(ids, rewrites, strict=True))))
    return Corpus("texts", tuple(samples)), systems


def _reference_lists(references: References, size: int) -> list[list[str]]:
    items = _items("references", references, "a list of references for each sentence")
    _check_size("references", len(items), size, "a list of references for each sentence")
    lists = [
        _texts(f"references[{at}]", [item] if isinstance(item, str) else item)
        for at, item in enumerate(items)
    ]
    for at, texts in enumerate(lists):
        if not texts:
            raise UsageError(f"references[{at}] is empty; give at least one reference")
    return lists


def _texts(name: str, texts: Iterable[str]) -> list[str]:
    """The texts of a list or column, after a look at what they are."""
    items = _items(name, texts, "a list of texts")
    for at, text in enumerate(items):
        if not isinstance(text, str):
            raise UsageError(f"{name}[{at}] is {str(text)[:40]!r}, which is no text")
    return [str(text) for text in items]


def _items(name: str, values: Iterable[Any], what: str) -> list[Any]:
    """The items of a list or column.

    Dicts and data frames, which give the names of their columns, sets, which have no order, and
    the rows of data sets are refused: they would be scored as something else.
    """
    if isinstance(values, str):
        raise UsageError(f"{name} is the text {values[:40]!r}; give {what}")
    is_table = isinstance(values, Mapping | Set) or hasattr(values, "columns")
    if is_table or not isinstance(values, Iterable):
        raise UsageError(f"{name} is of type {type(values).__name__}; give {what}, or a column")
    return list(values)


def _check_size(name: str, size: int, expected: int, what: str = "one for each sentence") -> None:
    if size != expected:
        raise UsageError(
            f"{name} has {count_noun(size, 'item')}, sources {expected}; give {what}, in order"
        )
