"""Meta-evaluation: metrics, scored here or read from tables, against human judgements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gecbench.analysis.correlation import SystemScores, scores_of
from gecbench.analysis.meta import MetaEvaluation, People, compare_with_people, sentence_scores_of
from gecbench.analysis.options import Layout
from gecbench.api.analyse import table_scores
from gecbench.api.options import Options
from gecbench.api.schemes import AnyScheme
from gecbench.api.score import collect_stats
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Systems
from gecbench.core.scheme import Watch, unwatched
from gecbench.formats.judgments import read_human, read_judgments, read_sentence_scores
from gecbench.scoring.results import RunStats

Named = Mapping[str, Path | str] | Sequence[Path | str]
"""Files, with names for what is in them or without."""


def meta(
    data: Corpus | Path | str | None = None,
    systems: Systems = (),
    *,
    human: Named = (),
    judgments: Named = (),
    sentence_scores: Path | str | None = None,
    human_systems: Sequence[str] = (),
    lower: Collection[str] = (),
    layout: Layout | None = None,
    scheme: AnyScheme = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> MetaEvaluation:
    """Return how far metrics agree with human judgements.

    Args:
        data: A corpus, whose systems are scored by the metrics of the options; or the path of a
            table of scores with a row for each system and a column for each metric; None where
            only `sentence_scores` are compared.
        systems: With a corpus: named as people's files name them.
        human: Files with people's scores of systems; see `formats.judgments.read_human`.
        judgments: Files with people's rankings of single sentences; see `read_judgments` there.
        sentence_scores: Without a corpus: a table with columns id, system, and metrics.
        human_systems: What a file of numbers without names is of; () means SEEDA's systems.
        lower: Without a corpus: metrics of which a lower score is better.
        layout: Sets and windows.
        scheme: With a corpus: as in `gecbench.score`.
        options: With a corpus: how to score.
        watch: Wraps loops over sentences, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    people = read_people(human, judgments, human_systems)
    if isinstance(data, Corpus):
        if lower or sentence_scores is not None:
            raise UsageError("lower and sentence_scores are of tables, not of a corpus")
        run_stats = collect_stats(data, systems, scheme=scheme, options=options, watch=watch)
        return of_run(run_stats, people, layout)
    if systems or options or scheme:
        raise UsageError(
            "tables have the scores already; systems, scheme and options need a corpus"
        )
    table = None if data is None else Path(data)
    own = None if sentence_scores is None else Path(sentence_scores)
    return of_tables(table, own, people, layout, lower)


def read_people(human: Named, judgments: Named, systems: Sequence[str] = ()) -> People:
    """Read people's scores of systems and rankings of sentences.

    Raises:
        UsageError: There is no file, or two ways of judging have one name.
        FormatError: A file does not hold what it should.
    """
    ways: dict[str, Mapping[str, float]] = {}
    for name, path in _named(human):
        table = read_human(path, name, systems)
        for way, values in table.columns.items():
            if way in ways:
                raise UsageError(f"{path}: people's scores {way!r} are there twice; NAME=FILE")
            ways[way] = dict(zip(table.rows, values, strict=True))
    rankings = tuple(read_judgments(path, name) for name, path in _named(judgments))
    names = [one.name for one in rankings]
    if len(set(names)) < len(names):
        raise UsageError(f"two files of judgments have one name among {', '.join(names)}")
    if not ways and not rankings:
        raise UsageError("name people's scores of systems, or their judgments of sentences")
    return People(ways, rankings)


def _named(files: Named) -> list[tuple[str | None, Path]]:
    if isinstance(files, Mapping):
        return [(name, Path(path)) for name, path in files.items()]
    return [(None, Path(path)) for path in files]


def of_run(run_stats: RunStats, people: People, layout: Layout | None = None) -> MetaEvaluation:
    """Return how far the metrics of a run agree with people."""
    made = scores_of(run_stats)
    sentences = sentence_scores_of(run_stats) if people.judgments else {}
    ids = [sample.id for sample in run_stats.corpus.samples]
    return compare_with_people(made, sentences, ids, people, layout or Layout())


def of_tables(
    scores: Path | None,
    sentences: Path | None,
    people: People,
    layout: Layout | None = None,
    lower: Collection[str] = (),
) -> MetaEvaluation:
    """Return how far the metrics of tables agree with people.

    Raises:
        UsageError: There is no table for what people said, or nobody said anything for a table.
    """
    if (scores is None) != (not people.scores):
        raise UsageError("people's scores of systems and a table of metrics' scores go together")
    if (sentences is None) != (not people.judgments):
        raise UsageError("people's judgments and a table of metrics' sentence scores go together")
    found = read_sentence_scores(sentences) if sentences else {}
    table = table_scores(scores) if scores else SystemScores("", (), {})
    for name in lower:
        if name not in found and name not in table.metrics:
            raise UnknownNameError("metric of the tables", name, {**found, **table.metrics})
    oriented = {
        metric: {key: -value for key, value in values.items()} if metric in lower else values
        for metric, values in found.items()
    }
    ids = list(dict.fromkeys(source for values in found.values() for source, _ in values))
    table = replace(table, lower=frozenset(lower), corpus=table.corpus or str(sentences))
    return compare_with_people(table, oriented, ids, people, layout or Layout())
