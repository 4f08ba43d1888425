"""Whether metrics agree with human judgements: of systems, and of single sentences.

Kobayashi, Mita and Komachi, "Revisiting Meta-evaluation for Grammatical Error Correction", TACL
2024 (SEEDA); met are its scripts (tmu-nlp/SEEDA 0c6c07f, utils).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from gecbench.analysis.correlation import (
    COEFFICIENT_KINDS,
    Coefficient,
    CoefficientKind,
    SystemScores,
    check_number,
    coefficient,
    constant_notes,
    orient,
    score_rows,
    scores_of,
    table_scores,
)
from gecbench.analysis.options import Layout, SystemSet
from gecbench.core.errors import CorpusError, UnknownNameError, UsageError, count_noun
from gecbench.core.files import path_of
from gecbench.core.frames import Framed, Frames, Row, flat
from gecbench.core.options import check_once
from gecbench.core.score import is_tie
from gecbench.formats.judgments import (
    SEEDA,
    Judgments,
    read_human,
    read_judgments,
    read_sentence_scores,
)
from gecbench.scoring.metric import Metric
from gecbench.scoring.results import RunStats

HumanScores = Mapping[str, Mapping[str, float]]
"""People's scores: by way of judging, then by system."""

SentenceScores = Mapping[str, Mapping[tuple[str, str], float]]
"""Metrics' scores of sentences, greater is better: by metric, then by source and system."""


ALL = SystemSet("all")
SEEDA_SETS = (
    SystemSet("base", without=("GPT-3.5", "INPUT", "REF-F")),
    SystemSet("+INPUT", without=("GPT-3.5", "REF-F")),
    SystemSet("+REF-F_GPT-3.5", without=("INPUT",)),
    ALL,
)
"""SEEDA's four sets of its 15 systems, by what they leave out."""


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """One metric against one way of judging, over the systems of a set or of a window of it.

    Args:
        metric: Name.
        human: Name of the way of judging.
        set: Name of the set.
        systems: Those of the set that have both; of a window from the best to the worst by
            human score, else in alphabetical order.
        coefficients: By kind.
    """

    metric: str
    human: str
    set: str
    systems: tuple[str, ...]
    coefficients: Mapping[CoefficientKind, Coefficient]


def _level_row(level: SystemLevel) -> Row:
    names: Row = {"metric": level.metric, "human": level.human, "set": level.set}
    return names | {"systems": len(level.systems)} | flat(level.coefficients)


@dataclass(frozen=True, slots=True)
class Ties:
    """Pairs to which a metric gives one score, by whom people prefer.

    Args:
        first: The system whose name comes first in the alphabet.
        second: The other.
    """

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How often a metric prefers what people prefer; None where nothing was judged.

    Args:
        accuracy: Share of pairs judged alike.
        kendall: Pairs judged alike less those judged otherwise, by all pairs.
    """

    accuracy: float | None
    kendall: float | None


@dataclass(frozen=True, slots=True)
class SentenceLevel:
    """One metric against rankings, over pairs of systems on the same source.

    Args:
        metric: Name.
        judgments: Name of the rankings.
        set: Name of the set.
        systems: Those of the set that have both.
        pairs: Pairs of which people prefer one, and the metric has both scores.
        agree: Pairs of which metric and people prefer the same.
        disagree: Pairs of which they prefer different ones.
        metric_ties: Pairs to which the metric gives one score.
        human_ties: Pairs that people rank equal, which are not judged.
        unscored: Pairs that people judged and the metric did not.
        official: By SEEDA's rule: a tie of the metric counts as "the second is better", first and
            second being the order of the alphabet.
        fair: A tie of the metric counts half, whatever the names; in Kendall's for neither.
    """

    metric: str
    judgments: str
    set: str
    systems: tuple[str, ...]
    pairs: int
    agree: int
    disagree: int
    metric_ties: Ties
    human_ties: int
    unscored: int
    official: PairAgreement
    fair: PairAgreement


@dataclass(frozen=True, slots=True)
class People:
    """What people say of systems.

    Args:
        scores: Of systems, by way of judging.
        judgments: Rankings of single sentences.
    """

    scores: HumanScores
    judgments: tuple[Judgments, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class MetaEvaluation(Framed):
    """Metrics against human judgements.

    Args:
        corpus: Name of the data.
        systems: For each metric, way of judging and set.
        windows: For each of these, over windows of the first set; by size, then from the best.
        sentences: For each metric, file of rankings and set.
        scores: The metrics' scores of systems, greater is better; None where none are known.
        human: People's scores of systems.
        notes: What the reader should know, a sentence each.
        signatures: How scores were made, where that is known.
    """

    corpus: str
    systems: tuple[SystemLevel, ...] = ()
    windows: tuple[SystemLevel, ...] = ()
    sentences: tuple[SentenceLevel, ...] = ()
    scores: SystemScores | None = None
    human: HumanScores | None = None
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()

    def frames(self) -> Frames:
        """A row for each metric and way of judging: over systems, windows of them, or sentences."""
        return {
            "systems": map(_level_row, self.systems),
            "windows": map(_level_row, self.windows),
            "sentences": map(flat, self.sentences),
            "scores": score_rows(self.scores) if self.scores else (),
        }


def default_sets(systems: Sequence[str]) -> tuple[SystemSet, ...]:
    """SEEDA's sets where all systems are SEEDA's, else one with all."""
    return SEEDA_SETS if set(systems) <= set(SEEDA) else (ALL,)


def system_level(
    scores: SystemScores, human: HumanScores, sets: Sequence[SystemSet]
) -> tuple[SystemLevel, ...]:
    """Correlate each metric with each way of judging, over each set.

    Args:
        scores: Greater is better.
        human: People's scores; systems that only one side has take no part.
        sets: Which systems.
    """
    return tuple(
        _level(metric, way, group.name, group.of(_both(scores, human_scores)), scores, human_scores)
        for metric in scores.metrics
        for way, human_scores in human.items()
        for group in sets
    )


def windows(
    scores: SystemScores, human: HumanScores, group: SystemSet, sizes: Sequence[int]
) -> tuple[SystemLevel, ...]:
    """Correlate over each window of consecutive systems in people's order.

    From the best to the worst; of systems with equal human scores the last of the alphabet
    first, as SEEDA's reversed ascending sort has it.

    Args:
        scores: Greater is better.
        human: People's scores.
        group: Which systems are put in order.
        sizes: How many systems a window has.
    """
    levels = []
    for metric in scores.metrics:
        for way, human_scores in human.items():
            ordered = sorted(group.of(_both(scores, human_scores)), key=human_scores.__getitem__)[
                ::-1
            ]
            for size in sizes:
                for first in range(len(ordered) - size + 1):
                    window = tuple(ordered[first : first + size])
                    levels.append(_level(metric, way, group.name, window, scores, human_scores))
    return tuple(levels)


def sentence_level(
    scores: SentenceScores,
    judgments: Judgments,
    sets: Sequence[SystemSet],
    sources: Mapping[str, str] | None = None,
) -> tuple[SentenceLevel, ...]:
    """Count how often metrics prefer what people prefer, of two outputs for one source.

    Every item counts, also where a source has several.

    Args:
        scores: Greater is better.
        judgments: The rankings.
        sets: Which systems.
        sources: What the scores call the sources of the rankings; None means the same.
    """
    return tuple(
        _against(metric, values, judgments, group, sources)
        for metric, values in scores.items()
        for group in sets
    )


def _both(scores: SystemScores, human_scores: Mapping[str, float]) -> list[str]:
    return [name for name in scores.systems if name in human_scores]


def _level(
    metric: str,
    way: str,
    group: str,
    systems: tuple[str, ...],
    scores: SystemScores,
    human_scores: Mapping[str, float],
) -> SystemLevel:
    values = dict(zip(scores.systems, scores.metrics[metric], strict=True))
    ours = [values[name] for name in systems]
    human_values = [human_scores[name] for name in systems]
    coefficients = {kind: coefficient(kind, human_values, ours) for kind in COEFFICIENT_KINDS}
    return SystemLevel(metric, way, group, systems, coefficients)


def _against(
    metric: str,
    values: Mapping[tuple[str, str], float],
    judgments: Judgments,
    group: SystemSet,
    sources: Mapping[str, str] | None,
) -> SentenceLevel:
    scored = {system for _, system in values}
    systems = group.of([name for name in judgments.systems if name in scored])
    counts: Counter[str] = Counter()
    for item in judgments.items:
        source = item.source if sources is None else sources[item.source]
        for first, second in combinations([name for name in systems if name in item.ranks], 2):
            # Above 0: people prefer the first.
            preferred = item.ranks[second] - item.ranks[first]
            pair = values.get((source, first)), values.get((source, second))
            counts[_verdict(preferred, *pair)] += 1
    agree, disagree = counts["agree"], counts["disagree"]
    ties = Ties(counts["tied_first"], counts["tied_second"])
    pairs = agree + disagree + ties.first + ties.second
    official = PairAgreement(None, None)
    fair = official
    if pairs:
        kendall = (agree + ties.second - (disagree + ties.first)) / pairs
        official = PairAgreement((agree + ties.second) / pairs, kendall)
        fair = PairAgreement(
            (agree + (ties.first + ties.second) / 2) / pairs, (agree - disagree) / pairs
        )
    return SentenceLevel(
        metric=metric,
        judgments=judgments.name,
        set=group.name,
        systems=systems,
        pairs=pairs,
        agree=agree,
        disagree=disagree,
        metric_ties=ties,
        human_ties=counts["human_ties"],
        unscored=counts["unscored"],
        official=official,
        fair=fair,
    )


def _verdict(preferred: int, first: float | None, second: float | None) -> str:
    """Name the count that a pair belongs to."""
    if preferred == 0:
        return "human_ties"
    if first is None or second is None:
        return "unscored"
    if is_tie(first, second):
        return "tied_first" if preferred > 0 else "tied_second"
    return "agree" if (first > second) == (preferred > 0) else "disagree"


# One number for each sentence, by any metric.


def sentence_values(metric: Metric[Any], rows: Sequence[Any]) -> list[float | None]:
    """Score each sentence by one number; None where the metric says that it has none.

    Where it has one by itself, as GLEU and the means over sentences, that; else the score of a
    corpus of this sentence alone, as for the metrics that add up edits: then each sentence takes
    the reference that is best for it.

    Args:
        metric: Whose rows these are.
        rows: Statistics of each sentence.
    """

    def value_of(sentence: Mapping[str, object], row: Any) -> float | None:
        value = sentence.get("value", ())
        if value is None:
            return None
        return float(value) if isinstance(value, int | float) else metric.aggregate([row]).value

    return list(map(value_of, metric.sentences(rows), rows))


def sentence_scores_of(run_stats: RunStats) -> dict[str, dict[tuple[str, str], float]]:
    """Score sentences so that greater is better: by metric, then source and system.

    Sentences that a metric leaves out are not there.
    """
    ids = [sample.id for sample in run_stats.corpus.samples]
    by_metric: dict[str, dict[tuple[str, str], float]] = {}
    for name, metric in run_stats.metrics.items():
        if name in run_stats.refused:
            continue
        sign = 1 if metric.higher_is_better else -1
        indices = run_stats.indices_of(name)
        by_metric[name] = {}
        for system in run_stats.systems:
            values = sentence_values(metric, [run_stats.rows[system, name][at] for at in indices])
            for at, value in zip(indices, values, strict=True):
                if value is not None:
                    by_metric[name][ids[at], system] = sign * value
    return by_metric


# All levels, with what to know about them.


def compare_with_people(
    scores: SystemScores,
    sentences: SentenceScores,
    ids: Sequence[str],
    people: People,
    layout: Layout,
) -> MetaEvaluation:
    """Compare metrics with people, on all levels.

    Args:
        scores: Of systems.
        sentences: Of sentences.
        ids: What scores call the sources, in their order.
        people: What people say.
        layout: Over which systems.

    Raises:
        CorpusError: No system, or not all sources that people judged, are scored.
        UnknownNameError: A set has a system that nobody knows.
    """
    scores, orientation = orient(scores)
    notes = [*scores.notes, *orientation]
    ours = {*scores.systems, *(system for values in sentences.values() for _, system in values)}
    rated_systems = {name for way in people.scores.values() for name in way}
    rated_systems |= {name for judgments in people.judgments for name in judgments.systems}
    notes += _unmatched_system_notes(ours, rated_systems)
    sets = layout.sets or default_sets([*ours & rated_systems])
    for group in sets:
        for name in (*group.only, *group.without):
            # SEEDA's own sets are of its systems, whichever of them are here.
            if name not in ours | rated_systems and group not in SEEDA_SETS:
                raise UnknownNameError(f"system of set {group.name}", name, ours | rated_systems)
    notes += _incomplete_set_notes(sets, ours & rated_systems, rated_systems)
    sources = [_sources(judgments, ids) for judgments in people.judgments]
    notes += [note for _, note in sources if note]
    levels = system_level(scores, people.scores, sets)
    notes += constant_notes(scores) if people.scores else ()
    if levels and not people.judgments:
        check_number(max((level.systems for level in levels), key=len))
    if few := dict.fromkeys(f"{o.set} ({len(o.systems)})" for o in levels if len(o.systems) < 3):
        notes.append(f"fewer than three systems, so no correlation: {', '.join(few)}")
    rankings = tuple(
        level
        for judgments, (names, _) in zip(people.judgments, sources, strict=True)
        for level in sentence_level(sentences, judgments, sets, names)
    )
    notes += [
        f"{ranking.judgments}, {ranking.set}: "
        f"{count_noun(ranking.unscored, 'judged pair', ' has', ' have')} no score by "
        f"{ranking.metric}"
        for ranking in rankings
        if ranking.unscored
    ]
    return MetaEvaluation(
        corpus=scores.corpus,
        systems=levels,
        windows=windows(scores, people.scores, _window_set(sets, layout), layout.sizes),
        sentences=rankings,
        scores=scores if people.scores else None,
        human=people.scores,
        notes=tuple(dict.fromkeys(notes)),
        signatures=scores.signatures,
    )


def _window_set(sets: Sequence[SystemSet], layout: Layout) -> SystemSet:
    if layout.window_set is None:
        return sets[0]
    known = {group.name: group for group in sets}
    if layout.window_set not in known:
        raise UnknownNameError("set of systems", layout.window_set, known)
    return known[layout.window_set]


def _unmatched_system_notes(ours: Collection[str], rated: Collection[str]) -> list[str]:
    """Say which systems only one side has.

    Raises:
        CorpusError: There are no systems that both have.
    """
    both = set(ours) & set(rated)
    if not both:
        raise CorpusError(
            f"no system is both scored ({', '.join(sorted(ours)[:5])}) and judged by people "
            f"({', '.join(sorted(rated)[:5])}); give systems the same names: NAME=FILE"
        )
    return [
        f"{problem}, so left out: {', '.join(sorted(names))}"
        for problem, names in (
            ("judged by people but not scored", set(rated) - both),
            ("scored but not judged by people", set(ours) - both),
        )
        if names
    ]


def _incomplete_set_notes(
    sets: Sequence[SystemSet], both: Collection[str], rated: Collection[str]
) -> list[str]:
    """Say which sets are not whole, so that their figures are not the published ones."""
    less = [
        f"{group.name} ({len(group.of(sorted(both)))} of {len(group.of(sorted(rated)))})"
        for group in sets
        if set(group.of(sorted(rated))) - set(both)
    ]
    if not less:
        return []
    return [f"sets are not whole, so figures are not those of all systems: {', '.join(less)}"]


def _sources(judgments: Judgments, ids: Sequence[str]) -> tuple[Mapping[str, str], str | None]:
    """Match the sources that people judged with those that are scored.

    SEEDA counts lines of the whole text from 1. Scores are of it, or of the judged sources alone
    in their order, as SEEDA's subset.

    Raises:
        CorpusError: Neither fits, or sources are missing.
    """
    sources = list(dict.fromkeys(item.source for item in judgments.items))
    missing = [source for source in sources if source not in set(ids)]
    if not missing:
        return {source: source for source in sources}, None
    if judgments.lines and len(ids) == len(sources):
        ordered = sorted(sources, key=int)
        note = (
            f"{judgments.name}: as many sentences as judged sources ({len(ids)}), so they are "
            "taken for these in their order"
        )
        return dict(zip(ordered, ids, strict=True)), note
    examples = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
    raise CorpusError(
        f"{judgments.path or judgments.name}: {len(missing)} of {len(sources)} judged sources have "
        f"no score: {examples}; "
        + (
            "give the whole text, or the judged sources alone"
            if judgments.lines
            else f"write ids as the scored sentences have them: {', '.join(ids[:3])}, ..."
        )
    )


# People's files, and metrics' scores of a run or of tables.


Named = Mapping[str, Path | str] | Sequence[Path | str]
"""Files, with names for what is in them or without."""


def read_people(human: Named, judgments: Named, systems: Sequence[str] = ()) -> People:
    """Read people's scores of systems and rankings of sentences.

    Raises:
        UsageError: There is no file, or two ways of judging have one name.
        FormatError: A file does not hold what it should.
    """
    ways: dict[str, Mapping[str, float]] = {}
    for name, path in _name_files(human):
        table = read_human(path, name, systems)
        for way, values in table.columns.items():
            if way in ways:
                raise UsageError(f"{path}: people's scores {way!r} are there twice; NAME=FILE")
            ways[way] = dict(zip(table.rows, values, strict=True))
    rankings = tuple(read_judgments(path, name) for name, path in _name_files(judgments))
    check_once("file of judgments", [ranking.name for ranking in rankings])
    if not ways and not rankings:
        raise UsageError(
            "there are no human judgements to compare metrics with; give scores of systems "
            "(--human FILE) or rankings of sentences (--judgments FILE)"
        )
    return People(ways, rankings)


def _name_files(files: Named) -> list[tuple[str | None, Path]]:
    if isinstance(files, Mapping):
        return [(name, path_of(path)) for name, path in files.items()]
    return [(None, path_of(path)) for path in files]


def of_run(run_stats: RunStats, people: People, layout: Layout | None = None) -> MetaEvaluation:
    """Compare the metrics of a run with people."""
    scores = scores_of(run_stats)
    sentences = sentence_scores_of(run_stats) if people.judgments else {}
    ids = [sample.id for sample in run_stats.corpus.samples]
    return compare_with_people(scores, sentences, ids, people, layout or Layout())


def of_tables(
    scores: Path | None,
    sentences: Path | None,
    people: People,
    layout: Layout | None = None,
    lower: Collection[str] = (),
) -> MetaEvaluation:
    """Compare the metrics of tables with people.

    Raises:
        UsageError: There is no table for what people said, or nobody said anything for a table.
    """
    if (scores is None) != (not people.scores):
        raise UsageError("people's scores of systems and a table of metrics' scores go together")
    if (sentences is None) != (not people.judgments):
        raise UsageError("people's judgments and a table of metrics' sentence scores go together")
    by_metric = read_sentence_scores(sentences) if sentences else {}
    table = table_scores(scores) if scores else SystemScores("", (), {})
    for name in lower:
        if name not in by_metric and name not in table.metrics:
            raise UnknownNameError("metric of the tables", name, {**by_metric, **table.metrics})
    oriented = {
        metric: {key: -value for key, value in values.items()} if metric in lower else values
        for metric, values in by_metric.items()
    }
    ids = list(dict.fromkeys(source for values in by_metric.values() for source, _ in values))
    table = replace(table, lower=frozenset(lower), corpus=table.corpus or str(sentences))
    return compare_with_people(table, oriented, ids, people, layout or Layout())
