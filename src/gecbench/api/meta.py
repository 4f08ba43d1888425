"""Meta-evaluation: metrics, scored here or read from tables, against human judgements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gecbench.analysis.correlation import SystemScores, constant_notes, scores_of, turned
from gecbench.analysis.meta import (
    SEEDA_SETS,
    Human,
    MetaEvaluation,
    SentenceLevel,
    SentenceScores,
    SystemLevel,
    SystemSet,
    default_sets,
    sentence_level,
    system_level,
    windows,
)
from gecbench.analysis.sentence_values import sentence_scores_of
from gecbench.api.correlation import table_scores
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import judge
from gecbench.api.options import Options
from gecbench.core.errors import CorpusError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.formats.judgments import (
    Judgments,
    read_human,
    read_judgments,
    read_sentence_scores,
)
from gecbench.scoring.judged import Judged

Named = Mapping[str, Path | str] | Sequence[Path | str]
"""Files, with names for what is in them or without."""

WINDOWS = (4, 5, 6, 7, 8)
"""Sizes of SEEDA's windows."""


@dataclass(frozen=True, slots=True)
class People:
    """What people said.

    Args:
        scores: Of systems, by way of judging.
        judgments: Rankings of single sentences.
    """

    scores: Human
    judgments: tuple[Judgments, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Over which systems metrics are compared with people.

    Args:
        sets: Sets of systems; () means SEEDA's where all systems are SEEDA's, else one with all.
        sizes: Of the windows; those of more systems than there are make none.
        window_set: Name of the set that windows go through; None is the first.
    """

    sets: tuple[SystemSet, ...] = ()
    sizes: tuple[int, ...] = WINDOWS
    window_set: str | None = None

    def __post_init__(self) -> None:
        """Refuse sizes without correlation and names given twice."""
        for size in self.sizes:
            if size < 3:
                raise UsageError(f"a window of {size} has no correlation; take 3 or more")
        names = [one.name for one in self.sets]
        if len(set(names)) < len(names):
            raise UsageError(f"two sets have one name among {', '.join(names)}")


def meta(
    data: Corpus | Path | str | None = None,
    systems: Sequence[SystemOutput] = (),
    *,
    human: Named = (),
    judgments: Named = (),
    sentence_scores: Path | str | None = None,
    human_systems: Sequence[str] = (),
    lower: Collection[str] = (),
    layout: Layout | None = None,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
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
        judged = judge(data, systems, scheme=scheme, options=options, watch=watch)
        return of_judged(judged, people, layout)
    if systems or options or scheme:
        raise UsageError(
            "tables have the scores already; systems, scheme and options need a corpus"
        )
    table = None if data is None else Path(data)
    own = None if sentence_scores is None else Path(sentence_scores)
    return of_tables(table, own, people, layout, lower)


def read_people(human: Named, judgments: Named, systems: Sequence[str] = ()) -> People:
    """Return what people said in some files.

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


def of_judged(judged: Judged, people: People, layout: Layout | None = None) -> MetaEvaluation:
    """Return how far the metrics of what was judged agree with people."""
    made = scores_of(judged)
    sentences = sentence_scores_of(judged) if people.judgments else {}
    ids = [sample.id for sample in judged.corpus.samples]
    return _compared(made, sentences, ids, people, layout or Layout())


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
    return _compared(table, oriented, ids, people, layout or Layout())


def _compared(
    scores: SystemScores,
    sentences: SentenceScores,
    ids: Sequence[str],
    people: People,
    layout: Layout,
) -> MetaEvaluation:
    """Return all levels of the comparison, with what to know about it."""
    scores, notes = turned(scores)
    said = [*scores.notes, *notes]
    ours = {*scores.systems, *(system for each in sentences.values() for _, system in each)}
    theirs = {name for way in people.scores.values() for name in way}
    theirs |= {name for each in people.judgments for name in each.systems}
    said += _apart(ours, theirs)
    sets = layout.sets or default_sets([*ours & theirs])
    _check_sets(sets, ours | theirs)
    said += _cut(sets, ours & theirs, theirs)
    found = sentences if people.judgments else {}
    mapped = [(each, *_sources(each, ids)) for each in people.judgments]
    said += [note for _, _, note in mapped if note]
    level = system_level(scores, people.scores, sets)
    said += constant_notes(scores) if people.scores else ()
    said += _too_few(level)
    rankings = tuple(
        one for each, sources, _ in mapped for one in sentence_level(found, each, sets, sources)
    )
    said += _unscored(rankings)
    return MetaEvaluation(
        corpus=scores.corpus,
        systems=level,
        windows=windows(scores, people.scores, _window_set(sets, layout), layout.sizes),
        sentences=rankings,
        scores=scores if people.scores else None,
        human=people.scores,
        notes=tuple(dict.fromkeys(said)),
        signatures=scores.signatures,
    )


def _window_set(sets: Sequence[SystemSet], layout: Layout) -> SystemSet:
    if layout.window_set is None:
        return sets[0]
    known = {one.name: one for one in sets}
    if layout.window_set not in known:
        raise UnknownNameError("set of systems", layout.window_set, known)
    return known[layout.window_set]


def _check_sets(sets: Sequence[SystemSet], known: Collection[str]) -> None:
    """Refuse sets with systems that nobody knows, unless they are SEEDA's own."""
    for one in sets:
        for name in (*one.only, *one.without):
            if name not in known and one not in SEEDA_SETS:
                raise UnknownNameError(f"system of set {one.name}", name, known)


def _apart(ours: Collection[str], theirs: Collection[str]) -> list[str]:
    """Say which systems only one side has.

    Raises:
        CorpusError: There are no systems that both have.
    """
    both = set(ours) & set(theirs)
    if not both:
        raise CorpusError(
            f"no system is both scored ({', '.join(sorted(ours)[:5])}) and judged by people "
            f"({', '.join(sorted(theirs)[:5])}); give systems the same names: NAME=FILE"
        )
    made = []
    for problem, names in (
        ("judged by people but not scored, so left out", set(theirs) - both),
        ("scored but not judged by people, so left out", set(ours) - both),
    ):
        if names:
            made.append(f"{problem}: {', '.join(sorted(names))}")
    return made


def _cut(sets: Sequence[SystemSet], both: Collection[str], theirs: Collection[str]) -> list[str]:
    """Say which sets are not whole, so that their figures are not the published ones."""
    less = [
        f"{one.name} ({len(one.of(sorted(both)))} of {len(one.of(sorted(theirs)))})"
        for one in sets
        if set(one.of(sorted(theirs))) - set(both)
    ]
    if not less:
        return []
    return [f"sets are not whole, so figures are not those of all systems: {', '.join(less)}"]


def _sources(judgments: Judgments, ids: Sequence[str]) -> tuple[Mapping[str, str], str | None]:
    """Return what the scores call the sources that people judged.

    SEEDA counts lines of the whole text from 1. Scores are of it, or of the judged sources alone
    in their order, as SEEDA's subset.

    Raises:
        CorpusError: Neither fits, or sources are missing.
    """
    judged = list(dict.fromkeys(item.source for item in judgments.items))
    missing = [source for source in judged if source not in set(ids)]
    if not missing:
        return {source: source for source in judged}, None
    if judgments.lines and len(ids) == len(judged):
        ordered = sorted(judged, key=int)
        note = (
            f"{judgments.name}: as many sentences as judged sources ({len(ids)}), so they are "
            "taken for these in their order"
        )
        return dict(zip(ordered, ids, strict=True)), note
    some = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
    raise CorpusError(
        f"{judgments.path or judgments.name}: {len(missing)} of {len(judged)} judged sources have "
        f"no score: {some}; "
        + (
            "give the whole text, or the judged sources alone"
            if judgments.lines
            else f"write ids as the scored sentences have them: {', '.join(ids[:3])}, ..."
        )
    )


def _too_few(level: Sequence[SystemLevel]) -> list[str]:
    few = dict.fromkeys(
        f"{one.group} ({len(one.systems)})" for one in level if len(one.systems) < 3
    )
    return [f"fewer than three systems, so no correlation: {', '.join(few)}"] if few else []


def _unscored(level: Sequence[SentenceLevel]) -> list[str]:
    """Say where metrics left out sentences that people judged."""
    return [
        f"{one.judgments}, {one.group}: {one.unscored} judged pairs have no score by {one.metric}"
        for one in level
        if one.unscored
    ]
