"""A run: the statistics of all metrics for each sentence, and the scores that they sum up to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from gecbench.core.case import Part
from gecbench.core.errors import (
    CorpusError,
    Message,
    MissingExtraError,
    NoEffectError,
    UsageError,
    count_noun,
)
from gecbench.core.sample import GOLD_EDITS, Corpus, Rewrite, SystemOutput
from gecbench.core.score import Interval, WarningNote
from gecbench.formats.stored import is_plain
from gecbench.scoring import resample
from gecbench.scoring.cases import Segmenter, segmentation_notes, segmenter_notes
from gecbench.scoring.extractor import Decision, edit_set_limit_note
from gecbench.scoring.metric import Metric
from gecbench.scoring.parts import CaseFacts
from gecbench.scoring.results import Result, RunStats, ScoreReport, SentenceResult

if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws

LEFT_OUT = "no annotator could correct it"


# Which sentences and systems take part.


def check_outputs(corpus: Corpus, systems: Sequence[SystemOutput]) -> list[str]:
    """Refuse systems that do not fit a corpus; return what looks like a mistake in the files.

    Raises:
        UsageError: There is no system, or two have one name.
        CorpusError: A system has no output for a sentence.
    """
    if not systems:
        raise UsageError("no system is given; give the outputs of at least one")
    names = [system.system for system in systems]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"two systems are both called {twice}; give each its own name: NAME=FILE")
    blank: list[str] = []
    columns: list[dict[_Fault, list[str]]] = [
        {"missing": [], "empty": [], "strange": []} for _ in systems
    ]
    for sample in corpus.samples:  # once: those of a large corpus are read from a file
        name, source = sample.id, sample.source
        if not source or source.isspace():
            blank.append(name)
        for system, ids in zip(systems, columns, strict=True):
            for rewrite in system.hypotheses.get(name) or (None,):
                if fault := _find_fault(rewrite, source):
                    ids[fault].append(name)
    for system, ids in zip(systems, columns, strict=True):
        if missing := ids["missing"]:
            examples = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            raise CorpusError(
                f"system {system.system}: no output for {count_noun(len(missing), 'sentence')} of "
                f"corpus {corpus.name!r}: {examples}; give one for each"
            )
    return _output_notes(corpus, systems, blank, columns)


_Fault = Literal["missing", "empty", "strange"]


def _find_fault(rewrite: Rewrite | None, source: str) -> _Fault | None:
    """What seems wrong with an output: that it is not there, empty, or shares almost nothing.

    That is less than a quarter of its characters with its source.
    """
    if rewrite is None:
        return "missing"
    text = rewrite.text
    if text is None or not source:
        return None
    if not text or text.isspace():
        return "empty"
    if text == source:
        return None
    characters = set(text)
    shared = 0
    for character in characters:
        if character in source:
            shared += 1
            if 4 * shared >= len(characters):
                return None
    return "strange"


def _output_notes(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    blank: Sequence[str],
    columns: Sequence[Mapping[_Fault, Sequence[str]]],
) -> list[str]:
    """What looks like a mistake in the files and cannot be refused; `columns` are ids by system."""
    notes: list[str] = []
    if blank:
        notes.append(
            WarningNote(
                "{corpus}: sentences without text: {count} (first: {first}); they count as "
                "sentences: if they are blank lines between sentences, remove them from all files",
                corpus=corpus.name,
                count=len(blank),
                first=blank[0],
            )
        )
    for system, ids in zip(systems, columns, strict=True):
        empty, strange = ids["empty"], ids["strange"]
        unknown = len(system.hypotheses) - len(corpus.samples)  # none of these lacks an output
        if unknown:
            notes.append(
                WarningNote(
                    "{system}: outputs for sentences not in the corpus: {count}",
                    system=system.system,
                    count=unknown,
                )
            )
        if empty:
            notes.append(
                WarningNote(
                    "{system}: empty outputs: {count} (first: {first})",
                    system=system.system,
                    count=len(empty),
                    first=empty[0],
                )
            )
        if 5 * len(strange) > len(corpus.samples):  # a few may be so; many are lines that slipped
            notes.append(
                WarningNote(
                    "{system}: outputs that share almost nothing with their source: {count} "
                    "(first: {first}); are they in the order of the corpus?",
                    system=system.system,
                    count=len(strange),
                    first=strange[0],
                )
            )
    return notes


def select_samples(
    corpus: Corpus,
    part: tuple[int, int | None] | None,
    *,
    max_references: int | None = None,
    references_exactly: int | None = None,
) -> tuple[Corpus, dict[str, int]]:
    """A corpus with the wanted sentences, and how many others there are, by reason.

    Args:
        corpus: All sentences.
        part: The first place, from 0, and the one behind the last; None there is the end.
        max_references: Only the first this many references of a sentence count.
        references_exactly: Only sentences with this many references.
    """
    samples, total = corpus.samples, len(corpus.samples)
    if part:
        first, last = part[0], total if part[1] is None else part[1]
        if not 0 <= first < last <= total:
            raise UsageError(
                f"range {first}:{last} must be A:B with 0 <= A < B <= {total}, the number of "
                "sentences; it means sentences A+1 to B"
            )
        samples = samples[first:last]
    inside = len(samples)
    if references_exactly is not None:
        samples = tuple(
            s for s in samples if len(s.references[:max_references]) == references_exactly
        )
        if not samples:
            raise CorpusError(
                f"{corpus.name}: no sentence has exactly "
                f"{count_noun(references_exactly, 'reference')}"
            )
    return replace(corpus, samples=samples), {
        "outside the range": total - inside,
        "other number of references": inside - len(samples),
    }


def first_references(corpus: Corpus, most: int | None, *, required: bool = True) -> Corpus:
    """A corpus with the first references of each sentence alone.

    Args:
        corpus: Any.
        most: How many; None is all.
        required: Whether each sentence has to have one, as most metrics compare with them.

    Raises:
        CorpusError: A sample has none, and has to.
    """
    for sample in () if is_plain(corpus) else corpus.samples:
        if required and not sample.references:
            raise CorpusError(
                f"{corpus.name}: sentence {sample.id!r} has no reference; "
                "give a TSV, M2 or JSONL that has them, or text files with --reference; "
                "gecbench data prepare --corpus NAME=FILE -o FILE.jsonl keeps the sentences "
                "that have one"
            )
    if most is None:
        return corpus
    samples = (replace(sample, references=sample.references[:most]) for sample in corpus.samples)
    return replace(corpus, samples=tuple(samples))


def fields(corpus: Corpus) -> list[str]:
    """The metadata fields that any sentence has."""
    return sorted({name for sample in corpus.samples for name in sample.meta})


def field_values(corpus: Corpus, field: str) -> list[str]:
    """What each sentence has in a metadata field.

    Raises:
        CorpusError: A sentence lacks the field.
    """
    for sample in corpus.samples:
        if field not in sample.meta:
            raise CorpusError(
                f"{corpus.name}: sentence {sample.id!r} has no metadata field {field!r}; "
                f"fields are: {', '.join(fields(corpus)) or 'none (add some with --meta)'}"
            )
    return [sample.meta[field] for sample in corpus.samples]


def subsets(corpus: Corpus, by: str) -> dict[str | None, Sequence[int]]:
    """The places of the sentences that share a value of a field."""
    groups: dict[str | None, list[int]] = {}
    for at, value in enumerate(field_values(corpus, by)):
        groups.setdefault(value, []).append(at)
    return {**groups}


def check_extraction(
    facts: CaseFacts,
    name: str,
    metrics: Sequence[str],
    needs: Collection[Part],
    *,
    re_extract: bool | None,
    options: Mapping[str, str],
) -> None:
    """Refuse options of how edits are found where all that metrics compare are those of files.

    Args:
        facts: Of the cases.
        name: Of the corpus.
        metrics: Their names.
        needs: What those that apply compare.
        re_extract: Whether edits of files are extracted again, where somebody said it.
        options: Of the scheme, those that somebody chose, with their names on the command line.

    Raises:
        NoEffectError: Names the options, and what to do.
    """
    if re_extract and "edits" not in needs and not facts.gold_edits_extracted:
        raise NoEffectError(
            f"no metric of {', '.join(metrics)} compares edits that --re-extract extracts "
            "again; leave it out",
            ("re_extract", *options),
            name,
        )
    if not options or needs == {"texts"}:
        return
    if not (facts.gold_edits_extracted or facts.extracted):
        chosen = " and ".join(dict.fromkeys(options.values()))
        in_place = " in place of --no-re-extract" if re_extract is False else ""
        add = f"add --re-extract{in_place}, or " if "edits" in needs else ""
        raise NoEffectError(
            f"all edits stand in the files and are used as they are, so that {chosen} "
            f"has no effect; {add}leave {chosen} out",
            [*options],
            name,
        )


# What the reader of scores should know of the data behind them.


def edit_notes(
    facts: CaseFacts,
    corpus: Corpus,
    decision: Decision | None,
    exclude: Collection[str],
    *,
    scheme_chosen: bool,
) -> list[str]:
    """What the reader should know of the edits that take part.

    Args:
        facts: Of the cases.
        corpus: The data.
        decision: Whose edits count; None where no metric compares any.
        exclude: Types of edits that are left out.
        scheme_chosen: Whether somebody chose a scheme.
    """
    if decision is None:
        return []
    name, scheme = corpus.name, decision.scheme
    notes: list[str] = []
    if decision.warning:
        notes.append(decision.warning)
    elif (
        scheme is not None
        and facts.from_files
        and facts.extracted
        and "scheme" not in corpus.provenance
    ):
        notes.append(
            Message(
                "{corpus}: some edits are those of files that do not say what found them, the "
                "others those of scheme {scheme}; where their spans differ, a right correction "
                "loses points: --re-extract extracts all again and compares like with like",
                corpus=name,
                scheme=scheme.name,
            )
        )
    if facts.capped:
        note = edit_set_limit_note(facts.capped)
        notes.append(WarningNote(note.template, **note.values))
    if scheme is not None and facts.extracted:
        if warning := scheme.warn(corpus.sources):
            notes.append(WarningNote("{name}: {value}", name=name, value=warning))
        notes += scheme.notes
    elif scheme_chosen:
        notes.append(
            WarningNote(
                "{corpus}: all edits stand in the files, so the scheme extracted none; "
                "--re-extract does",
                corpus=name,
            )
        )
    if facts.alternatives:
        notes.append(
            Message("some edits have alternative corrections; only the first of each counts")
        )
    unseen = sorted(set(exclude) - facts.labels)
    if unseen:
        notes.append(
            WarningNote(
                "no edit has a type that was to be left out: {types}; types here are {others}",
                types=", ".join(unseen),
                others=", ".join(sorted(facts.labels)) or "none",
            )
        )
    return notes


def version_notes(facts: CaseFacts, needs: Collection[Part]) -> list[str]:
    """What the reader should know of systems that give several versions of a sentence."""
    counts = ", ".join(f"{system} {count}" for system, count in facts.several.items() if count)
    notes: list[str] = []
    if counts and "texts" in needs:
        notes.append(
            Message(
                "sentences with several versions, of which metrics over texts take the first: "
                "{counts}",
                counts=counts,
            )
        )
    if counts and needs != {"texts"}:
        notes.append(
            Message(
                "sentences with several versions, of which metrics over edits take the best (some "
                "the first, as their pages say): {counts}; a system mostly has one: is it not the "
                "corpus?",
                counts=counts,
            )
        )
    return notes


def text_notes(
    facts: CaseFacts,
    needs: Collection[Part],
    corpus: Corpus,
    decision: Decision | None,
    segmenter: Segmenter,
    chosen: str | None,
) -> list[str]:
    """What the reader should know of texts and of their division into tokens.

    Args:
        facts: Of the cases.
        needs: What metrics read.
        corpus: The data.
        decision: Whose edits count; None where no metric compares any.
        segmenter: Divides texts.
        chosen: Its name, if somebody chose it.

    Raises:
        UsageError: A segmenter was chosen for nothing, or texts are not divided and it was not.
    """
    notes: list[str] = []
    if facts.gold_edits_extracted and chosen and decision and decision.scheme:
        raise UsageError(
            f"segmenter {chosen}: edits are not given but found by scheme "
            f"{decision.scheme.name}, which divides texts itself; leave the segmenter "
            "out, or score against gold M2 whose sentences are already divided into words"
        )
    if "gold_edits" in needs and not facts.gold_edits_extracted:
        unlike = segmentation_notes(facts.token_shares)
        if unlike and not chosen:
            raise UsageError("; ".join(unlike))
        notes += unlike
        notes += segmenter_notes(segmenter, corpus) if chosen else []
    return notes


def signature_context(
    part: Part, corpus: Corpus, facts: CaseFacts, decision: Decision | None, segmenter: str
) -> dict[str, str]:
    """The part of the signature that says what is compared with what.

    Args:
        part: What the metric reads.
        corpus: The data.
        facts: Of the cases.
        decision: Whose edits count; None where no metric compares any.
        segmenter: Its name.
    """
    context: dict[str, str] = {}
    scheme_name = corpus.provenance.get("scheme")
    as_given = "as given" + (f" ({scheme_name})" if scheme_name else "")
    scheme = dict(decision.scheme.signature) if decision and decision.scheme else {}
    if part == "edits" and decision:
        if facts.from_files:
            context["edits"] = as_given + (" and extracted" if facts.extracted else "")
        context |= scheme if facts.extracted else {}
    if part == "gold_edits" and facts.gold_edits_extracted:
        context |= {"golds": "extracted", **scheme}
    elif part == "gold_edits":
        context |= {
            "golds": corpus.provenance.get(GOLD_EDITS, as_given),
            "tokens": segmenter,
        }
    return context


def metric_notes(
    metrics: Sequence[Metric[Any]],
    corpus: Corpus,
    rows: Mapping[tuple[str, str], Sequence[Any]],
) -> list[str]:
    """What metrics themselves have to say.

    Args:
        metrics: Those that have rows, and others.
        corpus: The data.
        rows: Statistics of each sentence by system and metric.
    """
    notes: list[str] = []
    for metric in metrics:
        of_systems = {
            system: values for (system, name), values in rows.items() if name == metric.name
        }
        notes += _notes_of(metric, corpus, of_systems)
    left_out = {metric: list(stats).count(None) for (_, metric), stats in rows.items()}
    if len(set(left_out.values())) > 1:
        counts = ", ".join(f"{name} {count}" for name, count in left_out.items())
        notes.append(
            Message(
                "metrics leave out different numbers of sentences that nobody could correct: "
                "{counts}",
                counts=counts,
            )
        )
    return notes


def _notes_of(metric: Metric[Any], corpus: Corpus, rows: Mapping[str, Sequence[Any]]) -> list[str]:
    """What the metric itself has to say, with the systems that it is true of."""
    systems_of: dict[str, list[str]] = {}
    for system, of_system in rows.items():
        notes = list(metric.notes([row for row in of_system if row is not None]))
        places = [
            at
            for at, row in enumerate(of_system)
            if metric.approximation and row is not None and metric.is_approximate(row)
        ]
        if names := [corpus.samples[at].id for at in places]:
            notes.append(
                Message(
                    "{metric}: {what}, sentences: {count} ({names})",
                    metric=metric.name,
                    count=len(names),
                    what=Message(metric.approximation),
                    names=", ".join(names),
                )
            )
        if metric.experimental:
            notes.insert(
                0,
                WarningNote(
                    "{metric} is experimental: {why}",
                    metric=metric.name,
                    why=Message(metric.experimental),
                ),
            )
        for note in notes:
            systems_of.setdefault(note, []).append(system)
    return [
        note if len(systems) == len(rows) else _of_systems(note, systems)
        for note, systems in systems_of.items()
    ]


def part_warnings(run: RunStats, name: str, parts: Mapping[str, Sequence[int]]) -> list[str]:
    """What a metric warns of in parts of the corpus, where it does not warn of the whole.

    Args:
        run: The statistics.
        name: Of the metric.
        parts: Places of the sentences of each part, by its name.
    """
    systems_of: dict[WarningNote, list[str]] = {}
    for system in run.systems:
        rows = run.rows[system, name]
        templates = {note.template for note in _warnings(run.metrics[name], rows)}
        parts_of: dict[WarningNote, list[str]] = {}
        for part, indices in parts.items():
            for note in _warnings(run.metrics[name], [rows[at] for at in indices]):
                if note.template not in templates:
                    parts_of.setdefault(note, []).append(part)
        for warning, names in parts_of.items():
            of_parts = WarningNote("{note} (in: {parts})", note=warning, parts=", ".join(names))
            systems_of.setdefault(of_parts, []).append(system)
    return [
        note if len(systems) == len(run.systems) else _of_systems(note, systems)
        for note, systems in systems_of.items()
    ]


def _warnings(metric: Metric[Any], rows: Sequence[Any]) -> list[WarningNote]:
    """What a metric warns of in sentences, without those that it says nothing of."""
    notes = metric.notes([row for row in rows if row is not None])
    return [note for note in notes if isinstance(note, WarningNote)]


def _of_systems(note: str, systems: Sequence[str]) -> str:
    """Put the systems that a note is true of before it; a warning stays one."""
    names = ", ".join(systems)
    if isinstance(note, WarningNote):
        return WarningNote("{systems}: {note}", systems=names, note=note)
    return Message("{systems}: {note}", systems=names, note=note)


# Scores.


_DRAWS_AT_ONCE = 25_000_000
"""Places of sentences in resamples that are in memory together, four bytes each."""


def summarise(
    run: RunStats,
    *,
    by: str | None = None,
    beta: float = 0.5,
    resamples: int = 0,
    seed: int = 0,
    per_sentence: bool = False,
) -> ScoreReport:
    """Sum up the statistics of a run.

    Args:
        run: The statistics.
        by: A metadata field; each of its values is scored as a subset, too.
        beta: Weight of recall, as the report says it.
        resamples: Of the intervals; 0 for none.
        seed: Of the resamples.
        per_sentence: Whether the report has what each metric says of each sentence.

    Raises:
        CorpusError: A sentence lacks the metadata field of the subsets.
        MissingExtraError: What a metric needs is not installed, and no other is asked for.
    """
    groups: dict[str | None, Sequence[int]] = {None: range(len(run.corpus.samples))}
    if by is not None:
        groups |= subsets(run.corpus, by)
    draws: dict[int, Draws] = {}

    def interval(metric: Metric[Any], rows: Sequence[Any]) -> Interval:
        import numpy as np

        prepared = metric.prepare(rows)
        values = np.concatenate([prepared.resample(block) for block in blocks(len(rows))])
        return replace(resample.interval(values), resamples=resamples, seed=seed)

    def blocks(size: int) -> Iterable[Draws]:
        at_once = _DRAWS_AT_ONCE // max(1, size)
        if at_once < resamples:  # they are drawn again for another metric or system
            return resample.draw_blocks(
                size, resamples=resamples, seed=seed, at_once=max(1, at_once)
            )
        if size not in draws:
            draws.clear()  # they are large
            draws[size] = resample.draws(size, resamples=resamples, seed=seed)
        return (draws[size],)

    missing: dict[str, str] = {}
    results: list[Result] = []
    for name, metric in run.metrics.items():
        why, scores = run.refused.get(name), []
        try:
            for system in run.systems if why is None else ():
                rows = run.rows[system, name]
                scores += _results(metric, system, rows, groups, interval if resamples else None)
        except MissingExtraError as error:
            if len(run.metrics) == 1:
                raise
            missing[name] = why = Message("{name}: {value}", name=name, value=error.message)
            scores = []
        results += scores or [Result(system, name, None, None, why) for system in run.systems]
    uncorrectable = max((list(rows).count(None) for rows in run.rows.values()), default=0)
    left_out = {LEFT_OUT: uncorrectable, **run.left_out}
    ids = [sample.id for sample in run.corpus.samples] if per_sentence else []
    sentences = {
        (system, name): _sentences(metric, ids, rows)
        for name, metric in run.metrics.items()
        for (system, metric_name), rows in run.rows.items()
        if per_sentence and metric_name == name and name not in missing
    }
    return ScoreReport(
        corpus=run.corpus.name,
        sentences=len(run.corpus.samples) + sum(run.left_out.values()),
        left_out={reason: count for reason, count in left_out.items() if count},
        beta=beta,
        results=tuple(results),
        per_sentence=sentences,
        notes=(*run.notes, *(_subset_warnings(run, groups, missing) if by is not None else ())),
    )


def _subset_warnings(
    run: RunStats, groups: Mapping[str | None, Sequence[int]], missing: Container[str]
) -> Iterator[str]:
    parts = {subset: indices for subset, indices in groups.items() if subset is not None}
    for name in run.metrics:
        if name not in run.refused and name not in missing:
            yield from part_warnings(run, name, parts)


def _results(
    metric: Metric[Any],
    system: str,
    rows: Sequence[Any],
    groups: Mapping[str | None, Sequence[int]],
    interval: Callable[[Metric[Any], Sequence[Any]], Interval] | None,
) -> list[Result]:
    """The scores of a system in all groups."""
    results = []
    for subset, members in groups.items():
        # Whatever goes through the corpus begins again in each subset.
        part = [rows[at] for at in members if rows[at] is not None]
        if not part:
            why = Message("{metric}: no sentence to score", metric=metric.name)
            if subset is not None:
                why = Message(
                    "{metric}: no sentence to score in subset {subset!r}",
                    metric=metric.name,
                    subset=subset,
                )
            results.append(Result(system, metric.name, subset, None, why))
            continue
        score, better = metric.aggregate(part), metric.higher_is_better
        if interval:
            score = replace(score, interval=interval(metric, part))
        results.append(Result(system, metric.name, subset, score, None, better))
    return results


def _sentences(
    metric: Metric[Any], ids: Sequence[str], rows: Sequence[Any]
) -> tuple[SentenceResult, ...]:
    values = iter(metric.sentences([row for row in rows if row is not None]))
    return tuple(
        SentenceResult(name, None if row is None else next(values))
        for name, row in zip(ids, rows, strict=True)
    )
